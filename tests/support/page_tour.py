"""A walk through every page of the window, with names of the places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deployments_driver import show_active
from history_driver import fill_history
from window_driver import Driver

from app.domain.errors import HostUnreachable
from app.domain.profiles import FRAME_BYTES, ProfileName
from app.measurement.wizard import Step


def tour(driver: Driver, *, is_measured: bool = True) -> Iterator[str]:
    """Show every page in turn; yield its name when nothing moves any more.

    Args:
        driver: Of the window.
        is_measured: Whether the comparison runs; without it, results are those of the history alone.
    """
    yield "welcome"
    yield from _hosts(driver)
    yield from _plan(driver)
    if is_measured:
        yield from _run_and_results(driver)
    yield from _areas(driver)
    yield from _deployment(driver)
    yield from _history(driver)


def _history(driver: Driver) -> Iterator[str]:
    fill_history(driver)
    driver.window.show_area("history")
    driver.idle()
    yield "history-rows"
    history = driver.window.area_page("history")
    history.table.choose(("1", "2"))  # type: ignore[attr-defined]
    history.compare.click()  # type: ignore[attr-defined]
    changes = driver.window.area_page("changes")
    driver.until(lambda: changes.data is not None)  # type: ignore[attr-defined]
    driver.idle()
    tabs = changes.tabs  # type: ignore[attr-defined]
    for nth in range(tabs.count()):
        tabs.setCurrentIndex(nth)
        driver.idle()
        yield f"changes-{tabs.tabText(nth).split(' (')[0].lower().replace(' ', '-')}"
    driver.window.show_area("history")
    driver.idle()
    driver.window.show_past(2)
    driver.idle()
    yield "results-with-note"


def _hosts(driver: Driver) -> Iterator[str]:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    yield "hosts-form"
    window.hosts.discover()
    yield "hosts-form-fault"
    driver.services.faults["discover"] = HostUnreachable(
        "gateway.example (root@192.0.2.10:22) cannot be reached: Connection refused.",
        hint="Is the host on and its SSH port open? ssh root@192.0.2.10 shows the same without Tunnelmark.",
        context={"host": "192.0.2.10"},
    )
    for form, address in ((window.hosts.form_a, "192.0.2.10"), (window.hosts.form_b, "192.0.2.11")):
        form.address.setText(address)
        form.underlay.setText(address)
    window.hosts.discover()
    driver.idle()
    yield "hosts-error"
    driver.inspect_hosts()
    yield "hosts-found"


def _plan(driver: Driver) -> Iterator[str]:
    window = driver.window
    for step, name in ((Step.LINK, "link"), (Step.CHOOSE, "choice"), (Step.PLAN, "plan")):
        driver.go_to(step)
        driver.idle()
        yield name
    page = window.step_page(Step.PLAN)
    page.form.choose(ProfileName.CUSTOM)  # type: ignore[attr-defined]
    driver.idle()
    yield "plan-custom"
    page.form.choose(ProfileName.QUICK)  # type: ignore[attr-defined]
    driver.idle()


def _run_and_results(driver: Driver) -> Iterator[str]:
    window = driver.window
    driver.services.batch = 100
    # Held while the third VPN transfers: each has two batches of every size of frames, and three seconds each way.
    driver.services.holds_after = 3 * 2 * len(FRAME_BYTES) + 2 * 2 * 3 + 2
    driver.go_to(Step.RUN)
    live = window.bridge.live
    driver.until(lambda: sum(row.rounds_done > 0 for row in live.rows()) >= 2 and len(live.cpu("b")) > 0)
    window.run_page.board.draw()
    assert window.is_measuring
    yield "run"
    driver.services.holds_after = None
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    yield "run-done"
    driver.go_to(Step.RESULTS)
    driver.idle()
    tabs = window.results.tabs
    for nth in range(tabs.count()):
        tabs.setCurrentIndex(nth)
        yield f"results-{tabs.tabText(nth).split(' (')[0].lower().replace(' ', '-')}"
    tabs.setCurrentIndex(0)
    window.results.weighting.choose("throughput-first")
    yield "results-weighted"
    window.results.weighting.choose("balanced")
    yield from _candidate(driver)


def _candidate(driver: Driver) -> Iterator[str]:
    window = driver.window
    table = window.results.table
    table.setCurrentCell(0, 0)
    table.open_asked.emit()
    tabs = window.current.tabs  # type: ignore[union-attr]
    for nth in range(tabs.count()):
        if tabs.isTabVisible(nth):
            tabs.setCurrentIndex(nth)
            driver.idle()
            yield f"candidate-{tabs.tabText(nth).lower()}"


def _areas(driver: Driver) -> Iterator[str]:
    window = driver.window
    window.show_area("history")
    driver.idle()
    yield "history"
    window.show_area("lint")
    page = window.current
    yield "lint"
    page.check([Path("docs/examples/old-site.ovpn")])  # type: ignore[union-attr]
    driver.idle()
    yield "lint-found"
    window.show_area("census")
    driver.idle()
    yield "census-empty"
    window.current.begin.click()  # type: ignore[union-attr]
    driver.dialog().accept()
    driver.idle()
    yield "census"
    yield from _studies(driver)


def _studies(driver: Driver) -> Iterator[str]:
    """Show the studies before a run, while one is stopped halfway, and with all that the largest part has."""
    window, services = driver.window, driver.services
    window.show_area("studies")
    driver.idle()
    yield "studies"
    page = window.current
    services.study_pauses_after = 3
    page.begin.click()  # type: ignore[union-attr]
    driver.dialog().accept()
    driver.until(lambda: page.progress is not None and page.progress.done == 3)  # type: ignore[union-attr]
    driver.lay_out()
    yield "studies-running"
    services.study_pauses_after = None
    services.study_gate.set()
    driver.idle()
    tabs = page.tabs  # type: ignore[union-attr]
    tabs.parts.setCurrentCell(tabs.parts.rowCount() - 1, 0)
    driver.idle()
    for nth in range(tabs.count()):
        tabs.setCurrentIndex(nth)
        driver.lay_out()
        yield f"studies-{tabs.tabText(nth).lower().replace(' ', '-')}"


def _deployment(driver: Driver) -> Iterator[str]:
    window = driver.window
    window.show_deploy()
    driver.idle()
    yield "deploy"
    page = window.deploy
    page.ask_hosts.click()
    driver.idle()
    page.preview.click()
    driver.idle()
    for nth, name in enumerate(("deploy-dry-run", "deploy-dry-run-a")):
        page.setup.view.setCurrentIndex(nth)
        driver.idle()
        yield name
    page.deploy.click()
    driver.until(lambda: page.live.countdown.is_open)
    driver.lay_out()
    yield "deploy-countdown"
    page.live.countdown.confirm.click()
    driver.idle()
    yield "deploy-done"
    show_active(driver)
    window.show_area("deployments")
    driver.idle()
    window.deployments.detail.refresh.click()
    driver.idle()
    tabs = window.deployments.detail.tabs
    for nth in range(tabs.count()):
        tabs.setCurrentIndex(nth)
        yield f"standing-{tabs.tabText(nth).split(' (')[0].lower().replace(' ', '-')}"
