"""Settings of a deployment: form, firewalls, the buttons of its three stages, and the dry run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.discovery.pair_discovery import Discovery
from app.domain.deployment import Deployment, DeploymentOptions, DryRun, LanPort
from app.domain.solutions import BASELINE
from ui.common.basics import button, column, label, row, set_variant
from ui.common.deployment_preset import Key
from ui.common.firewall_consent import FirewallConsent
from ui.common.icons import set_icon
from ui.common.texts import tr
from ui.common.theme import GRID, Theme
from ui.common.tips import enable
from ui.deployments.deploy_form import DeploymentForm
from ui.deployments.dry_run_view import DryRunView

Choice = tuple[str, Key | None, DeploymentOptions]
"""Pair, solution and suite, and the rest: a dry run is of one of these."""

_LEAST_VIEW_PX = 168
"""Form and dry run are scrolled where they have less height together."""


class DeploymentSetup(QWidget):
    """Form and dry run; the button of the next stage is the primary one."""

    def __init__(
        self,
        theme: Theme,
        on_inspect: Callable[[], None],
        on_preview: Callable[[], None],
        on_deploy: Callable[[], None],
    ) -> None:
        super().__init__()
        self._theme = theme
        self._run_of: Choice | None = None
        self.discovery: Discovery | None = None
        self.dry_run: DryRun | None = None
        self.form = DeploymentForm()
        self.ask_hosts = button(tr("Inspect bot&h hosts"), "host", on_click=on_inspect)
        self.preview = button(tr("&Dry run"), "search", variant="primary", on_click=on_preview)
        self.deploy = button(tr("Depl&oy"), "deployment", on_click=on_deploy)
        self.hint = label("", "muted")
        self.firewalls = FirewallConsent()
        self.firewalls.measuring.hide()
        self.firewalls.changed.connect(self._on_consent)
        self.view = DryRunView(theme)
        self.empty = label("", "muted")
        self.form.changed.connect(self._on_choice)
        self._lay_out()
        self._on_choice()

    def _lay_out(self) -> None:
        actions = row(self.ask_hosts, self.preview, self.deploy, GRID, (self.hint, 1))
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.view.setMinimumHeight(_LEAST_VIEW_PX)
        self.view.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.setLayout(column(self.form, self.firewalls, actions, (self.view, 1), (self.empty, 1)))

    def event(self, event: QEvent) -> bool:
        """Keep the form as high as its lines need at this width: the page around it does not ask for that."""
        result = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize) and self.form.hasHeightForWidth():
            self.form.setMinimumHeight(self.form.heightForWidth(self.width()))
        return result

    @property
    def choice(self) -> Choice:
        """The current settings."""
        pair = self.form.pair
        return (pair.name if pair is not None else ""), self.form.key, self.form.options

    @property
    def next_button(self) -> QPushButton | None:
        """The button that leads furthest now; None while none can be used."""
        return next((one for one in (self.deploy, self.preview, self.ask_hosts) if one.isEnabled()), None)

    def show_found(self, discovery: Discovery, ports: Sequence[LanPort]) -> None:
        """Offer what both hosts can do."""
        self.discovery = discovery
        self.form.show_found([one for one in discovery.candidates if one.solution != BASELINE], ports)
        self._show_firewalls()

    def show_run(self, run: DryRun, choice: Choice, replaced: str) -> None:
        """Show a dry run.

        Args:
            run: What would be done.
            choice: What it was of.
            replaced: Title of the deployment whose place would be taken; empty for none.
        """
        self.dry_run, self._run_of = run, choice
        self.view.show_run(run, replaced)
        self.show_actions()

    def show_replaced(self, deployment: Deployment | None) -> None:
        """Show the deployment that would be replaced; None for none."""
        self.form.show_replaced(deployment)
        self.deploy.setText(tr("Depl&oy") if deployment is None else tr("Depl&oy and replace"))
        self.deploy.setAccessibleName(self.deploy.text().replace("&", ""))

    def forget_run(self) -> None:
        """The dry run counts no more."""
        self.dry_run = self._run_of = None

    def show_actions(self) -> None:
        """Show what can be done next."""
        refusal = self.form.refusal
        is_seen = self.dry_run is not None and self._run_of == self.choice
        is_ready = is_seen and self.dry_run is not None and self.dry_run.is_possible and not refusal
        enable(self.preview, is_on=not refusal, reason=refusal)
        enable(
            self.deploy,
            is_on=is_ready,
            reason=refusal or tr("Run the dry run first: it is valid for these settings only."),
        )
        steps = ((self.ask_hosts, "host"), (self.preview, "search"), (self.deploy, "deployment"))
        following = self.ask_hosts if self.discovery is None else self.deploy if is_ready else self.preview
        enable(self.ask_hosts, is_on=self.form.pair is not None, reason=tr("There is no pair."))
        for one, icon in steps:
            set_variant(one, "primary" if one is following else "")
            set_icon(one, icon, "on_accent" if one is following else "text")
            self._theme.dress(one)  # its own colours no longer tell whether the window is dark
        self.view.setVisible(is_seen)
        self.empty.setVisible(not is_seen)
        self.hint.setText(refusal or _next_step(is_seen=is_seen, is_ready=is_ready))
        self.empty.setText(
            tr("Settings changed since the last dry run.")
            if self.dry_run is not None and not refusal
            else tr("The dry run shows every file as a diff and every command with its rollback. It changes nothing.")
        )

    def _on_choice(self) -> None:
        pair = self.form.pair
        if self.discovery is not None and (pair is None or pair.name != self.discovery.pair.name):
            self.discovery = None
            self.form.forget_found()
        self._show_firewalls()
        self.show_actions()

    def _show_firewalls(self) -> None:
        key = self.form.key
        if self.discovery is None or key is None:
            self.firewalls.hide()
        else:
            self.firewalls.show_blocked(self.discovery, key[0])

    def _on_consent(self) -> None:
        if self.discovery is not None:
            pair = replace(self.discovery.pair, may_open_firewall=self.firewalls.may_open)
            self.discovery = replace(self.discovery, pair=pair)
            # The last dry run was without the rules, or with them.
            self._run_of = None
        self.show_actions()


def _next_step(*, is_seen: bool, is_ready: bool) -> str:
    if is_ready:
        return tr("Review the changes, then deploy.")
    if is_seen:
        return tr("Preflight checks failed (see below). Fix them and repeat the dry run.")
    return tr("Next: run the dry run.")
