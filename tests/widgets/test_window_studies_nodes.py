"""Nodes of studies in the window: namespaces or machines, which results are shown, and what is measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from fake_studies import own_node_result, own_result
from layout_checks import layout_faults
from window_driver import Driver

from app.domain.errors import HostUnreachable
from app.domain.hosts import HostSpec, NodeHost
from app.domain.topology import NodeKind
from app.measurement.messages.studies import NO_NODE_MACHINES
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.comparison_study import comparison_studies
from app.ranking.hub_study import HUB_STUDY
from app.ranking.node_study import NODE_STUDY, node_settings
from app.ranking.published_transfers import TRANSFER_BYTES
from app.ranking.study_parts import SATCOM, cells_of
from app.reports.study_view import place_text
from app.storage.lab_results import NodeResults
from app.storage.study_results import StudyResults
from ui.studies.studies_page import StudiesPage

PAIR = "lab:practice"
PLACE = "lab:practice, nodes are machines"
NODE = NodeHost(HostSpec("node", "192.0.2.9"), "eth1", "eth2")


@pytest.fixture
def with_machines(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labs that were started with nodes."""
    before = driver.services.pairs

    def pairs() -> tuple[Any, ...]:
        return tuple(replace(one, pair=replace(one.pair, node_a=NODE, node_b=NODE)) for one in before())

    monkeypatch.setattr(driver.services, "pairs", pairs)


@contextmanager
def without_labs(driver: Driver) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver.services, "pairs", tuple)
        yield


def chosen(driver: Driver, study: str) -> StudiesPage:
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    page.studies.setCurrentText(study)
    driver.idle()
    return page


def choose(driver: Driver, page: StudiesPage, kind: NodeKind) -> None:
    page.nodes.choose(kind)
    driver.idle()


def transfers(most: int, nodes: NodeKind, pair: str = PAIR) -> StudyResults:
    found = StudyResults(SATCOM, pair, "1.0", TRANSFER_BYTES, nodes=nodes)
    for cell in cells_of("quick")[:most]:
        found = found.with_result(own_result(cell))
    return found


def rounds(nodes: NodeKind, pair: str = PAIR) -> NodeResults:
    found = NodeResults(NODE_STUDY, pair, "quick", "1", nodes=nodes)
    for one in node_settings():
        found = found.with_result(own_node_result(one.name, 1))
    return found


def start(driver: Driver, page: StudiesPage) -> str:
    """Start what is chosen; return the title of the question before it."""
    driver.click(page.begin)
    dialog = driver.dialog()
    title = str(dialog.windowTitle())
    dialog.accept()
    driver.until(lambda: page.notice.text == "The part is measured.")
    return title


def test_a_place_names_machines_alone() -> None:
    assert place_text(PAIR, NodeKind.NAMESPACES) == PAIR
    assert place_text(PAIR, NodeKind.MACHINES) == PLACE
    assert place_text("", NodeKind.MACHINES) == ""


@pytest.mark.parametrize(
    ("study", "reason"),
    [
        (SATCOM, "This lab has no machines behind its gateways."),
        (NODE_STUDY, "This lab has no machines behind its gateways."),
        (HUB_STUDY, "This study is not measured between machines"),
        (next(iter(comparison_studies())), "This study is not measured between machines"),
    ],
)
def test_nodes_cannot_be_chosen_without_machines_and_it_says_why(driver: Driver, study: str, reason: str) -> None:
    page = chosen(driver, study)
    assert page.nodes.kind is NodeKind.NAMESPACES
    assert not page.nodes.isEnabled()
    assert page.nodes.toolTip().startswith(reason)
    assert page.begin.isEnabled()


@pytest.mark.usefixtures("with_machines")
@pytest.mark.parametrize("study", [NODE_STUDY, APPLICATION_STUDY])
def test_a_study_is_measured_between_machines(driver: Driver, study: str) -> None:
    page, services = chosen(driver, study), driver.services
    assert page.nodes.isEnabled()
    choose(driver, page, NodeKind.MACHINES)
    assert page.state.text().startswith(f"quick, {PLACE}: 0 of ")
    assert start(driver, page) == f"Measure {study}, quick on {PLACE}?"
    assert services.lab_machines_stored[study, PAIR, "quick"].nodes is NodeKind.MACHINES
    assert services.lab_stored == {}
    assert page.lab.parts.item(0, 4).text() == "nothing"
    choose(driver, page, NodeKind.NAMESPACES)
    assert page.state.text().startswith(f"quick, {PAIR}: 0 of ")
    assert not page.report.isEnabled()


@pytest.mark.usefixtures("with_machines")
def test_transfers_are_measured_between_machines(driver: Driver) -> None:
    page, services = chosen(driver, SATCOM), driver.services
    services.study_stored[PAIR] = transfers(3, NodeKind.NAMESPACES)
    page.take_pairs()
    driver.idle()
    assert page.state.text().startswith(f"quick, {PAIR}: 3 of 8 ")
    choose(driver, page, NodeKind.MACHINES)
    assert page.state.text().startswith(f"quick, {PLACE}: 0 of 8 ")
    driver.window.resize(1280, 800)
    driver.lay_out()
    line_px = page.state.fontMetrics().lineSpacing()
    assert page.state.heightForWidth(page.state.width()) < 2 * line_px, "on one line where there is room"
    services.study_pauses_after = 2
    driver.click(page.begin)
    driver.dialog().accept()
    driver.until(lambda: page.progress is not None and page.progress.done == 2)
    assert page.progress is not None
    assert page.progress.pair == PLACE
    assert not page.nodes.isEnabled(), "as labs and studies while one is measured"
    assert driver.window.current.cancel()
    driver.dialog().accept()
    driver.until(lambda: not page.is_running)
    services.study_pauses_after = None
    services.study_gate.set()
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: page.notice.text == "The part is measured.")
    driver.idle()
    assert len(services.machines_stored[PAIR].times_s()) == 8
    assert len(services.study_stored[PAIR].times_s()) == 3, "those between namespaces remain as they were"
    assert page.tabs.maps.view.own_title.text() == f"Own, {PLACE}"
    choose(driver, page, NodeKind.NAMESPACES)
    assert page.state.text().startswith(f"quick, {PAIR}: 3 of 8 ")
    assert page.tabs.maps.view.own_title.text() == f"Own, {PAIR}"


@pytest.mark.usefixtures("with_machines")
def test_a_study_without_machines_is_between_namespaces(driver: Driver) -> None:
    driver.services.machines_stored[PAIR] = transfers(8, NodeKind.MACHINES)
    page = chosen(driver, SATCOM)
    choose(driver, page, NodeKind.MACHINES)
    page = chosen(driver, HUB_STUDY)
    assert page.nodes.kind is NodeKind.NAMESPACES
    assert page.state.text().startswith(f"quick, {PAIR}: ")
    page = chosen(driver, SATCOM)
    assert page.state.text().startswith(f"quick, {PAIR}: 0 of 8 ")
    assert page.view is not None
    assert page.view.results.nodes is NodeKind.NAMESPACES


def test_results_between_machines_are_shown_where_the_lab_has_none_now(driver: Driver) -> None:
    driver.services.lab_machines_stored[NODE_STUDY, PAIR, "quick"] = rounds(NodeKind.MACHINES)
    page = chosen(driver, NODE_STUDY)
    assert page.nodes.isEnabled()
    assert not page.report.isEnabled()
    assert "Nodes are namespaces on the gateways" in page.lab.notes.text()
    choose(driver, page, NodeKind.MACHINES)
    assert page.report.isEnabled()
    assert "The nodes were machines of their own" in page.lab.lines.text()
    assert page.lab.notes.text().startswith("Nodes are machines of their own")
    assert page.lab.maps.view.own_title.text() == f"Own, {PLACE}"
    assert not page.begin.isEnabled()
    assert page.begin.toolTip().startswith("This lab has no machines behind its gateways.")


def test_results_of_a_lab_that_has_ended_are_shown_with_the_nodes_that_they_have(driver: Driver) -> None:
    driver.services.machines_stored["lab:gone"] = transfers(8, NodeKind.MACHINES, "lab:gone")
    driver.services.lab_stored[NODE_STUDY, "lab:gone", "quick"] = rounds(NodeKind.NAMESPACES, "lab:gone")
    with without_labs(driver):
        page = chosen(driver, SATCOM)
        assert [page.pairs.itemText(nth) for nth in range(page.pairs.count())] == ["lab:gone"]
        assert page.state.text().startswith("quick, lab:gone, nodes are machines: 8 of 8 ")
        assert page.report.isEnabled()
        assert not page.nodes.isEnabled()
        assert page.nodes.toolTip() == "This lab is not running, and has results between machines only."
        page = chosen(driver, NODE_STUDY)
        assert page.state.text().startswith("quick, lab:gone: 4 of ")
        assert page.nodes.toolTip() == "This lab is not running, and has no results between machines."


@pytest.mark.usefixtures("with_machines")
@pytest.mark.parametrize("study", [SATCOM, NODE_STUDY, next(iter(comparison_studies()))])
def test_a_narrow_window_clips_nothing(driver: Driver, study: str) -> None:
    page = chosen(driver, study)
    choose(driver, page, page.nodes.kind if not page.nodes.isEnabled() else NodeKind.MACHINES)
    driver.window.resize(1024, 700)
    driver.lay_out()
    assert driver.window.size().toTuple() == (1024, 700)
    assert layout_faults(driver.window) == []


@pytest.mark.usefixtures("with_machines")
@pytest.mark.parametrize(("study", "call"), [(SATCOM, "run_study"), (NODE_STUDY, "run_lab_study")])
def test_resuming_in_a_lab_that_has_no_machines_any_more_is_refused(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, study: str, call: str
) -> None:
    page, services = chosen(driver, study), driver.services
    choose(driver, page, NodeKind.MACHINES)
    services.faults[call] = HostUnreachable("gateway-b cannot be reached.", hint="Is it on?")
    driver.click(page.begin)
    driver.dialog().accept()
    driver.until(lambda: "gateway-b cannot be reached." in page.notice.text)
    monkeypatch.setattr(services, "pairs", lambda: type(services).pairs(services))
    page.take_pairs()  # as the lab menu does when another lab is up
    driver.idle()
    assert page.nodes.kind is NodeKind.NAMESPACES
    driver.click(page.notice.action("Resume"))
    driver.until(lambda: NO_NODE_MACHINES(pair=PAIR) in page.notice.text)
    assert services.study_stored == services.machines_stored == {}
    assert services.lab_stored == services.lab_machines_stored == {}
