"""Question before a census: VPNs, kinds of options, pings, and the time that it will take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QWidget

from app.domain.census import CensusItem, CensusPlan, OptionStatus
from app.domain.solutions import OptionKind
from app.measurement.census.planning import GUESS_S
from ui.census.option_table import kind_word
from ui.common.basics import label, label_for, row
from ui.common.dialogs import Question
from ui.common.number_boxes import whole_box
from ui.common.texts import count, duration, tr
from ui.common.tips import enable

if TYPE_CHECKING:
    from app.discovery.pair_discovery import Discovery
    from app.domain.cancel import CancelToken
    from app.domain.hosts import PairSpec
    from app.domain.progress import ProgressSink
    from app.measurement.census.stored import CensusOptions, CensusResults
    from app.services.wiring import Services

_MOST_PINGS = 1_000


@dataclass(frozen=True, slots=True)
class Offer:
    """Options that can be tried on the hosts.

    Attributes:
        found: Inspection of both hosts.
        plan: All options.
        left: Number of options that an unfinished census of all of them has not tried; None where there is none.
    """

    found: Discovery
    plan: CensusPlan
    left: int | None


def offer_of(services: Services, pair: PairSpec, token: CancelToken, report: ProgressSink) -> Offer:
    """Inspect both hosts and return what can be tried on them."""
    from app.measurement.census.stored import CensusOptions

    services.refuse_if_in_use(pair)  # inspecting hosts disturbs what is measured on them
    found = services.discover(pair, token=token, on_progress=report)
    plan = services.plan_census(found, CensusOptions(has_load_consent=True))
    census_id = services.unfinished_census(found, plan)
    if census_id is None:
        return Offer(found, plan, None)
    tried = sum(one.status is not OptionStatus.NOT_RUN for one in services.census_results(census_id).record.results)
    return Offer(found, plan, len(plan.items) - tried)


def each_s(shown: CensusResults | None, plan: CensusPlan) -> float:
    """Return what an option took on the same pair, in seconds, else a guess."""
    is_same = shown is not None and shown.record.pair.name == plan.pair.name
    took = [one.took_s for one in shown.record.results] if shown is not None and is_same else []
    return sum(took) / len(took) if sum(took) else GUESS_S


class CensusDialog(Question):
    """Options of each VPN and kind with a box each, pings, and an estimate; all of it fixed for what is resumed.

    Args:
        offer: Options that can be tried on these hosts.
        each_s: What an option takes, in seconds.
        titles: Titles of the VPNs by name.
    """

    def __init__(self, parent: QWidget, offer: Offer, each_s: float, titles: Mapping[str, str]) -> None:
        plan = offer.plan
        title = tr("Try the ciphers of %1?", plan.pair.name)
        text = tr(
            "Each option sends pings and about a second of TCP over the link between the two hosts. Weak "
            "options are used for test traffic only, and removed immediately."
        )
        super().__init__(parent, title, text, tr("Start"), tr("Cancel"), "key")
        self._plan, self._left, self._each_s = plan, offer.left, each_s
        self.resume: QCheckBox | None = None
        if offer.left is not None:
            left, whole = count(offer.left), count(len(plan.items))
            self.resume = self._box(tr("Resume the census that was stopped: %1 of %2 options are left", left, whole))
            self.body.addWidget(self.resume)
        self.boxes: dict[str, QCheckBox] = {}
        for solution in plan.solutions:
            number = sum(item.solution == solution for item in plan.items)
            self.boxes[solution] = self._box(f"{titles.get(solution, solution)}: {_options(number)}")
            self.body.addWidget(self.boxes[solution])
        there = [kind for kind in OptionKind if any(item.kind is kind for item in plan.items)]
        self.kinds = {kind: self._box(kind_word(kind)) for kind in there}
        self.body.addLayout(row(label(tr("Kinds"), is_wrapping=False), *self.kinds.values(), 0))
        self.pings = whole_box("", 1, _MOST_PINGS, plan.pings)
        self.body.addLayout(row(label_for(tr("Pings per option"), self.pings), self.pings, 0))
        self.estimate = label("", "strong")
        self.body.addWidget(self.estimate)
        self._estimate()

    @property
    def is_resumed(self) -> bool:
        """Whether the unfinished census is resumed."""
        return self.resume is not None and self.resume.isChecked()

    def options(self) -> CensusOptions:
        """Return what was chosen; all options where the unfinished census is resumed."""
        from app.measurement.census.stored import CensusOptions

        if self.is_resumed:
            return CensusOptions(pings=self._plan.pings, has_load_consent=True)
        items = self._chosen()
        is_everything = len(items) == len(self._plan.items)
        solutions = tuple(dict.fromkeys(item.solution for item in items))
        return CensusOptions(
            solutions=() if is_everything else solutions,
            kinds=() if is_everything else tuple(kind for kind, box in self.kinds.items() if box.isChecked()),
            pings=self.pings.value(),
            has_load_consent=True,
        )

    def _box(self, text: str) -> QCheckBox:
        box = QCheckBox(text)
        box.setChecked(True)
        box.toggled.connect(self._estimate)
        return box

    def _chosen(self) -> list[CensusItem]:
        boxes, kinds = self.boxes, self.kinds
        return [one for one in self._plan.items if boxes[one.solution].isChecked() and kinds[one.kind].isChecked()]

    def _estimate(self) -> None:
        for control in (*self.boxes.values(), *self.kinds.values(), self.pings):
            enable(control, is_on=not self.is_resumed, reason=tr("A census is resumed with the options that it had."))
        number = self._left if self.is_resumed and self._left is not None else len(self._chosen())
        time = duration(number * self._each_s)
        self.estimate.setText(tr("%1, about %2", _options(number), time))
        self.yes.setText(tr("Resume") if self.is_resumed else tr("Start"))
        enable(self.yes, is_on=number > 0 or self.is_resumed, reason=tr("Tick a VPN and a kind."))


def _options(number: int) -> str:
    return tr("1 option") if number == 1 else tr("%1 options", count(number))
