"""Questions before a part of a study is measured, and before a run of one is stopped."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QCheckBox, QWidget

from app.measurement.lab_study import LabPartState, LabStudy
from app.ranking.study_parts import PART_TITLES, PartState
from app.wording.messages import local_text
from ui.common.basics import label
from ui.common.dialogs import Question
from ui.common.operations import Operation
from ui.common.texts import count, duration, tr
from ui.common.tips import enable
from ui.studies.own_hosts import OwnHostsForm


@dataclass(frozen=True, slots=True)
class _Words:
    """Texts of a question.

    Attributes:
        title: Whether to measure it.
        text: What happens then.
        fresh: That what has a result is measured again.
        whole: Why this cannot be declined.
        amount: Numbers `%1` of `%2`, which take about `%3`.
    """

    title: str
    text: str
    fresh: str
    whole: str
    amount: str


class StudyQuestion(Question):
    """An estimate, and whether what has a result is measured again.

    Args:
        words: Its texts.
        part: What is to be measured.
        own: What the user agrees to on hosts of their own.
    """

    def __init__(self, parent: QWidget, words: _Words, part: LabPartState, own: OwnHostsForm) -> None:
        super().__init__(parent, words.title, words.text, tr("Start"), tr("Cancel"), "study")
        self.own = own
        self._part, self._amount = part, words.amount
        self.fresh = QCheckBox(words.fresh)
        if part.is_whole:
            self.fresh.setChecked(True)
            enable(self.fresh, is_on=False, reason=words.whole)
        self.fresh.toggled.connect(self._estimate)
        self.body.addWidget(self.fresh)
        self.fresh.setVisible(part.measured > 0)
        self.estimate = label("", "strong")
        self.body.addWidget(self.estimate)
        self.body.addWidget(own)
        own.changed.connect(self._offer)
        self._offer()
        self._estimate()

    def _offer(self) -> None:
        enable(self.yes, is_on=self.own.has_agreed, reason=tr("Tick the boxes to agree to what is changed."))

    @property
    def is_fresh(self) -> bool:
        """Whether all is measured, also what has a result."""
        return self.fresh.isChecked()

    def _estimate(self) -> None:
        part = self._part
        number = part.total if self.is_fresh else part.total - part.measured
        text = self._amount.replace("%1", count(number)).replace("%2", count(part.total))
        self.estimate.setText(text.replace("%3", duration(part.all_s if self.is_fresh else part.left_s)))


class StudyDialog(StudyQuestion):
    """Question before transfers are measured: how many, and how long they take.

    Args:
        place: Name of the pair, and what its nodes are where they are no namespaces.
        part: What is to be measured.
        own: What the user agrees to on hosts of their own.
    """

    def __init__(self, parent: QWidget, place: str, part: PartState, own: OwnHostsForm) -> None:
        text = tr(
            "%1. Each transfer moves 30 MB between nodes behind the gateways over an emulated satellite link. It can "
            "be stopped and resumed: each result is stored as soon as there is one."
        )
        words = _Words(
            tr("Measure %1 on %2?").replace("%1", part.name).replace("%2", place),
            text.replace("%1", local_text(PART_TITLES[part.name])),
            tr("Measure transfers again that have a time"),
            tr("Every transfer of this part has a time."),
            tr("%1 of %2 transfers, about %3"),
        )
        state = LabPartState(part.name, len(part.cells), part.measured, part.all_s, part.left_s)
        super().__init__(parent, words, state, own)


class LabStudyDialog(StudyQuestion):
    """Question before a part of a study of its own kind is measured: how much, and how long it takes.

    Args:
        place: Name of the pair, and what its nodes are where they are no namespaces.
        study: The study.
        part: What is to be measured.
        own: What the user agrees to on hosts of their own.
    """

    def __init__(self, parent: QWidget, place: str, study: LabStudy, part: LabPartState, own: OwnHostsForm) -> None:
        text = tr(
            "Tunnels are built in turn on both hosts of the lab, and removed again. It can be stopped and "
            "resumed: each result is stored as soon as there is one."
        )
        if own.boxes:
            text = tr("It can be stopped and resumed: each result is stored as soon as there is one.")
        if study.within_s is not None:
            time = tr("After a restart of the hub its clients have %1 s to be back.")
            text = f"{text} {time.replace('%1', count(study.within_s))}"
        words = _Words(
            tr("Measure %1, %2 on %3?").replace("%1", study.name).replace("%2", part.name).replace("%3", place),
            text,
            tr("Measure again what has a result"),
            tr("Everything in this part has a result."),
            tr("%1 of %2 measurements, about %3"),
        )
        super().__init__(parent, words, part, own)


def ask_stop(parent: QWidget, run: Operation | None) -> None:
    """Ask whether a run is stopped; both hosts are restored then."""
    Question(
        parent,
        tr("Stop the study?"),
        tr("What is being measured is stopped and both hosts are restored. The study can be resumed."),
        tr("Stop"),
        tr("Continue"),
        "warning",
    ).ask(lambda: run.cancel() if run is not None else None)
