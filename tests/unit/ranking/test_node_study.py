"""Study with nodes: its order against own rounds, and what may be stated where protection is faster than none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import NO_STUDY_PART
from app.domain.node_study import FORGED, REPLAYED, Hop, HopInjection, HopReport, NodeResult, Seen
from app.domain.paths import Paths
from app.domain.results import CpuUsage
from app.lab.practice_labs import Labs
from app.measurement.lab_studies import LabStudyOperations
from app.measurement.node_studies import NodeStudy
from app.ranking.node_study import (
    NODE_STUDY,
    OrderVerdict,
    Reason,
    faster_than_baseline,
    node_settings,
    own_pairs,
    setting_figures,
)
from app.reports.lab_study import lab_study_data, write_lab_study
from app.reports.node_study import figure_rows, hop_rows, suites
from app.storage.lab_results import NodeResults
from app.storage.study_files import write_study
from support.message_checks import shows
from support.node_order import printed_against, rounds_against

NAMES = [one.name for one in node_settings()]


def cpu(busy_pct: float) -> CpuUsage:
    return CpuUsage(busy_pct, 0.0, busy_pct, 0.0, 0.0, 4.0)


def result(name: str, number: int, ms: float, mbit_s: float, *, again: int = 0, busy: float = 50.0) -> NodeResult:
    ways = ("a_to_b", "b_to_a")
    return NodeResult(
        *(name, number, ms, {60: ms}, dict.fromkeys(ways, mbit_s), dict.fromkeys(ways, again)),
        cpu_latency={"a": cpu(10.0), "b": cpu(10.0)},
        cpu_throughput={"a": cpu(busy), "b": cpu(busy)},
        own_load_cores=0.1,
    )


def rounds(number: int = 3, **changed: tuple[float, float]) -> list[NodeResult]:
    """Return rounds in the study's order, of latency in ms and Mbit/s, unless a setting has others."""
    as_published = dict(zip(NAMES, ((1.0, 80.0), (1.0, 94.0), (1.9, 47.0), (2.5, 24.0)), strict=True))
    own = {**as_published, **{name.replace("_", "-"): figures for name, figures in changed.items()}}
    return [result(name, each, *figures) for each in range(1, number + 1) for name, figures in own.items()]


def test_the_published_order_comes_out_only_where_enough_rounds_agree() -> None:
    found = own_pairs(rounds())
    assert {one.verdict for one in found} == {OrderVerdict.YES}
    assert found[1].ratio == pytest.approx(0.5)
    assert {one.verdict for one in own_pairs(rounds(2))} == {OrderVerdict.UNDECIDED}
    other = own_pairs(rounds(macsec_l2tp=(3.0, 20.0)))
    assert [one.verdict for one in other] == [OrderVerdict.NO, OrderVerdict.NO, OrderVerdict.YES, *other_latency()]
    one_round = [
        replace(one, mbit_s={"a_to_b": 1.0, "b_to_a": 1.0}) if one.key == (NAMES[1], 1) else one for one in rounds()
    ]
    assert own_pairs(one_round)[1].verdict is OrderVerdict.UNDECIDED


@pytest.mark.parametrize(
    ("own", "against_printed", "against_rounds"),
    [
        (rounds(), 0, 0),
        (rounds(macsec_l2tp=(1.95, 40.0)), 2, 2),
        (rounds(macsec_l2tp=(1.0, 20.0)), 1, 2),
        (rounds(macsec_plus_wireguard=(0.5, 200.0)), 0, 2),
        (rounds(2, macsec_l2tp=(3.0, 20.0)), 0, 0),
        ([*rounds(2, macsec_l2tp=(3.0, 20.0)), *rounds()[8:]], 0, 0),
        ([], 0, 0),
    ],
    ids=["as stated", "behind the first", "less throughput", "behind the second", "two rounds", "disagreeing", "none"],
)
def test_the_suite_notices_an_order_against_that_of_the_study_and_none_that_is_undecided(
    own: list[NodeResult], against_printed: int, against_rounds: int
) -> None:
    data = json.loads(json.dumps(lab_study_data(NodeResults(NODE_STUDY, "lab:x", "quick", "1", tuple(own)))))
    assert len(printed_against(data["order"])) == against_printed
    assert len(rounds_against(own)) == against_rounds
    assert own_pairs(own)[0].published.behind == "baseline", "the published pairs are as before"


def other_latency() -> list[OrderVerdict]:
    return [OrderVerdict.NO, OrderVerdict.YES]


def test_reasons_are_only_those_that_own_figures_support() -> None:
    assert [one.setting for one in faster_than_baseline(rounds())] == ["macsec-l2tp"]
    (steady,) = faster_than_baseline(rounds())
    assert steady.reasons == (Reason.NOT_SENT_AGAIN, Reason.CPU_FREE)
    disturbed = [
        replace(one, retransmits={"a_to_b": 90, "b_to_a": 90}, cpu_throughput={"a": cpu(97.0)})
        if one.setting == "baseline"
        else one
        for one in rounds()
    ]
    assert faster_than_baseline(disturbed)[0].reasons == (Reason.SENT_AGAIN, Reason.CPU_FULL)
    assert Reason.BY_CHANCE in faster_than_baseline(rounds(2))[0].reasons


def test_disturbed_rounds_count_only_where_there_are_no_others() -> None:
    busy = [replace(one, own_load_cores=2.0, latency_ms=9.0) for one in rounds(1)]
    assert setting_figures([*busy, *rounds(3)[4:]])["baseline"].latency_ms == 1.0
    only = setting_figures(busy)["baseline"]
    assert (only.latency_ms, only.is_disturbed) == (9.0, True)


def hops(*, accepted: int = 0, relayed: int = 0, control: int = 9) -> HopReport:
    seen = tuple(Seen(hop, 18, has_addresses=hop is not Hop.UNDERLAY, has_payload=False) for hop in Hop)
    injected = tuple(HopInjection(hop, kind, 3, relayed, accepted) for hop in Hop for kind in (FORGED, REPLAYED))
    return HopReport(seen, injected, 9, 9, 9, control)


@pytest.mark.parametrize(
    ("report", "cells"),
    [
        (hops(), ("hidden", "hidden", "refused", "refused")),
        (hops(relayed=3), ("hidden", "hidden", "relayed, refused by the node", "relayed, refused by the node")),
        (hops(accepted=3), ("hidden", "hidden", "accepted", "accepted")),
        (hops(control=0), ("not proven", "not proven", "not proven", "not proven")),
    ],
)
def test_nothing_is_hidden_or_refused_without_a_control(report: HopReport, cells: tuple[str, ...]) -> None:
    found = NodeResults(NODE_STUDY, "lab:x", "quick", "1", (NodeResult(NAMES[1], 1, hops=report),))
    assert hop_rows(found)[1][2:] == cells


def test_results_are_kept_and_what_is_missing_is_measured_again(tmp_path: Path) -> None:
    first = [replace(one, hops=hops()) if one.round == 1 else one for one in rounds()]
    kept = NodeResults(NODE_STUDY, "lab:x", "quick", "1", tuple(first))
    write_study(tmp_path / "r.json", kept)
    assert NodeResults.read(tmp_path / "r.json") == kept
    assert len(kept.done()) == 12
    busy = kept.with_result(replace(first[5], own_load_cores=3.0))
    assert busy.done() == kept.done() - {first[5].key}
    study = NodeStudy()
    assert study.missing("quick", kept.done()) == ()
    assert study.predicted_s("quick", ()) == 0 < study.predicted_s("quick", study.keys("quick")) <= 600
    json.dumps(lab_study_data(kept))
    assert len(figure_rows(kept)) == 4
    write_lab_study(kept, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "MACsec plus WireGuard" in page
    for figure in ("Throughput", "Latency"):
        for whose in ("own", "published"):
            assert f"<caption>{figure}, {whose}</caption>" in page


@pytest.mark.parametrize("words", ["show industrial-2019-extended", "list"])
def test_the_study_is_shown(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", *words.split()]) == ExitCode.OK
    assert "industrial-2019-extended" in capsys.readouterr().out or "show" in words


def test_a_part_of_another_study_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "run", NODE_STUDY, "lab:x", "--part", "loss"]) not in (ExitCode.OK, 70)
    assert shows(capsys.readouterr().err, NO_STUDY_PART.text, part="loss", study=NODE_STUDY)


def test_results_of_one_part_do_not_replace_those_of_another(tmp_path: Path) -> None:
    desk = LabStudyOperations()
    desk.paths = Paths(tmp_path, tmp_path, tmp_path)
    desk.lab_service = Labs(replace(desk.paths, labs_dir=tmp_path / "labs"))
    kept = NodeResults(NODE_STUDY, "lab:x", "all", "1.0", (result(NAMES[0], 1, 1.0, 10.0),))
    write_study(desk.lab_results_file(NODE_STUDY, "lab:x", "all"), kept)
    write_study(desk.lab_results_file(NODE_STUDY, "lab:x", "quick"), replace(kept, part="quick", results=()))
    assert desk.lab_results(NODE_STUDY, "lab:x", "all") == kept
    assert desk.lab_results(NODE_STUDY, "lab:x", "quick").results == ()


def test_the_page_names_rounds_that_failed(tmp_path: Path) -> None:
    failed = NodeResult(NAMES[1], 2, message="gateway-b did not answer.")
    kept = NodeResults(NODE_STUDY, "lab:x", "quick", "1", (*rounds(1), failed))
    page = write_lab_study(kept, tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"<li>Round 2 of {NAMES[1]}: gateway-b did not answer.</li>" in page
    assert "<h2>Seen and sent at each hop</h2>" in page


def test_the_suites_are_those_of_the_tunnels_between_the_gateways() -> None:
    setting = node_settings()[0]
    found = [NodeResult(setting.name, number, suite="L2TPv3, unencrypted") for number in (1, 2)]
    assert suites(found) == [
        f"The tunnel between the gateways of {setting.title} was measured with L2TPv3, unencrypted."
    ]
