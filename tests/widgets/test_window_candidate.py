"""The page of one candidate: opened from the ranking, everything of it in one place, and Back to the results."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel
from sample_records import sample_record
from shown_text import shown_text
from window_driver import Driver

from app.domain.results import LOST_RTT_US
from app.measurement.wizard import Step
from app.ranking import rank
from ui.common.texts import ms
from ui.deployments.deploy_page import DeployPage
from ui.plots.result_data import prepare
from ui.results.candidate_page import CandidatePage
from ui.results.history_page import PastResultsPage
from ui.results.ranking_order import NAME
from ui.results.results_page import ResultsPage

WIREGUARD = "WireGuard, ChaCha20-Poly1305"


def _results(driver: Driver) -> ResultsPage:
    driver.compare()
    return driver.page(ResultsPage)


def _select(results: ResultsPage, title: str) -> None:
    table = results.table
    row = next(row for row in range(table.rowCount()) if table.item(row, NAME).text() == title)
    table.setCurrentCell(row, 0)


def _open(driver: Driver, title: str) -> CandidatePage:
    results = _results(driver)
    _select(results, title)
    driver.press(results.table, Qt.Key.Key_Return)
    return driver.page(CandidatePage)


def _shown_tabs(page: CandidatePage) -> list[str]:
    return [page.tabs.tabText(nth) for nth in range(page.tabs.count()) if page.tabs.isTabVisible(nth)]


def test_enter_opens_a_candidate_with_everything_about_it_and_back_returns(driver: Driver) -> None:
    page = _open(driver, WIREGUARD)
    window = driver.window
    assert page.title.text() == page.accessibleName() == WIREGUARD
    assert page.notice.text == ""
    tabs = ["Overview", "Figures", "Curve", "Over time", "Cryptography", "Packet tests", "Configuration"]
    assert _shown_tabs(page) == tabs
    text = shown_text(page.overview)
    for words in (
        "chacha20-poly1305: Nothing speaks against it.",
        "Confidential: yes",
        "Authentic: ",
        "Replay-proof: ",
        "Fail-closed: yes",
        "Rank\n1",
        "one round, no interval",
        "Suite\nchacha20-poly1305",
        "Negotiated\nTLSv1.3",
        "Versions\nA: 1.0.20210914\nB: 1.0.20210914",
        "Overhead by calculation\n114 bytes per frame",
        "Advised MTU",
    ):
        assert words in text
    assert page.figures.latency.rowCount() == 7
    assert page.figures.latency.cell(0, 0).text() == "60 B"
    assert page.figures.throughput.rowCount() == page.figures.cpu.rowCount() == 2
    assert WIREGUARD in shown_text(page.details)
    assert "encrypts in" in shown_text(page.details).lower()
    assert "An MTU of" in shown_text(page.capture)
    code = page.code.view.toPlainText()
    assert "Round 1: completed" in code
    assert "ip link add tmk0" in code
    assert window.steps.isVisible()
    driver.click(window.footer.back)
    assert window.current is window.results
    assert window.results.table.hasFocus()


def test_samples_over_time_are_those_of_the_chosen_frame_size(driver: Driver) -> None:
    page = _open(driver, WIREGUARD)
    samples = page.samples
    assert page.data is not None
    assert page.key is not None
    sizes = [samples.frame_size.itemData(nth) for nth in range(samples.frame_size.count())]
    assert sizes == list(page.data.record.plan.profile.frame_bytes)
    page.tabs.setCurrentWidget(samples)
    driver.idle()
    for size in (sizes[-1], sizes[0]):
        samples.frame_size.setCurrentIndex(samples.frame_size.findData(size))
        (attempt,) = page.data.record.attempts_of(page.key)
        series = next(one for one in attempt.latency if one.frame_bytes == size)
        rows = samples.plot.export_rows().rows
        assert len(rows) == series.rtt_us.size
        lost = series.sent - series.received
        assert samples.note.text().startswith(f"Requests: {series.rtt_us.size}; without a reply: {lost}; ")
        assert len(samples.plot.tips) == len(samples.plot.figures().rows)
    assert "Only the order of requests is stored" in samples.note.text()


def test_limits_of_controllers_can_be_shown_with_the_curve(driver: Driver) -> None:
    page = _open(driver, WIREGUARD)
    for box in (page.limits, page.samples.limits):
        assert box.currentData() is None, "off at first"
        assert box.count() == 5
    page.limits.setCurrentIndex(1)
    (limits,) = page.limits.limits
    low, high = (10**value for value in page.plot.view_box.viewRange()[1])
    assert page.data is not None
    assert page.key is not None
    arrivals = page.data.result(page.key).arrivals
    assert arrivals is not None
    wanted = [arrivals.least_ms + 2 * 2**step for step in range(10)]
    assert [one.limit_ms for one, _ in limits.seen] == [one for one in wanted if low <= one <= high]
    assert limits.seen
    colours = []
    for scheme in (Qt.ColorScheme.Light, Qt.ColorScheme.Dark):
        driver.window.context.theme.force(scheme)
        colours.append({line.pen.color().name() for _, line in limits._lines})
    assert [len(one) for one in colours] == [1, 1]
    assert colours[0] != colours[1]


def test_limits_of_controllers_count_from_the_shortest_round_trip_of_what_is_shown(driver: Driver) -> None:
    results = _results(driver)
    data = results.data
    assert data is not None
    _select(results, WIREGUARD)
    results.tabs.setCurrentIndex(0)
    results.table.cellEntered.emit(1, NAME)
    pointed = results.tabs.limits.limits[0].least_ms
    assert pointed == data.least_ms(next(key for key in data.names if key[0] == "openvpn-udp"))
    QApplication.sendEvent(results.table, QEvent(QEvent.Type.Leave))
    key = results.table.selected_key()
    assert key is not None
    assert pointed != results.tabs.limits.limits[0].least_ms == data.least_ms(key)
    driver.press(results.table, Qt.Key.Key_Return)
    page = driver.page(CandidatePage)
    page.tabs.setCurrentWidget(page.samples)
    driver.idle()
    for size in (60, 1514):
        page.samples.frame_size.setCurrentIndex(page.samples.frame_size.findData(size))
        (attempt,) = data.record.attempts_of(key)
        replies = next(one.rtt_us[one.rtt_us != LOST_RTT_US] for one in attempt.latency if one.frame_bytes == size)
        wanted = data.least_ms(key) if size == 60 else replies.min() / 1_000
        assert page.samples.limits.limits[0].least_ms == pytest.approx(wanted)


def test_rows_of_the_ranking_offer_to_open_copy_and_deploy(driver: Driver) -> None:
    results = _results(driver)
    texts = [action.text() for action in results.table.actions()]
    assert texts[:4] == ["Open", "Deploy…", "Copy line", "Copy all"]
    _select(results, "Bare underlay")
    assert not results.table.deploy.isEnabled()
    _select(results, WIREGUARD)
    assert results.table.deploy.isEnabled()
    driver.press(results.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    line = QGuiApplication.clipboard().text().split("\t")
    assert WIREGUARD in line
    assert "Yours" not in line
    results.table.deploy.trigger()
    driver.page(DeployPage)


def test_the_line_under_the_pointer_shows_its_band(driver: Driver) -> None:
    results = _results(driver)
    _select(results, WIREGUARD)
    bands = results.tabs.latency._bands
    assert len(bands) > 3

    def shown() -> list[str]:
        return [key[0] for key, band in bands.items() if band.fill.isVisible()]

    assert shown() == ["wireguard"]
    assert results.table.hasMouseTracking()
    results.table.cellEntered.emit(1, NAME)  # where the pointer is, another window may be as well
    assert shown() == ["openvpn-udp"]
    QApplication.sendEvent(results.table, QEvent(QEvent.Type.Leave))
    assert shown() == ["wireguard"]


def test_deploy_leads_to_the_form_and_back_to_the_candidate(driver: Driver) -> None:
    page = _open(driver, WIREGUARD)
    assert page.deploy.accessibleName() == f"Deploy {WIREGUARD}"
    driver.click(page.deploy)
    driver.page(DeployPage)
    driver.click(driver.window.footer.back)
    assert driver.window.current is page
    driver.click(driver.window.footer.back)
    assert driver.window.current is driver.window.results


def test_a_reference_has_no_button_that_deploys_it(driver: Driver) -> None:
    page = _open(driver, "Bare underlay")
    assert not page.deploy.isVisible()
    assert "Reference only: unencrypted" in shown_text(page.overview)


def test_a_failed_candidate_begins_with_its_cause_and_what_mends_it(open_window: Callable[..., Driver]) -> None:
    driver = open_window(failure=("preflight", "198.19.0.0/16 is in use on gateway-a."))
    page = _open(driver, WIREGUARD)
    assert page.notice.text == "It failed in every round. 198.19.0.0/16 is in use on gateway-a."
    assert not page.deploy.isVisible()
    assert _shown_tabs(page) == ["Overview", "Cryptography", "Configuration", "Log"]
    assert "Nothing was measured." in shown_text(page.overview)
    assert "No warnings." not in shown_text(page.overview)
    assert "Its packets were not captured." in shown_text(page.overview)
    driver.click(page.notice.action("Change the link or inner subnet"))
    driver.until(lambda: driver.window.wizard.current is Step.LINK)


def test_of_a_past_comparison_the_page_belongs_to_the_history(driver: Driver) -> None:
    _results(driver)
    window = driver.window
    number = window.wizard.state.campaign_id
    assert number is not None
    window.show_past(number)
    past = driver.page(PastResultsPage)
    driver.until(lambda: past.data is not None)
    _select(past, WIREGUARD)
    past.table.open_asked.emit()
    driver.page(CandidatePage)
    assert window.top.history.isChecked()
    driver.click(window.footer.back)
    assert window.current is past


def test_the_steps_remain_in_their_place_beside_past_results_and_lead_nowhere(driver: Driver) -> None:
    _results(driver)
    window = driver.window
    left = window.results.mapTo(window, QPoint(0, 0))
    number = window.wizard.state.campaign_id
    assert number is not None
    window.show_past(number)
    past = driver.page(PastResultsPage)
    driver.until(lambda: past.data is not None)
    assert window.steps.isVisible()
    driver.until(lambda: past.mapTo(window, QPoint(0, 0)) == left)
    assert [step for step, entry in window.steps.buttons.items() if entry.isEnabled()] == [Step.RESULTS]
    assert "from the history" in window.steps.buttons[Step.LINK].toolTip()
    driver.click(window.steps.buttons[Step.RESULTS])
    assert window.current is past
    window.show_area("history")
    assert not window.steps.isVisible()
    window.go(Step.RESULTS)
    assert window.steps.buttons[Step.LINK].isEnabled()


def test_figures_of_several_rounds_have_intervals(driver: Driver) -> None:
    _results(driver)
    record = sample_record(rounds=3)
    page = driver.window.area_page("candidate")
    assert isinstance(page, CandidatePage)
    data = prepare(record, rank(record))
    page.show_candidate(data, ("wireguard", "chacha20-poly1305"), is_current=True, may_deploy=False)
    table = page.figures.latency
    assert not table.isColumnHidden(4)
    low, high = table.cell(0, 4).text().removesuffix(" ms").split(" – ")
    assert float(low) <= float(table.cell(0, 3).text().removesuffix(" ms")) <= float(high)
    assert page.figures.throughput.cell(0, 3).text() == "3"
    assert table.cell(0, 12).text() == ms(data.result(("wireguard", "chacha20-poly1305")).latency[0].jitter_ms)
    assert table.horizontalHeaderItem(12).text() == "Jitter"
    assert re.search(r"Weighted latency\n1\.\d\d ms  \(95 %: .* – .* ms, 3 rounds\)", shown_text(page.overview))


@pytest.mark.parametrize("log", ["", "handshake failed"])
def test_the_daemons_words_have_a_tab_where_there_are_any(driver: Driver, log: str) -> None:
    results = _results(driver)
    assert results.data is not None
    record = results.data.record
    attempts = tuple(replace(one, daemon_log=log) for one in record.attempts)
    record = replace(record, attempts=attempts)
    page = driver.window.area_page("candidate")
    assert isinstance(page, CandidatePage)
    data = prepare(record, rank(record))
    page.show_candidate(data, ("wireguard", "chacha20-poly1305"), is_current=True, may_deploy=False)
    assert ("Log" in _shown_tabs(page)) is bool(log)
    assert page.log.view.toPlainText() == (f"Round 1\n{log}" if log else "")
    assert not any("Encrypts in" in one.text() for one in page.details.findChildren(QLabel)), "its facts are not known"


def test_warnings_of_a_candidate_come_first_on_its_page(driver: Driver) -> None:
    page = _open(driver, WIREGUARD)
    data, key = page.data, page.key
    assert shown_text(page.overview).index("No warnings.") > shown_text(page.overview).index("Confidential: yes")
    results = tuple(
        replace(one, doubts=("Other work kept 92 % of gateway-a's CPU busy.",))
        if (one.solution, one.suite) == key
        else one
        for one in data.ranking.results
    )
    page.show_candidate(
        replace(data, ranking=replace(data.ranking, results=results)), key, is_current=True, may_deploy=True
    )
    assert shown_text(page.overview).startswith("Warnings\nOther work kept 92 %")
    assert "Fail-closed: yes" in shown_text(page.overview)
