"""Heat maps in the JSON of every study: the same ones as in window and reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from fake_studies import own_application_result, own_hub_result, own_node_result, own_result, study_record

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.hub_study import HubKind
from app.domain.results import CampaignRecord
from app.measurement.lab_studies import LAB_STUDIES
from app.ranking.application_study import APPLICATION_STUDY, application_cells
from app.ranking.comparison_study import comparison_studies
from app.ranking.heat_maps import HeatMap, HeatRows
from app.ranking.hub_study import HUB_STUDY, hub_cells
from app.ranking.node_study import NODE_STUDY, node_settings
from app.ranking.own_study_figures import compared_orders
from app.ranking.published import IPSEC_TLS
from app.ranking.published_transfers import TRANSFER_BYTES
from app.ranking.repeated_study import RepeatedStudy, repeated_study
from app.ranking.study_maps import comparison_maps
from app.ranking.study_parts import SATCOM, cells_of
from app.reports.file_study import comparison_study_data
from app.reports.heat_map_view import heat_html
from app.reports.lab_study import lab_study_data, outcome_maps
from app.reports.study_report import study_json
from app.reports.study_view import study_view
from app.storage.lab_results import ApplicationResults, HubResults, LabResults, NodeResults
from app.storage.study_results import StudyResults
from app.wording.language import current_language, use_language

CELLS = cells_of("quick")
INDUSTRIAL = "industrial-2019"


@dataclass(frozen=True)
class Kind:
    """A kind of study: its JSON, and the maps that are shown, of the same results."""

    data: Callable[[], Mapping[str, Any]]
    shown: Callable[[], Sequence[HeatMap]]


def transfers() -> StudyResults:
    """Return times of all cells but the last one."""
    found = StudyResults(SATCOM, "lab:x", "1", TRANSFER_BYTES)
    for cell in CELLS[:-1]:
        found = found.with_result(own_result(cell))
    return found


def industrial() -> RepeatedStudy:
    """Return rates in another order than the study's, without some VPNs."""
    study = comparison_studies()[INDUSTRIAL]
    rates = {"wireguard": 900.0, "macsec": 500.0, "tinc": 600.0, "ssh": 1_000.0}
    own = {
        (one.solution, one.suite, "both"): {"weighted_latency_ms": 1.0, "throughput_mbit_s": rates[one.solution]}
        for one in study.candidate
        if one.solution in rates
    }
    return RepeatedStudy(study, own, compared_orders(study, own))


@cache
def comparison() -> CampaignRecord:
    return study_record(comparison_studies()[IPSEC_TLS])


def comparison_data(found: RepeatedStudy) -> Mapping[str, Any]:
    return comparison_study_data(found.study, comparison(), found.own, found.orders)


def files() -> RepeatedStudy:
    found = repeated_study(comparison())
    assert found is not None
    return found


def hubs() -> HubResults:
    cells = [one for one in hub_cells() if one.kind is HubKind.FLOOD][:2]
    return HubResults(HUB_STUDY, "lab:x", "quick", "1", tuple(map(own_hub_result, cells)))


def nodes() -> NodeResults:
    settings = [one.name for one in node_settings()][:3]
    return NodeResults(NODE_STUDY, "lab:x", "quick", "1", tuple(own_node_result(name, 1) for name in settings))


def of_lab(results: LabResults) -> Kind:
    return Kind(lambda: lab_study_data(results), lambda: outcome_maps(results.study, results))


KINDS = {
    SATCOM: Kind(lambda: study_json(transfers(), CELLS), lambda: study_view(transfers(), CELLS).comparisons),
    IPSEC_TLS: Kind(lambda: comparison_data(files()), lambda: comparison_maps(files())),
    INDUSTRIAL: Kind(lambda: comparison_data(industrial()), lambda: comparison_maps(industrial())),
    HUB_STUDY: of_lab(hubs()),
    NODE_STUDY: of_lab(nodes()),
}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def maps_of(kind: Kind) -> list[dict[str, Any]]:
    """Return the maps of the JSON as a program reads them."""
    found: list[dict[str, Any]] = json.loads(json.dumps(kind.data()))["heat_maps"]
    return found


def values(rows: HeatRows) -> list[list[tuple[int, int | None] | None]]:
    return [[None if one is None else (one.order, one.percent) for one in row] for row in rows]


def read(rows: list[list[dict[str, Any] | None]]) -> list[list[tuple[int, int | None] | None]]:
    return [[None if one is None else (one["order"], one["percent"]) for one in row] for row in rows]


@EVERY_KIND
def test_json_has_the_maps_that_window_and_report_show(kind: Kind) -> None:
    data, shown = maps_of(kind), kind.shown()
    assert shown
    assert [one["title"] for one in data] == [one.title for one in shown]
    for one, found in zip(data, shown, strict=True):
        assert one["rows"] == one["columns"] == list(found.names)
        assert read(one["own"]) == values(found.own)
        assert read(one["published"]) == values(found.published)
        assert one["rank_correlation"] == found.agreement.correlation
        assert (one["pairs"], one["same"]) == (found.agreement.pairs, found.agreement.same)
        assert [tuple(pair) for pair in one["against"]] == list(found.agreement.against)
        assert one["notes"] == list(found.notes)
        for nth in one["missing"]:
            assert {row[nth] is None for row in one["own"]} == {True}, "no own figure, so nothing to compare"


@EVERY_KIND
def test_a_pair_in_the_other_order_is_marked_in_the_report_as_in_json(kind: Kind) -> None:
    page, data = heat_html(kind.shown()), maps_of(kind)
    assert page.count('class="against"') == 2 * sum(len(one["against"]) for one in data)


def test_orders_without_figures_have_no_percent_and_what_is_unknown_is_null() -> None:
    data = {one["title"]: one for one in maps_of(KINDS[INDUSTRIAL])}
    found = data["Throughput: Raspberry Pi 3"]
    places = {one["percent"] for row in found["published"] for one in row if one is not None}
    assert places == {None}
    wireguard, ssh, openvpn = (
        next(nth for nth, name in enumerate(found["rows"]) if part in name) for part in ("Wireguard", "SSH", "OpenVPN")
    )
    assert found["own"][wireguard][ssh] == {"order": 1, "percent": 11}
    assert found["own"][wireguard][wireguard] is None
    assert found["own"][wireguard][openvpn] is None
    assert openvpn in found["missing"]
    assert found["against"] == [[ssh, wireguard]]


def test_the_applications_have_none() -> None:
    cells = application_cells("quick")
    results = ApplicationResults(APPLICATION_STUDY, "lab:x", "quick", "1", tuple(map(own_application_result, cells)))
    assert lab_study_data(results)["heat_maps"] == []


@pytest.fixture
def german() -> Iterator[None]:
    before = current_language()
    use_language("de")
    yield
    use_language(before)


@EVERY_KIND
def test_titles_and_notes_are_english_in_every_language(kind: Kind, request: pytest.FixtureRequest) -> None:
    english = maps_of(kind)
    request.getfixturevalue("german")
    assert [one.title for one in kind.shown()] != [one["title"] for one in english]
    assert maps_of(kind) == english


@pytest.mark.parametrize("study", [*KINDS, APPLICATION_STUDY])
def test_the_published_maps_are_shown_before_anything_is_measured(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "show", study, "--json"]) == ExitCode.OK
    data = json.loads(capsys.readouterr().out)
    assert (data["format"], data["study"]) == (1, study)
    assert data["source"]
    assert "pair" not in data
    assert bool(data["heat_maps"]) is (study != APPLICATION_STUDY)
    for one in data["heat_maps"]:
        assert {value is None for row in one["own"] for value in row} == {True}
        assert {value is None for row in one["published"] for value in row} == {True, False}
        assert one["missing"] == list(range(len(one["rows"])))
    if study in LAB_STUDIES:
        assert data["results"] == []
