"""Studies on hosts of the user's own: between machines behind them alone, and with the user's consent."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.domain.condition_files import presets
from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import PairSpec
from app.domain.messages import Message, MessageForm
from app.domain.topology import NodeKind
from app.measurement.messages import SHAPING_NOT_ALLOWED
from app.measurement.messages.studies import (
    NO_NODE_MACHINES,
    OWN_HOSTS_NOT_ALLOWED,
    OWN_HOSTS_OVER_CAP,
)


@dataclass(frozen=True, slots=True)
class OwnHostsConsent:
    """Consent of the user to what a study does on hosts of their own; labs need none.

    Attributes:
        may_change: Whether the study may change hosts and nodes, and load their link.
        may_shape: Whether the hosts may shape what they send to each other.
        pair: The pair as the user saw it; consent for it is none for other machines that get its name.
    """

    may_change: bool = False
    may_shape: bool = False
    pair: PairSpec | None = None


@dataclass(frozen=True, slots=True)
class OwnHostsUse:
    """Use that a study makes of hosts of the user's own.

    Attributes:
        study: Its name.
        changes: Sentence about what it changes on hosts and nodes; None where it is for practice labs only.
        needs_lab: Sentence that refuses a pair on which it is not measured.
        conditions: Names of the conditions that the hosts have to make.
    """

    study: str
    changes: MessageForm | None
    needs_lab: MessageForm
    conditions: Collection[str] = ()

    def refuse(self, pair: PairSpec, nodes: NodeKind) -> None:
        """Refuse a pair of the user's own hosts on which the study cannot be measured. Asks no host.

        Raises:
            InvalidOption: The study is for practice labs, or the nodes are no machines of the pair, or the rate of a
                condition is above the pair's limit.
        """
        if self.changes is None or nodes is NodeKind.NAMESPACES:
            raise InvalidOption(self.needs_lab(pair=pair.name))
        if not pair.nodes:
            raise InvalidOption(NO_NODE_MACHINES(pair=pair.name))
        for name in self.conditions:
            condition = presets()[name]
            rates = [*condition.a_to_b.rates_mbit_s, *condition.b_to_a.rates_mbit_s]
            cap = pair.load_cap_mbit_s
            if cap is not None and rates and max(rates) > cap:
                raise InvalidOption(OWN_HOSTS_OVER_CAP(study=self.study, pair=pair.name, rate=max(rates), cap=cap))

    def sentence(self, pair: PairSpec) -> Message | None:
        """Return what the study changes on hosts and nodes of a pair; None where it is for practice labs only."""
        if self.changes is None or not pair.nodes:
            return None
        return self.changes(study=self.study, pair=pair.name, **_names(pair))

    def check(self, pair: PairSpec, consent: OwnHostsConsent) -> None:
        """Refuse to change hosts of the user's own without their consent.

        Raises:
            InvalidPlan: The user has not agreed, or has for other machines of this name.
        """
        if not consent.may_change or consent.pair is None or _machines(consent.pair) != _machines(pair):
            raise InvalidPlan(OWN_HOSTS_NOT_ALLOWED(pair=pair.name, study=self.study))
        if self.conditions and not consent.may_shape:
            raise InvalidPlan(SHAPING_NOT_ALLOWED(pair=pair.name))


def _machines(pair: PairSpec) -> tuple[object, ...]:
    """Return what a study on a pair changes: hosts, their underlay addresses, nodes with their interfaces."""
    return (pair.a, pair.b, pair.underlay_a, pair.underlay_b, pair.nodes)


def _names(pair: PairSpec) -> Mapping[str, str]:
    """Return the names of hosts, nodes and their interfaces, by gap of the message."""
    names: dict[str, str] = {}
    are_alike = pair.a.name_beside("A") == pair.b.name_beside("B")  # one address, and ports that lead to two hosts
    for side, node in pair.nodes.items():
        host = pair.host(side)
        names[f"host_{side}"] = host.login_text if are_alike else host.name_beside(side.upper())
        names[f"node_{side}"] = node.host.login_text
        names[f"lan_{side}"], names[f"port_{side}"] = node.gateway_interface, node.interface
    return names
