from __future__ import annotations

from sample_records import pair
from window_driver import Driver

from app.domain.errors import HostUnreachable
from app.measurement.wizard import Step
from ui.common.dialogs import Question


def test_a_change_after_a_finished_comparison_loses_nothing_and_asks_nothing(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.RESULTS)
    driver.idle()
    window.go(Step.CHOOSE)
    page = window.step_page(Step.CHOOSE)
    page.tick(("l2tp", "none"))
    window.go_next()
    assert window.wizard.current is Step.PLAN
    assert not window.findChildren(Question)
    assert window.wizard.state.campaign_id is None
    assert ("l2tp", "none") in window.wizard.state.chosen
    assert list(driver.services.records) == [1]


def test_a_change_of_hosts_can_be_rolled_back(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.PLAN)
    driver.idle()
    window.go(Step.HOSTS)
    window.hosts.show_pair(pair(is_lab=False))
    window.hosts.discover()
    dialog = driver.dialog()
    driver.click(dialog.no)
    driver.until(lambda: not dialog.isVisible())
    assert window.wizard.state.is_choice_made
    assert window.wizard.state.pair.name == "lab:practice"


def test_attempts_to_reach_other_hosts_ask_once(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.PLAN)
    driver.idle()
    window.go(Step.HOSTS)
    window.hosts.show_pair(pair(is_lab=False))
    driver.services.faults["discover"] = HostUnreachable("gateway-a cannot be reached.")
    window.hosts.discover()
    dialog = driver.dialog()
    driver.click(dialog.yes)
    driver.until(lambda: "cannot be reached" in window.hosts.notice.text)
    driver.until(lambda: not [one for one in window.findChildren(Question) if one.isVisible()])
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.pair.name == "plant-north")
    assert not [one for one in window.findChildren(Question) if one.isVisible()]


def test_going_on_without_a_change_asks_nothing_and_forgets_nothing(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.RESULTS)
    driver.idle()
    for step in (Step.LINK, Step.CHOOSE):
        window.go(step)
        window.go_next()
        assert window.wizard.current is list(Step)[step.number]
    assert window.wizard.state.campaign_id == 1


def test_other_hosts_make_everything_invalid(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.PLAN)
    driver.idle()
    window.go(Step.HOSTS)
    window.hosts.show_pair(pair(is_lab=False))
    window.hosts.discover()
    dialog = driver.dialog()
    assert "2 Link, 3 Choice" in dialog._text.text()
    driver.click(dialog.yes)
    driver.until(lambda: window.wizard.state.pair.name == "plant-north")
    assert not window.wizard.state.is_link_confirmed


def test_measuring_again_asks_before_results_are_forgotten(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.RESULTS)
    driver.idle()
    driver.click(window.results.again)
    driver.until(lambda: window.wizard.current is Step.PLAN)
    driver.idle()
    driver.until(window.footer.next.isEnabled)
    window.go_next()
    driver.until(lambda: window.is_measuring or window.wizard.state.campaign_id == 2)
    driver.until(lambda: window.wizard.state.campaign_id == 2)
    assert sorted(driver.services.records) == [1, 2]
