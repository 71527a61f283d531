"""The box in which a pair is selected."""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.hosts import PairSpec
from app.domain.pairs import PairChoice
from app.wording.messages import local_text
from ui.common.basics import ChoiceBox
from ui.common.texts import tr
from ui.common.tips import set_tip

_NEW = ""
_LEAST_PX, _WIDEST_PX = 180, 320


class PairBox(ChoiceBox):
    """Selects a new pair, a stored one, or that of a running practice lab."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumWidth(_LEAST_PX)
        self.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self.setMaximumWidth(_WIDEST_PX)
        self.setAccessibleName(tr("Saved pairs and running labs"))
        self.currentTextChanged.connect(lambda text: set_tip(self, text))

    @property
    def is_new(self) -> bool:
        """Whether a new pair is selected."""
        return bool(self.currentData() == _NEW)

    def fill(self, choices: Iterable[PairChoice]) -> None:
        """Offer other pairs."""
        self.clear()
        self.addItem(tr("New pair"), _NEW)
        for choice in choices:
            measured = f"  ({local_text(choice.last_measured)})" if choice.last_measured else ""
            self.addItem(f"{choice.pair.name}{measured}", choice.pair.name)

    def mark(self, pair: PairSpec | None) -> None:
        """Select the pair that is on show; None is a new one."""
        name = pair.name if pair is not None else _NEW
        if self.findData(name) < 0:
            self.addItem(name, name)
        self.setCurrentIndex(self.findData(name))
