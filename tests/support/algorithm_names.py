"""Names of algorithms as programs list them, recorded on real hosts."""

from __future__ import annotations

import re
from pathlib import Path

RECORDED = Path(__file__).parents[1] / "contract" / "recorded"


def lists() -> list[str]:
    """Return what lists there are."""
    return sorted(path.stem for path in (RECORDED / "names").glob("*.txt"))


def names(which: str) -> list[str]:
    """Return the names of one list."""
    lines = (RECORDED / "names" / f"{which}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def openvpn_names() -> list[str]:
    """Return what OpenVPN 2.5.1 and 2.6.14 print, from their own output."""
    ciphers = (RECORDED / "openvpn-2.6.14-legacy-ciphers.txt").read_text(encoding="utf-8")
    digests = (RECORDED / "openvpn-2.6.14-legacy-digests.txt").read_text(encoding="utf-8")
    older = (RECORDED / "openvpn-2.5.1-names.txt").read_text(encoding="utf-8").split()
    found = re.findall(r"^(\S+)  \(\d+ bit key", ciphers, re.MULTILINE)
    found += re.findall(r"^(\S+) \d+ bit digest size$", digests, re.MULTILINE)
    return sorted({*found, *older})
