"""Rules of iptables, from the text that `iptables-save` prints.

Source: iptables-save(8), iptables-extensions(8); outputs of iptables 1.8.9.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from app.discovery.firewall.model import (
    HARMLESS_TARGETS,
    NOT_UNDERSTOOD,
    UNKNOWN,
    BaseChain,
    Field,
    FirewallRule,
    FirewallTable,
    Match,
    Ruleset,
    RuleVerdict,
    Span,
    Value,
)
from app.discovery.firewall.values import address_span, value_of

_HOOKS = {"PREROUTING": "prerouting", "INPUT": "input"}
_TABLES = ("raw", "mangle", "nat", "filter", "security")
_VERDICTS = {
    "ACCEPT": RuleVerdict.ACCEPT,
    "DROP": RuleVerdict.DROP,
    "REJECT": RuleVerdict.DROP,
    "RETURN": RuleVerdict.RETURN,
}
_MODULES = frozenset(
    {
        "conntrack",
        "state",
        "tcp",
        "udp",
        "icmp",
        "multiport",
        "addrtype",
        "comment",
        "mark",
        "pkttype",
        "iprange",
        "limit",
    }
)
_OWN_OPTIONS = {"-s": Field.SOURCE, "-d": Field.DESTINATION, "-i": Field.INTERFACE, "-p": Field.PROTOCOL}
_MOST_PORT = 65_535


@dataclass
class _Read:
    """A table while it is read."""

    policies: dict[str, str] = field(default_factory=dict)
    lines: list[tuple[str, str]] = field(default_factory=list)


def parse_iptables(text: str, program: str = "iptables") -> Ruleset:
    """Return the rules that packets for the host pass. Never raises.

    Args:
        text: Output of `iptables-save`, or of several.
        program: Name of the tool for users.
    """
    tables: dict[str, _Read] = {}
    table = _Read()
    for line in text.splitlines():
        if line.startswith("*"):
            table = tables.setdefault(line[1:].strip(), _Read())
        elif line.startswith(":"):
            words = line[1:].split()
            if len(words) >= 2:
                table.policies[words[0]] = words[1]
        elif line.startswith("-A "):
            words = line.split(maxsplit=2)
            if len(words) >= 2:
                table.lines.append((words[1], line))
    targets = {target for one in tables.values() for _, line in one.lines for target in line.split()}
    return Ruleset(
        tuple(base for name in _TABLES if name in tables for base in _base_chains(name, tables[name], program)),
        sets_marks=bool(targets & {"MARK", "CONNMARK"}),
        untracks=bool(targets & {"NOTRACK", "--notrack"}),
    )


def _base_chains(name: str, table: _Read, program: str) -> Iterator[BaseChain]:
    chains: dict[str, list[FirewallRule]] = {chain: [] for chain in table.policies}
    for chain, line in table.lines:
        chains.setdefault(chain, []).append(_rule(line, table.policies))
    made = FirewallTable(f"{name} of {program}", {chain: tuple(rules) for chain, rules in chains.items()})
    for chain, hook in _HOOKS.items():
        if chain in chains:
            policy = RuleVerdict.DROP if table.policies.get(chain) == "DROP" else RuleVerdict.ACCEPT
            yield BaseChain(made, chain, hook, policy, "nat" if name == "nat" else "filter")


def _rule(line: str, chains: Mapping[str, str]) -> FirewallRule:
    try:
        words = shlex.split(line) if '"' in line or "\\" in line else line.split()
    except ValueError:
        return FirewallRule((NOT_UNDERSTOOD,), RuleVerdict.OTHER, text=line)
    reader = _RuleReader(words[2:])
    matches = tuple(reader.matches())
    name = reader.target
    if reader.is_goto:
        return FirewallRule(matches, RuleVerdict.GOTO, name, line)
    if name in _VERDICTS:
        return FirewallRule(matches, _VERDICTS[name], text=line)
    if name in chains:
        return FirewallRule(matches, RuleVerdict.JUMP, name, line)
    is_harmless = not name or name in HARMLESS_TARGETS
    return FirewallRule(matches, RuleVerdict.NONE if is_harmless else RuleVerdict.OTHER, text=line)


class _RuleReader:
    """The words of one rule.

    Attributes:
        target: Target or chain, once all matches have been read; empty for none.
        is_goto: Whether it is a chain to go to.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self.target = ""
        self.is_goto = False

    def matches(self) -> Iterator[Match]:
        """Yield the conditions."""
        module = ""
        is_negated = False
        while self._words:
            word = self._next()
            if word == "!":
                is_negated = True
                continue
            if word in ("-j", "-g", "--jump", "--goto"):
                self.target, self.is_goto = self._next(), word in ("-g", "--goto")
                return
            if word == "-m":
                module = self._next()
                if module not in _MODULES:
                    yield NOT_UNDERSTOOD
            elif word in _OWN_OPTIONS:
                yield _own(_OWN_OPTIONS[word], self._next(), is_negated=is_negated)
            elif word.startswith("-") and (not module or module in _MODULES):
                yield from self._of_module(word, module, is_negated=is_negated)
            is_negated = False

    def _next(self) -> str:
        return self._words.pop(0) if self._words else ""

    def _of_module(self, option: str, module: str, *, is_negated: bool) -> Iterator[Match]:
        if option in ("--comment", "--limit-burst"):
            self._next()
            return
        if option in ("--tcp-flags", "--syn"):
            words = (self._next(), self._next()) if option == "--tcp-flags" else ("FIN,SYN,RST,ACK", "SYN")
            yield replace(_tcp_flags(*words), is_negated=is_negated)
        elif (option, module) in _OPTIONS:
            yield replace(_OPTIONS[option, module](self._next()), is_negated=is_negated)
        else:
            yield NOT_UNDERSTOOD


def _own(kind: Field, text: str, *, is_negated: bool) -> Match:
    if kind is Field.INTERFACE and text.endswith("+"):
        text = f"{text[:-1]}*"
    return Match((kind,), ((value_of(kind, text),),), is_negated)


def _listed(kind: Field, text: str) -> Match:
    return Match((kind,), tuple((_ports(kind, one),) for one in text.split(",")))


def _ports(kind: Field, text: str) -> Value:
    first, colon, last = text.partition(":")
    if not colon:
        return value_of(kind, text)
    lower, upper = value_of(kind, first or "0"), value_of(kind, last or str(_MOST_PORT))
    if not isinstance(lower, Span) or not isinstance(upper, Span):
        return UNKNOWN
    return Span(lower.first, upper.last)


def _words(kind: Field, text: str) -> Match:
    return Match((kind,), tuple((value_of(kind, one.lower()),) for one in text.split(",")))


def _states(text: str) -> Match:
    """Return a match of states; DNAT and SNAT among them are the status of a connection."""
    pairs = tuple(("*", one) if one in ("dnat", "snat") else (one, "*") for one in text.lower().split(","))
    return Match((Field.STATE, Field.STATUS), pairs)


def _span(kind: Field, text: str) -> Match:
    first, _, last = text.partition("-")
    return Match((kind,), ((address_span(first, last),),))


def _mark(text: str) -> Match:
    value, _, mask = text.partition("/")
    bits = value_of(Field.MARK, mask) if mask else Span(0, 0)
    if not isinstance(bits, Span):
        return NOT_UNDERSTOOD
    return Match((Field.MARK,), ((value_of(Field.MARK, value),),), mask=bits.first)


def _icmp_type(text: str) -> Match:
    value: Value = Span(0, 255) if text in ("any", "255") else value_of(Field.ICMP_TYPE, text)
    return Match((Field.ICMP_TYPE,), ((value,),))


def _tcp_flags(mask: str, wanted: str) -> Match:
    bits, value = _flags(mask), _flags(wanted)
    if not bits or value is None:
        return NOT_UNDERSTOOD
    return Match((Field.TCP_FLAGS,), ((Span(value, value),),), mask=bits)


def _flags(text: str) -> int | None:
    """Return the bits of flags; None where one is not understood."""
    found = 0
    for one in {"NONE": "0", "ALL": "63"}.get(text, text).split(","):
        value = value_of(Field.TCP_FLAGS, one)
        if not isinstance(value, Span):
            return None
        found |= value.first
    return found


def _limit(text: str) -> Match:
    """Return a match of all packets for a limit per second: the first one of a connection is taken to be below it."""
    return Match((Field.FAMILY,), (("ipv4",),)) if text.endswith(("/s", "/sec", "/second")) else NOT_UNDERSTOOD


_OPTIONS: Mapping[tuple[str, str], Callable[[str], Match]] = {
    ("--ctstate", "conntrack"): _states,
    ("--ctdir", "conntrack"): partial(_words, Field.DIRECTION),
    ("--state", "state"): _states,
    ("--dport", "tcp"): partial(_listed, Field.PORT),
    ("--dport", "udp"): partial(_listed, Field.PORT),
    ("--sport", "tcp"): partial(_listed, Field.SOURCE_PORT),
    ("--sport", "udp"): partial(_listed, Field.SOURCE_PORT),
    ("--dports", "multiport"): partial(_listed, Field.PORT),
    ("--sports", "multiport"): partial(_listed, Field.SOURCE_PORT),
    ("--limit", "limit"): _limit,
    ("--icmp-type", "icmp"): _icmp_type,
    ("--dst-type", "addrtype"): partial(_words, Field.DESTINATION_TYPE),
    ("--src-type", "addrtype"): partial(_words, Field.SOURCE_TYPE),
    ("--pkt-type", "pkttype"): partial(_words, Field.PACKET_TYPE),
    ("--mark", "mark"): _mark,
    ("--src-range", "iprange"): partial(_span, Field.SOURCE),
    ("--dst-range", "iprange"): partial(_span, Field.DESTINATION),
}
