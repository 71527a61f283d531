from __future__ import annotations

from sample_records import pair
from window_driver import Driver

from app.wizard import Step


def test_a_changed_choice_names_the_steps_it_makes_invalid_and_can_be_taken_back(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.RESULTS)
    driver.idle()
    window.go(Step.CHOOSE)
    page = window.step_page(Step.CHOOSE)
    page.tick(("l2tp", "none"))
    window.go_next()
    dialog = driver.dialog()
    assert "4 Plan" in dialog._text.text()
    assert "5 Run" in dialog._text.text()
    driver.click(dialog.no)
    driver.until(lambda: not dialog.isVisible())
    assert window.wizard.state.campaign_id is not None
    assert window.wizard.current is Step.CHOOSE

    window.go_next()
    driver.click(driver.dialog().yes)
    driver.until(lambda: window.wizard.current is Step.PLAN)
    assert window.wizard.state.campaign_id is None
    assert ("l2tp", "none") in window.wizard.state.chosen


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
