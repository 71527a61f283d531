"""Active guidelines: a line that names them, and a dialog that selects them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.policy import DEFAULT_GUIDELINES, GUIDELINES, Guideline
from app.wording.local_forms import day_text
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.basics import ElidedLabel, ScrollPage, button, column, holder, label, row
from ui.common.context import PageContext
from ui.common.dialogs import Question
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import set_tip

_DIALOG_PX = (640, 620)


class GuidelinesLine(QWidget):
    """Shows which guidelines apply, beside a button that opens the dialog."""

    picked = Signal()
    """Other guidelines apply now."""
    failed = Signal(object)
    """Carries the TunnelmarkError because of which they could not be read or stored."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._titles: Mapping[str, str] = {}
        self.summary = ElidedLabel(variant="muted")
        self.open = button(
            tr("&Guidelines…"),
            "report",
            on_click=lambda: self._read(self._ask),
            tip=tr("Select the guidelines to judge algorithms by. Each applies only to the solutions beside its name."),
        )
        self.setLayout(row((self.summary, 1), self.open))

    def reload(self) -> None:
        """Read which guidelines apply."""
        if self._context.has_services:
            self._read(self._show)

    def _read(self, then: Callable[[tuple[str, ...]], None]) -> None:
        services = self._context.services

        def read(*_: object) -> tuple[str, ...]:
            self._titles = {name: local_title(info.title) for name, info in services.solutions().items()}
            return services.guidelines()

        self._context.runner.run(
            tr("Reading the guidelines"),
            read,
            on_success=then,
            on_failure=self.failed.emit,
            is_quiet=True,
        )

    def _ask(self, ids: tuple[str, ...]) -> None:
        dialog = GuidelinesDialog(self.window(), ids)
        dialog.ask(partial(self._keep, dialog))
        dialog.yes.setDefault(True)
        dialog.boxes[next(iter(dialog.boxes))].setFocus()

    def _keep(self, dialog: GuidelinesDialog) -> None:
        ids, services = dialog.picked(), self._context.services

        def keep(*_: object) -> tuple[str, ...]:
            services.use_guidelines(ids)
            return services.guidelines()

        self._context.runner.run(tr("Storing the guidelines"), keep, on_success=self._kept, on_failure=self.failed.emit)

    def _kept(self, ids: tuple[str, ...]) -> None:
        self._show(ids)
        self._context.has_other_guidelines = True  # the page with the candidates asks when it is shown
        self.picked.emit()

    def _show(self, ids: Collection[str]) -> None:
        names = ", ".join(self._named(GUIDELINES[one]) for one in ids)
        text = tr("1 guideline applies: %2") if len(ids) == 1 else tr("%1 guidelines apply: %2")
        if not ids:
            text = tr("No guideline applies.")
        self.summary.setText(text.replace("%1", str(len(ids))).replace("%2", names))

    def _named(self, one: Guideline) -> str:
        """Return a guideline's name, with the solutions that it is about unless these are all."""
        about = ", ".join(self._titles.get(name, name) for name in one.solutions)
        return f"{tr(one.title)} ({about})" if about else tr(one.title)


class GuidelinesDialog(Question):
    """A check box per guideline, with its version and what it is about.

    Args:
        ids: Those that apply now.
    """

    def __init__(self, parent: QWidget | None, ids: Collection[str]) -> None:
        super().__init__(
            parent,
            tr("Select guidelines"),
            tr(
                "Algorithms outside a selected guideline are rated Acceptable at most, with the guideline as "
                "the source. “Insecure” does not depend on guidelines."
            ),
            tr("Apply"),
            tr("Cancel"),
            "report",
        )
        self.setMinimumSize(*_DIALOG_PX)
        self.boxes = {one.id: _box(one, is_on=one.id in ids) for one in GUIDELINES.values()}
        layout = column(margin_px=(0, 0, GRID, 0), spacing_px=GRID // 2)
        for one in GUIDELINES.values():
            layout.addWidget(self.boxes[one.id])
            about = label(_about(one), "muted")
            about.setContentsMargins(3 * GRID, 0, 0, GRID)
            layout.addWidget(about)
        layout.addStretch(1)
        self.body.addWidget(ScrollPage(holder(layout, "page")), 1)
        self.defaults = button(tr("Reset to &defaults"), "repeat", on_click=lambda: self._tick(DEFAULT_GUIDELINES))
        self.nothing = button(tr("Clear &all"), on_click=lambda: self._tick(()))
        self.body.addLayout(row(self.defaults, self.nothing, 0))

    def picked(self) -> tuple[str, ...]:
        """Return the ids of what is ticked, in the policy's order."""
        return tuple(name for name, box in self.boxes.items() if box.isChecked())

    def _tick(self, ids: Collection[str]) -> None:
        for name, box in self.boxes.items():
            box.setChecked(name in ids)


def _box(one: Guideline, *, is_on: bool) -> QCheckBox:
    box = QCheckBox(local_text(one.full_title))
    box.setChecked(is_on)
    box.setAccessibleName(local_text(one.full_title))
    box.setAccessibleDescription(_about(one))
    set_tip(box, one.citation)
    return box


def _about(one: Guideline) -> str:
    only = f" ({', '.join(one.solutions)})" if one.solutions else ""
    words = tr("About %1, published %2.", f"{tr(one.scope)}{only}", day_text(one.published))
    return f"{words} {tr(one.note)}".strip()
