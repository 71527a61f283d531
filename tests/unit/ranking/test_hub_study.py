"""Study of a hub: figures beside the published ones, what is kept, and the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.patches import StepPatch

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import NO_STUDY_PART
from app.domain.hub_study import FORMER_WITHIN_S, HubBound, HubCell, HubKind, HubResult, HubWindow
from app.domain.paths import Paths
from app.domain.results import CpuUsage
from app.lab.practice_labs import Labs
from app.measurement.hub_studies import HUB_PARTS, HubStudy
from app.measurement.lab_studies import LabStudyOperations
from app.ranking.hub_study import HUB_STUDY, hub_cells, published_rates, recovery_s
from app.ranking.workloads import AT_LEAST
from app.reports.drawing import settings
from app.reports.hub_figure import cpu_edges, hub_figure
from app.reports.hub_study import figure_rows, lines, try_rows
from app.reports.lab_study import lab_study_data, result_words, write_lab_study
from app.reports.svg import PAGE
from app.storage.lab_results import HubResults
from app.storage.study_files import write_study
from app.wording.colours import CPU_PART_COLOURS
from support.message_checks import shows
from vpn_adapters.registry import HUBS, SESSION_HUBS

CELL = hub_cells()[0]


def cpu(user: float, system: float, interrupts: float, seconds: float = 1.0) -> CpuUsage:
    return CpuUsage(user + system + interrupts, user, system, interrupts, 0.0, seconds)


WINDOW = HubWindow(27.0, 10, 270, 270, 270, 8, 0.0, 0.05, cpu(1.0, 20.0, 4.0), cpu(30.0, 50.0, 15.0))
RESULT = HubResult(
    *(CELL, 8, "x", 27.0, HubBound.CLIENTS, (replace(WINDOW, rate_s=40.0, by_clients=260),), WINDOW),
    cpu=(cpu(1.0, 20.0, 4.0), cpu(2.0, 21.0, 5.0)),
    hub_cpu=WINDOW.hub,
    clients_cpu=WINDOW.clients,
)


def results(*found: HubResult) -> HubResults:
    return HubResults(HUB_STUDY, "lab:x", "quick", "1", found or (RESULT,))


def test_every_cell_has_a_hub_and_what_is_published_is_25_per_second() -> None:
    assert {cell.solution for cell in hub_cells()} <= HUBS.keys()
    assert {round(one.rate_s, 3) for one in published_rates()} == {25.0}
    assert [one.is_maximum for one in published_rates()] == [True, False]


def test_a_figure_is_a_lower_bound_unless_the_hub_or_a_limiter_was_the_limit() -> None:
    assert figure_rows(results())[0][2] == f"{AT_LEAST}27.0"
    assert figure_rows(results())[0][5:] == ("1, 20, 4, 75", "5")
    for bound in (HubBound.HUB, HubBound.LIMITER):
        assert figure_rows(results(replace(RESULT, bound=bound)))[0][2] == "27.0"
    busy = results(replace(RESULT, bound=HubBound.HUB, own_load_cores=2.0))
    assert figure_rows(busy)[0][2] == "27.0*"
    assert HubStudy().missing("all", busy.done()) == hub_cells()


def test_a_figure_of_a_hub_that_is_full_or_of_tcp_that_no_cpu_limits_is_no_lower_bound() -> None:
    full = cpu(1.0, 60.0, 30.0)
    assert figure_rows(results(replace(RESULT, hub_cpu=full)))[0][2] == "27.0"
    assert figure_rows(results(replace(RESULT, hub_cpu=None)))[0][2] == "27.0"
    tcp = next(one for one in hub_cells() if one.kind is HubKind.THROUGHPUT)
    sent = replace(RESULT, cell=tcp, window=None, windows=(), cpu=())
    assert [replace(sent, bound=one).is_lower_bound for one in (HubBound.CLIENTS, HubBound.NONE)] == [True, False]


def test_cells_that_are_measured_afresh_keep_their_results() -> None:
    begun = results().to_measure_afresh()
    assert begun.results == results().results
    assert begun.done() == frozenset()
    assert begun.with_result(RESULT).done() == {CELL}


def test_rates_that_were_tried_and_limiters_are_named() -> None:
    assert [row[1] for row in try_rows(results())] == ["40.0", "27.0"]
    acted = replace(RESULT, windows=(replace(WINDOW, limiters=("rate limit exceeded",)),))
    assert any("rate limit exceeded" in line for line in lines(results(acted)))


def test_restarts_of_earlier_versions_had_the_time_of_these(tmp_path: Path) -> None:
    cell = restarts(FORMER_WITHIN_S)[0]
    own, file = results(RESULT, HubResult(cell, 8, "x", 8.0)).to_measure_afresh([cell]), tmp_path / "r.json"
    write_study(file, own)
    stored = json.loads(file.read_text(encoding="utf-8"))
    for one in (*(one["cell"] for one in stored["results"]), *stored["afresh"]):
        del one["within_s"]
    file.write_text(json.dumps(stored), encoding="utf-8")
    assert HubResults.read(file) == own
    assert [one.cell.within_s for one in own.results] == [None, FORMER_WITHIN_S]
    assert recovery_s() == FORMER_WITHIN_S, "where none is chosen, what was stored before is the answer"
    write_study(file, results(HubResult(restarts(60)[0], 8, "x", 8.0)))
    assert HubResults.read(file) == results(HubResult(restarts(60)[0], 8, "x", 8.0))


def test_results_are_kept_by_part_and_missing_cells_are_measured_again(tmp_path: Path) -> None:
    write_study(tmp_path / "r.json", results())
    assert HubResults.read(tmp_path / "r.json") == results()
    assert results().done() == {CELL}
    assert CELL not in HubStudy().missing("all", results().done())
    desk = LabStudyOperations()
    desk.paths = Paths(tmp_path, tmp_path, tmp_path)
    desk.lab_service = Labs(replace(desk.paths, labs_dir=tmp_path / "labs"))
    write_study(desk.lab_results_file(HUB_STUDY, "lab:x", "quick"), results())
    assert desk.lab_results(HUB_STUDY, "lab:x", "all").results == ()
    assert desk.lab_results(HUB_STUDY, "lab:x", "quick") == results()


def test_the_part_quick_takes_at_most_ten_minutes() -> None:
    assert 0 < HubStudy().predicted_s("quick", HubStudy().missing("quick", ())) <= 600
    assert HUB_PARTS["all"].rates.window_s == 60


def test_the_report_has_the_stacked_plot_and_the_json_its_figures(tmp_path: Path) -> None:
    write_lab_study(results(), tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.count("<svg") == 1
    assert "<caption>Key exchanges per second, own</caption>" in page
    for colour in ("#0072b2", "#e69f00", "#009e73"):
        assert colour in page.lower()
    data = json.loads(json.dumps(lab_study_data(results())))
    assert (data["results"][0]["value"], data["results"][0]["is_lower_bound"]) == (27.0, True)
    assert data["published"][0]["title"] == published_rates()[0].title
    assert cpu_edges(RESULT.cpu) == ([0.0, 1.0], [1.0, 2.0])
    write_lab_study(results(HubResult(CELL, 8, message="no")), tmp_path / "none.html")
    page = (tmp_path / "none.html").read_text()
    assert "<svg" not in page
    assert "<caption>Key exchanges per second, own</caption>" not in page
    assert "<caption>Key exchanges per second, published</caption>" in page
    assert "Failed (–): 1 WireGuard." in page


def test_cpu_is_drawn_in_steps_of_its_intervals() -> None:
    with settings():
        axes = hub_figure(RESULT.cpu, PAGE).axes[0]
    steps = [one.get_data() for one in axes.patches if isinstance(one, StepPatch)]
    assert [list(one.edges) for one in steps] == [[0.0, 1.0, 2.0]] * len(CPU_PART_COLOURS)
    user, system = steps[0], steps[1]
    assert list(user.values) == list(system.baseline) == [one.user_pct for one in RESULT.cpu]


@pytest.mark.parametrize("words", [f"show {HUB_STUDY}", "list"])
def test_the_study_is_shown(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", *words.split()]) == ExitCode.OK
    assert ("25" if "show" in words else HUB_STUDY) in capsys.readouterr().out


def test_a_part_of_another_study_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "run", HUB_STUDY, "lab:x", "--part", "loss"]) not in (ExitCode.OK, 70)
    assert shows(capsys.readouterr().err, NO_STUDY_PART.text, part="loss", study=HUB_STUDY)


def test_clients_that_were_all_back_in_time_are_a_lower_bound() -> None:
    cell = next(one for one in hub_cells() if one.kind is HubKind.RECOVERY)
    found = results(HubResult(cell, 8, "x", 8.0, HubBound.NONE, outages_s=(7.7, 7.9)))
    assert figure_rows(found)[0][2:5] == (f"{AT_LEAST}8", "–", "number of clients")
    assert lines(found) == [
        f"{cell.title} was measured with x.",
        f"{cell.title}: 2 of 8 clients were back within 30 s, after 7.7 to 7.9 s.",
    ]
    some = results(HubResult(cell, 8, "x", 1.0, HubBound.TIME, outages_s=(7.7, 31.0)))
    assert lines(some) == [
        f"{cell.title} was measured with x.",
        f"{cell.title}: 1 of 8 clients were back within 30 s, after 7.7 to 7.7 s.",
    ]
    late = results(HubResult(cell, 8, "x", 5.0, HubBound.TIME))
    assert figure_rows(late)[0][2:5] == ("5", "–", "the time")


def test_where_more_clients_could_not_be_measured_their_number_is_not_the_limit() -> None:
    cell = next(one for one in hub_cells() if one.kind is HubKind.RECOVERY)
    one = HubResult(cell, 32, "x", 32.0, HubBound.NONE, message="Of 64 clients, 63 had answers.")
    assert figure_rows(results(one))[0][2:5] == (f"{AT_LEAST}32", "–", "more clients could not be measured")
    words = f"{AT_LEAST}32 within 30 s, more clients could not be measured: Of 64 clients, 63 had answers."
    assert result_words(one) == words
    assert lines(results(one)) == [
        f"{cell.title} was measured with x.",
        f"{cell.title}, within 30 s: Of 64 clients, 63 had answers.",
    ]


def restarts(within_s: int) -> list[HubCell]:
    return [cell for cell in hub_cells(within_s=within_s) if cell.kind is HubKind.RECOVERY]


def test_restarts_with_different_times_are_apart_and_each_row_names_its_time() -> None:
    longer, shorter = (HubResult(cell, 8, "x", 8.0) for cell in (restarts(60)[0], restarts(20)[0]))
    other = HubResult(restarts(20)[1], 8, "x", 8.0)
    rows = figure_rows(results(longer, other, RESULT, shorter))
    titles = [one.title for one in restarts(20)]
    assert [row[0] for row in rows] == [CELL.title, titles[0], titles[1], titles[0]]
    assert [row[1] for row in rows[1:]] == [
        f"clients back within {nth_s} s after a restart of the hub" for nth_s in (20, 20, 60)
    ]
    data = json.loads(json.dumps(lab_study_data(results(longer, shorter))))
    assert [one["cell"]["within_s"] for one in data["results"]] == [20, 60]


def test_a_restart_with_another_time_is_measured_anew_and_its_time_counts_in_the_predicted_one() -> None:
    usual, longer = HubStudy(), HubStudy().with_time(recovery_s() + 60)
    done = results(*(HubResult(cell, 8, "x", 8.0) for cell in hub_cells())).done()
    assert usual.missing("all", done) == ()
    assert longer.missing("all", done) == tuple(restarts(recovery_s() + 60)) == longer.restarts("all")
    clients = len(HUB_PARTS["all"].recovery)
    for part, tries in (("quick", 1), ("all", clients)):
        more_s = longer.predicted_s(part, longer.keys(part)) - usual.predicted_s(part, usual.keys(part))
        assert more_s == 60 * tries * len(longer.restarts(part)) > 0
    assert usual.restarts("all", ("ssh",)) == ()


def test_what_was_measured_with_several_times_is_counted_for_each() -> None:
    found = results(RESULT, *(HubResult(cell, 8, "x", 8.0) for cell in (restarts(60)[0], *restarts(20))))
    assert [one.within_s for one in HubStudy().as_measured(found)] == [20, 60]
    assert [one.state("all", found).measured for one in HubStudy().as_measured(found)] == [1 + len(restarts(20)), 2]
    assert [one.within_s for one in HubStudy().as_measured(results())] == [recovery_s()]


def test_only_clients_that_remain_connected_are_restarted_and_measured() -> None:
    kinds = HubKind.RECOVERY, HubKind.THROUGHPUT
    assert {cell.solution for cell in hub_cells() if cell.kind in kinds} <= SESSION_HUBS.keys()
    assert [cell for cell in hub_cells() if cell not in hub_cells(is_quick=True)] != []
