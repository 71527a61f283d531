"""Transfers of a study: conditions in turn, each cell once, and the link as found afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, Self

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import CommandResult, SessionPair
from app.domain.conditions import Condition, ConditionCheck, MeasuredCondition, Quantity
from app.domain.errors import ProbeFailed, TunnelDown
from app.domain.link import Link
from app.domain.solutions import Suite
from app.domain.topology import Topology
from app.domain.transfers import BBR_ON_GATEWAYS, BBR_ON_PROXY, TransferCell, TransferResult
from app.measurement import transfers
from app.measurement.cell_run import CellReports
from app.measurement.link_conditions import LinkMeasurement
from app.measurement.messages import CONDITION_NOT_MET
from app.measurement.messages.studies import (
    NO_CONNECTION_SPLIT,
    PROXY_OTHER_CONGESTION,
    SENDER_OTHER_CONGESTION,
    TRANSFER_DISTURBED,
    TRANSFER_REPEATED,
)
from app.measurement.transfers import TransferPlan, TransferRun
from app.probes import transfer as probe
from app.probes.messages import TRANSFER_FAILED
from app.storage.study_results import StudyResults
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS

CELLS = tuple(
    TransferCell(condition, congestion, solution, "none")
    for condition in ("geo", "leo")
    for solution in ("none", "wireguard")
    for congestion in ("cubic-hystart", "bbr2")
)
STUDIED = {"none": "baseline"}
"""Adapters' names for those that the study calls otherwise."""
GOOD = {
    "intervals": [
        {"sum": {"start": 0.0, "end": 26.0, "bytes": 29_000_000}},
        {"sum": {"start": 26.0, "end": 27.0, "bytes": 2_000_000}},
        {"sum": {"start": 27.0, "end": 120.0, "bytes": 0}},
    ],
    "end": {"sum_sent": {"retransmits": 7}, "sender_tcp_congestion": "cubic"},
}
"""Output of a client that heard nothing after its bytes had arrived at 26.5 s."""


def sent_with(congestion: str) -> dict[str, Any]:
    """Return that output of a sender with another congestion control."""
    return {**GOOD, "end": {**GOOD["end"], "sender_tcp_congestion": congestion}}


UNENDED: dict[str, Any] = {}
"""Output of a client that was stopped at the time limit."""


def found_on_link(name: str, *, is_met: bool = True) -> MeasuredCondition:
    """Return a measured condition of which the round-trip time alone was asked for."""
    check = ConditionCheck(Quantity.RTT, "", 500.0, 501.0 if is_met else 20.0, 490.0, 510.0, is_met)
    return MeasuredCondition(name, datetime(2026, 11, 28, tzinfo=UTC), (check,))


class Host:
    """A host that answers the commands of a transfer."""

    def __init__(self, label: str) -> None:
        self.spec = SimpleNamespace(label=label)
        self.commands: list[str] = []
        self.transfers: list[dict[str, Any]] = []
        self.splits: list[str] = []

    def run(self, command: Any, *, token: CancelToken, **_: Any) -> CommandResult:
        words = " ".join(command.argv)
        self.commands.append(words)
        text, status = "", 0
        if words.endswith("proxy.log"):
            text = self.splits.pop(0)
        elif "iperf3" in words:
            found = self.transfers.pop(0) if self.transfers else sent_with(command.argv[command.argv.index("-C") + 1])
            text, status = json.dumps(found), 124 if found == UNENDED else 0
        return CommandResult(command.argv, status, text, "", 0.1)


class Group:
    """Tunnels of which one may not have come up."""

    def __init__(self, count: int, failed: int | None) -> None:
        plan = SimpleNamespace(probe_address_a="10.0.0.1", probe_address_b="10.0.0.2")
        links = {one: Link("192.0.2.1", "192.0.2.2").instance(one) for one in range(count) if one != failed}
        self.tunnels = {one: SimpleNamespace(link=link, plan=plan) for one, link in links.items()}
        self.failures = {} if failed is None else {failed: TunnelDown("WireGuard did not come up.")}


class Server:
    """A server with two ports."""

    def __init__(self, _host: object, _address: str, port: int, **_: object) -> None:
        self.ports = (port, port + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def wait_until_listening(self) -> None:
        return

    def stop(self) -> None:
        return


class Stage:
    """A run with everything around it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failed: int | None = None) -> None:
        monkeypatch.setattr(transfers, "IperfServer", Server)
        monkeypatch.setattr(LinkMeasurement, "direct_ms", lambda _self: 1.0)
        monkeypatch.setattr(LinkMeasurement, "measure", lambda _self, condition, _direct: found_on_link(condition.name))
        self.a, self.b, self.failed = Host("gateway-a"), Host("gateway-b"), failed
        self.conditions: list[str | None] = []
        self.results: list[TransferResult] = []
        self.measured: list[MeasuredCondition] = []
        self.deviations: list[str] = []
        self.reported: list[str] = []
        self.is_group_open = False
        self.extensions: list[Any] = []

    @contextmanager
    def open_group(self, choices: Any, *, extensions: Any, **_: object) -> Iterator[Group]:
        self.is_group_open = True
        self.extensions += extensions
        yield Group(len(choices), self.failed)
        self.is_group_open = False

    def set_condition(self, condition: Condition | None) -> None:
        self.conditions.append(None if condition is None else condition.name)

    def deviation(self, _condition: Condition) -> str:
        return self.deviations.pop(0) if self.deviations else ""

    def run(self, cells: tuple[TransferCell, ...] = CELLS, guests: tuple[int, ...] = (), machines: Any = None) -> None:
        reports = CellReports(self.reported.append, self.results.append, self.measured.append)
        choices: Any = {
            name: (ADAPTERS[STUDIED.get(name, name)], Suite(name, f"{name}, a suite"))
            for name in {one.solution for one in cells}
        }
        plan = TransferPlan(cells, choices, guests, size_bytes=30_000_000)
        hosts: Any = (self.a, self.b)
        link: Any = SimpleNamespace(underlay_b="192.0.2.2")
        tunnels: Any = self
        TransferRun(
            *(plan, SessionPair(*hosts), link, tunnels, self.set_condition, self.deviation, reports, CancelToken()),
            machines=machines,
        ).run()


def test_each_cell_is_measured_once_and_the_link_is_as_found_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch)
    stage.run()
    assert sorted(one.cell for one in stage.results) == sorted(CELLS)
    assert {one.seconds for one in stage.results} == {26.5}
    # Once for each congestion control; the link is as found while tunnels are built.
    once = ["none", "geo", "none", "leo", None]
    assert stage.conditions == [None, *once, *once, None]
    settings = [one.parts[-1] for one in stage.extensions]
    assert [(one.congestion, one.has_hystart) for one in settings] == 2 * [("bbr", True)] + 2 * [("cubic", True)]
    assert all(one.topology is Topology.ROUTED_NODES for one in stage.results)
    assert [one.name for one in stage.measured] == ["geo", "leo", "geo", "leo"]
    assert {(one.cell.condition, one.measured_condition) for one in stage.results} == {
        (name, found_on_link(name)) for name in ("geo", "leo")
    }
    assert not any(one.is_condition_missed for one in stage.results)
    assert {one.suite for one in stage.results if one.cell.solution == "none"} == {""}
    assert {one.suite for one in stage.results if one.cell.solution == "wireguard"} == {"wireguard, a suite"}
    assert not stage.is_group_open
    clients = [words for words in stage.a.commands if "iperf3" in words]
    assert all("-R -n 30000000" in words for words in clients)
    assert all(words.startswith("ip netns exec tmk") for words in clients)
    flushes = [words for words in stage.a.commands if "tcp_metrics flush" in words]
    assert len(flushes) == 2 * len(CELLS)  # the gateway's, and the node's
    assert sum(words.startswith("ip netns exec") for words in flushes) == len(CELLS)


def test_a_vpn_that_does_not_come_up_and_a_transfer_that_fails_are_results(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch, failed=1)
    stage.a.transfers = [{"error": "unable to connect to server"}]
    stage.run(CELLS[:4])
    messages = {(one.cell.solution, one.cell.congestion): one.message for one in stage.results}
    assert messages["wireguard", "bbr2"] == messages["wireguard", "cubic-hystart"] == "WireGuard did not come up."
    assert (
        sum(has_message(TRANSFER_FAILED, output="unable to connect to server")(text) for text in messages.values()) == 1
    )
    assert sum(one.seconds == 26.5 for one in stage.results) == 1


def test_under_a_condition_that_is_not_met_no_cell_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch)

    def measure(_self: LinkMeasurement, condition: Condition, _direct_ms: float) -> MeasuredCondition:
        return found_on_link(condition.name, is_met=condition.name == "leo")

    monkeypatch.setattr(LinkMeasurement, "measure", measure)
    stage.run()
    missed = [one for one in stage.results if one.cell.condition == "geo"]
    assert len(missed) == len(CELLS) / 2
    for one in missed:
        assert (one.seconds, one.received_bytes, one.is_condition_missed) == (None, 0, True)
        assert one.measured_condition == found_on_link("geo", is_met=False)
        assert has_message(CONDITION_NOT_MET, condition="geo")(one.message)
    assert {one.seconds for one in stage.results if one.cell.condition == "leo"} == {26.5}
    assert sum("iperf3" in words for words in stage.a.commands) == len(CELLS) / 2, "no transfer was made under geo"
    stored = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000)
    for found in stage.measured:
        stored = stored.with_condition(found)
    assert stored.rtt_ms == {"leo": 501.0}
    assert stored.with_result(missed[0]).done() == frozenset(), "the next run measures it"


def test_a_link_that_cannot_be_measured_and_one_that_changed_meanwhile_are_no_conditions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(monkeypatch)
    stage.deviations = ["", "The link emulator has ended."]

    def measure(_self: LinkMeasurement, condition: Condition, _direct_ms: float) -> MeasuredCondition:
        if condition.name == "leo":
            raise ProbeFailed("Nothing answers.")
        return found_on_link(condition.name)

    monkeypatch.setattr(LinkMeasurement, "measure", measure)
    cells = [TransferCell(name, "bbr2", vpn, "none") for name in ("geo", "leo") for vpn in ("none", "wireguard")]
    stage.run(tuple(cells))
    assert [(one.cell, one.seconds, one.is_condition_missed, one.message) for one in stage.results] == [
        (cells[0], 26.5, False, ""),
        (cells[1], None, True, "The link emulator has ended."),
        (cells[2], None, True, "Nothing answers."),
        (cells[3], None, True, "Nothing answers."),
    ]
    assert [one.measured_condition for one in stage.results] == [found_on_link("geo")] * 2 + [None] * 2
    assert stage.conditions[-1] is None


@pytest.mark.parametrize(
    ("loads", "kept", "is_counted"),
    [((0.2,), 0.2, True), ((0.9, 0.1), 0.1, True), ((0.9, 0.7, 1.2), 0.7, False), ((None,), None, True)],
)
def test_a_transfer_that_other_work_disturbed_is_repeated_and_does_not_count(
    monkeypatch: pytest.MonkeyPatch, loads: tuple[float | None, ...], kept: float | None, is_counted: bool
) -> None:
    stage, left = Stage(monkeypatch), list(loads)
    counter = SimpleNamespace(start=lambda: None, cores=lambda: left.pop(0))
    monkeypatch.setattr(transfers, "OwnLoad", lambda guests: counter if guests == (7,) else None)
    stage.run(CELLS[:1], guests=(7,))
    assert left == []
    (found,) = stage.results
    assert (found.seconds, found.own_load_cores, found.is_disturbed) == (26.5, kept, not is_counted)
    assert sum(has_message(TRANSFER_REPEATED)(text) for text in stage.reported) == len(loads) - 1
    assert has_message(TRANSFER_DISTURBED, cores=kept)(found.message) is not is_counted
    stored = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000).with_result(found)
    assert stored.times_s() == ({CELLS[0]: 26.5} if is_counted else {})


DEAD = {"error": "unable to connect to server"}


@pytest.mark.parametrize(
    ("outputs", "loads", "kept", "reasons"),
    [
        # Only transfers that ended ask for their load; a failed one has none.
        ((GOOD, DEAD), (0.57,), (26.5, 0.57), ("unable to connect to server", "0.6 cores of this computer")),
        ((GOOD, UNENDED), (0.9, 0.6), (26.5, 0.9), ("did not end within 900 s", "0.9 cores of this computer")),
        ((GOOD, UNENDED), (0.9, 0.1), (26.5, 0.9), ("did not end within 900 s", "0.9 cores of this computer")),
        ((UNENDED,), (0.9,), (None, 0.9), ("did not end within 900 s", "0.9 cores of this computer")),
        ((DEAD,), (), (None, None), ("unable to connect to server",)),
    ],
)
def test_a_try_without_a_time_ends_the_repeating_and_replaces_no_time(
    monkeypatch: pytest.MonkeyPatch,
    outputs: tuple[dict[str, Any], ...],
    loads: tuple[float, ...],
    kept: tuple[float | None, float | None],
    reasons: tuple[str, ...],
) -> None:
    stage, left = Stage(monkeypatch), list(loads)
    stage.a.transfers = list(outputs)
    counter = SimpleNamespace(start=lambda: None, cores=lambda: left.pop(0))
    monkeypatch.setattr(transfers, "OwnLoad", lambda _guests: counter)
    stage.run(CELLS[:1], guests=(7,))
    assert (stage.a.transfers, left) == ([], [])
    assert sum("iperf3" in words for words in stage.a.commands) == len(outputs)
    (found,) = stage.results
    assert (found.seconds, found.own_load_cores) == kept
    assert [one for one in reasons if one not in found.message] == []
    stored = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000).with_result(found)
    assert stored.times_s() == {}, "the next run measures it again"


LINES = "split 198.19.0.2:1 198.19.0.130:25201 bbr cubic\n"


def test_the_halves_of_a_proxy_are_read_back_and_one_that_split_nothing_is_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = TransferCell("geo", "bbr2", "wireguard", "B")
    outside = TransferCell("geo", "bbr2", "wireguard", "A")
    far = LINES.replace("bbr cubic", "cubic bbr")
    for cell, texts in ((inside, ["", LINES]), (outside, [far, far])):
        stage = Stage(monkeypatch)
        stage.b.splits = list(texts)
        stage.run((cell,))
        assert [(one.seconds, one.proxy_congestion) for one in stage.results] == [(26.5, "bbr")]
    stage = Stage(monkeypatch)
    stage.b.splits = [LINES, LINES]
    stage.run((inside,))
    assert [one.seconds for one in stage.results] == [None]
    assert has_message(NO_CONNECTION_SPLIT)(stage.results[0].message)


def test_a_transfer_of_a_sender_with_another_congestion_control_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch)
    stage.a.transfers = [sent_with("cubic")]
    stage.run((TransferCell("geo", "bbr2", "none", "none"),))
    (found,) = stage.results
    assert found.seconds is None
    assert has_message(SENDER_OTHER_CONGESTION, wanted="bbr", found="cubic")(found.message)


@pytest.mark.parametrize(
    ("kind", "line", "is_counted"),
    [
        (BBR_ON_PROXY, "bbr cubic", True),
        (BBR_ON_PROXY, "cubic cubic", False),
        (BBR_ON_GATEWAYS, "bbr bbr", True),
        (BBR_ON_GATEWAYS, "cubic bbr", False),
    ],
)
def test_a_proxy_that_did_not_use_its_own_congestion_control_shows_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch, kind: str, line: str, is_counted: bool
) -> None:
    stage = Stage(monkeypatch)
    stage.b.splits = ["", f"split 198.19.0.2:1 198.19.0.130:25201 {line}\n"]
    stage.run((TransferCell("geo-loss", kind, "wireguard", "B"),))
    (found,) = stage.results
    assert (found.seconds is not None, found.proxy_congestion == "bbr") == (is_counted, is_counted)
    assert has_message(PROXY_OTHER_CONGESTION, wanted="bbr", found="cubic")(found.message) is not is_counted
    _, proxy, settings = stage.extensions[0].parts
    on_gateways = ("bbr", "cubic", "bbr") if kind == BBR_ON_PROXY else ("", "bbr", "")
    assert (proxy.congestion, settings.congestion, settings.also) == on_gateways


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"end": {}}'])
def test_output_that_is_no_result_is_a_failed_transfer(text: str) -> None:
    with pytest.raises(ProbeFailed, check=has_message(TRANSFER_FAILED, host="gateway-a")):
        probe.read_transfer(text, "", "gateway-a", 30_000_000)
