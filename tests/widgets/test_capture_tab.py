"""The results' tab with what the captures showed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from sample_captures import capture_report
from sample_records import sample_record, with_open_device
from shown_text import shown_text

from app.domain.capture import BreakOutcome, BreakVerdict, LeakVerdict
from app.domain.results import CampaignRecord
from app.domain.verdicts import Verdict
from app.policy.messages import SLOW_LATENCY, SLOW_ONCE
from app.probes.capture.messages import KERNEL_DROPPED
from app.ranking import rank
from app.wording import language
from app.wording.messages import local_text
from support.message_checks import shows
from ui.common.texts import NONE
from ui.common.theme import Theme
from ui.plots.result_data import prepare
from ui.results.capture_view import CaptureView
from ui.results.result_tabs import ResultTabs

UDP = ("openvpn-udp", "aes-256-gcm")
TCP = ("openvpn-tcp", "aes-256-gcm")
NAME, LEAK, AUTHENTIC, REPLAY, BROKEN, MTU, SPEED = range(7)


@pytest.fixture
def tabs(qtbot: QtBot, theme: Theme) -> ResultTabs:
    made = ResultTabs(theme)
    qtbot.addWidget(made)
    return made


def shown(tabs: ResultTabs, record: CampaignRecord) -> CaptureView:
    """Show a comparison, open the tab and return what is in it."""
    tabs.show_data(prepare(record, rank(record)))
    tabs.setCurrentIndex(next(n for n in range(tabs.count()) if tabs.tabText(n) == "Packet tests"))
    assert tabs.currentWidget().isAncestorOf(tabs.captures)
    return tabs.captures


def plain(text: str) -> str:
    return text.replace("\u202f", "")


def line_of(view: CaptureView, title: str) -> list[str]:
    nth = next(n for n in range(view.table.rowCount()) if view.table.cell(n, NAME).text() == title)
    return [plain(view.table.cell(nth, column).text()) for column in range(view.table.columnCount())]


def test_every_candidate_that_was_inspected_has_a_line_with_words_and_icons(tabs: ResultTabs) -> None:
    record = with_open_device(sample_record())
    view = shown(tabs, record)
    inspected = {(one.key.solution, one.key.suite) for one in record.attempts if one.capture is not None}
    assert view.table.rowCount() == len(inspected) == 5
    title = "OpenVPN over UDP, AES-256-GCM"
    assert line_of(view, title)[LEAK:SPEED] == ["yes", "not tested", "yes", "fails open", "1417"]
    assert line_of(view, "Bare underlay")[LEAK:SPEED] == ["unencrypted (by design)", NONE, NONE, NONE, NONE]
    for nth in range(view.table.rowCount()):
        assert not view.table.cell(nth, LEAK).icon().isNull()


def test_the_advised_mtu_is_also_its_tool_tip(tabs: ResultTabs) -> None:
    view = shown(tabs, sample_record())
    cells = [view.table.cell(nth, MTU) for nth in range(view.table.rowCount())]
    assert {plain(one.text()) for one in cells} >= {NONE, "1417"}
    assert [one.toolTip() for one in cells] == [one.text() for one in cells]


def test_what_was_shown_before_is_deleted_when_the_event_is_over(tabs: ResultTabs) -> None:
    view = shown(tabs, sample_record())
    tabs.choose(UDP)
    deleted: list[str] = []
    for one in view.details.findChildren(QLabel):
        if one.text() == "OpenVPN over UDP, AES-256-GCM":
            one.destroyed.connect(lambda: deleted.append("heading"))
    del one  # as in the program, where no variable keeps it
    tabs.choose(TCP)
    assert "OpenVPN over UDP, AES-256-GCM" not in shown_text(view.details)
    assert deleted == [], "its signal may be what is at work"
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert deleted == ["heading"]


def test_the_selected_candidate_is_reported_in_full(tabs: ResultTabs) -> None:
    view = shown(tabs, with_open_device(sample_record()))
    tabs.choose(UDP)
    text = shown_text(view.details)
    for words in (
        "OpenVPN over UDP, AES-256-GCM",
        "Confidential: yes\n10 of 10 canary frames were answered. Captured packets of the tunnel: 20 on A and 20 on B;",
        "control frames (unencrypted) seen: 6 on A and 6 on B.",
        "Authentic: not tested\nNot tried, because gw-b has no nft",
        "Replay-proof: yes\nNone of 6 packets that were replayed got in.",
        "The daemon is killed on gw-a: fail-closed\n16 canary frames",
        "The device is deleted on gw-b: fails open\n16 canary frames were sent, 0 answered. Seen in the clear: 0 on A",
        "An MTU of 1417 bytes inside avoids fragments. Verified: a frame of this size is not fragmented",
        "Frames that are not IP cross",
        "Multicast does not cross",
        "VLAN-tagged frames could not be tested",
    ):
        assert words in text
    tabs.choose(("baseline", "none"))
    assert "unencrypted (by design)" in shown_text(view.details)
    assert "An MTU of" not in shown_text(view.details)


def test_doubts_are_in_the_language_of_their_reader(tabs: ResultTabs, monkeypatch: pytest.MonkeyPatch) -> None:
    doubt = KERNEL_DROPPED(host="gw-a", dropped=3)
    record = sample_record()
    attempts = tuple(
        replace(one, capture=replace(one.capture, doubts=(doubt,))) if one.capture is not None else one
        for one in record.attempts
    )
    view = shown(tabs, replace(record, attempts=attempts))
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    assert local_text(doubt) != doubt
    tabs.choose(TCP)
    assert local_text(doubt) in shown_text(view.details)


def test_link_protocols_have_a_table_and_remarks(tabs: ResultTabs) -> None:
    view = shown(tabs, sample_record())
    tabs.choose(UDP)
    table = view.details.protocols.table
    rows = {
        table.cell(n, 0).text(): [table.cell(n, 1).text(), table.cell(n, 2).text()] for n in range(table.rowCount())
    }
    assert rows == {
        "Spanning tree (BPDU)": ["crosses", "crosses"],
        "LLDP": ["crosses", "does not cross"],
        "PTP over Ethernet": ["crosses from A to B", "crosses from A to B"],
        "PTP peer delay": ["crosses", "does not cross"],
        "MRP": ["does not cross", "does not cross"],
        "PROFINET DCP": ["crosses", "crosses"],
        "Priority 6 (802.1p)": ["crosses", "crosses"],
        "Priority tag (VLAN 0)": ["arrives changed", "arrives changed"],
    }
    assert all(not table.cell(n, column).icon().isNull() for n in range(table.rowCount()) for column in (1, 2))
    remarks = [one.text() for one in view.details.protocols.findChildren(QLabel)]
    assert any("MRP: From B to A: 0 of 3 frames arrived." in text for text in remarks)
    tabs.choose(("baseline", "none"))
    assert not view.details.protocols.isVisibleTo(view.details)


def test_overhead_is_measured_beside_theory_for_every_frame_size(tabs: ResultTabs) -> None:
    view = shown(tabs, sample_record())
    tabs.choose(UDP)
    costs = view.details.overhead
    rows = [[plain(costs.cell(nth, column).text()) for column in range(6)] for nth in range(costs.rowCount())]
    assert [row[0] for row in rows] == ["60 B", "128 B", "256 B", "512 B", "1024 B", "1400 B", "1514 B"]
    assert rows[0] == ["60 B", "1", "143 B", "143 B", "138.3 %", "33 B"]
    assert rows[-1] == ["1514 B", "2 (fragments)", "1631 B", "1597 B", "7.7 %", "33 B"]


@pytest.mark.parametrize(("proven", "words"), [(False, "The test did not confirm"), (None, "Calculated, not tested")])
def test_advice_says_whether_it_is_proven(tabs: ResultTabs, proven: bool | None, words: str) -> None:
    record = with_open_device(sample_record())
    attempts = tuple(
        replace(one, capture=replace(one.capture, is_advised_mtu_proven=proven)) if one.capture else one
        for one in record.attempts
    )
    view = shown(tabs, replace(record, attempts=attempts))
    tabs.choose(UDP)
    assert words in shown_text(view.details)


def test_a_leak_and_what_is_not_proven_are_reported(tabs: ResultTabs) -> None:
    record = with_open_device(sample_record())
    leak = capture_report(66, LeakVerdict.LEAKS)
    unproven = capture_report(66, LeakVerdict.NOT_PROVEN, "The control was not seen.")
    assert unproven.leak is not None
    outcome = BreakOutcome("the daemon is killed", BreakVerdict.NOT_PROVEN, {"a": 0, "b": 0}, 0, 0)
    unproven = replace(unproven, leak=replace(unproven.leak, broken=(outcome,)))
    reports = {UDP: leak, TCP: unproven}
    attempts = tuple(
        replace(one, capture=reports.get((one.key.solution, one.key.suite), one.capture) if one.capture else None)
        for one in record.attempts
    )
    view = shown(tabs, replace(record, attempts=attempts))
    assert line_of(view, "OpenVPN over UDP, AES-256-GCM")[LEAK:MTU] == ["leaks", "no", "no", NONE]
    assert line_of(view, "OpenVPN over TCP, AES-256-GCM")[LEAK:MTU] == ["not proven", "no", "no", "not proven"]
    tabs.choose(TCP)
    assert "The control was not seen." in shown_text(view.details)


def test_what_is_slow_is_reported_beside_and_is_no_verdict(tabs: ResultTabs) -> None:
    record = with_open_device(sample_record())
    assert shown(tabs, record).table.isColumnHidden(SPEED)
    slowed = tuple(
        replace(one, latency=tuple(replace(series, rtt_us=series.rtt_us * 20) for series in one.latency))
        if (one.key.solution, one.key.suite) == TCP
        else one
        for one in record.attempts
    )
    record = replace(record, attempts=slowed)
    view = shown(tabs, record)
    assert not view.table.isColumnHidden(SPEED)
    assert line_of(view, "OpenVPN over TCP, AES-256-GCM")[SPEED] == "slow"
    assert line_of(view, "OpenVPN over UDP, AES-256-GCM")[SPEED] == NONE
    tabs.choose(TCP)
    assert shows(shown_text(view.details), SLOW_LATENCY.text)
    assert "does not affect verdict" in shown_text(view.details)
    data = prepare(record, rank(record))
    assert set(data.slow) == {TCP}
    assert data.result(TCP).verdict is Verdict.ACCEPTABLE
    why = tabs.widget(next(n for n in range(tabs.count()) if tabs.tabText(n) == "Rationale"))
    texts = [one.text() for one in why.findChildren(QLabel)]
    assert any(text.startswith("OpenVPN over TCP, AES-256-GCM: ") and shows(text, SLOW_ONCE.text) for text in texts)


def test_where_no_one_inspected_it_says_so(tabs: ResultTabs) -> None:
    record = with_open_device(sample_record())
    record = replace(record, attempts=tuple(replace(one, capture=None) for one in record.attempts))
    view = shown(tabs, record)
    assert view.table.rowCount() == 0
    assert not view.nothing.isHidden()
    assert view.nothing.text() == "No packet tests in this comparison."
    assert not shown(tabs, sample_record()).nothing.isVisibleTo(tabs)


def test_icons_of_another_comparison_do_not_remain(tabs: ResultTabs) -> None:
    record = sample_record()
    shown(tabs, record)
    only_bare = [
        replace(one, capture=one.capture if one.key.solution == "baseline" else None) for one in record.attempts
    ]
    view = shown(tabs, replace(record, attempts=tuple(only_bare)))
    assert [view.table.cell(0, column).text() for column in (AUTHENTIC, REPLAY, BROKEN)] == [NONE] * 3
    assert all(view.table.cell(0, column).icon().isNull() for column in (AUTHENTIC, REPLAY, BROKEN))
