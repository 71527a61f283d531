"""Stages of a deployment on both hosts, with their state and duration."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtGui import QIcon

from app.deployment.events import DeploymentStage
from app.domain.hosts import PairSpec, Side
from app.wording.local_forms import decimal
from ui.common.data_table import DataTable
from ui.common.texts import NONE, plain_tip, tr
from ui.common.theme import Theme
from ui.deployments.texts import host_name, stage_words

_NAME, _A, _B, _TOOK, _WHAT = range(5)
_COLUMN = {Side.A: _A, Side.B: _B}
_ROOMY_EM = 56
"""In a narrower table what happens is in the tool tip of a stage: the hosts' names have the room."""


@dataclass(slots=True)
class _StageRow:
    state: str = "waiting"
    took_s: float = 0.0
    since_s: float | None = None
    warned: set[Side] = field(default_factory=set)

    def seconds(self) -> float:
        running = time.monotonic() - self.since_s if self.since_s is not None else 0.0
        return self.took_s + running

    def shown_state(self, *sides: Side) -> str:
        """Return the state on these hosts: `warned` for what is done where one of them has a warning."""
        return "warned" if self.state == "done" and self.warned & set(sides) else self.state


_APPEARANCES = {
    "waiting": ("clock", "muted"),
    "running": ("play", "accent"),
    "done": ("check", "good"),
    "warned": ("warning", "legacy"),
    "failed": ("error", "bad"),
    "declined": ("undo", "muted"),
    "skipped": ("skip", "muted"),
}


class StageTable(DataTable):
    """One line per stage, a column per host."""

    def __init__(self, theme: Theme) -> None:
        headers = [tr("Stage"), "A", "B", tr("Took"), tr("What happens")]
        super().__init__(headers, {_TOOK}, tr("Stages"))
        self._theme = theme
        self._labels = dict.fromkeys(Side, "")
        self._details = dict.fromkeys(Side, "")
        self._rows: dict[DeploymentStage, _StageRow] = {}
        self._current: DeploymentStage | None = None
        self._is_removal = False
        self._only: Side | None = None
        self.horizontalHeader().setMinimumSectionSize(64)
        self.size_by_contents(_A, _B)
        self.hide_where_narrow((_WHAT,), _ROOMY_EM)
        theme.changed.connect(self.redraw)

    def begin(self, pair: PairSpec, stages: Sequence[DeploymentStage], only: Side | None = None) -> None:
        """Something begins; nothing has happened yet.

        Args:
            stages: What is to be expected; others are shown when they begin.
            only: The host on which it is done alone; None for both.
        """
        self._labels = {side: pair.host(side).label for side in Side}
        for side, column in _COLUMN.items():
            item = self.horizontalHeaderItem(column)
            if item is not None:
                item.setText(host_name(side, self._labels[side]))
        self._rows = {stage: _StageRow() for stage in stages}
        self._is_removal = DeploymentStage.ROLLBACK in self._rows
        self._only = only
        self._current = None
        self.redraw()

    def enter(self, stage: DeploymentStage, detail: str) -> None:
        """A stage begins, or says more."""
        if stage is not self._current:
            is_rollback = stage is DeploymentStage.ROLLBACK and not self._is_removal
            is_declined = is_rollback and self._current is DeploymentStage.CONFIRM
            self._leave("declined" if is_declined else "failed" if is_rollback else "done")
            self._current = stage
            row = self._rows.setdefault(stage, _StageRow())
            self._rows = {one: self._rows[one] for one in DeploymentStage if one in self._rows}
            row.state, row.since_s = "running", time.monotonic()
            self._details = dict.fromkeys(Side, "")
        mentioned = [side for side, label in self._labels.items() if label and label in detail]
        for side in mentioned if len(mentioned) == 1 else list(Side):
            self._details[side] = (
                "" if detail == self._labels[side] else detail.removeprefix(f"{self._labels[side]}:").strip()
            )
        self.redraw()

    def warn(self, sides: Sequence[Side], stage: DeploymentStage | None = None) -> None:
        """There is a warning about a stage on these hosts; None means the current stage."""
        row = self._rows.get(stage or self._current or DeploymentStage.VERIFY)
        if row is not None:
            row.warned |= set(sides)
            self.redraw()

    def rest(self) -> None:
        """The current stage is done and nothing follows yet."""
        self._leave("done")
        self._current = None
        self.redraw()

    def end(self, *, is_good: bool) -> None:
        """Nothing more happens."""
        has_rolled_back = self._current is DeploymentStage.ROLLBACK and not self._is_removal
        if self._current is None and all(row.state == "waiting" for row in self._rows.values()):
            self._current = next(iter(self._rows), None)  # logging in belongs to the first one, and is not reported
        self._leave("done" if is_good or has_rolled_back else "failed")
        self._current = None
        for row in self._rows.values():
            if row.state == "waiting":
                row.state = "done" if is_good and row.took_s else "skipped"
        self.redraw()

    def state_of(self, stage: DeploymentStage) -> str:
        """Return waiting, running, done, failed, declined or skipped; empty where there is no such stage."""
        row = self._rows.get(stage)
        return row.state if row is not None else ""

    @property
    def failed(self) -> DeploymentStage | None:
        """The stage that failed; None where none did."""
        return next((stage for stage, row in self._rows.items() if row.state == "failed"), None)

    def redraw(self) -> None:
        """Show everything, with the time that has passed."""
        if self.rowCount() != len(self._rows):
            self.setRowCount(len(self._rows))
        words = {
            "waiting": tr("waits"),
            "running": tr("working"),
            "done": tr("done"),
            "warned": tr("done, with a warning"),
            "failed": tr("stopped"),
            "declined": tr("not confirmed"),
            "skipped": tr("not done"),
        }
        for nth, (stage, row) in enumerate(self._rows.items()):
            name, what = stage_words(stage)
            if stage is DeploymentStage.ROLLBACK and self._only is not None:
                what = tr("%1 is rolling back", self._labels[self._only])
            self.cell(nth, _NAME).setText(name)
            self.cell(nth, _NAME).setToolTip(plain_tip(what))
            self.cell(nth, _NAME).setIcon(self._icon(row.shown_state(*Side)))
            for side, column in _COLUMN.items():
                detail = self._details[side] if row.state == "running" else ""
                is_asking = stage is DeploymentStage.CONFIRM and row.state == "running"
                state = row.shown_state(side)
                word = tr("waits for you") if is_asking else words[state]
                is_left_out = self._only not in (None, side)
                self.cell(nth, column).setText(tr("not needed") if is_left_out else detail or word)
                self.cell(nth, column).setToolTip(plain_tip(detail))
                self.cell(nth, column).setIcon(self._icon(state) if state == "warned" else QIcon())
            self.cell(nth, _TOOK).setText(f"{decimal(row.seconds(), 1)} s" if row.seconds() >= 0.05 else NONE)
            self.cell(nth, _WHAT).setText(what)
            self.cell(nth, _WHAT).setToolTip(plain_tip(what))

    def _icon(self, state: str) -> QIcon:
        name, role = _APPEARANCES[state]
        return self._theme.icon(name, role)

    def _leave(self, state: str) -> None:
        row = self._rows.get(self._current) if self._current is not None else None
        if row is not None:
            row.took_s, row.since_s, row.state = row.seconds(), None, state
