"""The bars above and below the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QButtonGroup, QFrame, QProgressBar, QPushButton, QWidget

from ui.common.accessible import Role, announce, set_role
from ui.common.basics import ElidedLabel, button, icon_label, label, row, set_style
from ui.common.icons import set_icon
from ui.common.texts import plain_tip, tr
from ui.common.theme import GRID
from ui.common.tips import set_tip, shown_keys


def _press(area: QPushButton) -> None:
    if area.isVisible():
        area.click()


_ICONS = {"comparison": "compare", "deployment": "deployment", "census": "key", "studies": "study"}
"""Icons of the areas in which something can run."""

_ICON_GAP_PX = 5
"""Between an icon and a text, at most. Source: `QPushButton::sizeHint` of Qt 6."""
_ROOMY_EM = 76
"""In a narrower window the bar goes without the program's name and sign."""


class TopBar(QFrame):
    """Name, main areas, state of the practice lab."""

    area_asked = Signal(str)
    """Carries `start`, `comparison`, `deployment`, `history`, `census`, `lint` or `studies`."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "topbar")
        self.setFixedHeight(6 * GRID)
        self.start = self._area("start", tr("Start"), "app", "Alt+Home")
        self.comparison = self._area("comparison", tr("Comparison"), _ICONS["comparison"], "Ctrl+K")
        self.history = self._area("history", tr("History"), "clock", "Ctrl+H")
        self.census = self._area("census", tr("Cipher census"), _ICONS["census"], "Ctrl+E")
        self.lint = self._area("lint", tr("Check a file"), "search", "Ctrl+L")
        self.studies = self._area("studies", tr("Studies"), _ICONS["studies"], "Ctrl+T")
        self.deployment = self._area("deployment", tr("Deployment"), _ICONS["deployment"], "Ctrl+R")
        self.deployment.setVisible(False)
        measuring = (self.start, self.comparison, self.deployment, self.history)
        self._areas = (*measuring, self.census, self.lint, self.studies)
        self._keys = {area: area.shortcut() for area in self._areas}
        self._names = {area: area.text() for area in self._areas}
        self._short = {self.comparison: tr("Compare"), self.census: tr("Ciphers"), self.lint: tr("Check")}
        self._group = QButtonGroup(self)
        for area in self._areas:
            area.setCheckable(True)
            self._group.addButton(area)
        for number, area in enumerate(self._areas, start=1):
            # Letters with Ctrl edit the text in a field: there these keys alone change the area.
            QShortcut(QKeySequence(f"Ctrl+{number}"), self, partial(_press, area))
        self.lab = button(tr("lab: unknown"), "lab", variant="tab", tip=tr("Practice labs: start, stop, log in"))
        self.menu = button(tr("Menu"), "menu", variant="tab", tip=tr("Settings and pairs of hosts"))
        self._brand = (icon_label("app", "accent", 24), label("Tunnelmark", "brand", is_wrapping=False))
        self._tab_list = self._tabs()
        parts = (*self._brand, GRID, self._tab_list, 0, self.lab, self.menu)
        self._row = row(*parts, margin_px=(2 * GRID, 0, 2 * GRID, 0))
        self.setLayout(self._row)

    def _area(self, name: str, text: str, icon: str, shortcut: str) -> QPushButton:
        """Return the button of an area, which asks for it."""
        ask = partial(self.area_asked.emit, name)
        return button(text, icon, variant="tab", role=Role.PageTab, on_click=ask, shortcut=shortcut)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room to the buttons where the window is narrow; its title has the name as well."""
        super().resizeEvent(event)
        is_roomy = self.width() >= _ROOMY_EM * self.fontMetrics().height()
        for widget in self._brand:
            widget.setVisible(is_roomy)
        self._fit_names()

    def event(self, event: QEvent) -> bool:
        """Shorten the areas' names as soon as other texts, or larger ones, leave no room for them."""
        result = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit_names()
        return result

    def minimumSizeHint(self) -> QSize:
        """Return a size at which icons replace the areas' names."""
        hint = super().minimumSizeHint()
        hint.setWidth(0)
        return hint

    def _fit_names(self) -> None:
        """Show names, shorter ones, only that of the area on show, or signs, whatever there is room for."""
        shown = [area for area in self._areas if not area.isHidden()]
        others = self._others_px(len(shown))
        short = self._names | self._short
        current = {area: short[area] if area.isChecked() else "" for area in self._areas}
        choices = (self._names, short, current, dict.fromkeys(self._areas, ""))
        for names in choices:
            if others + sum(self._width_with(area, names[area]) for area in shown) <= self.width():
                break
        changed = [area for area in self._areas if area.text() != names[area]]
        for area in changed:
            area.setText(names[area])
            area.setShortcut(self._keys[area])  # Qt takes it away with the text
            self._set_area_tip(area)
        if changed:  # while layouts are being laid out, Qt would leave the buttons as wide as before
            self._tab_row.invalidate()
            self._tab_list.updateGeometry()
            self._row.invalidate()
            self._row.activate()

    def _others_px(self, areas: int) -> int:
        """Return the width of all but so many areas: of the other buttons, of the name, and between all of them."""
        margins = self._row.contentsMargins()
        others = [one for one in (*self._brand, self.lab, self.menu) if not one.isHidden()]
        gaps = GRID * (len(others) + areas)  # one more lies before the areas, one less between so many
        return margins.left() + margins.right() + sum(one.sizeHint().width() for one in others) + gaps

    @staticmethod
    def _width_with(area: QPushButton, text: str) -> int:
        letters = area.fontMetrics()
        wider = letters.horizontalAdvance(text) - letters.horizontalAdvance(area.text())
        return area.sizeHint().width() + wider + _ICON_GAP_PX * (bool(text) - bool(area.text()))

    def _set_area_tip(self, area: QPushButton) -> None:
        name, keys = area.accessibleName(), f"({shown_keys(area.shortcut())})"
        is_named = area.text() == name
        set_tip(area, keys if is_named else f"{name} {keys}")

    def _tabs(self) -> QWidget:
        tabs = QWidget()
        set_role(tabs, Role.PageTabList)
        tabs.setAccessibleName(tr("Areas"))
        self._tab_row = row(*self._areas)
        tabs.setLayout(self._tab_row)
        return tabs

    def show_lab(self, text: str, *, is_up: bool) -> None:
        """Show whether a practice lab is up."""
        self.lab.setText(text)
        self.lab.setAccessibleName(text)
        set_icon(self.lab, "lab", "good" if is_up else "muted")

    def show_area(self, area: str) -> None:
        """Mark where the window is: `start`, `comparison`, `deploy`, `history`, `census`, `lint` or `studies`."""
        getattr(self, area).setChecked(True)
        self._fit_names()

    def mark_running(self, states: Mapping[str, tuple[str, bool]]) -> None:
        """Mark the areas in which something runs.

        Args:
            states: What runs, in a few words, and whether it waits for the user; by area.
        """
        for area, icon in _ICONS.items():
            entry: QPushButton = getattr(self, area)
            state, is_waiting = states.get(area, ("", False))
            name = f"{self._names[entry]}, {state}" if state else self._names[entry]
            if entry.accessibleName() == name:
                continue
            entry.setAccessibleName(name)
            self._set_area_tip(entry)
            shown = ("warning" if is_waiting else "play") if state else icon
            set_icon(entry, shown, ("legacy" if is_waiting else "accent") if state else "text")
            set_style(entry, "running", bool(state))


class Footer(QFrame):
    """The current operation in one line, Back and Next."""

    back_asked = Signal()
    next_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "footer")
        self.setFixedHeight(7 * GRID)
        self.help = button(tr("Help"), "info", variant="tab")
        self.status = ElidedLabel(variant="muted")
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setFixedWidth(64)
        self.busy.setAccessibleName(tr("Working"))
        policy = self.busy.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.busy.setSizePolicy(policy)
        self.busy.setVisible(False)
        self.back: QPushButton = button(tr("&Back"), "arrow-left", on_click=self.back_asked.emit)
        self.next: QPushButton = button(tr("&Next"), "arrow-right", variant="primary", on_click=self.next_asked.emit)
        set_tip(self.back, shown_keys("Alt+Left"))
        set_tip(self.next, shown_keys("Alt+Right"))
        parts = (self.help, (self.status, 1), self.busy, self.back, self.next)
        self.setLayout(row(*parts, margin_px=(2 * GRID, 0, 2 * GRID, 0)))

    def show_work(self, names: Sequence[str]) -> None:
        """Show that something is worked on, and name it."""
        self.busy.setVisible(bool(names))
        self.busy.setToolTip(plain_tip(", ".join(names)))
        self.busy.setAccessibleName(tr("Working: %1", ", ".join(names)) if names else tr("Working"))

    def show_status(self, sentence: str) -> None:
        """Show a sentence in the status line, and let screen readers say it."""
        self.status.setText(sentence)
        announce(self.status, sentence)
