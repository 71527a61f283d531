"""Parsers for the simulations of package managers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.discovery.text import clean, lines_of
from app.domain.commands import CommandResult
from app.domain.hosts import PackageManager


@dataclass(frozen=True, slots=True)
class PackageChanges:
    """Simulated installation: names of packages."""

    installed: tuple[str, ...]
    removed: tuple[str, ...]


def failed_simulation(manager: PackageManager, result: CommandResult) -> bool:
    """Whether the package manager could not even say what it would do."""
    if manager is PackageManager.DNF:  # answers "no" to its own question, and calls that a failure
        return not result.is_ok and "Operation aborted" not in f"{result.stdout}{result.stderr}"
    if manager is PackageManager.OPKG:  # says so, and may still exit with 0
        return not result.is_ok or "Unknown package" in f"{result.stdout}{result.stderr}"
    return not result.is_ok


def read_simulation(manager: PackageManager, text: str) -> PackageChanges:
    """Return what would be installed and removed."""
    if manager is PackageManager.APT:
        return PackageChanges(_matches(r"Inst (\S+)", text), _matches(r"(?:Remv|Purg) (\S+)", text))
    if manager is PackageManager.OPKG:
        installed = _matches(r"(?:Installing|Upgrading) (\S+) ", text)
        return PackageChanges(installed, _matches(r"Removing (?:obsolete )?(?:package )?(\S+?)\.?(?: |$)", text))
    if manager is PackageManager.DNF:
        return _read_dnf(text)
    return PackageChanges(_matches(r"([\w@.+-]+)$", text), ())  # pacman refuses to remove anything with --noconfirm


def _matches(pattern: str, text: str) -> tuple[str, ...]:
    """Return what the pattern captures at the beginning of lines, each once."""
    found = (re.match(pattern, line.strip()) for line in lines_of(text))
    return tuple(dict.fromkeys(clean(match[1]) for match in found if match))


def _read_dnf(text: str) -> PackageChanges:
    """Read the table that dnf prints: a heading with a colon, then a line for each package, indented by one."""
    installed: list[str] = []
    removed: list[str] = []
    current: list[str] | None = None
    for line in lines_of(text):
        heading = re.match(r"([A-Z][a-z ]+):\s*$", line)
        row = re.match(r" (\S+) ", line)
        replaced = re.match(r"\s+replacing\s+(\S+)", line)
        if heading:
            word = heading[1].split()[0]
            current = removed if word == "Removing" else installed if word in {"Installing", "Upgrading"} else None
        elif replaced:
            removed.append(clean(replaced[1]))
        elif row and current is not None:
            current.append(clean(row[1]))
    return PackageChanges(tuple(dict.fromkeys(installed)), tuple(dict.fromkeys(removed)))
