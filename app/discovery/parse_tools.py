"""A host's programs and kernel modules."""

from __future__ import annotations

import re

from app.discovery.text import clean, line_at, lines_of
from app.domain.commands import CommandResult
from app.domain.hosts import Tool, ToolFlavour

_VERSIONS: dict[str, tuple[str, ...]] = {
    "ping": (r"iputils[ -]([\w.+-]+)",),
    "iperf3": (r"^iperf ([0-9][\w.+-]*)",),
    "tcpdump": (r"tcpdump version ([0-9][\w.+-]*)",),
    "ip": (r"iproute2-(?:ss)?([0-9][\w.+-]*)",),
    "ethtool": (r"ethtool version ([0-9][\w.+-]*)",),
    "openssl": (r"^(?:OpenSSL|LibreSSL) ([0-9][\w.+-]*)",),
    "nft": (r"^nftables v([0-9][\w.+-]*)",),
    "python3": (r"^Python ([0-9][\w.+-]*)",),
}
"""Source: the programs' own words: iputils 20240905 and s20161105, iperf 3.18, tcpdump 4.99, iproute2 6.15 and
ss200127, ethtool 6.14, OpenSSL 3.5, nftables 1.1, Python 3.13."""


def parse_tool(name: str, result: CommandResult) -> Tool:
    """Return the program behind a name.

    Args:
        result: Its path on the first line, where that leads to on the second, then what it says of its version.
    """
    path = line_at(result.stdout, 0)
    if not path or result.exit_status is None:
        return Tool(name, ToolFlavour.MISSING)
    target = line_at(result.stdout, 1)
    output = "\n".join(lines_of(result.stdout)[2:])[:4096]
    absolute = path if path.startswith("/") else ""
    busybox = re.search(r"BusyBox v([\w.]+)", output)
    if busybox or target.endswith("/busybox") or not absolute:
        return Tool(name, ToolFlavour.BUSYBOX, clean(busybox[1], 64) if busybox else "", absolute)
    for pattern in _VERSIONS.get(name, ()):
        match = re.search(pattern, output, re.MULTILINE)
        if match:
            flavour = ToolFlavour.IPUTILS if name == "ping" else ToolFlavour.STANDARD
            return Tool(name, flavour, clean(match[1], 64), absolute)
    return Tool(name, ToolFlavour.UNKNOWN, "", absolute)


def parse_modules(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of the named kernel modules are loaded, built in, or can be loaded.

    Args:
        text: One name per line, with hyphens or underscores.
        names: The modules of interest, with underscores.
    """
    found = {line.strip().replace("-", "_") for line in lines_of(text)}
    return tuple(name for name in names if name in found)
