"""Results of the packet tests: one line per candidate, and all details of the selected one."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QSplitter, QVBoxLayout, QWidget

from app.domain.capture import (
    BreakVerdict,
    CaptureReport,
    FrameOverhead,
    LeakProof,
    LeakVerdict,
    Property,
    properties_of,
)
from app.domain.injection import PropertyVerdict
from app.domain.verdicts import Finding
from app.wording.capture_sentences import (
    BREAK_WORDS,
    LEAK_WORDS,
    RESULT_WORDS,
    advice_sentence,
    break_counts,
    break_sentence,
    break_title,
    crossing_sentence,
    leak_sentence,
    packets_text,
    property_note,
    worst_breakage,
)
from app.wording.local_forms import decimal
from ui.common.basics import ScrollPage, icon_label, label, row
from ui.common.candidate_rows import Key
from ui.common.data_table import DataTable
from ui.common.icons import make_icon
from ui.common.swatch import swatch_icon
from ui.common.texts import NONE, count, plain_tip, tr
from ui.common.theme import GRID, Theme
from ui.common.tips import set_tip
from ui.common.verdicts import VerdictAppearance, VerdictLabel
from ui.plots.result_data import ResultData
from ui.results.protocol_table import ProtocolTable

_NAME, _LEAK, _AUTHENTIC, _REPLAY, _BROKEN, _MTU, _SPEED = range(7)
_PROPERTIES = {_AUTHENTIC: Property.AUTHENTIC, _REPLAY: Property.REPLAY_PROOF}
_KEY = Qt.ItemDataRole.UserRole
_SIDE_BY_SIDE_PX = 1_300
"""From this width on, the selected candidate is beside the table, else below it."""
_ROOMY_PX = 960
"""In less width the advised MTU is hidden in favour of the names; the selected candidate's is below."""


def leak_appearance(verdict: LeakVerdict) -> VerdictAppearance:
    """Return icon, word and colour of what was readable."""
    icon, role = {
        LeakVerdict.PROTECTED: ("shield-check", "good"),
        LeakVerdict.LEAKS: ("shield-broken", "bad"),
        LeakVerdict.NOT_PROVEN: ("warning", "legacy"),
        LeakVerdict.EXEMPT: ("open", "muted"),
    }[verdict]
    return VerdictAppearance(icon, tr(LEAK_WORDS[verdict]), role)


def break_look(verdict: BreakVerdict) -> VerdictAppearance:
    """Return icon, word and colour of what happens once the protection has gone."""
    icon, role = {
        BreakVerdict.FAILS_CLOSED: ("check", "good"),
        BreakVerdict.FAILS_OPEN: ("error", "bad"),
        BreakVerdict.NOT_PROVEN: ("warning", "legacy"),
    }[verdict]
    return VerdictAppearance(icon, tr(BREAK_WORDS[verdict]), role)


def property_appearance(verdict: PropertyVerdict, word: str, *, is_exempt: bool) -> VerdictAppearance:
    """Return icon, word and colour of what the injection test showed."""
    icon, role = {
        PropertyVerdict.HOLDS: ("check", "good"),
        PropertyVerdict.FAILS: ("error", "bad"),
        PropertyVerdict.NOT_TRIED: ("warning", "legacy"),
    }[verdict]
    return VerdictAppearance("open", word, "muted") if is_exempt else VerdictAppearance(icon, word, role)


Shown = tuple[str, VerdictAppearance, str]
"""A property with its style and a sentence."""


def proof_looks(report: CaptureReport) -> tuple[Shown, ...]:
    """Return the four properties that packet tests prove or refute, each with its style and a sentence."""
    found, proof = _properties(report), report.leak
    worst = worst_breakage(proof.broken) if proof is not None else None
    if proof is not None and worst is not None:
        sentences = "\n".join(break_sentence(outcome) for outcome in proof.broken)
        found.append((tr("Fail-closed"), _short_break(worst), sentences))
    return tuple(found)


def _properties(report: CaptureReport) -> list[Shown]:
    """Return what packet tests prove or refute of a tunnel that is intact."""
    proof, injection, shown = report.leak, report.injection, properties_of(report)
    found: list[Shown] = []
    if proof is not None:
        found.append((tr("Confidential"), _short(leak_appearance(proof.verdict), proof), leak_sentence(proof)))
    for title, kind in ((tr("Authentic"), Property.AUTHENTIC), (tr("Replay-proof"), Property.REPLAY_PROOF)):
        result = shown[kind]
        is_exempt = injection is not None and injection.is_exempt
        look = property_appearance(result.verdict, tr(RESULT_WORDS[result.verdict]), is_exempt=is_exempt)
        found.append((title, look, property_note(result)))
    return found


def _short_break(verdict: BreakVerdict) -> VerdictAppearance:
    """Return the style with the word of the other properties where nothing got out."""
    look, is_proven = break_look(verdict), verdict is BreakVerdict.FAILS_CLOSED
    return replace(look, word=tr(RESULT_WORDS[PropertyVerdict.HOLDS])) if is_proven else look


def _short(look: VerdictAppearance, proof: LeakProof) -> VerdictAppearance:
    """Return the style with the word of the other properties where nothing could be read."""
    is_proven = proof.verdict is LeakVerdict.PROTECTED
    return replace(look, word=tr(RESULT_WORDS[PropertyVerdict.HOLDS])) if is_proven else look


class CaptureView(QWidget):
    """Overview, and the selected candidate beside or below it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._data: ResultData | None = None
        headers = (
            tr("Candidate"),
            tr("Confidential"),
            tr("Authentic"),
            tr("Replay-proof"),
            tr("Fail-closed"),
            tr("Advised MTU"),
            tr("Speed"),
        )
        self.table = DataTable(headers, (_MTU,), tr("Packet tests"))
        self.table.set_tips(
            {
                _LEAK: tr(
                    "Leak test: whether canary frames (test frames with a known pattern) were readable on the underlay"
                ),
                _AUTHENTIC: tr("Injection test: whether forged and altered packets were kept out"),
                _REPLAY: tr("Injection test: whether replayed packets were kept out"),
                _BROKEN: tr("Fail-closed test: what happened to canary frames after the protection was removed"),
                _MTU: tr("The inner MTU that avoids fragments; none where nothing is fragmented"),
                _SPEED: tr("Relative to the fastest of this pair; does not affect the verdict"),
            }
        )
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(56)
        self.table.itemSelectionChanged.connect(self._on_row)
        self.details = CaptureDetails(theme)
        self.nothing = label(tr("No packet tests in this comparison."), "muted")
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(2 * GRID)
        split.addWidget(self.table)
        split.addWidget(self.details)
        split.setSizes([640, 440])
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        self._split = split
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.addWidget(self.nothing)
        layout.addWidget(split, 1)
        theme.changed.connect(self._redraw)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the selected candidate where there is room for it."""
        super().resizeEvent(event)
        is_wide = self.width() >= _SIDE_BY_SIDE_PX
        self.table.set_column_unused(_MTU, is_unused=self.width() < _ROOMY_PX)
        orientation = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if self._split.orientation() is not orientation:
            self._split.setOrientation(orientation)
            total = self.width() if is_wide else self.height()
            self._split.setSizes([total * 3 // 5, total * 2 // 5] if is_wide else [total // 2, total // 2])

    def show_data(self, data: ResultData) -> None:
        """Show a comparison."""
        self._data = data
        keys = [key for key in _ranked(data) if key in data.wires]
        self.nothing.setVisible(not keys)
        self._split.setVisible(bool(keys))
        self.table.setColumnHidden(_SPEED, not data.slow)
        self.table.blockSignals(True)  # noqa: FBT003 - Qt has it so
        self.table.setRowCount(len(keys))
        for nth, key in enumerate(keys):
            self._fill_row(nth, key, data)
        self.table.blockSignals(False)  # noqa: FBT003 - Qt has it so
        if keys:
            self.table.setCurrentCell(0, 0)
            self._on_row()

    def choose(self, key: Key) -> None:
        """Select a candidate, if it had packet tests."""
        for nth in range(self.table.rowCount()):
            if self.table.cell(nth, _NAME).data(_KEY) == key:
                self.table.setCurrentCell(nth, 0)

    def _fill_row(self, nth: int, key: Key, data: ResultData) -> None:
        result, report, slow = data.result(key), data.wires[key], data.slow.get(key)
        mtu = report.advised_inner_mtu_bytes
        texts = {
            _NAME: result.title,
            _MTU: count(mtu) if mtu is not None else NONE,
            _SPEED: tr("slow") if slow is not None else NONE,
        }
        for column, text in texts.items():
            cell = self.table.cell(nth, column)
            cell.setText(text)
            cell.setToolTip(plain_tip(text))
        name = self.table.cell(nth, _NAME)
        name.setData(_KEY, key)
        name.setIcon(swatch_icon(result.solution, data.names[key][1]))
        set_tip(self.table.cell(nth, _SPEED), slow.reason if slow is not None else "")
        proof = report.leak
        leak = _short(leak_appearance(proof.verdict), proof) if proof is not None else None
        self._show_look(nth, _LEAK, leak)
        shown = properties_of(report)
        for column, kind in _PROPERTIES.items():
            look = None
            if report.injection is not None:
                verdict = shown[kind].verdict
                look = property_appearance(verdict, tr(RESULT_WORDS[verdict]), is_exempt=report.injection.is_exempt)
            self._show_look(nth, column, look)
        worst = worst_breakage(proof.broken) if proof is not None else None
        self._show_look(nth, _BROKEN, _short_break(worst) if worst is not None else None)

    def _show_look(self, nth: int, column: int, look: VerdictAppearance | None) -> None:
        cell = self.table.cell(nth, column)
        cell.setText(look.word if look is not None else NONE)
        cell.setIcon(make_icon(look.icon, getattr(self._theme.colours, look.role)) if look is not None else QIcon())

    def _on_row(self) -> None:
        data, nth = self._data, self.table.currentRow()
        if data is None or not 0 <= nth < self.table.rowCount():
            return
        key = self.table.cell(nth, _NAME).data(_KEY)
        if key is not None:
            key = (key[0], key[1])
            self.details.show_report(data.result(key).title, data.wires[key], data.slow.get(key))

    def _redraw(self) -> None:
        if self._data is not None:
            nth = self.table.currentRow()
            self.show_data(self._data)
            self.table.setCurrentCell(nth, 0)


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
        self.overhead.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.overhead.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.overhead.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.overhead.setSelectionMode(DataTable.SelectionMode.NoSelection)
        content = QWidget()
        content.setProperty("look", "page")
        self._above, self._below = QVBoxLayout(), QVBoxLayout()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(0, 0, GRID, 0)
        rows.setSpacing(GRID)
        for part in (self._above, self._below):
            part.setSpacing(GRID)
        rows.addLayout(self._above)
        rows.addWidget(self.overhead)
        rows.addLayout(self._below)
        rows.addWidget(self.protocols)
        rows.addStretch(1)
        scroll = ScrollPage(content, 1600)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)
        self.text = ""

    def show_report(self, title: str, report: CaptureReport, slow: Finding | None) -> None:
        """Show the packet tests."""
        self.text = ""
        for part in (self._above, self._below):
            _empty(part)
        self._say(self._above, title, "heading")
        proof = report.leak
        if proof is not None:
            for nth, (what, look, sentence) in enumerate(_properties(report)):
                self._show_look(replace(look, word=f"{what}: {look.word}"), sentence)
                if nth == 0:
                    words = tr("Canary frames: test frames with a known pattern, for which captures are searched.")
                    self._say(self._above, words, "muted")
            for outcome in proof.broken:
                look = break_look(outcome.verdict)
                self._show_look(replace(look, word=f"{break_title(outcome)}: {look.word}"), break_counts(outcome))
        self._show_overhead(report)
        advice = advice_sentence(report)
        if advice:
            self._with_icon({True: "check", False: "error", None: "info"}[report.is_advised_mtu_proven], advice)
        for crossing in report.crossings:
            icon = {True: "check", False: "error", None: "info"}[crossing.has_crossed]
            self._with_icon(icon, crossing_sentence(crossing))
        if slow is not None:
            self._with_icon("clock", f"{slow.reason} {tr('This does not affect verdict or rank.')}")
        for doubt in report.doubts:
            self._with_icon("warning", doubt)
        self.text += self.protocols.show_protocols(report.protocols)

    def _show_overhead(self, report: CaptureReport) -> None:
        costs = report.overhead
        self.overhead.setVisible(bool(costs))
        self.overhead.setRowCount(len(costs))
        for nth, cost in enumerate(costs):
            for column, text in enumerate(_cost_texts(cost)):
                self.overhead.cell(nth, column).setText(text)
        if costs:
            self.overhead.setFixedHeight(self.overhead.height_for_all_px())

    def _show_look(self, look: VerdictAppearance, sentence: str) -> None:
        head = VerdictLabel()
        head.show_look(look)
        self._above.addWidget(head)
        self.text += f"{look.word}\n"
        self._say(self._above, sentence)

    def _with_icon(self, icon: str, text: str) -> None:
        role = {"check": "good", "error": "bad", "warning": "legacy", "clock": "legacy"}.get(icon, "text")
        holder = QWidget()
        line = row(icon_label(icon, role), label(text, is_selectable=True))
        line.setStretch(1, 1)
        holder.setLayout(line)
        self._below.addWidget(holder)
        self.text += f"{text}\n"

    def _say(self, part: QVBoxLayout, text: str, look: str = "") -> None:
        said: QLabel = label(text, look, is_selectable=True)
        part.addWidget(said)
        self.text += f"{text}\n"


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


def _ranked(data: ResultData) -> list[Key]:
    return [(place.solution, place.suite) for place in data.ranking.ranking]


def _empty(layout: QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
