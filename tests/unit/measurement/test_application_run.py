"""Applications of the satellite study: measured between the nodes of each cell, under a condition that was proven."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.domain.application_study import APPLICATIONS, ApplicationResult
from app.domain.cancel import CancelToken
from app.domain.commands import CommandResult, SessionPair
from app.domain.condition_files import presets
from app.domain.conditions import Condition, ConditionCheck, MeasuredCondition, Quantity
from app.domain.errors import InvalidOption, ProbeFailed
from app.domain.link import Link
from app.domain.solutions import Suite
from app.domain.transfers import TransferCell
from app.measurement import application_run, application_studies
from app.measurement.application_run import ApplicationRun
from app.measurement.application_studies import ApplicationStudy
from app.measurement.cell_run import CellPlan, CellReports
from app.measurement.link_conditions import LinkMeasurement
from app.measurement.messages import CONDITION_NOT_MET, WORKLOAD_NOT_MEASURED
from app.measurement.messages.studies import APPLICATIONS_NEED_LAB, NO_CONNECTION_SPLIT, NODE_CONGESTION_REFUSED
from app.probes.workloads import WorkloadPath
from app.ranking.application_study import PARTS, application_cells
from app.storage.lab_results import ApplicationResults
from app.storage.study_files import write_study
from support.message_checks import has_message

LINK = Link("192.0.2.1", "192.0.2.2")
CELL = TransferCell("geo", "bbr2", "wireguard", "none")
FIGURES = {
    "web-page": {"page": 4.0},
    "voice": {"mos": 3.7, "rating": 71.0, "jitter-a-to-b": 0.2, "jitter-b-to-a": 0.5},
    "two-flows": {"fairness": 0.9, "second-share": 44.0},
}
SPLIT = "split 198.19.0.2:1 198.19.0.130:25201 bbr cubic\n"


def found_on_link(name: str, *, is_met: bool = True) -> MeasuredCondition:
    check = ConditionCheck(Quantity.RTT, "", 500.0, 501.0, 490.0, 510.0, is_met)
    return MeasuredCondition(name, datetime(2026, 11, 28, tzinfo=UTC), (check,))


class Host:
    """A gateway with a node behind it, whose kernel takes every congestion control but some."""

    def __init__(self, label: str, refused: str = "") -> None:
        self.spec = SimpleNamespace(label=label)
        self.commands: list[str] = []
        self.splits: list[str] = []
        self.refused = refused

    def run(self, command: Any, **_: Any) -> CommandResult:
        words = " ".join(command.argv)
        self.commands.append(words)
        if "tcp_congestion_control=" in words:
            wanted = words.rpartition("=")[2]
            is_refused = wanted == self.refused
            return CommandResult(
                command.argv, int(is_refused), "" if is_refused else f"{wanted}\n", "No such file", 0.1
            )
        return CommandResult(command.argv, 0, self.splits.pop(0) if words.endswith("proxy.log") else "", "", 0.1)


class Stage:
    """A run with everything around it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, refused: str = "") -> None:
        self.a, self.b = Host("gateway-a"), Host("gateway-b", refused)
        self.conditions: list[str | None] = []
        self.results: list[ApplicationResult] = []
        self.paths: list[WorkloadPath] = []
        self.why = ""
        self.groups: list[int] = []
        monkeypatch.setattr(LinkMeasurement, "direct_ms", lambda _self: 1.0)
        monkeypatch.setattr(LinkMeasurement, "measure", lambda _self, condition, _direct: found_on_link(condition.name))
        runs = {name: self._run_of(name) for name in APPLICATIONS}
        monkeypatch.setattr(application_run, "_RUNS", runs)
        load = SimpleNamespace(start=lambda: None, cores=lambda: 0.2)
        monkeypatch.setattr(application_run, "OwnLoad", lambda _guests: load)

    def _run_of(self, name: str) -> Callable[[WorkloadPath], Mapping[str, float]]:
        def run(path: WorkloadPath) -> Mapping[str, float]:
            self.paths.append(path)
            if self.why and name == "voice":
                raise ProbeFailed(self.why)
            return FIGURES[name]

        return run

    @contextmanager
    def open_group(self, choices: Any, **_: object) -> Iterator[Any]:
        self.groups.append(len(choices))
        plan = SimpleNamespace(whole_filter="udp port 51820")
        tunnels = {nth: SimpleNamespace(link=LINK.instance(nth), plan=plan) for nth in range(len(choices))}
        yield SimpleNamespace(tunnels=tunnels, failures={})

    def run(self, *cells: TransferCell) -> list[ApplicationResult]:
        choices: Any = {one.solution: (None, Suite(one.solution, f"{one.solution}, a suite")) for one in cells}
        hosts: Any = (self.a, self.b)
        tunnels: Any = self

        def set_condition(condition: Condition | None) -> None:
            self.conditions.append(None if condition is None else condition.name)

        reports: CellReports[ApplicationResult] = CellReports(lambda _text: None, self.results.append)
        plan = CellPlan(cells, choices, ())
        ApplicationRun(
            *(plan, SessionPair(*hosts), LINK, tunnels, set_condition, lambda _condition: "", reports),
            token=CancelToken(),
        ).run()
        return self.results


def test_all_applications_run_between_the_nodes_with_the_congestion_control_of_the_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(monkeypatch)
    (found,) = stage.run(CELL)
    assert {one.workload: one.figures for one in found.workloads} == FIGURES
    assert found.has_figures
    assert (found.measured_condition, found.own_load_cores, found.message) == (found_on_link("geo"), 0.2, "")
    assert stage.conditions == [None, "none", "geo", None, None]
    (first, *_) = stage.paths
    assert first.address_a.startswith("198.19.")
    assert first.address_a != first.address_b
    assert first.rtt_ms == presets()["geo"].rtt_ms == 500.0
    assert first.port == LINK.names.iperf_port
    for host in (stage.a, stage.b):
        (setting,) = [words for words in host.commands if "sysctl" in words]
        assert setting.startswith("ip netns exec "), "the node's alone, not the gateway's"
        assert setting.endswith("net.ipv4.tcp_congestion_control=bbr")
        assert sum("tcp_metrics flush" in words for words in host.commands) == 2 * len(APPLICATIONS)


def test_tunnels_that_cannot_be_up_together_are_measured_one_group_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(monkeypatch)
    stage.b.splits = ["", SPLIT] * 2
    ways = [("none", "none"), ("wireguard", "none"), ("wireguard", "B"), ("ipsec", "none"), ("ipsec", "B")]
    cells = [TransferCell("geo", "bbr2", *way) for way in ways]
    found = stage.run(*cells)
    assert stage.groups == [4, 1], "IPsec has a port of its own: two of it are not up side by side"
    assert {one.cell for one in found} == set(cells)
    assert all(one.has_figures for one in found)
    once = ["none", "geo", None]
    assert stage.conditions == [None, *once, *once, None], "the link is proven for each"


def test_an_application_that_fails_says_why_and_the_others_have_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch)
    stage.why = "gateway-a heard nothing."
    (found,) = stage.run(CELL)
    assert [one.workload for one in found.workloads] == ["web-page", "two-flows"]
    assert not found.has_figures
    assert has_message(WORKLOAD_NOT_MEASURED, why="gateway-a heard nothing.")(found.message)


def test_a_node_that_does_not_take_the_congestion_control_has_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch, refused="bbr")
    (found,) = stage.run(CELL)
    assert found.workloads == ()
    assert has_message(NODE_CONGESTION_REFUSED, congestion="bbr", output="No such file")(found.message)
    assert stage.paths == []


@pytest.mark.parametrize(("lines", "is_split"), [(["", SPLIT], True), (["", ""], False)])
def test_a_proxy_that_split_nothing_leaves_no_figures(
    monkeypatch: pytest.MonkeyPatch, lines: list[str], is_split: bool
) -> None:
    stage = Stage(monkeypatch)
    stage.b.splits = list(lines)
    (found,) = stage.run(TransferCell("geo", "bbr2", "wireguard", "B"))
    assert (found.has_figures, found.proxy_congestion) == (is_split, "bbr" if is_split else "")
    assert has_message(NO_CONNECTION_SPLIT)(found.message) is not is_split


def test_under_a_condition_that_is_not_met_no_application_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch)
    missed = found_on_link("geo", is_met=False)
    monkeypatch.setattr(LinkMeasurement, "measure", lambda *_: missed)
    (found,) = stage.run(CELL)
    assert (found.workloads, found.is_condition_missed, found.measured_condition) == ((), True, missed)
    assert has_message(CONDITION_NOT_MET, condition="geo")(found.message)
    assert stage.paths == []


def test_results_are_stored_and_count_once_they_are_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (found,) = Stage(monkeypatch).run(CELL)
    kept = ApplicationResults("satcom-applications", "lab:x", "no-loss", "1", (found,))
    write_study(tmp_path / "x.json", kept)
    assert ApplicationResults.read(tmp_path / "x.json") == kept
    assert kept.done() == {CELL}
    for change in ({"own_load_cores": 0.9}, {"is_condition_missed": True}, {"workloads": found.workloads[:2]}):
        fields: dict[str, Any] = {name: getattr(found, name) for name in found.__slots__} | change
        assert ApplicationResults("x", "lab:x", "no-loss", "1", (ApplicationResult(**fields),)).done() == frozenset()


def test_parts_have_the_vpns_and_proxies_of_the_study_and_say_how_long_they_take() -> None:
    study = ApplicationStudy()
    assert study.parts == tuple(PARTS) == ("quick", "no-loss", "loss")
    assert [len(study.keys(part)) for part in study.parts] == [3, 48, 48]
    assert set(application_cells("quick")) < set(application_cells("no-loss"))
    kinds = {one.congestion for one in application_cells("loss")}
    assert kinds == {"cubic-no-hystart", "cubic-hystart", "bbr2"}
    ways = {(one.solution, one.proxy) for one in application_cells("loss")}
    assert ways == {(one.solution, one.proxy) for one in application_cells("no-loss")}
    assert len(ways) == 8
    times = [study.predicted_s(part, study.keys(part)) for part in study.parts]
    assert 3 * 150 < times[0] <= 600 < times[1] < times[2]
    assert ApplicationStudy().predicted_s("quick", ()) == 0.0


def test_a_pair_without_conditions_is_refused() -> None:
    found = SimpleNamespace(pair=SimpleNamespace(name="plant"))
    run: Any = SimpleNamespace(conditioned=None, shaping=None, discovery=found)
    adapters: Any = None
    with pytest.raises(InvalidOption, check=has_message(APPLICATIONS_NEED_LAB, pair="plant")):
        ApplicationStudy().choices(adapters, run)


def test_on_hosts_of_the_users_own_the_hosts_make_the_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Run:
        def __init__(self, plan: CellPlan, *others: Any, shaping: Any, machines: Any, token: Any) -> None:
            del others, token
            made.append((plan.is_lab, shaping, machines))

        def run(self) -> None:
            made.append("run")

    monkeypatch.setattr(application_studies, "ApplicationRun", Run)
    study = ApplicationStudy()
    kept = SimpleNamespace(results=study.none("plant", "quick"), keep=None)
    found = SimpleNamespace(pair=SimpleNamespace(is_lab=False), link=None)
    nothing = dict.fromkeys(("conditioned", "sessions", "tunnels", "report"))
    parts = {"shaping": "shaping", "machines": "machines", "token": CancelToken(), "guests": (), "solutions": ()}
    run: Any = SimpleNamespace(part="quick", kept=kept, discovery=found, **parts, **nothing)
    study.measure(run, ())
    assert made == [(False, "shaping", "machines"), "run"]
