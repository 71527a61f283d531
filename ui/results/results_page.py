"""Step 6: which to take, by how much, why, and how sure that is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from app.domain.cancel import CancelToken
from app.domain.declared import comparison_reason
from app.domain.errors import TunnelmarkError
from app.domain.history import EntryId, EntryKind
from app.domain.profiles import Profile
from app.domain.progress import ProgressSink
from app.domain.ranking import CandidateResult
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus
from app.domain.verdicts import Verdict
from app.ranking.outcome import is_unfinished, outcome_of
from app.ranking.weighting import weigh
from ui.common.basics import ElidedLabel, ScrollPage, button, column, holder, label, row, set_variant
from ui.common.candidate_rows import Key
from ui.common.context import PageContext
from ui.common.deployment_preset import Wanted
from ui.common.file_dialogs import ask_save
from ui.common.folding import FoldingRow
from ui.common.icons import set_icon
from ui.common.page import BusyLine, Page
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable, set_tip
from ui.plots.result_data import ResultData, prepare
from ui.results.deciding import deciding_profile
from ui.results.deploy_button import name_deploy
from ui.results.note_line import NoteLine
from ui.results.ranking_table import RankingTable
from ui.results.recommendation import SentenceCard
from ui.results.result_state import condition_tip, end_words, is_final, subtitle
from ui.results.result_tabs import ResultTabs
from ui.results.weighting_bar import WeightingBar

_MAX_TABLE_PX = 248
"""The ranking scrolls beyond this height: some seven lines."""
_LEAST_LINES = 3
"""The ranking never shows fewer lines, unless it has fewer."""
_LOW_PX = 670
_LEAST_HEAD_EM = 18
"""The buttons are below the title where it has less width."""

_KINDS = {"html": "HTML", "pdf": "PDF", "csv": "CSV", "json": "JSON"}


class ResultsPage(Page):
    """Sentence, ranking, plots and facts of one comparison."""

    again_asked = Signal(object)
    """Carries the CampaignRecord that is to be measured again."""
    candidate_asked = Signal(object)
    """Carries the Key of the candidate whose page is wanted."""
    deciding_asked = Signal(object, object)
    """Carries the CampaignRecord that is to be measured again, and the Profile that would decide."""
    resume_asked = Signal(object)
    """Carries the CampaignRecord of an interrupted or cancelled comparison."""
    deploy_asked = Signal(object)
    """Carries a `Wanted`: the candidate to deploy."""
    shown = Signal(int)
    """Carries the number of the comparison that is on the page now."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context, tr("Results"))
        self.busy = BusyLine()
        self.data: ResultData | None = None
        self.is_lab_gone = False
        self._wanted: int | None = None
        self.what = label("", "muted")
        self.note = NoteLine(context)
        self.report = button(tr("&Report"), "report", tip=tr("Export report"))
        menu = QMenu(self.report)
        for ending, name in _KINDS.items():
            menu.addAction(tr("Save as %1…", name), partial(self._choose_file, ending))
        self.report.setMenu(menu)
        self.again = button(tr("&Measure again"), "repeat", on_click=self._again)
        self.resume = button(tr("Res&ume"), "play", variant="primary", on_click=self._resume)
        self.resume.setVisible(False)
        self.deploy = button(tr("Dep&loy…"), "deployment", variant="primary", on_click=self._deploy)
        self.sentence = SentenceCard()
        self.table = RankingTable(context.theme)
        self.table.itemSelectionChanged.connect(self._on_row)
        self.fold = button(tr("Hide the ranking"), "chevron-down", variant="tab", on_click=self._fold_ranking)
        self._is_folded = False
        self.shared = ElidedLabel(variant="muted")
        self.weighting = WeightingBar()
        self.weighting.changed.connect(self._weigh)
        self.tabs = ResultTabs(context.theme)
        self.table.open_asked.connect(self._open)
        self.table.pointed_at.connect(self._point_at)
        self.table.deploy_asked.connect(self._deploy)
        self.sentence.why_asked.connect(self.tabs.show_why)
        self.sentence.deciding_asked.connect(self._decide)
        self._lay_out()
        self._show_buttons()
        context.leftovers.changed.connect(lambda name: context.leftovers.follow(self.notice, name))

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Show the wizard's comparison."""
        campaign_id = self.context.wizard.state.campaign_id
        if campaign_id is not None:
            self.show_campaign(campaign_id)

    def first_focus(self) -> QWidget | None:
        """The ranking, or what shows it."""
        return self.fold if self._is_folded else self.table

    def show_campaign(self, campaign_id: int) -> None:
        """Read a stored comparison and show it."""
        record = self.data.record if self.data is not None else None
        if record is not None and record.campaign_id == campaign_id == self._wanted and is_final(record):
            return
        self._wanted = campaign_id
        self.notice.clear()
        services = self.context.services

        def read(_token: CancelToken, _report: ProgressSink) -> tuple[ResultData, bool]:
            record, ranking = services.results(campaign_id)
            return prepare(record, ranking, services.solutions()), services.is_lab_gone(record)

        self.start(tr("Reading the results"), read, self._show, busy=self.busy, on_failure=self._on_fault)

    def take_note(self, entry: EntryId, note: str) -> None:
        """Take a note that was changed anywhere in the window."""
        if self.data is not None and entry == EntryId(EntryKind.COMPARISON, self.data.record.campaign_id):
            self.data = replace(self.data, record=replace(self.data.record, note=note))
            self.note.show_note(entry, note)

    def forget(self, entries: Collection[EntryId]) -> None:
        """Show nothing any more of a comparison that has been deleted."""
        if self.data is not None and EntryId(EntryKind.COMPARISON, self.data.record.campaign_id) in entries:
            self.data = self._wanted = None
            self.what.setText("")
            self.note.clear()
            self.resume.setVisible(False)
            self._show_buttons()

    def _on_fault(self, error: TunnelmarkError) -> None:
        wanted, self._wanted = self._wanted, None
        actions = {tr("Try again"): lambda: self.show_campaign(wanted)} if wanted is not None else {}
        self.notice.show_error(error, actions)

    def _show(self, read: tuple[ResultData, bool]) -> None:
        self.data, self.is_lab_gone = data, _ = read
        record = data.record
        self.what.setText(subtitle(data))
        set_tip(self.what, condition_tip(record))
        self.note.show_note(EntryId(EntryKind.COMPARISON, record.campaign_id), record.note)
        self.sentence.show_ranking(data.ranking, is_lab=record.plan.pair.is_lab, outcome=outcome_of(record))
        self.sentence.offer(deciding_profile(record.plan.profile, data.ranking))
        self.table.show_data(data)
        is_tested = data.ranking.rounds > 1
        self.shared.setText(
            tr("=  no significant difference; medians decide")
            if is_tested
            else tr("=  not tested: one round; medians decide")
        )
        self.shared.setVisible(any(one.tied_with for one in data.ranking.ranking))
        self._weigh()
        self.tabs.show_data(data)
        self._on_row()
        self._offer_to_go_on(record)
        self._show_leftover(record)
        self._show_buttons()
        self._share_height()
        self.status_reported.emit(tr("Comparison number %1", record.campaign_id))
        self.shown.emit(record.campaign_id)

    def _offer_to_go_on(self, record: CampaignRecord) -> None:
        """Offer to resume or to measure again, as far as that is possible."""
        self.resume.setVisible(is_unfinished(record) and not self.is_lab_gone)
        lab = tr("In a new practice lab of the same kind: the former one has ended.")
        set_tip(self.again, lab if self.is_lab_gone else "")
        is_running = record.status is CampaignStatus.RUNNING
        self.sentence.set_advised(is_advised=self.resume.isHidden() and not is_running)
        words = end_words(record, is_lab_gone=self.is_lab_gone)
        if words is None:
            return
        actions = {tr("Refresh"): lambda: self.show_campaign(record.campaign_id)} if is_running else {}
        if is_unfinished(record) and self.is_lab_gone:
            actions = {tr("Measure again in a new lab"): self._again}
        self.notice.show_message("info" if is_running else "caution", *words, actions)

    def _show_leftover(self, record: CampaignRecord) -> None:
        """Warn first that a host may not be fully restored, until both have been."""
        leftovers, name = self.context.leftovers, record.plan.pair.name
        found = leftovers.found.get(name)
        if found is not None and self.is_lab_gone and found.campaign_id == record.campaign_id:
            leftovers.forget(name)  # its hosts are gone
        if leftovers.show_in(self.notice, name):
            self.sentence.set_advised(is_advised=False)

    # --- buttons ------------------------------------------------------------------------------------------------------

    def write_report(self, path: Path) -> None:
        """Write a report; its kind follows from the ending."""
        if self.data is None:
            return
        campaign_id, services = self.data.record.campaign_id, self.context.services
        self.start(
            tr("Writing the report"),
            lambda _token, _report: services.write_report(campaign_id, path),
            self.show_written,
            busy=self.busy,
        )

    def show_written(self, path: Path) -> None:
        """Show where a report is."""
        self.notice.show_message(
            "done",
            tr("Report saved."),
            str(path),
            {
                tr("Open it"): lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))),
                tr("Show in folder"): lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))),
            },
            is_closable=True,
        )
        self.status_reported.emit(tr("Report: %1", path))

    def _choose_file(self, ending: str) -> None:
        if self.data is None:
            return
        record = self.data.record
        filters = {ending: f"{_KINDS[ending]} (*.{ending})"}
        name = f"{record.plan.pair.name}-{record.campaign_id}"
        ask_save(self, tr("Save the report"), filters, self.write_report, name=name)

    def _again(self) -> None:
        if self.data is not None:
            self.again_asked.emit(self.data.record)

    def _decide(self, profile: Profile) -> None:
        if self.data is not None:
            self.deciding_asked.emit(self.data.record, profile)

    def _resume(self) -> None:
        if self.data is not None:
            self.resume_asked.emit(self.data.record)

    def _point_at(self, key: Key | None) -> None:
        """Show the band of the line under the pointer, else of the selected one."""
        self.tabs.highlight(key or self.table.selected_key())

    def _open(self) -> None:
        key = self.table.selected_key()
        if self.data is not None and key is not None:
            self.candidate_asked.emit(key)

    def _on_row(self) -> None:
        key = self.table.selected_key()
        if key is not None:
            self.tabs.choose(key)
        self._show_buttons()

    def _deploy(self) -> None:
        key = self.table.selected_key()
        if self.data is None or key is None:
            return
        pair, title = self.data.record.plan.pair, self.data.result(key).title
        self.deploy_asked.emit(Wanted(pair, key, title))

    def _show_buttons(self) -> None:
        has_data = self.data is not None
        for one in (self.report, self.again):
            enable(one, is_on=has_data, reason=tr("No comparison is shown."))
        self.deploy.setVisible(self.context.can_deploy)
        enable(self.deploy, is_on=self.may_deploy(self.table.selected_key()), reason=self._why_not_deploy())
        self.table.deploy.setEnabled(self.deploy.isEnabled())
        self._name_deploy()
        advice = self.data.ranking.recommendation if self.data is not None else None
        is_final_now = self.data is not None and self.data.record.status is not CampaignStatus.RUNNING
        is_clear = advice is not None and advice.solution is not None and advice.is_clear and is_final_now
        set_variant(self.deploy, "primary" if is_clear else "")  # else measuring again is what is advised
        set_icon(self.deploy, "deployment", "on_accent" if is_clear else "text")
        for widget in (self.sentence, self.fold, self.note.edit, self.weighting.choice, self.tabs):
            widget.setVisible(has_data)
        self.table.setVisible(has_data and not self._is_folded)

    def _fold_ranking(self) -> None:
        """Give the ranking's room to the plots, or show it again."""
        self._is_folded = not self._is_folded
        self.fold.setText(tr("Show the ranking") if self._is_folded else tr("Hide the ranking"))
        set_icon(self.fold, "chevron-right" if self._is_folded else "chevron-down")
        self._show_buttons()

    def _weigh(self) -> None:
        """Order the ranking by the user's own weights; the recommendation does not change."""
        weights, method, data = self.weighting.weights, self.weighting.method, self.data
        weighting = weigh(data.record, data.ranking, weights, method) if weights and data is not None else None
        self.weighting.show_weighting(weighting)
        self.table.show_weighting(weighting)

    def may_deploy(self, key: Key | None) -> bool:
        """Whether a candidate has cryptography and was measured to the end; what its verdict demands is asked later."""
        if self.data is None or key is None or not self.context.can_deploy:
            return False
        result = self.data.result(key)
        return _can_be_deployed(result) and result.status is AttemptStatus.COMPLETED

    def _why_not_deploy(self) -> str:
        """Return why the selected candidate cannot be deployed."""
        key = self.table.selected_key()
        if self.data is None or key is None:
            return tr("Select a candidate of the ranking.")
        if self.data.result(key).verdict is Verdict.UNPROTECTED:
            return tr("It has no cryptography: select a VPN.")
        if comparison_reason(key[0]):
            return tr("It can be compared, but is never deployed: select another VPN.")
        return tr("It was not measured completely: select another candidate.")

    def _name_deploy(self) -> None:
        """Show on the button which candidate it deploys: that of the selected line, unless it is no VPN."""
        key = self.table.selected_key()
        result = self.data.result(key) if self.data is not None and key is not None else None
        name_deploy(self.deploy, result.title if result is not None and _can_be_deployed(result) else "")

    def _lay_out(self) -> None:
        self.body.setSpacing(GRID)
        self.body.removeWidget(self.title)
        # The name on Deploy follows the selected line: the others must not move under the pointer.
        buttons = (self.resume, self.deploy, self.again, self.report)
        head = FoldingRow((self.title, 2 * GRID, self.what), buttons, _LEAST_HEAD_EM)
        self.what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.title.setWordWrap(False)
        self.body.insertWidget(0, head)
        self.body.insertWidget(1, self.note)
        self.body.addWidget(self.busy)
        self.body.addWidget(self.sentence)  # not scrolled: it is what the page is for
        left = holder(row(self.fold, self.note.edit, GRID, (self.shared, 1)))
        choice = FoldingRow((left,), (self.weighting.choice,), 0)
        self._content = column(choice, self.weighting, self.table, (self.tabs, 1))
        self._scroll = ScrollPage(holder(self._content, "page"), max_width_px=None)
        self.body.addWidget(self._scroll, 1)
        self._scroll.resized.connect(self._share_height)
        self.tabs.tabBarClicked.connect(self._show_whole_tab)
        self.tabs.currentChanged.connect(self._show_whole_tab)

    def _share_height(self) -> None:
        """Let the ranking scroll by itself in a low window, so that a plot below it is whole."""
        needed = self.table.height_for_all_px()
        self.table.setFixedHeight(min(_MAX_TABLE_PX, needed))
        least = min(needed, self.table.height_for_px(_LEAST_LINES))
        room = self._scroll.viewport().height()
        taken = self.notice.height() if self.notice.isVisible() else 0
        self.sentence.set_low(is_low=self.height() - taken < _LOW_PX)
        width, content = self._scroll.content_width_px(), self._content
        is_folding = content.hasHeightForWidth()
        spare = room - (content.minimumHeightForWidth(width) if is_folding else content.minimumSize().height())
        most = min(_MAX_TABLE_PX, self.table.height() + spare)
        self.table.setFixedHeight(max(least, self.table.whole_lines_px(most)))

    def _show_whole_tab(self) -> None:
        """Scroll until the tab that the user opens is in sight."""
        if self.tabs.isVisible():
            self._scroll.ensureWidgetVisible(self.tabs, 0, 0)


def _can_be_deployed(result: CandidateResult) -> bool:
    """Whether a candidate is a VPN that may be deployed, perhaps with a reason."""
    return result.verdict is not Verdict.UNPROTECTED and not comparison_reason(result.solution)
