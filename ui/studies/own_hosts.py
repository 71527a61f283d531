"""Consent to a study on hosts of the user's own: what it changes there, with a box for each thing to agree to."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.domain.hosts import PairSpec
from app.measurement.own_hosts import OwnHostsConsent, OwnHostsUse
from app.wording.conditions import shaping_words
from app.wording.messages import local_text
from ui.common.basics import column, label
from ui.common.texts import tr


class OwnHostsForm(QWidget):
    """Sentence about what a study changes on hosts and nodes of a pair; empty for a practice lab.

    Args:
        pair: The pair.
        use: The use that the study makes of it.
    """

    changed = Signal()

    def __init__(self, pair: PairSpec, use: OwnHostsUse) -> None:
        super().__init__()
        self._pair = pair
        sentence = None if pair.is_lab else use.sentence(pair)
        self.may_change = QCheckBox(tr("Hosts and nodes may be changed, and their link loaded"))
        self.may_shape = QCheckBox(tr("The link may be shaped while it is measured"))
        self.boxes: tuple[QCheckBox, ...] = ()
        widgets: list[QWidget] = []
        if sentence is not None:
            self.boxes = (self.may_change, self.may_shape) if use.conditions else (self.may_change,)
            texts = (local_text(sentence), shaping_words(pair.name))
            for box, text in zip(self.boxes, texts, strict=False):
                widgets += [label(text, is_selectable=True), box]
                box.toggled.connect(self.changed)
        self.setLayout(column(*widgets))
        if not self.boxes:
            self.hide()

    @property
    def has_agreed(self) -> bool:
        """Whether every box is ticked."""
        return all(box.isChecked() for box in self.boxes)

    @property
    def consent(self) -> OwnHostsConsent:
        """The user's consent."""
        ticked = {box for box in self.boxes if box.isChecked()}
        return OwnHostsConsent(
            may_change=self.may_change in ticked, may_shape=self.may_shape in ticked, pair=self._pair
        )
