"""Studies between machines behind hosts of the user's own, in the window: what is offered, asked and measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from layout_checks import layout_faults
from PySide6.QtWidgets import QLabel
from sample_records import pair
from window_driver import Driver

from app.domain.hosts import HostSpec, NodeHost
from app.domain.topology import NodeKind
from app.measurement.lab_studies import LAB_STUDIES
from app.measurement.own_hosts import OwnHostsConsent
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.comparison_study import comparison_studies
from app.ranking.hub_study import HUB_STUDY
from app.ranking.node_study import NODE_STUDY
from app.ranking.study_parts import SATCOM, part_states
from ui.studies.studies_page import StudiesPage
from ui.studies.study_dialog import StudyQuestion

NODES = [NodeHost(HostSpec(f"node-{side}", f"192.0.2.2{side}", None, "plc"), "eth1", "eth2") for side in (1, 2)]
PAIR = replace(pair(is_lab=False), node_a=NODES[0], node_b=NODES[1])
PLACE = f"{PAIR.name}, nodes are machines"
BOXES = {SATCOM: 2, APPLICATION_STUDY: 2, NODE_STUDY: 1}


@pytest.fixture
def asked(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A stored pair with machines; what its studies are run with."""
    driver.services.stored[PAIR.name] = PAIR
    found: list[Any] = []
    for name in ("run_study", "run_lab_study"):
        real = getattr(driver.services, name)

        def run(discovery: Any, wanted: Any, *, real: Any = real, **more: Any) -> Any:
            found.append(wanted)
            return real(discovery, wanted, **more)

        monkeypatch.setattr(driver.services, name, run)
    return found


def chosen(driver: Driver, study: str) -> StudiesPage:
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    driver.idle()
    page.studies.setCurrentText(study)
    page.pairs.setCurrentText(PAIR.name)
    driver.idle()
    assert page.pairs.currentText() == PAIR.name
    return page


def ask(driver: Driver, page: StudiesPage) -> StudyQuestion:
    driver.click(page.begin)
    dialog = driver.dialog()
    assert isinstance(dialog, StudyQuestion)
    return dialog


@pytest.mark.parametrize("study", BOXES)
def test_a_study_between_the_machines_of_a_pair_begins_once_every_box_is_ticked(
    driver: Driver, asked: list[Any], study: str
) -> None:
    page = chosen(driver, study)
    assert page.nodes.kind is NodeKind.MACHINES
    assert not page.nodes.isEnabled()
    assert page.nodes.toolTip() == "On hosts of your own, nodes are the machines that the pair names."
    assert page.state.text().startswith(f"quick, {PLACE}: 0 of ")
    dialog = ask(driver, page)
    assert len(dialog.own.boxes) == BOXES[study]
    for box in dialog.own.boxes:
        assert not dialog.yes.isEnabled()
        box.setChecked(True)
    assert dialog.yes.isEnabled()
    driver.click(dialog.yes)
    driver.until(lambda: page.notice.text == "The part is measured.")
    (wanted,) = asked
    assert wanted.nodes is NodeKind.MACHINES
    assert wanted.consent == OwnHostsConsent(may_change=True, may_shape=BOXES[study] == 2, pair=PAIR)


@pytest.mark.usefixtures("asked")
def test_predicted_times_are_those_of_hosts_that_shape_the_link(driver: Driver) -> None:
    states = chosen(driver, SATCOM)._states
    assert states == part_states((), is_shaped=True) != part_states(())
    study = LAB_STUDIES[APPLICATION_STUDY]
    states_of_lab = chosen(driver, APPLICATION_STUDY).lab.states
    assert states_of_lab == tuple(study.state(part, None, is_shaped=True) for part in study.parts)
    assert states_of_lab != tuple(study.state(part, None) for part in study.parts)


@pytest.mark.parametrize("study", BOXES)
def test_the_question_names_nodes_and_clips_nothing(driver: Driver, asked: list[Any], study: str) -> None:
    page = chosen(driver, study)
    dialog = ask(driver, page)
    texts = " ".join(one.text() for one in dialog.own.findChildren(type(dialog.estimate)))
    assert f"{study} changes four machines of {PAIR.name}." in texts
    assert "plc@192.0.2.21 (eth1)" in texts
    driver.lay_out()
    assert layout_faults(dialog) == []
    dialog.reject()
    driver.idle()
    assert asked == []


@pytest.mark.parametrize("study", [HUB_STUDY, next(iter(comparison_studies()))])
def test_other_studies_are_for_labs(driver: Driver, asked: list[Any], study: str) -> None:
    page = chosen(driver, study)
    assert not page.begin.isEnabled()
    assert page.begin.toolTip() == "This study is measured on practice labs only."


def test_the_page_says_where_studies_are_measured(driver: Driver, asked: list[Any]) -> None:
    texts = [one.text() for one in chosen(driver, NODE_STUDY).findChildren(QLabel)]
    assert any("on a practice lab or a pair with nodes" in one for one in texts)
    assert asked == []


def test_a_lab_has_no_boxes(driver: Driver, asked: list[Any]) -> None:
    page = chosen(driver, NODE_STUDY)
    page.pairs.setCurrentText("lab:practice")
    driver.idle()
    dialog = ask(driver, page)
    assert dialog.own.boxes == ()
    assert dialog.own.isHidden()
    assert dialog.yes.isEnabled()
    dialog.reject()


def test_what_is_refused_on_hosts_of_the_users_own_is_reported(driver: Driver, asked: list[Any]) -> None:
    name, pair = next(iter(driver.services.stored.items()))
    driver.services.stored[name] = replace(pair, load_cap_mbit_s=5.0)
    page = chosen(driver, SATCOM)
    driver.idle()
    dialog = ask(driver, page)
    for box in dialog.own.boxes:
        box.setChecked(True)
    driver.click(dialog.yes)
    driver.until(lambda: "whose throughput tests are limited to 5" in page.notice.text)
    assert asked == []


def test_a_pair_that_is_removed_meanwhile_is_named(driver: Driver, asked: list[Any]) -> None:
    page = chosen(driver, NODE_STUDY)
    dialog = ask(driver, page)
    dialog.own.boxes[0].setChecked(True)
    driver.services.stored.clear()
    page.take_pairs()
    driver.idle()
    driver.click(dialog.yes)
    driver.idle()
    assert page.notice.text.startswith(f"There is no pair {PAIR.name} with nodes any more.")
    assert asked == []
