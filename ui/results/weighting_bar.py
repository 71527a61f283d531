"""Order of the ranking by weights of the user's own: presets, a slider for each measure, and what comes of them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSlider

from app.ranking.weighting import BALANCED, PRESETS, Measure, Scoring, Weighting, Weights
from app.wording.messages import local_text
from ui.common.basics import ChoiceBox, column, holder, icon_label, label, label_for, row
from ui.common.texts import tr
from ui.common.theme import GRID, tabular
from ui.common.tips import set_tip

_OWN = "own"
_MOST = 10
_PLAIN_WEIGHT = 1


class WeightingBar(QFrame):
    """Presets in a box, and sliders below while an order of the user's own is selected.

    Attributes:
        presets: The box.
        choice: Label and box.
        methods: Box with the methods of making one number of several figures.
        sliders: One per measure.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "caution")
        self.setAccessibleName(tr("Your weighting"))
        self.presets = ChoiceBox(tr("Order of the ranking"), _presets())
        self.presets.currentIndexChanged.connect(self._on_preset)
        self.choice = holder(row(label_for(tr("Order &by"), self.presets), self.presets))
        methods = (
            (tr("ratios to the best"), Scoring.RATIOS),
            (tr("ranks: the heuristic of a study of 2004"), Scoring.RANKS),
        )
        self.methods = ChoiceBox(tr("Way of scoring"), methods)
        tip = tr(
            "Ranks drop how far candidates are apart, and depend on which others there are. They also place what is "
            "never deployed: systems for comparison only, and insecure candidates."
        )
        set_tip(self.methods, tip)
        self.methods.currentIndexChanged.connect(self._on_change)
        self.sliders: dict[Measure, QSlider] = {}
        self._shown: dict[Measure, QLabel] = {}
        self.title = label("", "strong")
        self.sentence = label("", is_selectable=True)
        head = row(icon_label("edit"), (self.title, 1), label_for(tr("Score b&y"), self.methods), self.methods)
        parts = (head, self.sentence, self._make_sliders())
        self.setLayout(column(*parts, margin_px=(2 * GRID, GRID, 2 * GRID, GRID), spacing_px=GRID // 2))
        self._is_filling = False
        self.setVisible(False)

    @property
    def weights(self) -> Weights:
        """The weights above 0; empty for the order of the ranking."""
        if self.presets.currentData() == BALANCED:
            return {}
        return {measure: slider.value() for measure, slider in self.sliders.items() if slider.value()}

    @property
    def method(self) -> Scoring:
        """The method that is chosen."""
        return Scoring(self.methods.currentData())

    def choose(self, name: str) -> None:
        """Choose a preset, see `PRESETS`."""
        self.presets.setCurrentIndex(self.presets.findData(name))

    def show_weighting(self, weighting: Weighting | None) -> None:
        """Show what comes of the weights; None where nothing has weight."""
        self.setVisible(self.presets.currentData() != BALANCED)
        if weighting is None:
            self.title.setText(tr("Your weighting, not Tunnelmark's recommendation"))
            self.sentence.setText(tr("Nothing has weight: the ranking keeps its own order."))
            return
        self.title.setText(local_text(weighting.title))
        left = [
            f"{one.result.title}: {local_text(one.reason)}"
            for one in weighting.unscored
            if not one.result.is_unprotected
        ]
        parts = [local_text(weighting.sentence)]
        if any(one.mark for one in weighting.scored):
            parts.append(tr("Places with a sign beside them are of candidates that cannot be deployed."))
        parts += [tr("Without a place: %1.", "; ".join(left))] if left else []
        self.sentence.setText(" ".join((*parts, tr("It is in no report."))))

    def _make_sliders(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(0)
        for nth, (measure, (text, tip)) in enumerate(_measure_words().items()):
            slider = self.sliders[measure] = QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, _MOST)
            slider.setPageStep(1)
            slider.setAccessibleName(tr("Weight of %1", text))
            set_tip(slider, tip)
            slider.valueChanged.connect(self._on_slider)
            shown = self._shown[measure] = label("0", is_wrapping=False)
            shown.setFont(tabular(self.font()))
            shown.setMinimumWidth(shown.fontMetrics().horizontalAdvance("00"))
            shown.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(label_for(text, slider), 0, 2 * nth, 1, 2)
            grid.addWidget(slider, 1, 2 * nth)
            grid.addWidget(shown, 1, 2 * nth + 1)
            grid.setColumnStretch(2 * nth, 1)
        return grid

    def _on_preset(self) -> None:
        name = self.presets.currentData()
        if self._is_filling:
            return
        self._is_filling = True
        for measure, slider in self.sliders.items():
            slider.setValue(int(PRESETS[name].get(measure, 0)) if name in PRESETS else slider.value() or _PLAIN_WEIGHT)
        self._is_filling = False
        self._on_change()

    def _on_slider(self) -> None:
        if not self._is_filling:
            self._is_filling = True
            self.choose(_OWN)
            self._is_filling = False
            self._on_change()

    def _on_change(self) -> None:
        for measure, slider in self.sliders.items():
            self._shown[measure].setText(str(slider.value()))
        self.changed.emit()


def _presets() -> tuple[tuple[str, str], ...]:
    return (
        (tr("Balanced: Tunnelmark's ranking"), BALANCED),
        (tr("Latency first"), "latency-first"),
        (tr("Throughput first"), "throughput-first"),
        (tr("Low CPU"), "low-cpu"),
        (tr("Strongest security"), "strongest-security"),
        (tr("Your own weights"), _OWN),
    )


def _measure_words() -> dict[Measure, tuple[str, str]]:
    return {
        Measure.LATENCY: (tr("Latency"), tr("Weighted latency in ms")),
        Measure.THROUGHPUT: (tr("Throughput"), tr("Mbit/s, mean of both directions")),
        Measure.CPU: (tr("CPU"), tr("Percent of both hosts' CPU together per Mbit/s")),
        Measure.OVERHEAD: (tr("Overhead"), tr("Bytes on the underlay per frame inside, as captured")),
        Measure.JITTER: (tr("Jitter"), tr("Mean difference of successive round-trip times in ms")),
        Measure.SECURITY: (tr("Security"), tr("The verdict, and properties that tests refuted")),
    }
