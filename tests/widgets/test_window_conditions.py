"""Step Plan: the condition of the link and the workloads, and what becomes of them afterwards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from sample_records import pair, sample_record
from window_driver import Driver

from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection
from app.domain.profiles import PROFILES, ProfileName
from app.domain.results import CampaignStatus
from app.measurement.comparison.conditions import workloads_s
from app.measurement.messages import CONDITION_NOT_ADAPTIVE, SHAPING_NOT_ALLOWED, WORKLOAD_NOT_ADAPTIVE
from app.measurement.options import RunOptions
from app.measurement.wizard import Step
from app.probes.workloads import WORKLOADS
from support.message_checks import shows
from ui.common.texts import duration
from ui.comparison.plan_page import PlanPage

GEO = presets()["geo"]
OWN = Condition("harbour", "Harbour radio", "", LinkDirection(delay_ms=40.0), LinkDirection(delay_ms=40.0))
FILE = '[[condition]]\nname = "harbour"\ntitle = "Harbour radio"\n' + "".join(
    f"[condition.{way}]\ndelay_ms = 40.0\n" for way in ("a_to_b", "b_to_a")
)


@pytest.fixture
def plan(driver: Driver) -> PlanPage:
    """The page Plan of a practice lab."""
    driver.go_to(Step.PLAN)
    return driver.page(PlanPage)


def plan_of_own_hosts(driver: Driver) -> PlanPage:
    window = driver.window
    window.begin_with_hosts()
    window.hosts.show_pair(pair(is_lab=False))
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    driver.next()
    window.step_page(Step.LINK).consent.setChecked(True)
    driver.next()
    driver.next()
    return driver.page(PlanPage)


def items(page: PlanPage) -> list[str]:
    return [page.condition.choice.itemText(nth) for nth in range(page.condition.choice.count())]


def asked(driver: Driver) -> RunOptions:
    driver.idle()
    return driver.services.asked[-1]


# --- choosing ---------------------------------------------------------------------------------------------------------


def test_without_a_choice_the_link_is_as_found_and_no_workload_runs(driver: Driver, plan: PlanPage) -> None:
    assert items(plan) == ["As found", *presets(), "From file…"]
    assert plan.condition.choice.currentText() == "As found"
    assert (asked(driver).condition, asked(driver).may_shape, asked(driver).workloads) == (None, False, ())
    assert "\n" not in plan.facts.text()


def test_each_preset_is_handed_to_the_services_and_shown_with_its_figures(driver: Driver, plan: PlanPage) -> None:
    for name, preset in presets().items():
        plan.condition.choose(name)
        assert asked(driver).condition == preset
        assert asked(driver).may_shape is False, "a lab's link needs no consent"
        assert plan.condition.consent.isHidden()
        assert preset.title in plan.condition.figures.text()
        assert "round trip" in plan.condition.figures.text()
        assert f"Link like {name}: round trip" in plan.facts.text()
        plan.condition.choose("As found")
        assert asked(driver).condition is None
        assert "Link like" not in plan.facts.text()


def test_fixed_rounds_in_place_of_adaptive_are_named(
    driver: Driver, plan: PlanPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = driver.services.plan
    quick = PROFILES[ProfileName.QUICK]
    monkeypatch.setattr(
        driver.services, "plan", lambda found, chosen, options: made(found, chosen, replace(options, profile=quick))
    )
    for name, is_named in ((ProfileName.ADAPTIVE, True), (ProfileName.STANDARD, False)):
        plan.form.choose(name)
        driver.idle()
        assert ("Fixed rounds replace Adaptive" in plan.facts.text()) is is_named


def test_there_is_a_box_for_every_workload_of_the_registry(driver: Driver, plan: PlanPage) -> None:
    assert list(plan.workloads.boxes) == list(WORKLOADS)
    for name, box in plan.workloads.boxes.items():
        assert box.text().replace("\n", " ") == WORKLOADS[name].title
        for programs in WORKLOADS[name].needs.values():
            assert all(program in box.toolTip() for program in programs)
    last, first = list(WORKLOADS)[-1], next(iter(WORKLOADS))
    plan.workloads.boxes[last].click()
    plan.workloads.boxes[first].click()
    assert asked(driver).workloads == (first, last), "in the order in which they run"
    assert f"Workloads: {WORKLOADS[first].title}; {WORKLOADS[last].title}." in plan.facts.text()


def test_all_workloads_are_summed_up(driver: Driver, plan: PlanPage) -> None:
    for box in plan.workloads.boxes.values():
        box.click()
    assert asked(driver).workloads == tuple(WORKLOADS)
    assert "Workloads: all." in plan.facts.text()


def test_the_tip_of_a_workload_says_how_long_it_takes_under_the_condition(driver: Driver, plan: PlanPage) -> None:
    box = plan.workloads.boxes["web-page"]
    assert "Takes about 8 s for" in box.toolTip()
    plan.condition.choose("geo")
    assert "Takes about 38 s for" in box.toolTip(), "sixty round trips of half a second more"


def test_what_is_chosen_is_measured(driver: Driver, plan: PlanPage) -> None:
    plan.condition.choose("geo")
    plan.workloads.boxes["voice"].click()
    driver.idle()
    driver.next()
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()
    record = driver.services.records[1]
    assert (record.plan.condition, record.plan.workloads) == (GEO, ("voice",))
    assert driver.window.wizard.state.options.condition == GEO
    driver.window.show_previous()
    page = driver.page(PlanPage)
    assert page.condition.condition() == GEO
    assert page.workloads.chosen() == ("voice",)


# --- what does not go together ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_condition", [True, False])
def test_adaptive_is_refused_in_the_words_of_the_command_line(
    driver: Driver, plan: PlanPage, is_condition: bool
) -> None:
    plan.form.choose(ProfileName.ADAPTIVE)
    driver.idle()
    if is_condition:
        plan.condition.choose("geo")
    else:
        plan.workloads.boxes["voice"].click()
    made = len(driver.services.asked)
    driver.idle()
    assert shows(plan.notice.text, (CONDITION_NOT_ADAPTIVE if is_condition else WORKLOAD_NOT_ADAPTIVE).text)
    assert not driver.window.footer.next.isEnabled()
    assert "adaptive" in plan.why_not_next()
    assert len(driver.services.asked) == made
    driver.click(plan.notice.action("Take standard"))
    assert asked(driver).profile == PROFILES[ProfileName.STANDARD]
    assert plan.notice.text == ""
    assert driver.window.footer.next.isEnabled()


def test_own_hosts_need_consent_before_anything_can_be_started(driver: Driver) -> None:
    page = plan_of_own_hosts(driver)
    assert page.condition.consent.isHidden()
    page.condition.choose("geo")
    driver.idle()
    assert page.condition.consent.isVisible()
    assert "each host delays, limits or drops what it sends to the other's underlay" in page.condition.way.text()
    assert shows(page.notice.text, SHAPING_NOT_ALLOWED.text)
    assert not driver.window.footer.next.isEnabled()
    assert asked(driver).condition is None
    page.condition.consent.click()
    assert (asked(driver).condition, asked(driver).may_shape) == (GEO, True)
    assert driver.window.footer.next.isEnabled()
    assert page.notice.text == ""
    page.condition.consent.click()
    driver.idle()
    assert not driver.window.footer.next.isEnabled()
    page.condition.choose("As found")
    assert (asked(driver).condition, asked(driver).may_shape) == (None, False)


def test_own_hosts_show_the_commands_that_shape_their_link(driver: Driver) -> None:
    page = plan_of_own_hosts(driver)
    assert set(driver.services.previewed) == {None}
    page.condition.choose("geo")
    page.condition.consent.click()
    driver.idle()
    assert driver.services.previewed[-1] == GEO
    page.condition.choose("As found")
    driver.idle()
    assert driver.services.previewed[-1] is None


def test_a_lab_shows_no_commands_for_its_condition(driver: Driver, plan: PlanPage) -> None:
    plan.condition.choose("geo")
    driver.idle()
    assert set(driver.services.previewed) == {None}


def test_delays_that_change_can_be_chosen_for_own_hosts(driver: Driver) -> None:
    page = plan_of_own_hosts(driver)
    page.condition.choose("lte")
    driver.idle()
    assert not driver.window.footer.next.isEnabled()
    page.condition.consent.click()
    driver.idle()
    assert driver.window.footer.next.isEnabled()


def test_consent_for_one_pair_is_none_for_another(driver: Driver) -> None:
    page = plan_of_own_hosts(driver)
    page.condition.choose("geo")
    page.condition.consent.click()
    assert asked(driver).may_shape
    driver.window.begin_with_hosts()
    other = replace(pair(is_lab=False), name="south", a=replace(pair().a, address="192.0.2.77"))
    driver.window.hosts.show_pair(other)
    driver.window.hosts.discover()
    driver.idle()
    assert not driver.window.wizard.state.options.may_shape
    page.condition.show_pair(other)
    assert not page.condition.consent.isChecked()
    assert not page.condition.options(asked(driver)).may_shape


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_condition_is_taken_from_a_file(driver: Driver, plan: PlanPage, tmp_path: Path) -> None:
    path = tmp_path / "harbour.toml"
    path.write_text(FILE, encoding="utf-8")
    plan.condition._on_activated(len(items(plan)) - 1)
    assert plan.condition.choice.currentText() == "As found", "until a file has been read"
    dialog = plan.condition.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.close()
    assert asked(driver).condition == OWN
    assert items(plan)[-2:] == ["harbour", "From file…"]
    assert plan.condition.choice.currentText() == "harbour"
    assert "Harbour radio: round trip 80.0 ms" in plan.condition.figures.text()
    tip = plan.condition.choice.itemData(len(items(plan)) - 2, Qt.ItemDataRole.ToolTipRole)
    assert "Harbour radio" in tip


def test_a_bad_file_is_refused_beside_the_field(driver: Driver, plan: PlanPage, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    for text, words in (
        ("no TOML = = =", "cannot be read as TOML"),
        (FILE + FILE, "has 2 conditions"),
        (FILE.replace("40.0", "-3.0"), "delay_ms = -3 is not possible"),
        (FILE.replace("delay_ms", "delays"), "delays"),
    ):
        path.write_text(text, encoding="utf-8")
        plan.condition.choose("geo")
        driver.idle()
        made = len(driver.services.asked)
        plan.condition.take_file(path)
        assert plan.condition.fault.isVisible()
        assert words in plan.condition.fault.text()
        assert plan.condition.condition() == GEO, "the former choice is kept"
        driver.idle()
        assert len(driver.services.asked) == made
        plan.condition.choose("dsl")
        assert plan.condition.fault.isHidden()


def test_a_file_that_is_gone_is_refused(plan: PlanPage, tmp_path: Path) -> None:
    plan.condition.take_file(tmp_path / "gone.toml")
    assert "gone.toml" in plan.condition.fault.text()
    assert plan.condition.condition() is None


# --- earlier comparisons ----------------------------------------------------------------------------------------------


def store(driver: Driver, *, is_lab: bool, status: CampaignStatus = CampaignStatus.COMPLETED) -> None:
    """Store comparison 1, under a condition from a file and with workloads."""
    record = sample_record(rounds=1, pings=10, is_lab=is_lab, status=status)
    planned = replace(record.plan, condition=OWN, workloads=("voice", "web-page"), transfer_mb=100)
    driver.services.records[1] = replace(record, campaign_id=1, plan=planned)


def ask_again(driver: Driver) -> None:
    window = driver.window
    window.show_past(1)
    driver.until(lambda: window.past.data is not None)
    driver.idle()
    driver.click(window.past.again)
    driver.idle()


def test_measuring_again_keeps_condition_and_workloads(driver: Driver) -> None:
    store(driver, is_lab=True)
    ask_again(driver)
    page = driver.page(PlanPage)
    assert page.condition.choice.currentText() == "harbour"
    assert (asked(driver).condition, asked(driver).workloads) == (OWN, ("voice", "web-page"))
    assert asked(driver).transfer_mb == 100
    assert "100 MB" in page.workloads.boxes["transfer"].text()
    short_s, long_s = (workloads_s(["transfer"], OWN, size_mb) for size_mb in (4, 100))
    assert duration(long_s) in page.workloads.boxes["transfer"].toolTip()
    assert duration(short_s) != duration(long_s)


def test_measuring_again_on_own_hosts_needs_a_new_consent(driver: Driver) -> None:
    store(driver, is_lab=False)
    ask_again(driver)
    driver.until(lambda: driver.window.wizard.current is Step.LINK)
    driver.window.step_page(Step.LINK).consent.setChecked(True)
    driver.next()
    driver.next()
    page = driver.page(PlanPage)
    assert page.condition.condition() == OWN
    assert page.condition.consent.isVisible()
    assert not page.condition.consent.isChecked()
    assert not page.can_go_next()
    page.condition.consent.click()
    assert (asked(driver).condition, asked(driver).may_shape) == (OWN, True)


def test_a_resumed_comparison_keeps_condition_and_workloads(driver: Driver) -> None:
    record = sample_record(rounds=2, pings=10, status=CampaignStatus.INTERRUPTED, attempts_kept=3)
    planned = replace(record.plan, condition=OWN, workloads=("voice",))
    driver.services.records[1] = replace(record, campaign_id=1, plan=planned)
    driver.services.interrupted = 1
    driver.window.resume_pair(record.plan.pair.name, 1)
    driver.until(lambda: driver.services.records[1].status is CampaignStatus.COMPLETED)
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()
    resumed = driver.services.records[1].plan
    assert (resumed.condition, resumed.workloads) == (OWN, ("voice",))
    options = driver.window.wizard.state.options
    assert (options.condition, options.workloads) == (OWN, ("voice",))
    page = driver.window.step_page(Step.PLAN)
    assert isinstance(page, PlanPage)
    assert (page.condition.condition(), page.workloads.chosen()) == (OWN, ("voice",))


def test_a_comparison_of_a_lab_that_is_measured_again_after_own_hosts_keeps_its_workloads(driver: Driver) -> None:
    workloads = ("voice", "key-exchanges")
    record = sample_record(rounds=2, pings=10)
    lab = replace(record.plan.pair, a=replace(record.plan.pair.a, address="127.0.0.1", port=2222))
    planned = replace(record.plan, pair=lab, profile=PROFILES[ProfileName.QUICK], workloads=workloads)
    driver.services.records[1] = replace(record, campaign_id=1, plan=planned)
    page = plan_of_own_hosts(driver)
    assert not page.workloads.boxes["key-exchanges"].isEnabled()
    driver.window.show_past(1)
    driver.until(lambda: driver.window.past.data is not None)
    driver.idle()
    driver.click(driver.window.past.again)
    driver.dialog().accept()  # the steps of the own hosts are given up
    driver.until(lambda: driver.window.current is page)
    assert "workloads are those of the earlier comparison" in page.notice.text
    assert asked(driver).workloads == workloads
    assert page.workloads.chosen() == workloads
