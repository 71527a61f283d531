"""Deployed tunnels page: the deployments of each pair, their status, and actions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.deployment.contact import only_host
from app.deployment.monitor_log import MonitorLine
from app.deployment.slots import replaced_by_next
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment
from app.domain.deployment_status import PairStatus
from app.domain.progress import ProgressSink
from app.services.interfaces.deployments import AUDIT_KINDS
from app.wording.messages import local_text
from ui.common.basics import row
from ui.common.colours import LIGHT
from ui.common.context import PageContext
from ui.common.deployment_preset import Wanted
from ui.common.dialogs import Question
from ui.common.file_dialogs import ask_save
from ui.common.icons import make_icon
from ui.common.notices import Actions
from ui.common.page import BusyLine, Page
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.deployments.actions import (
    Proposal,
    again_proposal,
    keep_task,
    one_host_removal_proposal,
    removal_proposal,
    rotate_proposal,
)
from ui.deployments.cleanup import Cleaner
from ui.deployments.deployments_table import DeploymentEntry, DeploymentsTable, by_pair, identity_of, is_news
from ui.deployments.desktop_notification import Notifier
from ui.deployments.detail_view import DeploymentDetail
from ui.deployments.monitor import Watcher
from ui.deployments.repair import Repairs, half_words, repair_task
from ui.deployments.single_host_rollback import nothing_left_words
from ui.deployments.view_switch import AreaSwitch

if TYPE_CHECKING:
    from ui.deployments.deploy_page import DeployServices


@dataclass(frozen=True, slots=True)
class _StoredDeployments:
    deployments: tuple[Deployment, ...]
    audit: tuple[AuditEntry, ...]


class DeploymentsPage(Page):
    """A table of pairs, and everything about the selected one below it."""

    deploy_asked = Signal()
    """A new deployment is requested."""
    replace_asked = Signal(object)
    """Carries a `Wanted`: the deployment to replace."""
    task_asked = Signal(object)
    """Carries a `DeploymentTask` to run on the deploy page."""
    repair_begun = Signal(object)
    """Carries a `DeploymentTask` to run while this page is shown."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context, tr("Deployed tunnels"))
        self._pairs: tuple[DeploymentEntry, ...] = ()
        self._wanted = self._wanted_deployment = ""
        self.statuses: dict[str, PairStatus] = {}
        self._notifier: Notifier | None = None
        self._is_notice_new = False
        self.switch = AreaSwitch("deployments")
        self.switch.other_asked.connect(self.deploy_asked)
        self.busy = BusyLine()
        self.watcher = Watcher(context)
        self.repairs = Repairs()
        self.cleaner = Cleaner(context)
        self.table = DeploymentsTable(context.theme)
        self.table.itemSelectionChanged.connect(self._show_selected)
        self.table.itemActivated.connect(self.refresh)
        self.detail = DeploymentDetail(context.theme)
        self._lay_out()
        self._connect()
        self._show_rows(is_there=False)

    def _lay_out(self) -> None:
        self.body.setSpacing(GRID)
        self.body.removeWidget(self.title)
        self.title.setWordWrap(False)
        self.body.insertLayout(0, row(self.title, 2 * GRID, self.switch, 0))
        self.body.addWidget(self.busy)
        self.body.addWidget(self.table)
        self.body.addWidget(self.detail, 1)
        self.body.addStretch(0)

    def _connect(self) -> None:
        detail = self.detail
        detail.refresh.clicked.connect(self.refresh)
        detail.watch.clicked.connect(self._on_watch)
        detail.remove.clicked.connect(self._ask_removal)
        detail.replace.clicked.connect(self._replace)
        detail.rotate.clicked.connect(self._ask_rotate)
        detail.repair.clicked.connect(self._repair)
        detail.confirm.clicked.connect(self._confirm)
        detail.earlier.again_asked.connect(self._ask_again)
        detail.audit.export_asked.connect(self._ask_audit_file)
        detail.now.limits_changed.connect(self._take_limits)
        self.watcher.inspected.connect(self._on_inspected)
        self.watcher.reported.connect(self._on_reported)
        self.cleaner.inspected.connect(self._on_inspected)
        self.cleaner.reported.connect(self._show_contact)
        self.context.theme.changed.connect(self._refresh)

    # --- the page's life ----------------------------------------------------------------------------------------------

    @property
    def _services(self) -> DeployServices:
        return cast("DeployServices", self.context.services)

    @property
    def selected(self) -> DeploymentEntry | None:
        """The pair of the selected line."""
        nth = self.table.currentRow()
        return self._pairs[nth] if 0 <= nth < len(self._pairs) else None

    def _pair(self, name: str) -> DeploymentEntry | None:
        return next((one for one in self._pairs if one.pair.name == name), None)

    def enter(self) -> None:
        """Read what is stored; no host is asked."""
        self.switch.show_area()
        if not self._is_notice_new:
            self.notice.clear()
        self._is_notice_new = False
        self._read()

    def take_pairs(self) -> None:
        """Show other pairs."""
        self.enter()

    def want(self, pair_name: str, deployment_id: str = "") -> None:
        """Select a pair, and a past deployment of it, as soon as the page is entered."""
        self._wanted, self._wanted_deployment = pair_name, deployment_id

    def _read(self) -> None:
        if self.operation is not None and self.operation.is_running:
            return
        services = self._services
        self.start(
            tr("Reading deployments"),
            lambda _token, _report: _StoredDeployments(services.deployments(), services.audit_log()),
            self._show_stored,
        )

    def first_focus(self) -> QWidget | None:
        """The table."""
        return self.table if self._pairs else self.switch.deploy

    def _show_stored(self, stored: _StoredDeployments) -> None:
        former = self.selected
        self._pairs = by_pair(stored.deployments)
        for one in self._pairs:
            known = self.statuses.get(one.pair.name)
            if known is not None and identity_of(known.deployment) != identity_of(one.active):
                del self.statuses[one.pair.name]  # it belonged to the replaced deployment
        self.detail.audit.show_lines(stored.audit)
        self._show_rows(is_there=bool(self._pairs))
        self._fill_table()
        if not self._pairs:
            self.notice.show_message(
                "info",
                tr("Nothing has been deployed yet."),
                tr(
                    "Compare candidates on a pair first, then deploy the best one from the results. You can "
                    "also deploy now."
                ),
                {tr("Deploy…"): self.deploy_asked.emit},
            )
            return
        names = [one.pair.name for one in self._pairs]
        wanted = self._wanted or (former.pair.name if former is not None else "")
        deployment_id, self._wanted, self._wanted_deployment = self._wanted_deployment, "", ""
        nth = names.index(wanted) if wanted in names else 0
        self.table.selectRow(nth)
        self._show_selected()
        self.detail.show_past(deployment_id)
        if self.switch.deploy.hasFocus():
            self.table.setFocus()

    def _show_rows(self, *, is_there: bool) -> None:
        if is_there and self.table.isHidden():
            self.notice.clear()  # the pair has no deployment
        self.table.setVisible(is_there)
        self.detail.setVisible(is_there)

    # --- inspection ---------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Ask both hosts of the selected pair."""
        one = self.selected
        if one is None:
            return
        services, pair = self._services, one.pair
        if self.watcher.is_being_changed(pair.name):
            self.status_reported.emit(tr("A deployment is running on this pair. Wait until it has finished."))
            return

        def job(token: CancelToken, _report: ProgressSink) -> PairStatus:
            return services.status(pair, token=token)

        self.notice.clear()
        self.start(tr("Inspecting %1", pair.name), job, self._take_status, busy=self.busy)

    def _take_status(self, status: PairStatus) -> None:
        silent = [end.label for end in (status.a, status.b) if not end.is_reachable]
        self.status_reported.emit(
            tr("Unreachable: %1", ", ".join(silent)) if silent else tr("Both hosts were inspected")
        )
        self._on_inspected(status.pair, status)

    def _on_inspected(self, name: str, status: PairStatus | None) -> None:
        if status is not None:
            self.statuses[name] = status
        self._fill_table()
        if self.selected is not None and self.selected.pair.name == name:
            self._show_selected()
        if status is not None:
            if is_news(self._pair(status.pair), status):
                self._read()
            self._repair_at_contact(status)

    def _on_watch(self) -> None:
        one = self.selected
        if one is None:
            return
        if self.watcher.is_watching(one.pair.name):
            self.watcher.rest(one.pair.name)
        else:
            self._take_limits()
            self.watcher.watch(one.pair)
        self._refresh()

    def _take_limits(self) -> None:
        self.watcher.limits = self.detail.now.limits

    def _on_reported(self, name: str, line: MonitorLine) -> None:
        self.status_reported.emit(f"{name}: {local_text(line.text)}")
        if line.is_bad:
            self.notifier.notify(tr("Tunnelmark: %1", name), local_text(line.text))

    @property
    def notifier(self) -> Notifier:
        """Notifications of the desktop."""
        if self._notifier is None:
            self._notifier = Notifier(self.window(), make_icon("app", LIGHT.accent, 0.0, 64))
        return self._notifier

    def _refresh(self) -> None:
        self._fill_table()
        self._show_selected()

    def _fill_table(self) -> None:
        watched = {one.pair.name: self.watcher.is_watching(one.pair.name) for one in self._pairs}
        self.table.show_pairs(self._pairs, self.statuses, watched)

    def _show_selected(self) -> None:
        one = self.selected
        if one is None:
            return
        name = one.pair.name
        self.detail.show_pair(
            one,
            self.statuses.get(name),
            self.watcher.log(name),
            is_watched=self.watcher.is_watching(name),
            is_repair_needed=self.repairs.waits_for_user(one.active)
            or self.cleaner.has_failed(self.statuses.get(name)),
        )

    # --- doing --------------------------------------------------------------------------------------------------------

    def _ask_removal(self) -> None:
        one = self.selected
        if one is None or one.active is None:
            return
        alone = only_host(self.statuses.get(one.pair.name))
        if alone is None:
            self._ask(removal_proposal(self._services, one.pair, one.active))
        elif alone.can_be_removed:
            self._ask(one_host_removal_proposal(self._services, one.pair, one.active, alone))
        else:
            self.notice.show_message("info", *nothing_left_words(one.active, alone))

    def _ask_rotate(self) -> None:
        one = self.selected
        if one is not None and one.active is not None:
            self._ask(rotate_proposal(self._services, one.pair, one.active))

    def _ask_again(self, former: Deployment) -> None:
        one, within_s = self._pair(former.pair.name), self.context.preferences.confirm_within_s
        replaced = replaced_by_next(former.pair, one.deployments) if one is not None else None
        self._ask(again_proposal(self._services, former, replaced, confirm_within_s=within_s))

    def _repair(self) -> None:
        self._repair_pair(self.selected.pair.name if self.selected is not None else "")

    def _repair_pair(self, name: str) -> None:
        one = self._pair(name)
        if one is None:
            return
        status = self.statuses.get(name)
        if status is not None and status.unfinished:
            self.cleaner.clean(one.pair, status)
        elif one.active is not None:
            self.repairs.attempts.note(name, one.active)
            self.task_asked.emit(repair_task(self._services, one.pair, one.active))

    def _repair_at_contact(self, status: PairStatus) -> None:
        """Finish a pending removal. Otherwise offer a repair: the other side may have been removed on purpose."""
        one = self._pair(status.pair)
        half = status.deployment
        if one is not None and self.cleaner.is_due(status) and not self.watcher.is_being_changed(status.pair):
            self.cleaner.clean(one.pair, status)
        if one is None or half is None or not self.repairs.is_due(status):
            return
        if not half.is_ending:
            actions = {tr("Repair"): lambda: self._repair_pair(status.pair)}
            self._show_contact("caution", *half_words(status.pair), actions)
            return
        title = tr("%1 is being repaired.", status.pair)
        self._show_contact("info", title, local_text(status.repair_text), {tr("Show"): self.deploy_asked.emit})
        self.repair_begun.emit(repair_task(self._services, one.pair, half))
        self.repairs.running = status.pair
        self._show_selected()

    def _show_contact(self, kind: str, title: str, text: str, actions: Actions | None = None) -> None:
        """Report the outcome of a contact with the hosts; the notice remains until the user has seen it."""
        self.notice.show_message(kind, title, text, actions)
        self.status_reported.emit(title)
        self._is_notice_new = not self.isVisible()
        self._show_selected()

    def on_deployment_changed(self) -> None:
        """A change on the deploy page: a repair may have finished."""
        name = self.repairs.running
        if not name or self.watcher.is_being_changed(name):
            return
        self.repairs.running = ""
        if self.selected is not None and self.selected.pair.name == name:
            self.refresh()
        else:
            self._read()

    def _confirm(self) -> None:
        one = self.selected
        if one is None or one.active is None:
            return
        self.task_asked.emit(keep_task(self._services, one.pair, one.active))

    def _ask(self, proposal: Proposal) -> None:
        question = Question(self.window(), proposal.title, proposal.text, proposal.yes, tr("Leave as it is"))
        question.ask(lambda: self.task_asked.emit(proposal.task))

    def _replace(self) -> None:
        one = self.selected
        if one is None or one.active is None:
            return
        active = one.active
        key = (active.solution, active.suite)
        self.replace_asked.emit(Wanted(one.pair, key, active.title, active.options))

    # --- files --------------------------------------------------------------------------------------------------------

    def _ask_audit_file(self) -> None:
        filters = {kind: f"{kind.upper()} (*.{kind})" for kind in AUDIT_KINDS}
        ask_save(self, tr("Save the audit log"), filters, self.write_audit, name="audit")

    def write_audit(self, path: Path) -> None:
        """Write the audit log; its kind follows from the ending."""
        services = self._services
        self.start(
            tr("Writing the audit log"),
            lambda _token, _report: services.write_audit(path),
            lambda written: self.notice.show_message("done", tr("Audit log written."), str(written)),
            busy=self.busy,
        )
