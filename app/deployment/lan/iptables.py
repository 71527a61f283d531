"""Rules of iptables that name a LAN port, with their copies for the bridge that it is joined to.

Source: iptables-save(8), iptables-extensions(8); outputs of iptables 1.8.9.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from app.deployment.lan.matches import MARK, CannotBeCopied, InterfaceMatch, MovedRule, is_plain, needed_copies
from app.deployment.lan.messages import RULE_IN_TABLE, RULE_UNUSUAL

OUR_COMMENT = '--comment "tunnelmark '
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
_KEYS = {"-i": "-i", "--in-interface": "-i", "-o": "-o", "--out-interface": "-o"}
# Options whose value may be any text.
_TEXTS = frozenset({"--comment", "--log-prefix", "--nflog-prefix", "--ulog-prefix", "--string", "--hex-string"})
_OF_FIREWALLD = re.compile(
    r"(?:(?:INPUT|FORWARD|FORWARD_IN|FORWARD_OUT|OUTPUT|PREROUTING|POSTROUTING)_(?:ZONES|POLICIES)\w*"
    r"|(?:IN|OUT|PRE|POST|FWD|FWDI|FWDO)_\w+)"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One rule of an `iptables-save`.

    Attributes:
        table: Its table.
        chain: Its chain.
        text: The whole line.
    """

    table: str
    chain: str
    text: str


@dataclass(frozen=True, slots=True)
class _IptablesMatch:
    match: InterfaceMatch
    key: str
    name_at: tuple[int, int]


def lines_of(saved: str) -> Iterator[Line]:
    """Yield the rules that `iptables-save` printed."""
    table = ""
    for text in saved.splitlines():
        if text.startswith("*"):
            table = text[1:].strip()
        elif text.startswith("-A ") and len(text.split(maxsplit=2)) > 2:
            yield Line(table, text.split(maxsplit=2)[1], text)


def lines_naming(saved: str, port: str) -> Iterator[Line]:
    """Yield the rules of the table `filter` with a port's own name, as the supervisor searches for them."""
    for one in lines_of(saved):
        if one.table == "filter" and (f" -i {port} " in one.text or f" -o {port} " in one.text):
            yield one


def iptables_rules(
    program: str, saved: str, port: str, bridge: str, *, has_firewalld: bool
) -> tuple[tuple[MovedRule, ...], tuple[tuple[str, str], ...]]:
    """Return the rules that have to be there for the bridge of a port as well, and those that have no copy.

    Args:
        program: Name of the program, for example `ip6tables-legacy`.
        saved: What its `-save` printed.
        port: Name of the LAN port.
        bridge: Name of the bridge that it is to be joined to.
        has_firewalld: Whether firewalld runs, which maintains rules for zones itself.
    """
    moved: list[MovedRule] = []
    refused: list[tuple[str, str]] = []
    lines = tuple(lines_of(saved))
    theirs = {(one.table, without_comment(one.text)) for one in lines if OUR_COMMENT not in one.text}
    seen: Counter[Line] = Counter()
    for one in lines:
        seen[one] += 1
        if OUR_COMMENT in one.text or (has_firewalld and _OF_FIREWALLD.fullmatch(one.chain)):
            continue
        place = f"{one.table} {one.chain}"
        try:
            copies = copies_of(one.text, port, bridge)
        except CannotBeCopied as reason:
            refused.append((f"{one.text} ({program}, {one.table})", str(reason)))
            continue
        if copies and one.table != "filter":
            fault = RULE_IN_TABLE(table=one.table)
            refused.append((f"{one.text} ({program}, {one.table})", fault))
            continue
        for copy in copies:
            if (one.table, copy) not in theirs:
                rule = _with_mark(copy).partition(f"-A {one.chain} ")[2]
                moved.append(MovedRule("line", program, place, one.text, seen[one], rule))
    return tuple(moved), tuple(refused)


def copies_of(line: str, port: str, bridge: str) -> tuple[str, ...]:
    """Return the copies of a rule that a bridge needs beside it, without comments.

    Raises:
        CannotBeCopied: It excepts the port.
    """
    text = without_comment(line)
    found = _matches(text)
    wanted = needed_copies([one.match for one in found], port, bridge)
    if wanted and not is_plain(line):
        raise CannotBeCopied(RULE_UNUSUAL())
    copies = []
    for chosen in wanted:
        copy = text
        for number in sorted(chosen, reverse=True):
            start, end = found[number].name_at
            copy = copy[:start] + bridge + copy[end:]
        copies.append(copy)
    return tuple(copies)


def interface_matches(line: str) -> tuple[tuple[str, InterfaceMatch], ...]:
    """Return what a rule asks of interfaces, each with `-i` or `-o`."""
    return tuple((one.key, one.match) for one in _matches(line))


def words_of(line: str) -> Iterator[re.Match[str]]:
    """Yield the words of a rule, but for texts such as comments."""
    is_text = False
    for token in _TOKEN.finditer(line):
        if not is_text:
            yield token
        is_text = token[0] in _TEXTS and not is_text


def _matches(text: str) -> tuple[_IptablesMatch, ...]:
    words = list(words_of(text))
    found = []
    for number, word in enumerate(words[:-1]):
        if word[0] in _KEYS:
            name = words[number + 1]
            is_negated = number > 0 and words[number - 1][0] == "!"
            found.append(_IptablesMatch(InterfaceMatch((name[0],), is_negated), _KEYS[word[0]], name.span()))
    return tuple(found)


def without_comment(line: str) -> str:
    """Return a rule without its comments."""
    return re.sub(r' -m comment --comment (?:"(?:[^"\\]|\\.)*"|\S+)', "", line)


def _with_mark(line: str) -> str:
    """Return a rule with a place for a comment before its target."""
    target = next((one.start() for one in words_of(line) if one[0] in ("-j", "-g")), None)
    return f"{line} {MARK}" if target is None else f"{line[:target]}{MARK} {line[target:]}"
