"""Table of all pairs that had a deployment, with their status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QColor, QIcon

from app.domain.deployment import Deployment, DeploymentState
from app.domain.deployment_status import PairStatus
from app.domain.hosts import PairSpec
from app.wording.titles import local_title
from ui.common.data_table import DataTable
from ui.common.deployment_states import moment, state_appearance
from ui.common.texts import NONE, ms, pct, tr
from ui.common.theme import Theme
from ui.common.verdicts import Appearance, verdict_appearance

PAIR, WHAT, SINCE, STATE, TUNNEL, RTT, LOSS, VERDICT, WATCH = range(9)
_MOST_LINES = 6
_LEAST_WHAT_EM = 12
_ROOMY_EM = 58
"""A narrower table leaves the date and the verdict to the details below it."""


@dataclass(frozen=True, slots=True)
class DeploymentEntry:
    """A pair and its deployments.

    Attributes:
        pair: The pair.
        deployments: All of them, newest first.
    """

    pair: PairSpec
    deployments: tuple[Deployment, ...]

    @property
    def active(self) -> Deployment | None:
        """The current deployment, as stored; None for none."""
        return next((one for one in self.deployments if one.state.is_on_host), None)

    def state(self, status: PairStatus | None) -> DeploymentState | None:
        """Return the state: what the hosts say where they were asked, else what is stored."""
        if status is not None:
            return status.state
        return self.active.state if self.active is not None else None


def by_pair(deployments: Sequence[Deployment]) -> tuple[DeploymentEntry, ...]:
    """Sort deployments by pair; pairs with a current deployment come first."""
    names = dict.fromkeys(one.pair.name for one in deployments)
    pairs = []
    for name in names:
        own = tuple(one for one in deployments if one.pair.name == name)
        pairs.append(DeploymentEntry(own[0].pair, own))
    return tuple(sorted(pairs, key=lambda one: one.active is None))


class DeploymentsTable(DataTable):
    """One line per pair."""

    def __init__(self, theme: Theme) -> None:
        headers = [
            tr("Pair"),
            tr("Deployment"),
            tr("Since"),
            tr("State"),
            tr("Tunnel"),
            tr("RTT now"),
            tr("Loss now"),
            tr("Current verdict"),
            tr("Monitor"),
        ]
        super().__init__(headers, {RTT, LOSS}, tr("Deployed tunnels"))
        self._theme = theme
        self.horizontalHeader().setMinimumSectionSize(48)
        self.size_by_contents()
        self.stretch(WHAT, _LEAST_WHAT_EM)
        self.hide_where_narrow((SINCE, VERDICT), _ROOMY_EM)

    def show_pairs(
        self, pairs: Sequence[DeploymentEntry], statuses: Mapping[str, PairStatus], watched: Mapping[str, bool]
    ) -> None:
        """Show pairs, with what was seen of them since the program started."""
        if self.rowCount() != len(pairs):
            self.setRowCount(len(pairs))
        for nth, one in enumerate(pairs):
            name = one.pair.name
            self._show(nth, one, statuses.get(name), is_watched=watched.get(name, False))
        self.share_width()

    def share_width(self) -> None:
        """Leave room for the scroll bar below the lines where the columns have none beside each other."""
        super().share_width()
        if self.rowCount():
            is_wide = self.horizontalHeader().length() > self.viewport().width()
            bar_px = self.horizontalScrollBar().sizeHint().height() if is_wide else 0
            self.setFixedHeight(self.height_for_px(min(self.rowCount(), _MOST_LINES)) + bar_px)

    def _show(self, nth: int, one: DeploymentEntry, status: PairStatus | None, *, is_watched: bool) -> None:
        active = one.active
        appearance = _appearance(one, status)
        verdict = status.verdict if status is not None else active.verdict if active is not None else None
        texts = {
            PAIR: one.pair.name,
            WHAT: local_title(active.title) if active is not None else tr("none"),
            SINCE: moment(active.confirmed_at or active.state_at) if active is not None else NONE,
            STATE: appearance.word,
            TUNNEL: tunnel_word(status),
            RTT: ms(mean_rtt_ms(status)),
            LOSS: pct(worst_loss_pct(status)),
            VERDICT: verdict_appearance(verdict).word if verdict is not None else NONE,
            WATCH: tr("on") if is_watched else tr("off"),
        }
        self.show_row(nth, texts.values(), has_tips=True)  # all columns, in their order
        is_down = status is not None and has_lost(status)
        role = "muted" if is_down and appearance.role == "good" else appearance.role
        self.cell(nth, STATE).setIcon(self._theme.icon(appearance.icon, role))
        self._show_tunnel(nth, status, is_down=is_down)
        seen = verdict_appearance(verdict) if verdict is not None else None
        icon = self._theme.icon(seen.icon, seen.role) if seen is not None else QIcon()
        self.cell(nth, VERDICT).setIcon(icon)

    def _show_tunnel(self, nth: int, status: PairStatus | None, *, is_down: bool) -> None:
        """Show the worst news with the strongest sign."""
        colours, cell = self._theme.colours, self.cell(nth, TUNNEL)
        icon, role = ("error", "bad") if is_down else ("check", "good")
        is_known = status is not None and cell.text() != NONE
        cell.setIcon(self._theme.icon(icon, role) if is_known else QIcon())
        cell.setForeground(QColor(colours.bad if is_down else colours.text))
        font = cell.font()
        font.setBold(is_down)
        cell.setFont(font)


def _appearance(one: DeploymentEntry, status: PairStatus | None) -> Appearance:
    """Return how the state is shown: without a tick until a host has reported it."""
    state = one.state(status)
    if status is None and state is DeploymentState.CONFIRMED:
        return Appearance("", tr("active"), "muted")
    return state_appearance(state)


def identity_of(deployment: Deployment | None) -> tuple[str, DeploymentState] | None:
    """Return which deployment it is, and in which state; None for none."""
    return (deployment.id, deployment.state) if deployment is not None else None


def is_news(one: DeploymentEntry | None, status: PairStatus) -> bool:
    """Whether the hosts' status changes what is stored of a pair."""
    if one is None:
        return False
    if status.deployment is None:
        is_nothing = status.state is None and status.a.is_reachable and status.b.is_reachable
        return is_nothing and one.active is not None
    known = next((each for each in one.deployments if each.id == status.deployment.id), None)
    return known is None or known.state is not status.deployment.state


def has_lost(status: PairStatus) -> bool:
    """Return whether a tunnel that should be up is down, or a host cannot be asked."""
    is_wanted = status.deployment is not None or status.state is not None
    is_reachable = status.a.is_reachable and status.b.is_reachable
    are_fine = all(end.is_up or end.is_waiting for end in (status.a, status.b))
    return not is_reachable or (is_wanted and not are_fine)


def tunnel_word(status: PairStatus | None) -> str:
    """Return whether the tunnel is up."""
    if status is None:
        return tr("not checked")
    if not (status.a.is_reachable and status.b.is_reachable):
        return tr("unreachable")
    if status.deployment is None and status.state is None:
        return NONE
    if status.a.is_looped or status.b.is_looped:
        return tr("up, but LANs parted (loop)")
    if status.a.is_waiting and status.b.is_waiting:
        return tr("not confirmed yet")
    return tr("up") if status.a.is_up and status.b.is_up else tr("down")


def mean_rtt_ms(status: PairStatus | None) -> float | None:
    """Return the mean of what both hosts see."""
    seen = [end.rtt_ms for end in (status.a, status.b) if end.rtt_ms is not None] if status is not None else []
    return sum(seen) / len(seen) if seen else None


def worst_loss_pct(status: PairStatus | None) -> float | None:
    """Return the worse of what both hosts see."""
    seen = [end.loss_pct for end in (status.a, status.b) if end.loss_pct is not None] if status is not None else []
    return max(seen, default=None)
