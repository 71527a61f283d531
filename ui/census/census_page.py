"""The cipher census: which options of each VPN really work on a pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan, OptionResult
from app.domain.events import AttemptEnded, CampaignEnded, CampaignStarted, CensusEvent, Progress, UnderlayChanged
from app.domain.solutions import OptionKind
from app.domain.verdicts import Verdict, deciding_finding
from app.wording.messages import local_name, local_text
from ui.census.census_dialog import CensusDialog, Offer, each_s, offer_of
from ui.census.option_table import CensusTable, census_lines, kind_word
from ui.census.stored_censuses import Stored, before_text, stored_of
from ui.census.summary_table import TriplesTable
from ui.common.basics import ChoiceBox, button, label, label_for, name_box, row
from ui.common.context import PageContext
from ui.common.dialogs import Question
from ui.common.file_dialogs import ask_save
from ui.common.operations import Operation
from ui.common.page import BusyLine, Page, busy_reason
from ui.common.search_field import SearchField
from ui.common.splits import split
from ui.common.texts import duration, tr
from ui.common.theme import GRID
from ui.common.tips import enable

if TYPE_CHECKING:
    from app.discovery.pair_discovery import Discovery
    from app.domain.pairs import PairChoice
    from app.domain.progress import ProgressSink
    from app.measurement.census.stored import CensusOptions, CensusResults
    from app.services.wiring import Services

_COUNTS_SHARE = 0.4
_REFRESH_MS = 250
_STATES = ("works", "works, slow", "fails", "unprotected", "not tried")


class CensusPage(Page):
    """A pair is chosen and every option tried; the table fills while that happens, and can be read later."""

    lab_chosen = Signal()
    _planned = Signal(object, object)

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("Cipher census"),
            tr(
                "Tests every cipher and MAC that the VPN software on both hosts offers with real traffic, "
                "and reports which ones work. The hosts are restored afterwards."
            ),
        )
        self._plan: CensusPlan | None = None
        self._left = ""
        self._trying: Operation | None = None
        self._results: dict[tuple[str, str], OptionResult] = {}
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self._found: CensusResults | None = None
        self._resume: Callable[[], None] | None = None
        self._pairs: tuple[PairChoice, ...] = ()
        self._titles: Mapping[str, str] = {}
        self._wanted = 0
        self._make_head()
        self._make_filters()
        self.busy = BusyLine()
        self.triples = TriplesTable()
        self.table = CensusTable(context.theme)
        self.table.selectionModel().currentRowChanged.connect(self._on_line)
        self.explanation = label("", is_selectable=True)
        self.explanation.setMinimumHeight(5 * GRID)
        self.explanation.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.before = label(before_text())
        self._split = split(self.triples, self.table, stretches=(0, 1), is_vertical=True)
        self.body.addLayout(self._head)
        self.body.addWidget(self.busy)
        self.body.addLayout(self._filters)
        self.body.addWidget(self._split, 1)
        self.body.addWidget(self.explanation)
        self.body.addWidget(self.before)
        self.body.addStretch(0)  # keeps the rest together while there is nothing to show
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self._refresh)
        context.bridge.census_event.connect(self._on_event)
        self._planned.connect(self._on_planned, Qt.ConnectionType.QueuedConnection)
        self._show_rows(is_there=False)

    def _make_head(self) -> None:
        self.pairs = ChoiceBox(tr("Pair"))
        self.pairs.setMinimumWidth(200)
        self.pairs.currentIndexChanged.connect(self._on_pair)
        self.begin = button(tr("&Start the census"), "play", variant="primary", on_click=self.ask)
        self.past = ChoiceBox()
        name_box(self.past, tr("Earlier censuses"))
        self.past.setMinimumWidth(240)
        self.past.activated.connect(self._open_past)
        self.report = button(tr("&Report"), "report", tip=tr("Export census"))
        menu = QMenu(self.report)
        for kind in ("html", "json"):
            menu.addAction(kind.upper(), partial(self._save_as, kind))
        self.report.setMenu(menu)
        enable(self.report, is_on=False, reason=tr("No census is shown."))
        self._head = row(label_for(tr("Pair"), self.pairs), self.pairs, self.begin, 0, self.past, self.report)

    def _make_filters(self) -> None:
        self.search = SearchField(tr("Filter by name, verdict or output"), tr("Filter"))
        self.search.textChanged.connect(self._filter)
        self.solution = ChoiceBox("", [(tr("all VPNs"), "")])
        self.kind = ChoiceBox("", [(tr("all kinds"), None), *((kind_word(kind), kind) for kind in OptionKind)])
        self.state = ChoiceBox("", [(tr("all states"), ""), *((tr(state), tr(state)) for state in _STATES)])
        for box, name in ((self.solution, tr("VPN")), (self.kind, tr("Kind")), (self.state, tr("State"))):
            name_box(box, name)
            box.currentIndexChanged.connect(self._filter)
        self.shown = label("", "muted", is_wrapping=False)
        self._filters = row((self.search, 1), self.solution, self.kind, self.state, self.shown)

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Read which pairs and which earlier censuses there are."""
        if self.is_running or (self.operation is not None and self.operation.is_running):
            return
        services = self._services
        self.start(tr("Reading stored pairs"), lambda _token, _report: stored_of(services), self._show_stored)

    def take_pairs(self) -> None:
        """Offer other pairs."""
        self.enter()

    def want(self, census_id: int) -> None:
        """Show a stored census as soon as the page is entered, unless options are being tried."""
        self._wanted = census_id

    def first_focus(self) -> QWidget | None:
        """The pair."""
        return self.pairs

    @property
    def is_running(self) -> bool:
        """Whether options are being tried."""
        return self._trying is not None and self._trying.is_running

    @property
    def _services(self) -> Services:
        return cast("Services", self.context.services)

    def _show_stored(self, stored: Stored) -> None:
        self._pairs, past, self._titles = stored.pairs, stored.past, stored.titles
        chosen = self.pairs.currentText()
        self.pairs.clear()
        self.pairs.addItems([choice.pair.name for choice in self._pairs])
        self.pairs.setCurrentIndex(max(0, self.pairs.findText(chosen)))
        self.past.offer([(tr("Earlier censuses"), 0), *((text, census_id) for census_id, text in past)])
        self.past.setVisible(bool(past))
        enable(self.begin, is_on=bool(self._pairs), reason=tr("There is no pair yet."))
        wanted, self._wanted = self._wanted, 0
        if wanted:
            self._open(wanted)
        elif not self._pairs:
            self.notice.show_message(
                "info",
                tr("There is no pair yet."),
                tr("You can use the practice lab."),
                {tr("Start the practice lab"): self.lab_chosen.emit},
            )
        elif self._found is None and past:
            self._open(past[0][0])

    def _on_pair(self) -> None:
        """Show of which pair the table is, where it is another one."""
        if self._plan is not None:
            self._filter()
        self.changed.emit()

    # --- trying -------------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Inspect both hosts, then ask what to try; nothing is tried before."""
        nth = self.pairs.currentIndex()
        if not 0 <= nth < len(self._pairs) or self.is_running:
            return
        inspect = partial(offer_of, self._services, self._pairs[nth].pair)
        self.notice.clear()
        self.start(tr("Inspecting both hosts"), inspect, self._offer, busy=self.busy, on_failure=self._on_failed)
        enable(self.begin, is_on=False, reason=busy_reason())

    def _offer(self, offer: Offer) -> None:
        took_s = each_s(self._found, offer.plan)
        dialog = CensusDialog(self.window(), offer, took_s, self._titles)
        dialog.ask(
            lambda: self.run(offer.found, dialog.options(), is_fresh=offer.left is not None and not dialog.is_resumed),
            partial(enable, self.begin, is_on=True, reason=""),
        )

    def run(self, found: Discovery, options: CensusOptions, *, is_fresh: bool = False) -> None:
        """Try options; an unfinished census of the same ones is resumed, unless a fresh one is wanted."""
        services, bridge, planned = self._services, self.context.bridge, self._planned
        self._resume = partial(self.run, found, options)

        def job(token: CancelToken, _report: ProgressSink) -> tuple[CensusResults, bool]:
            plan = services.plan_census(found, options)
            resume_id = None if is_fresh else services.unfinished_census(found, plan)
            planned.emit(found, plan)
            emit = bridge.census_event.emit
            record = services.run_census(found, plan, token=token, emit=emit, resume_id=resume_id)
            return services.census_results(record.census_id), resume_id is not None

        self.notice.clear()
        self._found = None
        enable(self.report, is_on=False, reason=tr("No census is shown."))
        self._trying = self.start(
            tr("Trying the ciphers of %1", found.pair.name),
            job,
            lambda ended: self._on_done(ended[0], is_resumed=ended[1]),
            busy=self.busy,
            on_failure=self._on_failed,
        )
        enable(self.begin, is_on=False, reason=busy_reason())

    def cancel(self) -> bool:
        """Esc asks first while options are being tried."""
        if not self.is_running:
            return super().cancel()
        Question(
            self.window(),
            tr("Stop the census?"),
            tr("The option that is being tried is stopped and both hosts are restored. The census can be resumed."),
            tr("Stop"),
            tr("Continue"),
            "warning",
        ).ask(lambda: self._trying.cancel() if self._trying is not None else None)
        return True

    def _on_planned(self, found: Discovery, plan: CensusPlan) -> None:
        verdicts = {(one.solution, one.suite): one.verdict for one in found.candidates}
        self._take(plan, {}, verdicts)

    def _on_event(self, event: CensusEvent) -> None:
        match event:
            case CampaignStarted(done=done):
                self._results = {(one.solution, one.suite): one for one in done}
            case AttemptEnded(attempt=result):
                self._results[result.solution, result.suite] = result
            case UnderlayChanged(is_up=True):
                self.notice.clear()
                return
            case UnderlayChanged(text=text):
                self.notice.show_message("caution", local_text(text))
                return
            case CampaignEnded(left=left) if self._plan is not None:
                self._left = left
                self.context.leftovers.take_left(self._plan.pair, left)
                return
            case Progress(text=text, fraction=fraction, left_s=left_s):
                left = tr("about %1 left", duration(left_s))
                self.busy.progress(f"{local_text(text)} · {left}", fraction)
                return
            case _:
                return
        if not self._timer.isActive():
            self._timer.start()

    def _on_done(self, found: CensusResults, *, is_resumed: bool) -> None:
        self._show(found)
        if is_resumed and found.record.is_complete and not self._left:
            self.context.leftovers.forget_gateways(found.record.pair.name)  # it begins with a rollback on both hosts
        enable(self.begin, is_on=True, reason="")
        if not found.record.is_complete:
            actions = {tr("Resume"): self._resume} if self._resume is not None else {}
            text = local_text(found.record.message) or tr("The census was stopped.")
            self.notice.show_message("caution", text, tr("It can be resumed."), actions)
        self.status_reported.emit(tr("Census number %1", found.record.census_id))

    def _on_failed(self, error: object) -> None:
        from app.domain.errors import TunnelmarkError

        enable(self.begin, is_on=bool(self._pairs), reason=tr("There is no pair yet."))
        if isinstance(error, TunnelmarkError):
            self.notice.show_error(error)

    # --- showing ------------------------------------------------------------------------------------------------------

    def _open_past(self, nth: int) -> None:
        census_id = self.past.itemData(nth)
        if census_id and not self.is_running:
            self._open(int(census_id))

    def _open(self, census_id: int) -> None:
        services = self._services
        self.start(tr("Reading a census"), lambda _token, _report: services.census_results(census_id), self._show)

    def _show(self, found: CensusResults) -> None:
        self._found = found
        results = {(one.solution, one.suite): one for one in found.record.results}
        self._take(found.record.plan, results, found.words)
        enable(self.report, is_on=True, reason="")

    def _take(
        self,
        plan: CensusPlan,
        results: dict[tuple[str, str], OptionResult],
        verdicts: dict[tuple[str, str], Verdict],
    ) -> None:
        self._plan, self._results, self._verdicts = plan, results, verdicts
        names = [(self._titles.get(name, name), name) for name in plan.solutions]
        self.solution.offer([(tr("all VPNs"), ""), *names], self.solution.currentData())
        self._show_rows(is_there=True)
        self._refresh()
        # The options are what the page is for; the counts can be scrolled.
        height_px = min(self.triples.maximumHeight(), int(_COUNTS_SHARE * self._split.height()))
        self._split.setSizes([height_px, max(height_px, self._split.height() - height_px)])

    def _show_rows(self, *, is_there: bool) -> None:
        for item in (self._split, self.search, self.solution, self.kind, self.state, self.shown, self.explanation):
            item.setVisible(is_there)
        self.before.setVisible(not is_there)

    def _refresh(self) -> None:
        if self._plan is None:
            return
        self.table.census.set_lines(census_lines(self._plan.items, self._results, self._verdicts, self._titles))
        self.triples.show_census(self._plan, tuple(self._results.values()), self._titles)
        self._filter()

    def _filter(self) -> None:
        self.table.filter.choose(
            words=self.search.text(),
            solution=self.solution.currentData() or "",
            kind=self.kind.currentData(),
            state=self.state.currentData() or "",
        )
        shown, whole = self.table.filter.rowCount(), len(self.table.census.lines)
        text = tr("%1 of %2 options", shown, whole)
        name = self._plan.pair.name if self._plan is not None else ""
        self.shown.setText(f"{text}, {name}" if name and name != self.pairs.currentText() else text)

    def _on_line(self) -> None:
        line = self.table.current_line()
        if line is None:
            self.explanation.setText("")
            return
        explanation = (line.result.reason if line.result else "", line.behind.slow, line.item.note)
        parts = list(map(local_text, explanation))
        if line.result is not None and line.result.negotiated:
            parts.append(f"{tr('Negotiated')}: {line.result.negotiated}")
        finding = self._deciding_finding(line.item.solution, line.item.suite)
        self.explanation.setText("\n".join(part for part in (*parts, finding) if part))

    def _deciding_finding(self, solution: str, suite: str) -> str:
        verdict = self._found.verdicts.get((solution, suite)) if self._found is not None else None
        deciding = deciding_finding(verdict[1]) if verdict is not None else None
        if deciding is None:
            return ""
        return f"{local_name(deciding.subject)}: {local_text(deciding.reason)} ({local_text(deciding.source)})"

    # --- files --------------------------------------------------------------------------------------------------------

    def _save_as(self, kind: str) -> None:
        ask_save(self, tr("Save the census"), {kind: ""}, self.write)

    def write(self, path: Path) -> None:
        """Write the census that is shown; its kind follows from the ending."""
        found, services = self._found, self._services
        if found is None:
            return
        self.start(
            tr("Writing the census"),
            lambda _token, _report: services.write_census(found, path),
            lambda written: self.notice.show_message("done", tr("Census saved."), str(written)),
        )
