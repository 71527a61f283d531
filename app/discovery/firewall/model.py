"""Packet filter rules, independent of the tool that made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Final

from app.discovery.messages import CHAIN_IN_TABLE

UNKNOWN: Final = None
"""A value or a match that is not understood."""


class Field(StrEnum):
    """Property of a packet that a rule matches."""

    PROTOCOL = auto()
    SOURCE = auto()
    DESTINATION = auto()
    SOURCE_PORT = auto()
    PORT = auto()
    ICMP_TYPE = auto()
    TCP_FLAGS = auto()
    INTERFACE = auto()
    FAMILY = auto()
    STATE = auto()
    STATUS = auto()
    DIRECTION = auto()
    PACKET_TYPE = auto()
    MARK = auto()
    SOURCE_TYPE = auto()
    DESTINATION_TYPE = auto()
    RETURN_INTERFACE = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Span:
    """Whole numbers from `first` to `last`, both included; addresses are numbers, too."""

    first: int
    last: int


Value = Span | str | None
"""A span of numbers, a word (interfaces may end in `*`), or UNKNOWN."""


@dataclass(frozen=True, slots=True)
class Match:
    """A condition of a rule.

    Attributes:
        fields: Properties of the packet; more than one in a concatenation.
        alternatives: Values of these properties, any of which matches; empty matches nothing.
        is_negated: Whether none of them may match.
        mask: Bits of the first property that are compared; 0 for all.
    """

    fields: tuple[Field, ...]
    alternatives: tuple[tuple[Value, ...], ...]
    is_negated: bool = False
    mask: int = 0


HARMLESS_TARGETS = frozenset(
    {"LOG", "NFLOG", "ULOG", "MARK", "CONNMARK", "TCPMSS", "CT", "NOTRACK", "CHECKSUM", "TRACE", "DSCP", "TOS", "TTL"}
)
"""Targets of iptables that let a packet go on. Source: iptables-extensions(8)."""

NEVER = Match((Field.FAMILY,), ())
"""A match that no packet has."""

NOT_UNDERSTOOD = Match((Field.OTHER,), ((UNKNOWN,),))


class RuleVerdict(StrEnum):
    """The end of a rule."""

    NONE = auto()
    ACCEPT = auto()
    DROP = auto()
    RETURN = auto()
    JUMP = auto()
    GOTO = auto()
    OTHER = auto()  # may accept, drop or go on


@dataclass(frozen=True, slots=True)
class FirewallRule:
    """One rule.

    Attributes:
        matches: Conditions, all of which have to match.
        verdict: What becomes of a packet that matches.
        target: Chain of a jump.
        text: The rule as its tool prints it.
    """

    matches: tuple[Match, ...]
    verdict: RuleVerdict
    target: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class FirewallTable:
    """Chains that can jump to each other.

    Attributes:
        name: Name for users, for example `inet filter`.
        chains: Rules by name of the chain.
    """

    name: str
    chains: Mapping[str, tuple[FirewallRule, ...]]


@dataclass(frozen=True, slots=True)
class BaseChain:
    """A chain that the kernel sends packets through.

    Attributes:
        table: Its table.
        name: Its name.
        hook: `ingress`, `prerouting` or `input`.
        policy: Verdict at its end: accept or drop.
        kind: `filter`, `nat` or `mangle`.
        device: Interface that it is bound to; empty for all.
    """

    table: FirewallTable
    name: str
    hook: str
    policy: RuleVerdict
    kind: str = "filter"
    device: str = ""

    @property
    def place(self) -> str:
        """The chain for users."""
        return CHAIN_IN_TABLE(chain=self.name, table=self.table.name)

    @property
    def rules(self) -> tuple[FirewallRule, ...]:
        """Rules of the chain, in order."""
        return self.table.chains.get(self.name, ())


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All chains that a packet for the host has to pass.

    Attributes:
        base_chains: Base chains of all tools.
        sets_marks: Whether a rule gives packets a mark.
        untracks: Whether a rule exempts packets from connection tracking.
        addresses: IPv4 addresses of the host by interface.
    """

    base_chains: tuple[BaseChain, ...] = ()
    sets_marks: bool = False
    untracks: bool = False
    addresses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __add__(self, other: Ruleset) -> Ruleset:
        """Return the chains of both."""
        return Ruleset(
            self.base_chains + other.base_chains,
            sets_marks=self.sets_marks or other.sets_marks,
            untracks=self.untracks or other.untracks,
            addresses={**self.addresses, **other.addresses},
        )
