"""Nodes that are machines: refused before a tunnel is built where programs lack, or a host needs the interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import sample_records as sample

from app.domain.application_study import APPLICATIONS
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from app.domain.errors import CommandFailed, PackageMissing, PreflightRefused
from app.domain.hosts import HostFacts, HostSpec, NodeHost, PairSpec, Side, Tool, ToolFlavour
from app.domain.messages import MessageForm
from app.measurement import node_machines
from app.measurement.lab_studies import LAB_STUDIES
from app.measurement.messages.studies import (
    GATEWAY_DEFAULT_ROUTE,
    GATEWAY_SSH_RUNS_OVER,
    NODE_DEFAULT_ROUTE,
    NODE_LACKS_PROGRAM,
    NODE_NEEDS_FULL,
    NODE_NOT_ASKED,
    NODE_SSH_RUNS_OVER,
    NODES_LACK,
)
from app.measurement.node_machines import NodeMachines, log_in_to_nodes
from app.measurement.node_needs import NodeNeeds
from app.measurement.transfers import NODE_NEEDS
from app.probes.workloads import WORKLOADS
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.node_study import NODE_STUDY
from support.message_checks import has_message

NODES = {side: NodeHost(HostSpec(f"node-{side}", "192.0.2.9"), f"eth{nth}", "eth2") for nth, side in enumerate(Side)}
PAIR = replace(sample.pair(), node_a=NODES[Side.A], node_b=NODES[Side.B])
ALL_NEEDS = {
    "satcom-2021": NODE_NEEDS,
    **{name: one.node_needs for name, one in LAB_STUDIES.items() if one.node_needs is not None},
}


def having(needs: NodeNeeds, **others: ToolFlavour) -> HostFacts:
    """Return facts of a node that has all programs of a study, some of them in another flavour."""
    tools = {name: Tool(name, others.get(name, ToolFlavour.STANDARD)) for name in needs.names}
    return replace(sample.facts(), tools=tools)


class Host:
    """A node or a gateway that says what its interface is needed for."""

    def __init__(self, printed: str = "", status: int = 0) -> None:
        self.printed, self.status = printed, status
        self.ran: list[Command] = []

    def run(self, command: Command, *, token: CancelToken) -> CommandResult:
        self.ran.append(command)
        return CommandResult(command.argv, self.status, f"{self.printed}\n", "ip: no such thing", 0.0)


def logged_in(
    monkeypatch: pytest.MonkeyPatch,
    needs: NodeNeeds,
    facts: tuple[HostFacts, HostFacts] | None = None,
    nodes: Sequence[Host] = (),
    gateways: Sequence[Host] = (),
) -> NodeMachines:
    """Log in to nodes of which this was found, behind these gateways."""
    found = facts or (having(needs), having(needs))

    def discover(_sessions: SessionPair, _adapters: object, *, token: CancelToken, programs: Sequence[str]) -> Any:
        assert set(programs) == set(needs.names)
        return found

    monkeypatch.setattr(node_machines, "discover_pair", discover)
    hosts = {
        NODES[Side.A].host: nodes or (Host(), Host()),
        PAIR.a: gateways or (Host(), Host()),
    }
    asked: list[tuple[HostSpec, HostSpec]] = []

    def connect(pair: PairSpec) -> SessionPair:
        asked.append((pair.a, pair.b))
        return SessionPair(*hosts[pair.a])  # type: ignore[arg-type]

    machines = log_in_to_nodes(PAIR, connect, needs, token=CancelToken(), audit=lambda _: None)
    assert asked == [(NODES[Side.A].host, NODES[Side.B].host), (PAIR.a, PAIR.b)]
    return machines


@pytest.mark.parametrize("study", ALL_NEEDS)
@pytest.mark.parametrize("side", list(Side))
def test_each_program_that_a_study_needs_on_a_node_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, study: str, side: Side
) -> None:
    needs = ALL_NEEDS[study]
    assert logged_in(monkeypatch, needs).pair == PAIR.name
    for program in needs.programs[side]:
        lacking = having(needs, **{program: ToolFlavour.MISSING})
        facts = (lacking, having(needs)) if side is Side.A else (having(needs), lacking)
        with pytest.raises(PackageMissing, check=has_message(NODE_LACKS_PROGRAM, host=f"node-{side}", program=program)):
            logged_in(monkeypatch, needs, facts)


def test_all_that_nodes_lack_is_in_one_message_with_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = ALL_NEEDS[NODE_STUDY]
    a = having(needs, nft=ToolFlavour.MISSING, ping=ToolFlavour.BUSYBOX, tcpdump=ToolFlavour.MISSING)
    b = having(needs, tcpdump=ToolFlavour.MISSING)
    b = replace(b, tools={name: tool for name, tool in b.tools.items() if name != "iperf3"})
    with pytest.raises(PackageMissing) as refused:
        logged_in(monkeypatch, needs, (a, b))
    assert has_message(NODES_LACK, packages=("nftables", "iputils-ping", "iperf3", "tcpdump"))(refused.value)
    assert has_message(NODE_NEEDS_FULL, host="node-a", program="ping")(refused.value)
    assert "node-a lacks tcpdump" not in refused.value.message, "B alone captures"
    assert "node-b lacks iperf3" in refused.value.message, "it did not say that it has it"


def test_the_needs_of_applications_are_those_of_their_workloads() -> None:
    needs = ALL_NEEDS[APPLICATION_STUDY]
    for name in APPLICATIONS:
        for side, programs in WORKLOADS[name].needs.items():
            assert set(programs) <= set(needs.programs[side])
        assert set(WORKLOADS[name].beyond_busybox) <= set(needs.beyond_busybox)


@pytest.mark.parametrize(("printed", "form"), [("ssh", NODE_SSH_RUNS_OVER), ("route", NODE_DEFAULT_ROUTE)])
def test_an_interface_that_a_node_needs_itself_is_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch, printed: str, form: MessageForm
) -> None:
    nodes = Host(), Host(printed)
    with pytest.raises(PreflightRefused, check=has_message(form, host="node-b", interface="eth1")):
        logged_in(monkeypatch, NODE_NEEDS, nodes=nodes)
    (asked,) = nodes[1].ran
    assert asked.argv[-1] == "eth1"
    assert not asked.is_root, "sudo would take away the environment that names the connection"


@pytest.mark.parametrize(("printed", "form"), [("ssh", GATEWAY_SSH_RUNS_OVER), ("route", GATEWAY_DEFAULT_ROUTE)])
def test_an_interface_towards_a_node_that_a_gateway_needs_itself_is_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch, printed: str, form: MessageForm
) -> None:
    gateways = Host(), Host(printed)
    with pytest.raises(PreflightRefused, check=has_message(form, host=PAIR.b.label, interface="eth2")):
        logged_in(monkeypatch, NODE_NEEDS, gateways=gateways)
    (asked,) = gateways[1].ran
    assert asked.argv[-1] == "eth2"
    assert not asked.is_root, "sudo would take away the environment that names the connection"


def test_a_gateway_that_does_not_say_what_it_needs_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandFailed, check=has_message(NODE_NOT_ASKED, host=PAIR.a.label, interface="eth2")):
        logged_in(monkeypatch, NODE_NEEDS, gateways=(Host("unknown"), Host()))


def test_a_node_that_does_not_answer_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandFailed, check=has_message(NODE_NOT_ASKED, host="node-a", interface="eth0")):
        logged_in(monkeypatch, NODE_NEEDS, nodes=(Host(status=127), Host()))
