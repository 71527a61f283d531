"""A comparison in which candidates failed: it says so first, with the cause and the step that removes it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from window_driver import Driver

from app.domain.results import CampaignStatus
from app.measurement.wizard import Step
from ui.results.ranking_table import NAME

IN_USE = "gateway-a uses 192.0.2.0/24 already, and the tunnel's addresses lie in it. Choose other addresses."


def test_a_run_in_which_everything_failed_says_so_and_leads_to_the_step_that_mends_it(driver: Driver) -> None:
    window = driver.window
    driver.services.failure = ("preflight", IN_USE)
    driver.go_to(Step.RUN)
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    page = window.run_page
    failed = len(window.wizard.state.chosen) - 1
    assert page.head.text.text() == f"Finished: {failed} of {failed} VPNs failed"
    assert page.notice.property("variant") == "error"
    assert f"{failed}x: {IN_USE}" in page.notice.text
    assert window.footer.status.text() == f"0 of {failed} VPNs measured. Next shows the results."
    assert window.steps.buttons[Step.RUN].accessibleName().endswith("done, with failures")
    driver.click(page.notice.action("Change the link or inner subnet"))
    driver.until(lambda: window.wizard.current is Step.LINK)


def test_results_of_failed_candidates_begin_with_the_failure(driver: Driver) -> None:
    window = driver.window
    driver.services.failure = ("preflight", IN_USE)
    driver.compare()
    driver.idle()
    page = window.results
    assert page.what.text().endswith("VPNs failed")
    assert page.sentence.sentence.text().startswith("3 of 3 VPNs failed.")
    assert f"x: {IN_USE}" in page.sentence.sentence.text()
    assert page.sentence.property("variant") == "error"
    assert "share rank" not in page.sentence.mind.text()
    assert IN_USE not in page.sentence.mind.text(), "the cause is named once"
    assert page.table.item(0, NAME).text() == "Bare underlay"
    assert page.table.selected_key()[0] == "wireguard", "a failed VPN, which has a cause"
    assert "open a failed line of the ranking" in page.sentence.mind.text()
    assert not any("may differ on real gateways" in one for one in page.data.ranking.recommendation.cautions), (
        "none is ranked"
    )
    driver.press(page.table, Qt.Key.Key_Return)
    driver.until(lambda: IN_USE in getattr(window.current, "notice", page.notice).text)
    window.go(Step.RESULTS)
    page.table.selectRow(0)
    assert not page.deploy.isEnabled()
    assert page.deploy.text().replace("&", "") == "Deploy…", "nothing that can never be deployed is named"


def test_a_run_without_failures_says_that_all_were_measured(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.RUN)
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    assert window.run_page.notice.text == ""
    assert window.run_page.head.text.text() == "Finished: both hosts are restored"
    assert "All candidates were measured" in window.footer.status.text()


def test_a_host_that_was_not_cleaned_up_is_reported_on_every_page_until_it_is_rolled_back(driver: Driver) -> None:
    window, title = driver.window, "A host may not be fully restored."
    driver.services.spoils_cleanup = True
    driver.services.unreachable_b = 1
    driver.go_to(Step.RUN)
    driver.until(lambda: title in window.run_page.notice.text)
    driver.next()
    driver.until(lambda: window.results.data is not None)
    driver.idle()
    assert window.results.notice.text == f"{title} gateway-a still has tmk0."
    assert window.results.notice.property("variant") == "error"
    lines = window._running.lines
    assert lines is None or not lines.lines["leftover"].isVisible(), "the page itself shows it"

    window.show_welcome()
    lines = window._running.lines
    assert lines is not None
    line = lines.lines["leftover"]
    assert line.isVisible()
    assert line.text.text() == "A host of lab:practice may not be fully restored."
    assert line.hint.text() == "gateway-a still has tmk0."
    driver.click(line.show_button)
    driver.until(lambda: "gateway-b cannot be reached." in line.hint.text())
    assert line.isVisible(), "it has not been done"
    window.go(Step.RESULTS)
    assert "gateway-b cannot be reached." in window.results.notice.text

    driver.click(window.results.notice.action("Restore both hosts"))
    driver.until(lambda: "gateway-b was clean." in window.results.notice.text)
    assert title not in window.run_page.notice.text
    window.show_welcome()
    assert not line.isVisible()


def test_a_node_that_cannot_be_reached_remains_on_every_page_until_it_is_restored(driver: Driver) -> None:
    window, title = driver.window, "A host may not be fully restored."
    driver.services.spoils_cleanup = True
    driver.go_to(Step.RUN)
    driver.until(lambda: title in window.run_page.notice.text)
    driver.idle()
    driver.services.spoils_cleanup = False
    driver.services.unreachable_node = 1
    found = window.context.leftovers.found
    whole = driver.services.records[1]
    driver.services.records[1] = replace(whole, status=CampaignStatus.INTERRUPTED, attempts=whole.attempts[:2])
    driver.services.interrupted = 1
    window.resume_pair("lab:practice", 1)
    driver.until(lambda: driver.services.records[1].status is CampaignStatus.COMPLETED)
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    assert "node-b is off." in found["lab:practice"].message, "its gateways are restored, and it is not"
    assert found["lab:practice"].is_of_nodes
    assert f"{title} gateway-a was clean. gateway-b was clean. node-b is off." in window.run_page.notice.text
    driver.click(window.run_page.notice.action("Restore both hosts"))
    driver.until(lambda: not found)
    assert title not in window.run_page.notice.text
