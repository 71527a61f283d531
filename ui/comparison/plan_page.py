"""Step 4: how thoroughly, how long, and every file and command."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QListWidgetItem, QWidget

from app.discovery.pair_discovery import Discovery
from app.domain.conditions import Condition
from app.domain.errors import InputFault, TunnelmarkError
from app.domain.profiles import PROFILES, ProfileName
from app.domain.results import CampaignPlan, PlannedItem
from app.domain.solutions import BASELINE
from app.measurement.choice_checks import check_chosen
from app.measurement.options import RunOptions
from app.measurement.wizard import Step
from app.wording.messages import local_hint, local_sentence, local_text
from app.wording.titles import local_title
from ui.common.basics import Card, ElidedLabel, ScrollPage, column, holder, label
from ui.common.candidate_rows import Key
from ui.common.code_view import CodeView
from ui.common.context import PageContext
from ui.common.operations import Operation
from ui.common.page import Page
from ui.common.splits import split
from ui.common.swatch import swatch_icon
from ui.common.text_list import text_list
from ui.common.texts import NONE, duration, tr
from ui.common.theme import GRID
from ui.common.tips import set_tip
from ui.comparison.condition_form import ConditionForm
from ui.comparison.plan_words import additions, amounts
from ui.comparison.profile_form import ProfileForm
from ui.comparison.workload_form import WorkloadForm

_KEY = Qt.ItemDataRole.UserRole
_LEAST_LIST_PX = 144


class PlanPage(Page):
    """Profile, condition of the link and workloads on the left, files and commands on the right."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("Plan"),
            tr(
                "Nothing has been changed on the hosts so far. These are all files and commands, each with "
                "its rollback. Keys are generated on the host that owns them; secrets are not shown."
            ),
        )
        self.form, self.condition, self.workloads = ProfileForm(), ConditionForm(), WorkloadForm()
        self.form.edited.connect(self._on_edit)
        self.condition.edited.connect(self._on_edit)
        self.workloads.edited.connect(self._on_edit)
        self.total = label("", "figure")
        self.facts = label("", "muted")
        self.candidates = text_list(tr("Candidates of the plan"), is_wrapping=False)
        self.candidates.currentItemChanged.connect(self._on_candidate)
        self.code_title = ElidedLabel(variant="heading")
        self.code = CodeView(context.theme)
        self._previews: dict[Key, tuple[PlannedItem, ...]] = {}
        self._of: tuple[Discovery | None, tuple[Key, ...]] = (None, ())
        self._plan: CampaignPlan | None = None
        self._options: RunOptions | None = None
        self._is_edited = False
        self._planning: Operation | None = None
        self._additions: tuple[Condition | None, tuple[str, ...]] = (None, ())
        self._obstacle = ""
        self._lay_out()

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Make a plan where something has changed."""
        state = self.context.wizard.state
        basis = (state.discovery, state.chosen)
        if basis == self._of and state.plan is not None and state.plan is self._plan:
            self._show_plan(state.plan)  # its end is reckoned from now
            return
        if basis != self._of:
            self._of = basis
            self._previews.clear()
            self._additions = (None, ())
            self._fill_candidates()
        self._show_pair()
        if not self._is_edited:
            profile = PROFILES[self.context.preferences.profile]
            self._show_options(replace(state.options, profile=profile) if state.plan is None else state.options)
        self._replan()

    def restore_options(self) -> None:
        """Show profile, condition, workloads and limits of an earlier comparison."""
        self._is_edited = True
        self._show_pair()  # first: on other hosts than before, other workloads can be ticked
        self._show_options(self.context.wizard.state.options)

    def _show_pair(self) -> None:
        found = self.context.wizard.state.discovery
        if found is not None:
            self.condition.show_pair(found.pair)
            self.workloads.show_pair(found.pair)

    def _show_options(self, options: RunOptions) -> None:
        self.form.show_options(options)
        self.condition.show_options(options)
        self.workloads.show_options(options)

    def take_settings(self) -> None:
        """Preselect another profile, unless one was chosen here."""
        self.enter()

    def first_focus(self) -> QWidget | None:
        """The profile."""
        return self.form.current()

    def can_go_next(self) -> bool:
        """With a plan."""
        return self._plan is not None

    def why_not_next(self) -> str:
        """Return why what was chosen cannot be measured."""
        return self._obstacle or super().why_not_next()

    def next_text(self) -> str:
        """It starts changing the hosts: the button says so."""
        return tr("&Start measuring")

    def go_next(self) -> None:
        """Take the plan, after a warning where results would be forgotten."""
        plan, options, wizard = self._plan, self._options, self.context.wizard
        if plan is None or options is None:
            return
        if wizard.state.plan is plan and wizard.state.campaign_id is None:
            self.left.emit()
            return

        def take() -> None:
            self._plan = again = replace(plan)  # a run of its own, where the same plan was measured before
            wizard.set_options(options)
            wizard.set_plan(again)
            self.left.emit()

        self.context.confirm_change(wizard.invalidated_by_change_in(Step.PLAN), take)

    # --- planning -----------------------------------------------------------------------------------------------------

    def _on_edit(self) -> None:
        self._is_edited = True
        self.workloads.show_condition(self.condition.condition())
        self._replan()

    def _replan(self) -> None:
        state = self.context.wizard.state
        found, chosen = state.discovery, state.chosen
        if found is None:
            return
        options = self.workloads.options(self.condition.options(self.form.options(state.options)))
        services = self.context.services
        self.notice.clear()
        self._obstacle = ""
        if self._planning is not None:
            self._planning.abandon()
        try:
            check_chosen(found.pair, options)
        except InputFault as error:
            self._refuse(error)
            return

        def planned(plan: CampaignPlan) -> None:
            self._plan, self._options = plan, options
            self._show_plan(plan)
            self._preview_with(None if found.pair.is_lab else options.condition, options.workloads)
            self.changed.emit()

        def failed(error: TunnelmarkError) -> None:
            self._plan = None
            self.notice.show_error(error)
            self.changed.emit()

        self._planning = self.context.runner.run(
            tr("Planning"),
            lambda _token, _report: services.plan(found, chosen, options),
            on_success=planned,
            on_failure=failed,
        )

    def _refuse(self, error: InputFault) -> None:
        """Show why what is chosen cannot be measured: nothing can be started until that is changed."""
        self._plan = None
        self._obstacle = local_sentence(error)
        self.total.setText(NONE)
        self.facts.setText("")
        is_adaptive = self.form.is_adaptive()
        names = {tr("Take quick"): ProfileName.QUICK, tr("Take standard"): ProfileName.STANDARD}
        actions = {text: partial(self.form.choose, name) for text, name in names.items()} if is_adaptive else {}
        self.notice.show_message("caution", local_text(error.message), local_hint(error), actions)
        self.status_reported.emit("")
        self.changed.emit()

    def _preview_with(self, condition: Condition | None, workloads: tuple[str, ...]) -> None:
        """Show the files and commands anew where own hosts make another condition, or other workloads are run."""
        if (condition, workloads) != self._additions:
            self._additions = condition, workloads
            self._previews.clear()
            self._on_candidate(self.candidates.currentItem())

    def _show_plan(self, plan: CampaignPlan) -> None:
        seconds = sum(plan.predicted_s)
        end = datetime.now().astimezone() + timedelta(seconds=seconds)
        is_adaptive = plan.profile.is_adaptive
        self.total.setText(tr("About %1", duration(seconds)))
        until = tr("Done around %1 or earlier.") if is_adaptive else tr("Done around %1.")
        ends = until.replace("%1", f"{end:%H:%M}")
        lines = additions(plan, is_adaptive_chosen=self.form.is_adaptive())
        self.facts.setText("\n".join([f"{ends} {amounts(plan)}", *lines]))
        by_key: dict[Key, float] = {}
        for attempt, predicted_s in zip(plan.attempts, plan.predicted_s, strict=True):
            key = (attempt.solution, attempt.suite)
            by_key[key] = by_key.get(key, 0.0) + predicted_s
        titles = {(c.solution, c.suite): local_title(c.title) for c in plan.candidates}
        for nth in range(self.candidates.count()):
            item = self.candidates.item(nth)
            key = item.data(_KEY)
            title = titles.get(key, key[0])  # all candidates of an adaptive plan are measured at the same time
            item.setText(title if is_adaptive else f"{title}\n{tr('about')} {duration(by_key.get(key, 0.0))}")
        self._show_whole_list()
        self.status_reported.emit(tr("Plan ready. Nothing has been changed."))

    def _show_whole_list(self) -> None:
        """Make the list as high as its lines need: the column around it scrolls."""
        lines = self.candidates.count()
        needed = sum(map(self.candidates.sizeHintForRow, range(lines))) + 2 * self.candidates.frameWidth() + GRID
        self.candidates.setMinimumHeight(max(_LEAST_LIST_PX, needed))

    def changeEvent(self, event: QEvent) -> None:
        """Fit the list to larger texts."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self._plan is not None:
            self._show_whole_list()

    # --- files and commands -------------------------------------------------------------------------------------------

    def _fill_candidates(self) -> None:
        found, chosen = self._of
        titles = {(c.solution, c.suite): local_title(c.title) for c in found.candidates} if found else {}
        with QSignalBlocker(self.candidates):
            self.candidates.clear()
            for key in chosen:
                item = QListWidgetItem(swatch_icon(key[0]), titles.get(key, key[0]))
                item.setData(_KEY, key)
                set_tip(item, titles.get(key, key[0]))
                self.candidates.addItem(item)
        protected = [nth for nth, key in enumerate(chosen) if key[0] != BASELINE]
        if chosen:
            self.candidates.setCurrentRow(protected[0] if protected else 0)

    def _on_candidate(self, item: QListWidgetItem | None) -> None:
        found = self._of[0]
        if item is None or found is None:
            return
        key: Key = item.data(_KEY)
        title = item.text().split("\n", 1)[0]
        self.code_title.setText(tr("Files and commands of %1", title))
        if key in self._previews:
            self._show_items(self._previews[key])
            return
        services, additions = self.context.services, self._additions
        self.code.show_text(tr("Preparing files and commands…"))

        def made(items: tuple[PlannedItem, ...]) -> None:
            if additions != self._additions:
                return  # another one was chosen meanwhile
            self._previews[key] = items
            current = self.candidates.currentItem()
            if self.candidates.currentRow() >= 0 and current.data(_KEY) == key:
                self._show_items(items)

        self.context.runner.run(
            tr("Preparing files and commands"),
            lambda _token, _report: services.preview(found, key, *additions),
            on_success=made,
            on_failure=lambda error: self.code.show_text(local_sentence(error)),
        )

    def _show_items(self, items: tuple[PlannedItem, ...]) -> None:
        if items:
            self.code.show_items(items)
        else:
            self.code.show_text(tr("No changes: the link is measured as it is."))

    def _lay_out(self) -> None:
        layout = column(spacing_px=2 * GRID)
        for title, icon, form in (
            (tr("Test profile"), "clock", self.form),
            (tr("Link condition"), "compare", self.condition),
            (tr("Workloads"), "play", self.workloads),
        ):
            card = Card(title, icon)
            card.body.addWidget(form)
            layout.addWidget(card)
        layout.addWidget(self.candidates, 1)
        self.candidates.setMinimumHeight(_LEAST_LIST_PX)
        self.candidates.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        choices = ScrollPage(holder(layout), is_never_sideways=True)
        # What the choices come to is below them, and does not scroll away.
        left = holder(column((choices, 1), self.total, self.facts, spacing_px=GRID // 2))
        right = holder(column(self.code_title, (self.code, 1)))
        self.body.addWidget(split(left, right, sizes_px=(360, 720), stretches=(0, 1), handle_px=2 * GRID), 1)
