"""Pictures for the user guide: drives the window through a real comparison on the practice lab.

`make screenshots` runs it. Every picture shows what was really found and measured; nothing is made up.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QDialog, QTabWidget, QWidget

from ui.shell.app import real_services, run_window
from ui.shell.window import MainWindow

_CHECK_MS = 50
_MOST_COMPRESSED = 0
"""Qt's quality of a PNG is how little it is compressed."""

_SIZE = (1280, 800)
_DEADLINE_S = 900.0
_MOST_CHECKS = 10
"""So often a deployed tunnel is inspected until both supervisors run."""
_CYCLES = 4
"""So many cycles of an adaptive comparison are waited for: its first round, which may be its only one, has more."""
_TRIED = 12
"""So many options of a census are waited for before its picture is taken."""

SCHEMES = ((Qt.ColorScheme.Light, "light"), (Qt.ColorScheme.Dark, "dark"))
_SETTLING_ROUNDS = 5
"""Wrapped labels that the new colours replaced have their heights after two."""
_STEPS = ("hosts", "link", "choose", "plan")
_TABS = (
    *("results", "ratios", "distribution", "throughput", "frontier", "cpu"),
    *("packet-tests", "rationale", "measured-hosts", "warnings", "configuration"),
)
"""Tabs of the results, from the left."""

_DEPLOYMENT_TABS = ("deployed", "deployed-changes", "deployed-keys", "deployed-deployments", "deployed-audit")
"""Tabs of a deployed tunnel, from the left."""

PICTURES = (
    *("welcome", "shortcuts", "about", "hosts-own"),
    *_STEPS,
    *("guidelines", "run", "run-throughput", "run-done"),
    *_TABS,
    *("deploy", "deploy-countdown", "deploy-done"),
    *_DEPLOYMENT_TABS,
    *("removed", "history", "census-start", "census", "studies", "lint"),
)
"""Names of all pictures; each is taken in every scheme."""

Condition = Callable[[], bool]


class Photographer:
    """Takes every page in both colour schemes.

    Args:
        folder: Where the pictures go, as NAME-light.png and NAME-dark.png.
    """

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self._window = window
        self._folder = folder
        self.taken: list[Path] = []

    def take(self, name: str, widget: QWidget | None = None) -> None:
        """Take what is on show now: the window, or a dialog of its own."""
        theme = self._window.context.theme
        for scheme, word in SCHEMES:
            theme.force(scheme)
            # Layouts and plots settle on posted events, which post others; user input is left out.
            for _ in range(_SETTLING_ROUNDS):
                QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
            path = self._folder / file_name(name, word)
            picture = (widget or self._window).grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
            picture.save(str(path), quality=_MOST_COMPRESSED)
            self.taken.append(path)
        theme.force(Qt.ColorScheme.Light)


def file_name(name: str, scheme: str) -> str:
    """Return the file of a picture in the scheme `light` or `dark`."""
    return f"{name}-{scheme}.png"


def drop_old(folder: Path) -> list[Path]:
    """Delete pictures in a folder that the tour no longer takes.

    Returns:
        What was deleted.
    """
    known = {file_name(name, word) for name in PICTURES for _, word in SCHEMES}
    old = sorted(path for path in folder.glob("*.png") if path.name not in known)
    for path in old:
        path.unlink()
    return old


class Tour:
    """Goes through the program; each step waits, without blocking, for a condition.

    Args:
        folder: Where the pictures go.

    Attributes:
        is_complete: Whether every picture was taken.
        fault: What stopped it; empty while nothing has.
    """

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self._window = window
        self._photographer = Photographer(window, folder)
        self._steps = self._go()
        self._condition: Condition = lambda: window.context.has_services
        self._waited_s = 0.0
        self.is_complete = False
        self.fault = ""
        self._timer = QTimer(window)
        self._timer.setInterval(_CHECK_MS)
        self._timer.timeout.connect(self._check)
        self._timer.start()

    def _check(self) -> None:
        self._waited_s += _CHECK_MS / 1000
        page = self._window.current
        if page is not None and page.notice.property("variant") == "error" and page.notice.text:
            self._end(f"stopped by: {page.notice.text}")
        elif self._waited_s > _DEADLINE_S:
            self._end("waited too long")
        elif self._condition():
            self._waited_s = 0.0
            try:
                self._condition = next(self._steps)
            except StopIteration:
                self.is_complete = True
                self._end()
            except RuntimeError as error:
                self._end(str(error))

    def _end(self, fault: str = "") -> None:
        self.fault = fault
        self._timer.stop()
        sys.stderr.write(f"screenshots: {fault or f'{len(self._photographer.taken)} pictures'}\n")
        self._window.close_now()

    def _go(self) -> Iterator[Condition]:
        window, take = self._window, self._photographer.take
        yield self._is_idle
        take("welcome")
        yield from self._help()
        window.begin_with_hosts()
        yield self._is_idle
        take("hosts-own")
        yield from self._choose()
        yield from self._measure()
        yield from self._deploy()
        window.show_area("history")
        yield self._is_idle
        take("history")
        yield from self._census()
        window.show_area("studies")
        yield self._is_idle
        take("studies")
        window.show_area("lint")
        window.current.check([Path("docs/examples/old-site.ovpn")])  # type: ignore[union-attr]
        yield self._is_idle
        take("lint")

    def _help(self) -> Iterator[Condition]:
        for name, show in (("shortcuts", self._window.help.show_shortcuts), ("about", self._window.help.show_about)):
            show()
            yield lambda: self._dialog() is not None
            self._take_dialog(name)
            yield lambda: self._dialog() is None

    def _choose(self) -> Iterator[Condition]:
        """Go from the practice lab to the plan."""
        from app.measurement.wizard import Step

        window, take = self._window, self._photographer.take
        window.begin_with_lab()
        yield lambda: window.wizard.state.discovery is not None and self._is_idle()
        for step, name in zip((Step.HOSTS, Step.LINK, Step.CHOOSE, Step.PLAN), _STEPS, strict=True):
            window.go(step)
            yield self._is_idle
            if step is Step.CHOOSE:
                self._select_protected()
            yield window.footer.next.isEnabled
            take(name)
            if step is Step.CHOOSE:
                self._open_guidelines()
                yield lambda: self._dialog() is not None and self._is_idle()
                self._take_dialog("guidelines")
                yield lambda: self._dialog() is None
            window.go_next()

    def _measure(self) -> Iterator[Condition]:
        """Take a comparison while it runs, and its results."""
        window, take = self._window, self._photographer.take
        for stage, name in (("latency", "run"), ("throughput", "run-throughput")):  # TCP comes after the cycles
            yield partial(_is_measuring, window, stage)
            take(name)
        yield lambda: not window.is_measuring or _has_intervals(window)
        if window.is_measuring:
            take("run")  # in place of the first: now each ratio has an interval
        yield lambda: not window.is_measuring
        take("run-done")
        if window.bridge.live.status().ended is None or window.wizard.state.campaign_id is None:
            raise RuntimeError("the comparison did not end as it should")
        window.go_next()
        yield lambda: window.results.data is not None and self._is_idle()
        tabs = window.results.tabs
        for nth, name in _each_tab(tabs, _TABS):
            tabs.setCurrentIndex(nth)
            yield self._is_idle
            take(name)
            if nth == 0:
                window.results.fold.click()  # the views below have the room of the ranking then

    def _deploy(self) -> Iterator[Condition]:
        """Deploy the best candidate, confirm it, inspect it, and remove it."""
        window, take = self._window, self._photographer.take
        window.results.deploy.click()
        page = window.deploy
        yield lambda: page.preview.isEnabled() and self._is_idle()
        page.preview.click()
        yield lambda: page.deploy.isEnabled() and self._is_idle()
        take("deploy")
        page.deploy.click()
        yield lambda: page.live.countdown.is_open
        take("deploy-countdown")
        page.live.countdown.confirm.click()
        yield self._is_idle
        take("deploy-done")
        window.show_area("deployments")
        yield self._is_idle
        for _ in range(_MOST_CHECKS):
            window.deployments.refresh()
            yield self._is_idle
            if set(window.deployments.detail.now.facts.text("Supervisor runs")) == {"yes"}:
                break  # it starts beside the confirmation, some seconds later
        tabs = window.deployments.detail.tabs
        for nth, name in _each_tab(tabs, _DEPLOYMENT_TABS):
            tabs.setCurrentIndex(nth)
            take(name)
        window.deployments.detail.remove.click()
        yield lambda: self._dialog() is not None
        self._accept_dialog()
        yield lambda: window.current is page and self._is_idle()
        take("removed")

    def _census(self) -> Iterator[Condition]:
        window = self._window
        window.show_area("census")
        yield self._is_idle
        page = window.current
        page.begin.click()  # type: ignore[union-attr]
        yield lambda: self._dialog() is not None
        self._photographer.take("census-start", self._dialog())
        self._accept_dialog()
        yield self._has_tried
        self._photographer.take("census")
        page.operation.cancel()  # type: ignore[union-attr]
        yield self._is_idle

    def _has_tried(self) -> bool:
        """Whether enough options were tried for a picture."""
        lines = self._window.current.table.census.lines  # type: ignore[union-attr]
        return bool(lines) and sum(line.result is not None for line in lines) >= min(_TRIED, len(lines))

    def _is_idle(self) -> bool:
        return not self._window.runner.running

    def _dialog(self) -> QDialog | None:
        return next((one for one in self._window.findChildren(QDialog) if one.isVisible()), None)

    def _take_dialog(self, name: str) -> None:
        dialog = self._dialog()
        self._photographer.take(name, dialog)
        if dialog is not None:
            dialog.reject()

    def _accept_dialog(self) -> None:
        dialog = self._dialog()
        if dialog is not None:
            dialog.accept()

    def _open_guidelines(self) -> None:
        from app.measurement.wizard import Step

        self._window.step_page(Step.CHOOSE).guidelines.open.click()  # type: ignore[attr-defined]

    def _select_protected(self) -> None:
        from app.measurement.wizard import Step

        page = self._window.step_page(Step.CHOOSE)
        page.select_first_protected()  # type: ignore[attr-defined]


def _each_tab(tabs: QTabWidget, names: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Return the number and the picture's name of each tab.

    Raises:
        RuntimeError: There are more or fewer tabs than names.
    """
    if tabs.count() != len(names):
        shown = ", ".join(tabs.tabText(nth) for nth in range(tabs.count()))
        raise RuntimeError(f"these tabs need a picture each: {shown}; named are {', '.join(names)}")
    yield from enumerate(names)


def _is_measuring(window: MainWindow, stage: str) -> bool:
    """Whether figures of a stage are on show: of the third candidate, or of some cycles where it is adaptive."""
    live = window.bridge.live
    rows = live.rows()
    row = next((row for row in rows if row.key == live.status().running), None)
    if row is None or row.stage is None or row.stage.value != stage:
        return False
    if row.is_open_ended:
        if stage == "throughput":
            return len(live.throughput("b_to_a")) >= 1
        return max((curve.cycle.size for curve in live.ratios()), default=0) >= _CYCLES
    if sum(other.rounds_done > 0 for other in rows) < 2:
        return False
    if stage == "throughput":
        return len(live.throughput("b_to_a")) >= 1
    figures = live.figures()
    return (figures.frame_bytes or 0) >= 1024 and figures.count >= figures.expected / 3


def _has_intervals(window: MainWindow) -> bool:
    """Whether the plot of an adaptive comparison shows intervals: it has them from the end of the second round on."""
    return any(one.low is not None for curve in window.bridge.live.ratios() for one in curve.rounds)


def main(argv: list[str] | None = None) -> int:
    """Write pictures of every page, and delete those that are no longer taken.

    Returns:
        0 if every picture was taken, else 1.
    """
    parser = argparse.ArgumentParser(prog="screenshots", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("docs/images"), help="where the pictures go")
    folder: Path = parser.parse_args(argv).folder
    folder.mkdir(parents=True, exist_ok=True)
    tours: list[Tour] = []

    def begin(window: MainWindow) -> None:
        window.resize(*_SIZE)
        tours.append(Tour(window, folder))

    with tempfile.TemporaryDirectory(prefix="tunnelmark-pictures-") as home:
        os.environ["TUNNELMARK_HOME"] = home  # pictures show this run only, and the user's data do not change
        run_window(real_services, on_window=begin)
    if not tours or not tours[0].is_complete:
        return 1
    for path in drop_old(folder):
        sys.stderr.write(f"screenshots: {path} is no longer taken: deleted\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
