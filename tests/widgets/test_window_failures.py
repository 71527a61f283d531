"""A comparison in which candidates failed: it says so first, with the cause and the step that removes it."""

from __future__ import annotations

from window_driver import Driver

from app.wizard import Step

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
    assert page.notice.property("look") == "error"
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
    assert page.sentence.sentence.text().startswith("Finished: ")
    assert f"x: {IN_USE}" in page.sentence.sentence.text()
    assert page.sentence.property("look") == "error"
    assert "share rank" not in page.sentence.mind.text()


def test_a_run_without_failures_says_that_all_were_measured(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.RUN)
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    assert window.run_page.notice.text == ""
    assert window.run_page.head.text.text() == "Done: both hosts are as they were before"
    assert "All candidates were measured" in window.footer.status.text()
