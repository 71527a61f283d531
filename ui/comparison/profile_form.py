"""Choice of the test profile."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFormLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.profiles import PROFILES, Profile, ProfileName
from app.measurement.options import RunOptions
from ui.common.basics import column, label
from ui.common.folding import FoldingRow
from ui.common.number_boxes import decimal_box, whole_box
from ui.common.texts import count, tr
from ui.common.theme import GRID
from ui.common.tips import set_tip


class ProfileForm(QWidget):
    """Adaptive, quick, standard, paper or custom, and what a VPN must reach to be recommended."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self._radios: dict[ProfileName, QRadioButton] = {}
        layout = column(spacing_px=GRID // 2)
        self.setLayout(layout)
        for name, text in (
            (ProfileName.ADAPTIVE, tr("&Adaptive: until the order is known")),
            (ProfileName.QUICK, tr("&Quick: one round")),
            (ProfileName.STANDARD, tr("S&tandard: three rounds, with intervals")),
            (ProfileName.PAPER, tr("&Paper: as the published study measured")),
            (ProfileName.CUSTOM, tr("C&ustom")),
        ):
            radio = QRadioButton(text)
            if name in PROFILES:
                set_tip(radio, _words(PROFILES[name]))
            self._group.addButton(radio)
            self._radios[name] = radio
            layout.addWidget(radio)
            if name is ProfileName.ADAPTIVE:
                self._add_budget(layout)
        self._add_custom(layout)
        self._add_demands(layout)
        self._group.buttonToggled.connect(self._on_edit)
        self._is_filling = False
        self.show_options(RunOptions(PROFILES[ProfileName.ADAPTIVE]))

    def _add_budget(self, layout: QVBoxLayout) -> None:
        self.budget = decimal_box(tr("Longest time for measuring in minutes"), 0.5, 600, 0.5, tr(" min"))
        self.budget.valueChanged.connect(self._on_edit)
        self._budget = QWidget()
        form = QFormLayout(self._budget)
        form.setContentsMargins(3 * GRID, 0, 0, 0)
        form.addRow(tr("Measure for at most"), self.budget)
        layout.addWidget(self._budget)

    def _add_custom(self, layout: QVBoxLayout) -> None:
        self.pings = whole_box(tr("Pings per frame size"), 10, 1_000_000, 200)
        self.seconds = whole_box(tr("Seconds of TCP per direction"), 1, 3_600, 3)
        self.rounds = whole_box(tr("Rounds"), 1, 100, 1)
        self._custom = QWidget()
        form = QFormLayout(self._custom)
        form.setContentsMargins(3 * GRID, 0, 0, 0)
        for text, box in (
            (tr("Pings per frame size"), self.pings),
            (tr("TCP per direction, s"), self.seconds),
            (tr("Rounds"), self.rounds),
        ):
            box.setGroupSeparatorShown(True)
            form.addRow(text, box)
            box.valueChanged.connect(self._on_edit)
        layout.addWidget(self._custom)

    def _add_demands(self, layout: QVBoxLayout) -> None:
        self.has_deadline = QCheckBox(tr("95 % of the replies must come within"))
        self.deadline = decimal_box(tr("Deadline of a reply in ms"), 0.1, 10_000, 10, tr(" ms"))
        self.has_min_rate = QCheckBox(tr("Each direction must carry at least"))
        name = tr("Throughput that each direction must carry in Mbit/s")
        self.min_rate = decimal_box(name, 0.1, 100_000, 10, tr(" Mbit/s"))
        for has, box in ((self.has_deadline, self.deadline), (self.has_min_rate, self.min_rate)):
            has.toggled.connect(self._on_edit)
            box.valueChanged.connect(self._on_edit)
            layout.addWidget(FoldingRow((has,), (box,), 0))
        layout.addWidget(label(tr("VPNs that do not meet these demands are measured, but not recommended.")))

    def current(self) -> QRadioButton:
        """Return the chosen button."""
        return next(radio for radio in self._radios.values() if radio.isChecked())

    def is_adaptive(self) -> bool:
        """Whether the chosen profile measures until the order is known."""
        return self._radios[ProfileName.ADAPTIVE].isChecked()

    def choose(self, name: ProfileName) -> None:
        """Choose a profile."""
        self._radios[name].setChecked(True)

    def show_options(self, options: RunOptions) -> None:
        """Fill in what was chosen before."""
        self._is_filling = True
        profile = options.profile
        self._radios[profile.name].setChecked(True)
        adaptive = profile if profile.is_adaptive else PROFILES[ProfileName.ADAPTIVE]
        self.budget.setValue((adaptive.budget_s or 0) / 60)
        if not profile.is_adaptive:
            self.pings.setValue(profile.pings)
            self.seconds.setValue(profile.seconds)
            self.rounds.setValue(profile.rounds)
        self.has_deadline.setChecked(options.deadline_ms is not None)
        if options.deadline_ms is not None:
            self.deadline.setValue(options.deadline_ms)
        self.has_min_rate.setChecked(options.min_rate_mbit_s is not None)
        if options.min_rate_mbit_s is not None:
            self.min_rate.setValue(options.min_rate_mbit_s)
        self._is_filling = False
        self._enable()

    def options(self, base: RunOptions) -> RunOptions:
        """Return the selected profile; load limits are those of `base`."""
        name = next(name for name, radio in self._radios.items() if radio.isChecked())
        profile = PROFILES.get(name) or Profile(
            ProfileName.CUSTOM, self.pings.value(), self.seconds.value(), self.rounds.value()
        )
        if profile.is_adaptive:
            profile = self._limited(base.profile if base.profile.is_adaptive else profile)
        return replace(
            base,
            profile=profile,
            deadline_ms=self.deadline.value() if self.has_deadline.isChecked() else None,
            min_rate_mbit_s=self.min_rate.value() if self.has_min_rate.isChecked() else None,
        )

    def _limited(self, profile: Profile) -> Profile:
        """Return an adaptive profile with the time that is entered; as it is where that shows its own, rounded."""
        if self.budget.value() == round((profile.budget_s or 0) / 60, self.budget.decimals()):
            return profile
        return replace(profile, budget_s=60 * self.budget.value())

    def _enable(self) -> None:
        self._budget.setVisible(self._radios[ProfileName.ADAPTIVE].isChecked())
        self._custom.setVisible(self._radios[ProfileName.CUSTOM].isChecked())
        self.deadline.setEnabled(self.has_deadline.isChecked())
        self.min_rate.setEnabled(self.has_min_rate.isChecked())

    def _on_edit(self) -> None:
        if not self._is_filling:
            self._enable()
            self.edited.emit()


def _words(profile: Profile) -> str:
    if profile.budget_s is not None:
        return tr(
            "Blocks of all candidates in turn, at most %1 rounds and %2 min of measuring",
            profile.rounds,
            f"{profile.budget_s / 60:g}",
        )
    return tr(
        "%1 pings per size, %2 s of TCP per direction, rounds: %3",
        count(profile.pings),
        profile.seconds,
        profile.rounds,
    )
