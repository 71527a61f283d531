"""Three-valued evaluation of packet filter rules for the first packet of a connection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address

from app.discovery.firewall.model import (
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
from app.discovery.messages import CHAIN_IN_TABLE, POLICY_DROP, RULE_OF_CHAIN
from app.domain.firewall import PROTOCOL_NUMBERS, Fate, Opening
from app.domain.messages import Message

Facts = Mapping[Field, tuple[Value, ...]]
"""Values that a packet may have, by property; a property without an entry is unknown."""

_MOST_JUMPS = 32
"""Depth of jumps; Linux allows 16 (NFT_JUMP_STACK_SIZE in nf_tables.h)."""

_MOST_TEXT_CHARACTERS = 200
_ICMP_ECHO_REQUEST = 8
_TCP_SYN = 0x02
_ANYTHING = frozenset({RuleVerdict.ACCEPT, RuleVerdict.DROP, RuleVerdict.RETURN})


def fate(ruleset: Ruleset, opening: Opening, interface: str) -> tuple[Fate, str]:
    """Return the fate of the first packet of an opening, and the rule that decides it.

    Args:
        opening: The packet's protocol, port and source.
        interface: Interface of the underlay, where the opening names none.

    Returns:
        The fate, and the rule that drops the packet or that makes its fate unknown; empty where it is accepted.
    """
    arrives_on = opening.interface or interface
    facts = _facts(ruleset, opening, arrives_on)
    bases = [base for base in ruleset.base_chains if base.device in ("", arrives_on)]
    if any(base.kind == "nat" and _end(base, facts)[0] is not Fate.ACCEPTED for base in bases):
        facts = {**facts, Field.STATUS: (UNKNOWN,)}
    ends = [_end(base, facts) for base in bases]
    for wanted in (Fate.DROPPED, Fate.UNKNOWN):
        for found, text in ends:
            if found is wanted:
                return found, text
    return Fate.ACCEPTED, ""


def dropping(ruleset: Ruleset, opening: Opening, interface: str) -> tuple[BaseChain, ...]:
    """Return the base chains that drop the first packet of an opening.

    Args:
        opening: The packet's protocol, port and source.
        interface: Interface of the underlay, where the opening names none.
    """
    arrives_on = opening.interface or interface
    facts = _facts(ruleset, opening, arrives_on)
    chains = (base for base in ruleset.base_chains if base.device in ("", arrives_on))
    return tuple(base for base in chains if _end(base, facts)[0] is Fate.DROPPED)


def _facts(ruleset: Ruleset, opening: Opening, interface: str) -> Facts:
    addresses = tuple(_number(address) for address in ruleset.addresses.get(interface, ()))
    source = _number(opening.source)
    known: dict[Field, tuple[Value, ...]] = {
        Field.PROTOCOL: (_one(PROTOCOL_NUMBERS[opening.protocol]),),
        Field.SOURCE: (source,),
        Field.DESTINATION: addresses or (UNKNOWN,),
        Field.INTERFACE: (interface or UNKNOWN,),
        Field.RETURN_INTERFACE: (interface or UNKNOWN,),
        Field.FAMILY: ("ipv4",),
        Field.STATE: (UNKNOWN if ruleset.untracks else "new",),
        Field.STATUS: ("none",),
        Field.MARK: (UNKNOWN if ruleset.sets_marks else _one(0),),
        Field.DIRECTION: ("original",),
        Field.PACKET_TYPE: ("host",),
        Field.SOURCE_TYPE: ("unicast",),
        Field.DESTINATION_TYPE: ("local",),
    }
    if opening.port:
        known[Field.PORT] = (_one(opening.port),)
        known[Field.SOURCE_PORT] = (Span(1, 65_535),)
    if opening.protocol == "tcp":
        known[Field.TCP_FLAGS] = (_one(_TCP_SYN),)
    if opening.protocol == "icmp":
        known[Field.ICMP_TYPE] = (_one(_ICMP_ECHO_REQUEST),)
    return known


def _one(number: int) -> Span:
    return Span(number, number)


def _number(address: str) -> Span:
    return _one(int(IPv4Address(address)))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Verdicts that a chain may end with; RETURN is its end without any.

    Attributes:
        verdicts: The verdicts.
        drop: The last rule that may drop.
        doubt: The first rule that may match or not.
    """

    verdicts: frozenset[RuleVerdict]
    drop: str = ""
    doubt: str = ""


def _end(base: BaseChain, facts: Facts) -> tuple[Fate, str]:
    """Return the fate in one base chain."""
    outcome = _Walk(base.table, facts).chain(base.name, 0)
    verdicts, drop = outcome.verdicts, outcome.drop
    if RuleVerdict.RETURN in verdicts:
        verdicts = verdicts - {RuleVerdict.RETURN} | {base.policy}
        if base.policy is RuleVerdict.DROP:
            drop = POLICY_DROP(place=base.place)
    if verdicts == {RuleVerdict.ACCEPT}:
        return Fate.ACCEPTED, ""
    if verdicts == {RuleVerdict.DROP}:
        return Fate.DROPPED, drop
    return Fate.UNKNOWN, outcome.doubt or drop or base.place


class _Walk:
    """The way of one packet through the chains of a table."""

    def __init__(self, table: FirewallTable, facts: Facts) -> None:
        self._table = table
        self._facts = facts
        self._known: dict[str, _Outcome] = {}

    def chain(self, name: str, depth: int) -> _Outcome:
        """Return how a chain may end."""
        rules = self._table.chains.get(name)
        if rules is None or depth > _MOST_JUMPS:
            return _Outcome(_ANYTHING, doubt=CHAIN_IN_TABLE(chain=name, table=self._table.name))
        if name not in self._known:
            # A chain that leads to itself, which no kernel allows, ends here.
            self._known[name] = _Outcome(_ANYTHING, doubt=CHAIN_IN_TABLE(chain=name, table=self._table.name))
            self._known[name] = self._through(name, rules, depth)
        return self._known[name]

    def _through(self, name: str, rules: Iterable[FirewallRule], depth: int) -> _Outcome:
        verdicts: set[RuleVerdict] = set()
        drop = doubt = ""
        for rule in rules:
            truth = _all(_truth(match, self._facts) for match in rule.matches)
            if truth is False or rule.verdict is RuleVerdict.NONE:
                continue
            result = self._result(rule, name, depth)
            verdicts |= result.verdicts - {RuleVerdict.NONE}
            drop = result.drop or drop
            if truth is None and result.verdicts != {RuleVerdict.NONE}:
                doubt = doubt or self._quoted(rule, name)
            doubt = doubt or result.doubt
            if truth and RuleVerdict.NONE not in result.verdicts:
                return _Outcome(frozenset(verdicts), drop, doubt)
        return _Outcome(frozenset(verdicts | {RuleVerdict.RETURN}), drop, doubt)

    def _result(self, rule: FirewallRule, name: str, depth: int) -> _Outcome:
        """Return what a rule that matches may do; NONE is to go on with the next rule."""
        text = self._quoted(rule, name)
        match rule.verdict:
            case RuleVerdict.JUMP:
                inner = self.chain(rule.target, depth + 1)
                after = frozenset(RuleVerdict.NONE if one is RuleVerdict.RETURN else one for one in inner.verdicts)
                return _Outcome(after, inner.drop, inner.doubt)
            case RuleVerdict.GOTO:
                return self.chain(rule.target, depth + 1)
            case RuleVerdict.OTHER:
                return _Outcome(frozenset({RuleVerdict.ACCEPT, RuleVerdict.DROP, RuleVerdict.NONE}), text, text)
            case RuleVerdict.DROP:
                return _Outcome(frozenset({RuleVerdict.DROP}), text)
            case _:
                return _Outcome(frozenset({rule.verdict}))

    def _quoted(self, rule: FirewallRule, name: str) -> str:
        text = "".join(one if one.isprintable() else " " for one in rule.text)[:_MOST_TEXT_CHARACTERS]
        text = rule.text if isinstance(rule.text, Message) else text
        return RULE_OF_CHAIN(rule=text, chain=name, table=self._table.name)


def _truth(match: Match, facts: Facts) -> bool | None:
    found = _any(
        _all(
            _is_in(facts.get(field, (UNKNOWN,)), value, match.mask)
            for field, value in zip(match.fields, one, strict=True)
        )
        for one in match.alternatives
    )
    return not found if match.is_negated and found is not None else found


def _is_in(having: tuple[Value, ...], wanted: Value, mask: int) -> bool | None:
    """Whether a property is within a value, whichever of its possible values it has."""
    truths = {_is_one(one, wanted, mask) for one in having}
    return truths.pop() if len(truths) == 1 else None


def _is_one(having: Value, wanted: Value, mask: int) -> bool | None:
    if wanted == "*":
        return True
    if isinstance(having, str) and isinstance(wanted, str):
        return having.startswith(wanted[:-1]) if wanted.endswith("*") else having == wanted
    if not isinstance(having, Span) or not isinstance(wanted, Span):
        return None
    if mask:
        if having.first != having.last:
            return None
        having = _one(having.first & mask)
    if wanted.first <= having.first and having.last <= wanted.last:
        return True
    return False if having.last < wanted.first or wanted.last < having.first else None


def _all(truths: Iterable[bool | None]) -> bool | None:
    found = set(truths)
    return False if False in found else None if None in found else True


def _any(truths: Iterable[bool | None]) -> bool | None:
    found = set(truths)
    return True if True in found else None if None in found else False
