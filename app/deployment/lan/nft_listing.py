"""Listings of nftables: chains, sets and maps with their lines, and parts of lines.

Source: nft(8); listings (`nft -s list ruleset`) of nftables 0.9.8 and 1.0.6.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

FAMILIES = ("ip", "ip6", "inet", "arp")
"""Families whose hooks see the bridge; netdev and bridge go on to see the port."""
TOKEN = re.compile(r'"[^"]*"|[{},]|[^\s{},"]+')
"""A word, a text in quotes or a sign of a rule."""


@dataclass
class NftBlock:
    """A chain, set or map of a listing.

    Attributes:
        kind: `chain`, `set`, `map` or something else.
        place: Family, table and name.
        lines: Its lines without indentation.
        is_owned: Whether its table belongs to a running program, which alone may change it.
    """

    kind: str
    place: str
    lines: list[str] = field(default_factory=list)
    is_owned: bool = False


def blocks_of(listing: str) -> tuple[NftBlock, ...]:
    """Return chains, sets and maps of the tables of a listing that see a bridge in place of its port."""
    found: list[NftBlock] = []
    table, depth, is_owned = "", 0, False
    for raw in listing.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if depth == 0:
            table = _table_of(line)
            depth, is_owned = 1, False
        elif depth == 1:
            if line == "}":
                depth = 0
            elif line.endswith("{"):
                kind, _, name = line.rstrip(" {").partition(" ")
                found.append(NftBlock(kind, f"{table} {name}", is_owned=is_owned))
                depth = 2
            else:
                is_owned |= line.startswith("flags ") and "owner" in line
        elif line == "}":
            depth -= 1
        else:
            found[-1].lines.append(line)
            # The rules of a chain without a name are within the rule that jumps to it.
            depth += line.endswith("{") and not line.startswith("elements")
    return tuple(one for one in found if one.place.split()[0] in FAMILIES and "tunnelmark_" not in one.place)


def _table_of(line: str) -> str:
    """Return family and name of the table that a line begins; empty for anything else."""
    words = line.split()
    return " ".join(words[1:3]) if words[0] == "table" and len(words) > 3 else ""


def rules_naming(listing: str, port: str) -> Iterator[tuple[str, str]]:
    """Yield places and rules with a port's own name, as the supervisor searches for them."""
    for block in blocks_of(listing):
        if block.kind == "chain" and block.place.split()[1] != "firewalld":
            for line in block.lines:
                if f'"{port}"' in line and re.search(r"[io]if(name)? ", line):
                    yield block.place, line


def rule_counts(listing: str) -> Counter[str]:
    """Return the number of rules by family and table."""
    counts: Counter[str] = Counter()
    for block in blocks_of(listing):
        if block.kind == "chain":
            table = block.place.rpartition(" ")[0]
            counts[table] += sum(not line.startswith(("type ", "policy ", "comment ")) for line in block.lines)
    return counts


def plain(rule: str) -> str:
    """Return a rule without its comment."""
    tokens = list(TOKEN.finditer(rule))
    if len(tokens) > 2 and tokens[-2][0] == "comment" and tokens[-1][0].startswith('"'):
        return rule[: tokens[-2].start()].rstrip()
    return rule


def without_texts(line: str) -> str:
    """Return a line with nothing between its quotes."""
    return re.sub(r'"[^"]*"', '""', line)


def split_elements(text: str) -> Iterator[str]:
    """Yield the elements of a set, in whose comments there may be commas."""
    for element in re.findall(r'(?:"[^"]*"|[^,"])+', text):
        if element.strip():
            yield element.strip()
