"""Files of a deployment that was interrupted before it was confirmed: removed at contact, once, and reported."""

from __future__ import annotations

from deployments_driver import cell, page_of, show_active
from fake_deployment_values import status_of, with_end
from sample_records import pair
from window_driver import Driver

from app.deployment.messages import LEFT_FILES, NOT_REMOVED, UNREACHABLE
from app.domain.deployment import DeploymentState
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from support.message_checks import shows
from ui.deployments.deployments_page import DeploymentsPage
from ui.deployments.deployments_table import STATE, TUNNEL

REPAIR_TEXT = "A deployment was interrupted on gateway-b before it was confirmed. Its files are removed."


def broken_off(driver: Driver) -> DeploymentsPage:
    services = driver.services
    made = services.made(pair(), "wireguard", "chacha20-poly1305", "WireGuard, ChaCha20-Poly1305")
    services.store(made, DeploymentState.FAILED, "It was interrupted, and both hosts went back.")
    services.unfinished_on.add(Side.B)
    return page_of(driver)


def test_it_is_removed_when_the_pair_is_inspected_and_the_notice_says_so(driver: Driver) -> None:
    page = broken_off(driver)
    driver.services.repair_gate.clear()
    driver.click(page.detail.refresh)
    driver.until(lambda: "remove_unfinished" in driver.services.calls)
    assert page.notice.text == f"lab:practice is being cleaned up. {REPAIR_TEXT}"
    assert shows(page.detail.sentence.text(), LEFT_FILES.text, host="gateway-b")
    assert page.detail.now.facts.text("State") == ("none", "files of an interrupted deployment")
    assert driver.window.current is page, "no roll-out is shown for it"
    assert not driver.window.is_rolling
    driver.services.repair_gate.set()
    driver.idle()
    assert driver.services.unfinished_on == set()
    assert page.notice.text == f"lab:practice is cleaned up. {REPAIR_TEXT}"
    assert not shows(page.detail.sentence.text(), LEFT_FILES.text), "the hosts have been looked at once more"
    assert page.detail.now.facts.text("State") == ("none", "none")
    assert (cell(page, STATE), cell(page, TUNNEL)) == ("none", "–")
    assert driver.services.calls.count("remove_unfinished") == 1
    assert driver.services.calls.count("status") == 2


def test_what_could_not_be_removed_is_tried_again_only_when_asked_for(driver: Driver) -> None:
    page = broken_off(driver)
    fault = CommandFailed(NOT_REMOVED(host="gateway-b", why=""), hint="Is its disk full?")
    driver.services.faults["remove_unfinished"] = fault
    driver.click(page.detail.refresh)
    driver.until(lambda: "could not be cleaned up" in page.notice.text)
    assert fault.message in page.notice.text
    assert fault.hint in page.notice.text
    driver.click(page.detail.refresh)
    driver.idle()
    assert driver.services.calls.count("remove_unfinished") == 1, "once for each pair by itself"
    driver.click(page.detail.repair)
    driver.until(lambda: "is cleaned up" in page.notice.text)
    assert driver.services.unfinished_on == set()
    assert not page.detail.repair.isVisible()


def test_what_the_hosts_still_have_is_not_called_removed(driver: Driver) -> None:
    page = broken_off(driver)
    driver.services.repair_gate.clear()
    driver.click(page.detail.refresh)
    driver.until(lambda: "remove_unfinished" in driver.services.calls)
    driver.services.silent.add(Side.B)  # it goes away before anything is removed
    driver.services.repair_gate.set()
    driver.until(lambda: "could not be cleaned up" in page.notice.text)
    driver.idle()
    assert UNREACHABLE(host="gateway-b") in page.notice.text
    assert driver.services.unfinished_on == {Side.B}
    text = page.detail.sentence.text()
    assert "unknown whether a tunnel is deployed" in text
    assert "no tunnel is deployed on this pair" not in text


def test_what_another_loss_of_power_leaves_is_removed_as_well(driver: Driver) -> None:
    page = broken_off(driver)
    for number in (1, 2):
        driver.services.unfinished_on.add(Side.A)
        driver.click(page.detail.refresh)
        driver.until(lambda: driver.services.unfinished_on == set())
        driver.idle()
        assert driver.services.calls.count("remove_unfinished") == number


def test_watching_on_another_page_removes_it_and_the_notice_is_there_afterwards(driver: Driver) -> None:
    page = broken_off(driver)
    driver.services.store(driver.services.deployed[0], DeploymentState.CONFIRMED)
    driver.services.unfinished_on.clear()
    page = page_of(driver)
    page.watcher.every_ms = 10
    driver.window.show_area("deployments")
    driver.idle()
    driver.click(page.detail.watch)
    driver.until(lambda: len(page.watcher.log("lab:practice").samples) >= 1)
    driver.window.show_welcome()
    driver.services.unfinished_on.add(Side.B)
    driver.services.store(driver.services.deployed[0], DeploymentState.REMOVED)
    driver.until(lambda: driver.services.unfinished_on == set())
    driver.until(lambda: "is cleaned up" in page.notice.text)
    page.watcher.rest("lab:practice")
    driver.idle()
    driver.window.show_area("deployments")
    driver.idle()
    assert page.notice.text == f"lab:practice is cleaned up. {REPAIR_TEXT}"
    assert cell(page, STATE) == "none"


def test_it_is_left_alone_while_another_user_works_on_the_host(driver: Driver) -> None:
    page = broken_off(driver)
    driver.services.worked_on.add(Side.B)
    driver.click(page.detail.refresh)
    driver.idle()
    assert "remove_unfinished" not in driver.services.calls
    driver.services.worked_on.clear()
    driver.click(page.detail.refresh)
    driver.until(lambda: driver.services.unfinished_on == set())
    driver.idle()


def test_parts_of_what_is_deployed_are_not_shown_as_confirmed_and_nothing_is_begun(driver: Driver) -> None:
    services, active = driver.services, show_active(driver)
    page = page_of(driver)
    reported = "gateway-b has only parts of a deployment."
    missing = "/etc/tunnelmark/58fca5ac/current"
    services.statuses = [with_end(status_of(pair(), active), Side.B, [reported], missing=missing, is_up=False)]
    driver.click(page.detail.refresh)
    driver.until(lambda: "status" in services.calls)
    driver.idle()
    assert page.detail.now.facts.text("State")[1] == "files missing or changed"
    assert page.detail.now.facts.text("Starts at boot")[1] == "unknown"
    assert reported in page.detail.sentence.text()
    assert not {"repair", "remove_unfinished"} & set(services.calls)
