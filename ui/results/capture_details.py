"""All packet tests of one candidate."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.domain.capture import CaptureReport, FrameOverhead
from app.domain.verdicts import Finding
from app.wording.capture_sentences import advice_sentence, break_counts, break_title, crossing_sentence, packets_text
from app.wording.local_forms import decimal
from app.wording.messages import local_text
from ui.common.basics import WIDE_PX, ScrollPage, column, holder, icon_label, label, row
from ui.common.data_table import DataTable
from ui.common.texts import NONE, count, tr
from ui.common.theme import GRID, Theme
from ui.common.verdicts import Appearance, VerdictLabel
from ui.results.capture_appearances import break_appearance, proven_properties
from ui.results.protocol_table import ProtocolTable


class CaptureDetails(QWidget):
    """All packet tests of one candidate."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.protocols = ProtocolTable(theme)
        self.setMinimumWidth(300)
        self.setAccessibleName(tr("Packet tests of the candidate"))
        self.overhead = DataTable(
            (tr("Frame"), tr("Packets"), tr("Captured"), tr("Theory"), tr("Extra"), tr("ACKs")),
            range(6),
            tr("Bytes per frame, measured and by theory"),
        )
        self.overhead.set_tips(
            {
                1: tr("Packets on the underlay per frame inside"),
                2: tr("Bytes on the underlay per frame inside, as captured"),
                3: tr("The same by calculation"),
                4: tr("What is captured beyond the frame itself"),
                5: tr("Acknowledgements without payload, where the carrier is TCP"),
            }
        )
        self.overhead.size_by_contents(0, *range(2, 6))
        self.overhead.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.overhead.setSelectionMode(DataTable.SelectionMode.NoSelection)
        self._above, self._below = column(), column()
        rows = column(self._above, self.overhead, self._below, self.protocols, 0, margin_px=(0, 0, GRID, 0))
        scroll = ScrollPage(holder(rows, "page"), WIDE_PX)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLayout(row(scroll))

    def show_report(self, title: str, report: CaptureReport, slow: Finding | None) -> None:
        """Show the packet tests."""
        for part in (self._above, self._below):
            _empty(part)
        self._add_text(self._above, title, "heading")
        proof = report.leak
        if proof is not None:
            for nth, (what, appearance, sentence) in enumerate(proven_properties(report)):
                self._show_appearance(replace(appearance, word=f"{what}: {appearance.word}"), sentence)
                if nth == 0:
                    words = tr("Canary frames: test frames with a known pattern, for which captures are searched.")
                    self._add_text(self._above, words, "muted")
            for outcome in proof.broken:
                shown = break_appearance(outcome.verdict)
                self._show_appearance(
                    replace(shown, word=f"{break_title(outcome)}: {shown.word}"), break_counts(outcome)
                )
        self._show_overhead(report)
        advice = advice_sentence(report)
        if advice:
            self._with_icon({True: "check", False: "error", None: "info"}[report.is_advised_mtu_proven], advice)
        for crossing in report.crossings:
            icon = {True: "check", False: "error", None: "info"}[crossing.has_crossed]
            self._with_icon(icon, crossing_sentence(crossing))
        if slow is not None:
            self._with_icon("clock", " ".join((local_text(slow.reason), tr("This does not affect verdict or rank."))))
        for doubt in report.doubts:
            self._with_icon("warning", local_text(doubt))
        self.protocols.show_protocols(report.protocols)

    def _show_overhead(self, report: CaptureReport) -> None:
        costs = report.overhead
        self.overhead.setVisible(bool(costs))
        self.overhead.show_rows(list(map(_cost_texts, costs)))
        if costs:
            self.overhead.setFixedHeight(self.overhead.height_for_all_px())

    def _show_appearance(self, appearance: Appearance, sentence: str) -> None:
        self._above.addWidget(VerdictLabel(appearance))
        self._add_text(self._above, sentence)

    def _with_icon(self, icon: str, text: str) -> None:
        role = {"check": "good", "error": "bad", "warning": "legacy", "clock": "legacy"}.get(icon, "text")
        self._below.addWidget(holder(row(icon_label(icon, role), (label(text, is_selectable=True), 1))))

    def _add_text(self, part: QVBoxLayout, text: str, variant: str = "") -> None:
        part.addWidget(label(text, variant, is_selectable=True))


def _cost_texts(cost: FrameOverhead) -> tuple[str, ...]:
    """Return one line: measured beside theory, the overhead in percent of the frame."""
    theory = NONE if cost.theory_bytes is None else f"{count(cost.theory_bytes)} B"
    extra_pct = 100 * (cost.outer_bytes / cost.frame_bytes - 1)
    return (
        f"{count(cost.frame_bytes)} B",
        packets_text(cost),
        f"{_bytes(cost.outer_bytes)} B",
        theory,
        f"{decimal(extra_pct, 1)} %",
        f"{_bytes(cost.ack_bytes)} B" if cost.ack_bytes else NONE,
    )


def _bytes(size: float) -> str:
    return count(round(size)) if size == round(size) else decimal(size, 1)


def _empty(layout: QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()  # it may be at work just now: without a parent alone it would be deleted at once
