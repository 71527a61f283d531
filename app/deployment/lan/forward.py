"""Rules for forwarding that drop bridged frames, where the kernel passes these to iptables (bridge-nf).

Source: sysctl net.bridge.bridge-nf-call-iptables (kernel's Documentation/networking/bridge.rst); tried with
`iptables -P FORWARD DROP`: hosts of two joined LANs do not reach each other while both gateways do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.deployment.lan.iptables import interface_matches as iptables_matches
from app.deployment.lan.iptables import words_of
from app.deployment.lan.matches import InterfaceMatch, shown
from app.deployment.lan.messages import CHAIN_POLICY, FORWARD_POLICY, RULE_OF_FORWARD_CHAIN, RULE_OF_PROGRAM
from app.deployment.lan.nft import interface_matches as nft_matches
from app.deployment.lan.nft_listing import blocks_of, plain

_MOST_JUMPS = 32
_DROPS = frozenset({"DROP", "REJECT", "QUEUE", "NFQUEUE", "drop", "reject", "queue"})
_ACCEPTS = frozenset({"ACCEPT", "accept"})
_RETURNS = frozenset({"RETURN", "return"})
_HARMLESS = re.compile(r' counter\b| comment "[^"]*"| -m comment --comment (?:"(?:[^"\\]|\\.)*"|\S+)')
_BRIDGED = " -m physdev --physdev-is-bridged"
_VERDICT = re.compile(r"(?:^|\s)(?:(accept|drop|reject|queue|return)\b|(jump|goto) (\S+))")


@dataclass(frozen=True, slots=True)
class _Rule:
    """One rule.

    Attributes:
        text: As its program lists it.
        ways: What it asks of interfaces.
        is_conditional: Whether it asks for something else as well.
        targets: Its verdicts and chains; more than one in a map.
    """

    text: str
    ways: tuple[InterfaceMatch, ...]
    is_conditional: bool
    targets: tuple[str, ...]


def forward_drop(
    listing: str, saved: Mapping[str, str], calls: Sequence[str], names: Sequence[str], *, left_out: frozenset[str]
) -> str:
    """Return the rule or policy that may drop a frame from a port of a bridge to another one; empty where none does.

    Args:
        listing: Output of `nft -s list ruleset`.
        saved: Output of `iptables-save` by program.
        calls: Families of which bridged frames are passed on: `ip`, `ip6`.
        names: The bridge, and what its rules name as well.
        left_out: Tables of nft that iptables lists, as family and name.
    """
    for program, text in saved.items():
        family = "ip6" if program.startswith("ip6") else "ip"
        found = _of_iptables(program, text, names) if family in calls else ""
        if found:
            return found
    return next(_of_nft(listing, calls, names, left_out), "") if calls else ""


def _of_iptables(program: str, saved: str, names: Sequence[str]) -> str:
    chains: dict[str, list[_Rule]] = {}
    policy = table = ""
    for line in saved.splitlines():
        words = line.split()
        if line.startswith("*"):
            table = line[1:].strip()
        elif table == "filter" and line.startswith(":") and len(words) > 1:
            chains.setdefault(words[0][1:], [])
            policy = words[1] if words[0] == ":FORWARD" else policy
        elif table == "filter" and line.startswith("-A ") and len(words) > 2:
            chains.setdefault(words[1], []).append(_iptables_rule(line))
    dropped, is_done = _walk("FORWARD", chains, names)
    if dropped or is_done or policy != "DROP":
        return dropped and RULE_OF_PROGRAM(rule=dropped, program=program)
    return FORWARD_POLICY(program=program)


def _iptables_rule(line: str) -> _Rule:
    text = _HARMLESS.sub("", f" {line}").replace(_BRIDGED, "")
    words = [one[0] for one in words_of(text)][2:]
    rest = list(words)
    target = ""
    for option in ("-j", "-g"):
        if option in rest[:-1]:
            target, rest = rest[rest.index(option) + 1], rest[: rest.index(option)]
    conditions = [word for number, word in enumerate(rest) if not _is_of_interface(rest, number)]
    ways = tuple(match for _, match in iptables_matches(text.strip()))
    return _Rule(line, ways, bool(conditions), (target,))


def _is_of_interface(words: list[str], number: int) -> bool:
    option = ("-i", "-o")
    before = words[number - 1] if number else ""
    after = words[number + 1] if number + 1 < len(words) else ""
    return words[number] in option or before in option or (words[number] == "!" and after in option)


def _of_nft(listing: str, calls: Sequence[str], names: Sequence[str], left_out: frozenset[str]) -> Iterator[str]:
    families = {*calls, "inet"}
    tables: dict[str, dict[str, list[_Rule]]] = {}
    bases: list[tuple[str, str, str]] = []
    for block in blocks_of(listing):
        table, _, name = block.place.rpartition(" ")
        if block.kind != "chain" or table.split()[0] not in families or table in left_out:
            continue
        rules = [line for line in block.lines if not line.startswith(("type ", "policy ", "comment "))]
        tables.setdefault(table, {})[name] = [_nft_rule(line) for line in rules]
        head = next((line for line in block.lines if re.match(r"type \w+ hook forward ", line)), "")
        if head:
            bases.append((table, name, head))
    for table, name, head in bases:
        dropped, is_done = _walk(name, tables[table], names)
        if dropped:
            yield RULE_OF_FORWARD_CHAIN(rule=dropped, chain=name, table=table)
        elif not is_done and "policy drop" in head:
            yield CHAIN_POLICY(chain=name, table=table)


def _nft_rule(line: str) -> _Rule:
    text = plain(line)
    ways = tuple(match for _, match in nft_matches(text))
    found = _VERDICT.finditer(re.sub(r'"[^"]*"', '""', text))
    rest = re.sub(r"\b[io]if(?:name)? (?:!= )?(?:vmap )?(?:\"[^\"]*\"|\{[^{}]*\})", "", text)
    rest = _VERDICT.sub("", _HARMLESS.sub("", f" {rest}"))
    targets = tuple(one[1] or one[3] for one in found)
    return _Rule(line, ways, bool(rest.strip()) or len(targets) != 1, targets)


def _walk(name: str, chains: Mapping[str, list[_Rule]], names: Sequence[str], depth: int = 0) -> tuple[str, bool]:
    """Return the rule that may drop a frame, and whether the frame is accepted for certain before the chain's end."""
    if depth >= _MOST_JUMPS:
        return "", False
    for rule in chains.get(name, ()):
        decision = _decision(rule, chains, names, depth) if all(_is_met(way, names) for way in rule.ways) else None
        if decision is not None:
            return decision
    return "", False


def _decision(
    rule: _Rule, chains: Mapping[str, list[_Rule]], names: Sequence[str], depth: int
) -> tuple[str, bool] | None:
    """Return what `_walk` returns where this rule decides it; None where the next rule is asked."""
    if not _DROPS.isdisjoint(rule.targets):
        return f'"{shown(rule.text)}"', False
    for target in rule.targets:
        if target in _ACCEPTS and not rule.is_conditional:
            return "", True
        if target in _RETURNS and not rule.is_conditional:
            return "", False
        if target in chains:
            dropped, is_done = _walk(target, chains, names, depth + 1)
            if dropped or (is_done and not rule.is_conditional):
                return dropped, is_done
    return None


def _is_met(way: InterfaceMatch, names: Sequence[str]) -> bool:
    """Whether a frame of the bridge may meet a match; a rule for its port may be moved to the bridge."""
    return not way.covers(names[0]) if way.is_negated else any(way.covers(name) for name in names)
