"""Reads existing WireGuard configuration files."""

from __future__ import annotations

from app.domain.adapters import Setting

SECRET_NAMES = frozenset({"privatekey", "presharedkey"})
MASK = "(hidden)"


def settings(text: str) -> tuple[Setting, ...]:
    """Return the settings of a file in the format of wg-quick(8).

    Section headers become settings named `[Interface]` and `[Peer]` without value. Secrets are masked.

    Args:
        text: The file.

    Returns:
        Settings in order, with line numbers from 1.
    """
    found: list[Setting] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        if line.startswith("["):
            found.append(Setting(number, line, ""))
            continue
        name, separator, value = line.partition("=")
        name = name.strip()
        if separator and name:
            found.append(Setting(number, name, MASK if name.lower() in SECRET_NAMES else value.strip()))
    return tuple(found)
