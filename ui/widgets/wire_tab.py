"""What the wire showed of each candidate: words with icons, sentences, and what a frame costs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QVBoxLayout, QWidget

from app.domain.wire import BreakVerdict, FrameOverhead, LeakVerdict, WireReport
from app.domain.wire_words import (
    BREAK_WORDS,
    LEAK_WORDS,
    advice_sentence,
    break_sentence,
    crossing_sentence,
    leak_sentence,
    packets_text,
)
from ui.result_data import ResultData
from ui.texts import NONE, count, tr
from ui.theme import GRID
from ui.widgets.basics import ScrollPage, icon_label, label, row
from ui.widgets.data_table import DataTable

_LEAK_LOOKS = {
    LeakVerdict.PROTECTED: ("shield-check", "good"),
    LeakVerdict.LEAKS: ("shield-broken", "bad"),
    LeakVerdict.NOT_PROVEN: ("warning", "legacy"),
    LeakVerdict.EXEMPT: ("open", "muted"),
}
_BREAK_LOOKS = {
    BreakVerdict.FAILS_CLOSED: ("check", "good"),
    BreakVerdict.FAILS_OPEN: ("error", "bad"),
    BreakVerdict.NOT_PROVEN: ("warning", "legacy"),
}


def wire_tab(data: ResultData) -> QWidget:
    """Return the page; it says so where nobody looked at the wire."""
    content = QWidget()
    content.setProperty("look", "page")
    layout = QVBoxLayout(content)
    layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
    reports = _reports(data)
    if not reports:
        layout.addWidget(label(tr("Nobody looked at the wire in this comparison.")))
    for title, report in reports:
        layout.addWidget(label(title, "strong"))
        _add_report(layout, title, report)
        layout.addSpacing(2 * GRID)
    layout.addStretch(1)
    return ScrollPage(content)


def _reports(data: ResultData) -> list[tuple[str, WireReport]]:
    """Return each candidate's first report, in the order of the plan."""
    found: list[tuple[str, WireReport]] = []
    for candidate in data.record.plan.candidates:
        key = (candidate.solution, candidate.suite)
        same = (one.wire for one in data.record.attempts if (one.key.solution, one.key.suite) == key)
        report = next((wire for wire in same if wire is not None), None)
        if report is not None:
            found.append((candidate.title, report))
    return found


def _add_report(layout: QVBoxLayout, title: str, report: WireReport) -> None:
    proof = report.leak
    if proof is not None:
        _add_line(layout, _LEAK_LOOKS[proof.verdict], f"{LEAK_WORDS[proof.verdict]}. {leak_sentence(proof)}")
        for outcome in proof.broken:
            words = f"{BREAK_WORDS[outcome.verdict]}. {break_sentence(outcome)}"
            _add_line(layout, _BREAK_LOOKS[outcome.verdict], words)
    for crossing in report.crossings:
        look = ("check", "good") if crossing.has_crossed else ("info", "muted")
        _add_line(layout, look, crossing_sentence(crossing))
    for sentence in (advice_sentence(report), *report.doubts):
        if sentence:
            _add_line(layout, ("info", "muted"), sentence)
    if report.overhead:
        layout.addWidget(_cost_table(title, report.overhead))


def _add_line(layout: QVBoxLayout, look: tuple[str, str], text: str) -> None:
    line = row(icon_label(*look), label(f"{text[:1].upper()}{text[1:]}", is_selectable=True))
    line.setStretch(1, 1)
    layout.addLayout(line)


def _cost_table(title: str, costs: tuple[FrameOverhead, ...]) -> DataTable:
    headers = (tr("Frame, B"), tr("Packets"), tr("On the wire, B"), tr("By calculation, B"), tr("ACKs, B"))
    table = DataTable(headers, range(len(headers)), tr("What a frame of %1 costs").replace("%1", title))
    table.setRowCount(len(costs))
    for line, cost in enumerate(costs):
        theory = NONE if cost.theory_bytes is None else count(cost.theory_bytes)
        acks = f"{cost.ack_bytes:.0f}" if cost.ack_bytes else NONE
        cells = (count(cost.frame_bytes), packets_text(cost), f"{cost.outer_bytes:.0f}", theory, acks)
        for column, text in enumerate(cells):
            table.cell(line, column).setText(text)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setFixedHeight(table.height_for_all_px())
    return table
