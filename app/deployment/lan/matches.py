"""Conditions of firewall rules on interfaces, and the copies of a rule that a bridge needs in place of its port.

Source: packets that arrive by a port of a bridge have the bridge as their interface in the kernel's hooks for IP
(nft(8), iptables(8)); tried with the rule `iifname "eth2" tcp dport 8080 drop`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from app.deployment.lan.messages import (
    ELEMENT_OF_SET,
    INTERFACE_NAMED,
    RULE_EXCEPTS_PATTERN,
    RULE_EXCEPTS_PORT,
    RULE_IN_CHAIN,
    RULE_NAMES_TOO_OFTEN,
    ZONE_INTERFACE,
)

_MOST_MATCHES = 4
_MOST_SHOWN_CHARACTERS = 160


class CannotBeCopied(Exception):
    """The reason why a rule that names a port has no copy for a bridge, as part of a sentence."""


@dataclass(frozen=True, slots=True)
class MovedRule:
    """One rule that is added for a bridge, beside the one that names its port.

    Attributes:
        kind: `rule` or `element` of nftables, `line` of iptables, or `zone` of firewalld.
        program: What changes it: `nft`, `firewall-cmd`, or one of iptables' programs, for example `iptables-legacy`.
        place: Family, table and chain or set; table and chain of iptables; the zone.
        original: The rule that names the port, as its program lists it without counters.
        nth: Which one of equal rules of the same place, from 1.
        copy: The added rule, with `MARK` in place of its comment.
    """

    kind: str
    program: str
    place: str
    original: str
    nth: int
    copy: str

    @property
    def source(self) -> str:
        """The original for users."""
        return INTERFACE_NAMED(port=self.original) if self.kind == "zone" else self.original

    @property
    def words(self) -> str:
        """The rule for users, with its place."""
        if self.kind == "zone":
            return ZONE_INTERFACE(zone=self.place, port=self.copy)
        form = ELEMENT_OF_SET if self.kind == "element" else RULE_IN_CHAIN
        rule = self.copy.replace(f"{MARK} ", "").replace(f" {MARK}", "")
        return form(program=self.program, place=self.place, rule=rule)


MARK = "\x01"
"""Place of the comment in a copy."""


@dataclass(frozen=True, slots=True)
class InterfaceMatch:
    """A condition of a rule on the interface that a packet comes by or leaves by.

    Attributes:
        names: The interfaces; `eth*` (nftables) and `eth+` (iptables) mean all that begin so.
        is_negated: Whether it must be none of them.
    """

    names: tuple[str, ...]
    is_negated: bool = False

    def covers(self, name: str) -> bool:
        """Whether an interface is among those that are named."""
        return any(means(one, name) for one in self.names)

    def escapes(self, port: str, bridge: str) -> bool:
        """Whether it treats the bridge otherwise than its port."""
        return self.covers(port) and not self.covers(bridge)

    def is_sole(self, port: str) -> bool:
        """Whether it holds for the port and nothing else."""
        return self.names == (port,) and not self.is_negated


def means(name: str, port: str) -> bool:
    """Whether a name of a rule means a port."""
    return name == port or (name[-1:] in ("*", "+") and port.startswith(name[:-1]))


def needed_copies(matches: Sequence[InterfaceMatch], port: str, bridge: str) -> tuple[frozenset[int], ...]:
    """Return for each copy that a rule needs the matches in which the bridge takes the port's place.

    A rule that names the port beside other interfaces both for what arrives and for what leaves needs a copy for each
    combination; no packet matches two of them.

    Raises:
        CannotBeCopied: The rule excepts the port, so that a copy would hold for everything else.
    """
    escaping = [number for number, one in enumerate(matches) if one.escapes(port, bridge)]
    negated = {number for number in escaping if matches[number].is_negated}
    sole = {number for number in escaping if matches[number].is_sole(port)}
    free = [number for number in escaping if number not in negated | sole]
    # Once the port is joined, a rule for it alone matches nothing any more: its exceptions do no harm.
    if negated and not sole:
        raise CannotBeCopied(RULE_EXCEPTS_PORT())
    _refuse_patterns((matches[number] for number in negated), port)
    if len(free) > _MOST_MATCHES:
        raise CannotBeCopied(RULE_NAMES_TOO_OFTEN())
    return tuple(frozenset({*sole, *negated, *some}) for some in _subsets(free, at_least=0 if sole else 1))


def _refuse_patterns(exceptions: Iterable[InterfaceMatch], port: str) -> None:
    if any(port not in one.names for one in exceptions):
        raise CannotBeCopied(RULE_EXCEPTS_PATTERN())


def _subsets(numbers: Sequence[int], *, at_least: int) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(numbers, count) for count in range(at_least, len(numbers) + 1))


def is_plain(text: str) -> bool:
    """Whether a host finds a rule again by this text: without control characters and bytes that are no UTF-8."""
    return text.isprintable() and "\ufffd" not in text


def shown(text: str) -> str:
    """Return a rule of a host as it can be shown."""
    return "".join(one if one.isprintable() else " " for one in text)[:_MOST_SHOWN_CHARACTERS]
