"""Question before a census: which VPNs, how many pings, and how long it will take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QSpinBox, QWidget

from app.domain.census import CensusPlan
from app.measurement.census.planning import GUESS_S
from ui.common.basics import inset_text, label, label_for, row
from ui.common.dialogs import Question
from ui.common.texts import count, duration, tr
from ui.common.tips import enable

if TYPE_CHECKING:
    from app.discovery.pair_discovery import Discovery
    from app.measurement.census.stored import CensusOptions, CensusResults

_MOST_PINGS = 1_000


@dataclass(frozen=True, slots=True)
class Offer:
    """Options that could be tried on the hosts, and whether an unfinished census of them exists."""

    found: Discovery
    plan: CensusPlan
    is_resumed: bool


def each_s(shown: CensusResults | None, plan: CensusPlan) -> float:
    """Return what an option took on the same pair, in seconds, else a guess."""
    is_same = shown is not None and shown.record.pair.name == plan.pair.name
    took = [one.took_s for one in shown.record.results] if shown is not None and is_same else []
    return sum(took) / len(took) if sum(took) else GUESS_S


class CensusDialog(Question):
    """Number of options per VPN with a box each, pings, and an estimate.

    Args:
        plan: Everything that could be tried on these hosts.
        each_s: What an option takes, in seconds.
        is_resumed: Whether an unfinished census of all this is there.
    """

    def __init__(self, parent: QWidget, plan: CensusPlan, each_s: float, *, is_resumed: bool) -> None:
        name = plan.pair.name
        title = tr("Resume the census of %1?") if is_resumed else tr("Try the ciphers of %1?")
        text = tr(
            "Each option sends pings and about a second of TCP over the link between the two hosts. Weak "
            "options are used for test traffic only, and removed immediately."
        )
        yes = tr("Resume") if is_resumed else tr("Start")
        super().__init__(parent, title.replace("%1", name), text, yes, tr("Cancel"), "key")
        self._plan, self._each_s = plan, each_s
        self.boxes: dict[str, QCheckBox] = {}
        for solution in plan.solutions:
            number = sum(item.solution == solution for item in plan.items)
            box = QCheckBox(f"{solution}: {_options(number)}")
            box.setChecked(True)
            box.toggled.connect(self._estimate)
            self.boxes[solution] = box
            self.body.addWidget(box)
        self.pings = QSpinBox()
        inset_text(self.pings)
        self.pings.setRange(1, _MOST_PINGS)
        self.pings.setValue(plan.pings)
        self.body.addLayout(row(label_for(tr("Pings per option"), self.pings), self.pings, 0))
        self.estimate = label("", "strong")
        self.body.addWidget(self.estimate)
        self._estimate()

    def options(self) -> CensusOptions:
        """Return what was chosen."""
        from app.measurement.census.stored import CensusOptions

        chosen = tuple(name for name, box in self.boxes.items() if box.isChecked())
        everything = len(chosen) == len(self.boxes)
        return CensusOptions(solutions=() if everything else chosen, pings=self.pings.value(), has_load_consent=True)

    def _estimate(self) -> None:
        number = sum(self.boxes[item.solution].isChecked() for item in self._plan.items)
        time = duration(number * self._each_s)
        self.estimate.setText(tr("%1, about %2").replace("%1", _options(number)).replace("%2", time))
        enable(self.yes, is_on=number > 0, reason=tr("Tick a VPN."))


def _options(number: int) -> str:
    return tr("1 option") if number == 1 else tr("%1 options").replace("%1", count(number))
