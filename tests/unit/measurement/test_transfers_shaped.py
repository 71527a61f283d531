"""Transfers between hosts of the user's own, which make the condition of the link themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import sample_records as sample
from test_transfers import Group, Host, Stage

from app.domain.adapters import PlanStep
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from app.domain.condition_files import presets
from app.domain.conditions import Condition, MeasuredCondition
from app.domain.errors import ConnectionLost, PreflightRefused, ProbeFailed
from app.domain.hosts import Side
from app.domain.link import MAX_INSTANCES, Link
from app.domain.topology import Topology, node_addresses
from app.domain.transfers import TransferCell
from app.measurement import host_shaping, transfers, tunnels
from app.measurement.application_studies import ApplicationStudy
from app.measurement.cell_run import CellReports
from app.measurement.host_shaping import HostShaping
from app.measurement.lab_study import changing_hosts
from app.measurement.link_conditions import LinkMeasurement
from app.measurement.messages.studies import HOST_CANNOT_SHAPE, HOST_NOT_SHAPED, NODES_NOT_SHAPED
from app.measurement.transfers import TransferPlan, TransferRun
from app.measurement.tunnels import LEASE_S, DeployedTunnels
from app.probes.bare_link import Echo
from app.probes.messages import NO_REPLY_BARE
from app.ranking.study_parts import around_s, predicted_s
from app.tunnel import shaping as tunnel_shaping
from app.tunnel.plan import plan_of
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS

CELLS = tuple(TransferCell(name, "bbr2", vpn, "none") for name in ("geo", "geo-loss") for vpn in ("none", "wireguard"))
BARE: Any = (ADAPTERS["baseline"], "none")
WIREGUARD: Any = (ADAPTERS["wireguard"], "suite")
LINK = Link("192.0.2.1", "192.0.2.2")
CHECK = Command(("check-shaping",), timeout_s=1.0)


class ShapingHost(Host):
    """A gateway that may stop to shape what it sends."""

    is_shaping = True

    def run(self, command: Any, *, token: CancelToken, **more: Any) -> CommandResult:
        if command == CHECK:
            return CommandResult(command.argv, int(not self.is_shaping), "", "", 0.1)
        return super().run(command, token=token, **more)


class ShapedStage(Stage):
    """A run on hosts of the user's own; groups that were opened, with the condition of each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failed: int | None = None) -> None:
        super().__init__(monkeypatch, failed)
        self.a, self.b = ShapingHost("gateway-a"), ShapingHost("gateway-b")
        self.groups: list[tuple[str, list[Any], tuple[int, ...]]] = []
        self.guarded: list[bool] = []
        self.networks: list[Any] = []
        self.gro: list[set[bool]] = []
        self.pinged: list[str] = []
        self.nodes_rtt_ms: float | None = 502.0
        monkeypatch.setattr(host_shaping, "echoes", self._echoes)

    def _echoes(self, node: Any, peer: str, **_: object) -> tuple[Echo, ...]:
        self.pinged.append(f"{node.namespace} {peer}")
        if self.nodes_rtt_ms is None:
            raise ProbeFailed(NO_REPLY_BARE(peer=peer, host=node.spec.label))
        return tuple(Echo(float(nth), self.nodes_rtt_ms) for nth in range(5))

    def under(self, condition: Condition, networks: Any) -> Any:
        self.networks.append(networks)
        return SimpleNamespace(open_group=lambda choices, **more: self._open(condition, choices, **more))

    @contextmanager
    def _open(self, condition: Condition, choices: Any, *, extensions: Any, first: Any, **_: object) -> Iterator[Group]:
        assert len(extensions) == len(choices)
        self.groups.append((condition.name, choices, first.positions))
        self.gro.append({one.parts[0].is_gro_off for one in extensions if one.parts})
        group = Group(len(choices), self.failed)
        step = PlanStep("Shape", CHECK, CHECK, health_check=CHECK)
        if self.failed != len(choices) - 1:
            group.tunnels[len(choices) - 1].plan.on = lambda _side: SimpleNamespace(steps=(step,))
        yield group

    def run_shaped(self, monkeypatch: pytest.MonkeyPatch, cells: tuple[TransferCell, ...] = CELLS) -> None:
        @contextmanager
        def guarded(_sessions: object, *, is_lab: bool, token: CancelToken) -> Iterator[CancelToken]:
            self.guarded.append(not is_lab)
            yield token

        monkeypatch.setattr(transfers, "guarded_load", guarded)
        choices: Any = {one.solution: BARE if one.solution == "none" else WIREGUARD for one in cells}
        plan = TransferPlan(cells, choices, is_lab=False, size_bytes=30_000_000)
        hosts: Any = (self.a, self.b)
        shaping: Any = HostShaping(BARE, self.under)
        unshaped: Any = None  # every group is under a condition
        reports: Any = CellReports(self.reported.append, self.results.append, self.measured.append)
        TransferRun(
            *(plan, SessionPair(*hosts), LINK, unshaped, lambda _: None, lambda _: "", reports, CancelToken()),
            shaping=shaping,
        ).run()


def test_each_condition_has_a_group_with_the_member_that_shapes_built_last(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch)
    stage.run_shaped(monkeypatch)
    vpns = [BARE, WIREGUARD]
    assert stage.groups == [(name, [*vpns, BARE], (0, 1)) for name in ("geo", "geo-loss")]
    assert [one.name for one in stage.measured] == ["geo", "geo-loss"], "each is proven on the bare link"
    assert [(one.cell, one.seconds) for one in stage.results] == [(cell, 26.5) for cell in CELLS]
    assert stage.guarded == [True] * len(CELLS), "load on a live link ends where connections suffer"
    assert {one.own_load_cores for one in stage.results} == {None}, "this computer's work is not that of the hosts"


def test_a_condition_is_measured_at_the_ports_that_are_open_for_the_member_that_makes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage, measured = ShapedStage(monkeypatch), LinkMeasurement.measure
    links: list[Link] = []

    def measure(self: LinkMeasurement, condition: Condition, direct_ms: float) -> MeasuredCondition:
        links.append(self.link)
        return measured(self, condition, direct_ms)

    monkeypatch.setattr(LinkMeasurement, "measure", measure)
    stage.run_shaped(monkeypatch, CELLS[:2])
    assert [one.names.iperf_port for one in links] == [LINK.instance(2).names.iperf_port]


def test_what_shapes_the_link_is_a_member_of_a_full_group_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch)
    names = [f"vpn-{nth}" for nth in range(MAX_INSTANCES)]
    cells = tuple(TransferCell("geo", "bbr2", name, "none") for name in names)
    stage.run_shaped(monkeypatch, cells)
    assert [len(choices) for _, choices, _ in stage.groups] == [MAX_INSTANCES, 2]
    assert {one.cell for one in stage.results if one.seconds == 26.5} == set(cells)


def test_the_predicted_time_counts_the_groups_that_a_run_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch)
    names = [f"vpn-{nth}" for nth in range(MAX_INSTANCES)]
    cells = tuple(TransferCell(condition, "bbr2", name, "none") for name in names for condition in ("geo", "geo-loss"))
    stage.run_shaped(monkeypatch, cells)
    assert [name for name, *_ in stage.groups] == ["geo", "geo", "geo-loss", "geo-loss"]
    group_s = 60.0 + 45.0
    around_shaped_s = group_s * len(stage.groups)
    assert around_s(cells, is_shaped=True) == around_shaped_s
    assert around_s(cells) == 60.0 + 2 * 45.0, "a lab builds once for all conditions"
    assert predicted_s(cells, is_shaped=True) - predicted_s(cells) == pytest.approx(around_shaped_s - around_s(cells))
    applications = ApplicationStudy()
    of_labs_s, of_own_s = (applications.predicted_s("loss", cells, is_shaped=one) for one in (False, True))
    assert of_own_s - of_labs_s == pytest.approx(around_shaped_s - around_s(cells))


def test_where_a_host_cannot_shape_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch, failed=2)
    stage.run_shaped(monkeypatch)
    assert {(one.seconds, one.is_condition_missed, one.message) for one in stage.results} == {
        (None, True, "WireGuard did not come up.")
    }
    assert stage.measured == []


def test_a_vpn_that_does_not_come_up_leaves_the_others_shaped(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch, failed=1)
    stage.run_shaped(monkeypatch)
    found = {(one.cell.condition, one.cell.solution): one for one in stage.results}
    assert {found[name, "none"].seconds for name in ("geo", "geo-loss")} == {26.5}
    assert {found[name, "wireguard"].message for name in ("geo", "geo-loss")} == {"WireGuard did not come up."}


def test_a_cell_does_not_count_where_a_host_shapes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch)
    stage.b.is_shaping = False  # type: ignore[attr-defined]
    stage.run_shaped(monkeypatch)
    for one in stage.results:
        assert (one.seconds, one.is_condition_missed) == (None, True)
        assert has_message(HOST_NOT_SHAPED, host="gateway-b", condition=one.cell.condition)(one.message)


def test_the_networks_of_nodes_without_a_vpn_are_shaped_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch)
    stage.run_shaped(monkeypatch)
    links = [LINK.instance(number) for number in range(2)]
    own = {side: tuple(node_addresses(one, Topology.ROUTED_NODES, side).network for one in links) for side in Side}
    assert stage.networks == [own, own]
    assert own[Side.B] == ("198.19.0.128/25", "198.19.2.128/25")
    assert stage.gro == [{True}, {True}], "netem takes what GRO has joined for one packet"
    assert stage.pinged == ["tmk0node 198.19.0.130"] * 2, "from node to node, once under each condition"
    stage.networks.clear()
    stage.run_shaped(monkeypatch, tuple(one for one in CELLS if one.solution != "none"))
    assert stage.gro[2:] == [{False}, {False}]
    assert stage.networks == [{}, {}], "packets of a VPN have the hosts' addresses"


@pytest.mark.parametrize("rtt_ms", [6.0, None])
def test_where_packets_between_nodes_are_not_shaped_the_cell_without_a_vpn_does_not_count(
    monkeypatch: pytest.MonkeyPatch, rtt_ms: float | None
) -> None:
    stage = ShapedStage(monkeypatch)
    stage.nodes_rtt_ms = rtt_ms
    stage.run_shaped(monkeypatch)
    assert {one.seconds for one in stage.results if one.cell.solution == "wireguard"} == {26.5}
    for one in stage.results:
        if one.cell.solution == "none":
            assert (one.seconds, one.is_condition_missed) == (None, True)
            assert one.measured_condition is not None
            if rtt_ms is None:
                assert has_message(NO_REPLY_BARE, peer="198.19.0.130", host="gateway-a")(one.message)
            else:
                assert has_message(NODES_NOT_SHAPED, condition=one.cell.condition)(one.message)


def test_networks_behind_the_hosts_may_add_to_the_round_trip_between_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch)
    stage.nodes_rtt_ms = 540.0
    stage.run_shaped(monkeypatch)
    assert {one.seconds for one in stage.results} == {26.5}


@pytest.mark.parametrize("unable", ["", "gateway-b"])
def test_both_hosts_are_asked_whether_they_can_shape(monkeypatch: pytest.MonkeyPatch, unable: str) -> None:
    asked: list[str] = []

    def session(name: str) -> Any:
        def run(command: Command, **_: object) -> CommandResult:
            assert "can" in command.argv
            asked.append(f"{name} {command.argv[command.argv.index('can') + 1]}")
            output = ("", "its kernel lacks the module sch_netem") if name == unable else ("", "")
            return CommandResult(command.argv, 3 * (name == unable), *output, 0.1)

        return SimpleNamespace(run=run, spec=SimpleNamespace(label=name))

    found: Any = SimpleNamespace(facts={"a": sample.facts(), "b": sample.facts("gw-b")}, link=LINK)
    monkeypatch.setattr(host_shaping, "underlay_device", lambda _facts, address: f"eth-{address}")
    tunnels: Any = None
    of = partial(HostShaping.of, ADAPTERS, found, tunnels, SessionPair(session("gateway-a"), session("gateway-b")))
    if unable:
        with pytest.raises(PreflightRefused, check=has_message(HOST_CANNOT_SHAPE, host=unable)):
            of(token=CancelToken())
    else:
        of(token=CancelToken())
        assert sorted(asked) == ["gateway-a eth-192.0.2.1", "gateway-b eth-192.0.2.2"]


def test_a_bare_link_that_does_not_answer_opens_no_group(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = ShapedStage(monkeypatch)

    def direct_ms(_self: LinkMeasurement) -> float:
        raise ProbeFailed("Nothing answers.")

    monkeypatch.setattr(LinkMeasurement, "direct_ms", direct_ms)
    stage.run_shaped(monkeypatch)
    assert stage.groups == []
    assert {(one.is_condition_missed, one.message) for one in stage.results} == {(True, "Nothing answers.")}
    assert len(stage.results) == len(CELLS)


@pytest.mark.parametrize("has_changed", [False, True])
def test_a_host_that_is_lost_before_a_tunnel_is_built_is_as_it_was(
    monkeypatch: pytest.MonkeyPatch, *, has_changed: bool
) -> None:
    stage = ShapedStage(monkeypatch)

    def lose(_self: LinkMeasurement, *_: object) -> float:
        raise ConnectionLost("The connection to gateway-b broke.")

    monkeypatch.setattr(LinkMeasurement, "measure" if has_changed else "direct_ms", lose)
    with pytest.raises(ConnectionLost) as ended, changing_hosts():
        stage.run_shaped(monkeypatch)
    assert [name for name, *_ in stage.groups] == ["geo"] * has_changed
    assert ended.value.left == (ended.value.sentence() if has_changed else "")


def test_of_a_group_the_last_member_alone_shapes_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    more: dict[str, object] = {}

    def temporary_group(_sessions: object, requests: Any, **options: object) -> None:
        seen.extend(requests)
        more.update(options)

    monkeypatch.setattr(tunnels, "temporary_group", temporary_group)
    facts, bare = {"a": sample.facts(), "b": sample.facts("gw-b")}, ADAPTERS["baseline"]
    sessions: Any = None
    link, hosts = Link("192.0.2.1", "192.0.2.2"), sample.pair(is_lab=False)
    made = DeployedTunnels(
        *(hosts, sessions, link, facts, (), lambda _: None),
        minds_firewalls=False,
        shaping=presets()["geo"],
        shaped_networks={Side.A: ("198.19.0.0/25",), Side.B: ("198.19.0.128/25", "198.19.2.128/25")},
    )
    suite = bare.suites(*facts.values())[0]
    made.open_group([(bare, suite)] * 3, token=CancelToken(), on_stage=lambda *_: None, busy_s=200.0)
    assert (more["lease_s"], more["busy_s"]) == (LEASE_S, 200.0)
    assert [one.shaping for one in seen] == [None, None, presets()["geo"]]
    monkeypatch.setattr(tunnel_shaping, "underlay_device", lambda *_: "eth1")
    plan = plan_of(seen[-1])
    towards = {Side.A: "192.0.2.2/32 198.19.0.128/25 198.19.2.128/25", Side.B: "192.0.2.1/32 198.19.0.0/25"}
    for side, words in towards.items():
        (step,) = plan.on(side).steps
        assert all(words in one.argv for one in (step.command, step.undo, step.health_check) if one is not None)
