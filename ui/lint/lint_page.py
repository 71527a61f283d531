"""Check a file: what is wrong with a configuration that exists already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.domain.hosts import PairSpec
from app.domain.linting import ConfigKind, LintedFile, LintFinding
from app.domain.pairs import PairChoice
from app.linting.files import kind_titles
from app.wording.messages import local_text
from ui.common.basics import Card, ChoiceBox, button, column, holder, label, name_box, row, show_text
from ui.common.context import PageContext
from ui.common.copying import enable_copying
from ui.common.data_table import LineDelegate
from ui.common.dropping import FileDrop
from ui.common.guidelines import GuidelinesLine
from ui.common.page import BusyLine, Page
from ui.common.splits import split
from ui.common.texts import plain_tip, tr
from ui.common.theme import GRID
from ui.lint.findings_view import (
    LintView,
    finding_appearance,
    finding_groups,
    finding_names,
    replacement_text,
    worst_appearance,
)

_PLACE = Qt.ItemDataRole.UserRole
_WHAT, _WORD = range(2)


class LintPage(Page):
    """Files on the left with their findings, the annotated file on the right. Nothing is kept or sent anywhere."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("Check a file"),
            tr(
                "Drop configuration files here, or read them from two hosts, to see what is weak or missing "
                "and how to fix it. Files are not stored; keys and passwords are masked."
            ),
        )
        self._drop = FileDrop((self,), self.check, partial(self.notice.show_message, "caution"))
        self._files: tuple[LintedFile, ...] = ()
        self._again: Callable[[], None] | None = None
        self._empty_words = tr("No file yet.")
        self.choose = button(tr("&Open files…"), "folder", variant="primary", on_click=self._choose)
        kinds = [(tr(title), kind.value) for kind, title in kind_titles().items()]
        self.kinds = ChoiceBox("", [(tr("Kind: by content"), None), *kinds])
        name_box(self.kinds, tr("Kind of the opened files"))
        self.kinds.activated.connect(self._on_guidelines)
        self.pairs = ChoiceBox()
        self.pairs.setMinimumWidth(160)
        name_box(self.pairs, tr("Pair whose hosts are read"))
        self.read = button(
            tr("Read from both &hosts"),
            "host",
            on_click=self._read_chosen,
            tip=tr("Reads the VPN configuration files on both hosts, and changes nothing"),
        )
        self.guidelines = GuidelinesLine(context)
        self.guidelines.picked.connect(self._on_guidelines)
        self.guidelines.failed.connect(self.notice.show_error)
        self.busy = BusyLine()
        self._make_views(context)
        of_this_computer = row(self.choose, self.kinds, 2 * GRID, (self.guidelines, 1))
        of_hosts = row(self.pairs, self.read, 0)
        self.body.addLayout(of_this_computer)
        self.body.addLayout(of_hosts)
        self.body.addWidget(self.busy)
        self.body.addWidget(self._split, 1)
        self.body.addStretch(0)  # keeps the rest together while there is nothing to show
        context.theme.changed.connect(self._fill)
        self._fill()
        self._fill_pairs(())

    def _make_views(self, context: PageContext) -> None:
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels([tr("File and setting"), tr("Finding")])
        self.tree.setAccessibleName(tr("Findings"))
        enable_copying(self.tree)
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(LineDelegate(self.tree))
        self.tree.currentItemChanged.connect(self._on_current)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(_WORD, QHeaderView.ResizeMode.ResizeToContents)
        self.view = LintView(context.theme)
        self.reason = label("", is_selectable=True)
        self.source = label("", "muted", is_selectable=True)
        self.replacement = label("", is_selectable=True)
        about = Card()
        for item in (self.reason, self.source, self.replacement):
            about.body.addWidget(item)
        right = holder(column((self.view, 1), about))
        self._split = split(self.tree, right, sizes_px=(400, 640), handle_px=2 * GRID)

    def enter(self) -> None:
        """Fetch stored pairs and running labs, and which guidelines apply."""
        self.guidelines.reload()
        if not self.context.has_services:
            return
        services = self.context.services
        self.context.runner.run(
            tr("Reading stored pairs"),
            lambda _token, _report: services.pairs(),
            on_success=self._fill_pairs,
            on_failure=self.notice.show_error,
            is_quiet=True,
        )

    def take_guidelines(self) -> None:
        """Judge by other guidelines."""
        self.guidelines.reload()
        self._on_guidelines()

    def take_pairs(self) -> None:
        """Offer other pairs."""
        self.enter()

    def first_focus(self) -> QWidget | None:
        """The button."""
        return self.choose

    # --- getting files ------------------------------------------------------------------------------------------------

    def _choose(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, tr("Choose configuration files"))
        self.check([Path(name) for name in names])

    def check(self, paths: list[Path]) -> None:
        """Read and judge files; they replace those shown."""
        if not paths:
            return
        self._again = partial(self.check, paths)
        services, named = self.context.services, self.kinds.currentData()
        kind = ConfigKind(named) if named else None
        self.start(
            tr("Checking %1 files", len(paths)),
            lambda _token, _report: tuple(services.lint_file(path, kind=kind) for path in paths),
            partial(self._show, tr("No file yet.")),
        )

    def _fill_pairs(self, choices: tuple[PairChoice, ...]) -> None:
        entered = self.context.wizard.state.pair
        wanted = self.pairs.currentText() or (entered.name if entered is not None else "")
        self.pairs.offer((choice.pair.name, choice.pair) for choice in choices)
        self.pairs.setCurrentIndex(max(0, self.pairs.findText(wanted)))
        self.pairs.setVisible(bool(choices))
        self.read.setVisible(bool(choices))

    def _read_chosen(self) -> None:
        pair = self.pairs.currentData()
        if isinstance(pair, PairSpec):
            self.read_pair(pair)

    def read_pair(self, pair: PairSpec) -> None:
        """Read and judge the files that lie on both hosts of a pair; they replace those shown."""
        self._again = partial(self.read_pair, pair)
        services = self.context.services
        self.notice.clear()
        self.start(
            tr("Reading configuration files on %1 and %2", pair.a.label, pair.b.label),
            lambda token, report: services.lint_pair(pair, token=token, on_progress=report),
            partial(self._show, tr("Neither host of %1 has a configuration file.", pair.name)),
            busy=self.busy,
            on_failure=lambda error: self.notice.show_error(error, {tr("Try again"): partial(self.read_pair, pair)}),
        )

    def _on_guidelines(self) -> None:
        """Judge what is shown anew: by other guidelines, or read as another kind."""
        if self._again is not None and self._files:
            self._again()

    # --- showing ------------------------------------------------------------------------------------------------------

    def _show(self, empty_words: str, files: tuple[LintedFile, ...]) -> None:
        self._files = files
        self._empty_words = empty_words
        self._fill()
        findings = sum(len(file.findings) for file in files)
        unread = sum(bool(file.error) for file in files)
        text = f"{_counted(findings, tr('finding'), tr('findings'))}, {_counted(len(files), tr('file'), tr('files'))}."
        if unread:
            text += " " + tr("%1 could not be read.", unread)
        self.status_reported.emit(text)

    def _fill(self) -> None:
        self.tree.clear()
        self._split.setVisible(bool(self._files))
        if not self._files:
            self.notice.show_message(
                "info",
                self._empty_words,
                tr("Supported: %1.", ", ".join(map(tr, kind_titles().values()))),
            )
            return
        self.notice.clear()
        for nth, file in enumerate(self._files):
            self.tree.addTopLevelItem(self._file_item(nth, file))
        self.tree.expandToDepth(0)  # several findings of one algorithm remain folded
        first = self.tree.topLevelItem(0)
        if first is not None:
            self.tree.setCurrentItem(self._worst(first))

    def _worst(self, file: QTreeWidgetItem) -> QTreeWidgetItem:
        """Return the row of the worst finding of a file, the first of several; the file's own where it has none."""
        rows = [one for row in range(file.childCount()) if (one := file.child(row)) is not None]
        places = [row.data(_WHAT, _PLACE) for row in rows]
        severities = [self._files[nth].findings[number].verdict.severity for nth, number in places]
        return rows[severities.index(max(severities))] if rows else file

    def _file_item(self, nth: int, file: LintedFile) -> QTreeWidgetItem:
        if file.error:
            word, icon, role = tr("Not checked"), "error", "bad"
        elif not file.findings:
            word, icon, role = tr("Nothing found"), "shield-check", "good"
        else:
            worst = worst_appearance(file.findings)
            word, icon, role = _counted(len(file.findings), tr("finding"), tr("findings")), worst.icon, worst.role
        item = QTreeWidgetItem([_short(file.path), word])
        item.setIcon(_WORD, self.context.theme.icon(icon, role))
        item.setToolTip(_WHAT, plain_tip(f"{file.path}\n{file.kind.value if file.kind else ''}".strip()))
        item.setData(_WHAT, _PLACE, (nth, -1))
        names = finding_names(file.findings)
        for name, numbers in finding_groups(file.findings):
            rows = [self._finding_item(nth, number, file.findings[number], names[number]) for number in numbers]
            if len(rows) > 1:
                rows = [self._group_item(name, [file.findings[number] for number in numbers], rows)]
            item.addChild(rows[0])
        return item

    def _group_item(
        self, name: str, findings: Sequence[LintFinding], rows: Sequence[QTreeWidgetItem]
    ) -> QTreeWidgetItem:
        """Return one row for several findings of one algorithm: it says what the worst of them says."""
        item = QTreeWidgetItem([name, f"{rows[0].text(_WORD)} ({len(rows)})"])
        item.setIcon(_WORD, rows[0].icon(_WORD))
        item.setToolTip(_WHAT, plain_tip("\n".join(dict.fromkeys(local_text(one.reason) for one in findings))))
        item.setData(_WHAT, _PLACE, rows[0].data(_WHAT, _PLACE))
        item.addChildren(list(rows))
        return item

    def _finding_item(self, nth: int, number: int, finding: LintFinding, what: str) -> QTreeWidgetItem:
        appearance = finding_appearance(finding)
        item = QTreeWidgetItem([what, appearance.word])
        item.setIcon(_WORD, self.context.theme.icon(appearance.icon, appearance.role))
        item.setToolTip(_WHAT, plain_tip(f"{finding.setting} {finding.value}\n{local_text(finding.reason)}".strip()))
        item.setData(_WHAT, _PLACE, (nth, number))
        return item

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        if item is None or item.data(_WHAT, _PLACE) is None:
            return
        nth, number = item.data(_WHAT, _PLACE)
        file = self._files[nth]
        if self.view.file is not file:
            self.view.show_file(file)
        if number < 0:
            self._show_file(file)
            self.view.show_line(0)
            return
        finding = file.findings[number]
        self.view.show_line(finding.line)
        self._show_reason(
            f"{finding_appearance(finding).word}: {local_text(finding.reason)}",
            f"{tr('Source')}: {local_text(finding.source)}" if finding.source else "",
            replacement_text(finding) if finding.replacement else "",
        )

    def _show_file(self, file: LintedFile) -> None:
        kind = file.kind.value if file.kind else ""
        words = local_text(file.error) or (tr("Detected as %1.", kind))
        if not file.error and not file.findings:
            words += " " + tr("No issues found; whether values are valid is not checked.")
        self._show_reason(words, " ".join(map(local_text, file.notes)), "")

    def _show_reason(self, reason: str, source: str, replacement: str) -> None:
        for widget, text in ((self.reason, reason), (self.source, source), (self.replacement, replacement)):
            show_text(widget, text)


def _short(path: str) -> str:
    """Return the name of a file, with its host where it lies on one."""
    host, separator, there = path.partition(":/")
    name = Path(path).name or path
    return f"{host}: {Path(there).name}" if separator and there and "/" not in host else name


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
