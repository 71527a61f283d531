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
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from ui.app import real_services, run_window
from ui.widgets.census_dialog import CensusDialog
from ui.widgets.dialogs import Question
from ui.window import MainWindow

_LOOK_MS = 50
_MOST_COMPRESSED = 0
"""Qt's quality of a PNG is how little it is compressed."""

_SIZE = (1280, 800)
_DEADLINE_S = 900.0
_TRIED = 12
"""So many options of a census are waited for before its picture is taken."""

Condition = Callable[[], bool]


class Photographer:
    """Takes every page in both colour schemes.

    Args:
        window: The window.
        folder: Where the pictures go, as NAME-light.png and NAME-dark.png.
    """

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self._window = window
        self._folder = folder
        self.taken: list[Path] = []

    def take(self, name: str, widget: QWidget | None = None) -> None:
        """Take what is on show now: the window, or a dialog of its own."""
        theme = self._window.context.theme
        for scheme, word in ((Qt.ColorScheme.Light, "light"), (Qt.ColorScheme.Dark, "dark")):
            theme.force(scheme)
            # Layouts and plots settle on posted events; user input stays out.
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
            path = self._folder / f"{name}-{word}.png"
            picture = (widget or self._window).grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
            picture.save(str(path), quality=_MOST_COMPRESSED)
            self.taken.append(path)
        theme.force(Qt.ColorScheme.Light)


class Tour:
    """Goes through the program; each step waits, without blocking, for a condition.

    Args:
        window: The window.
        folder: Where the pictures go.
    """

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self._window = window
        self._photographer = Photographer(window, folder)
        self._steps = self._go()
        self._condition: Condition = lambda: window.context.has_services
        self._waited_s = 0.0
        self.is_complete = False
        self._timer = QTimer(window)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        self._waited_s += _LOOK_MS / 1000
        page = self._window.current
        if page is not None and page.notice.property("look") == "error" and page.notice.text:
            self._end(f"stopped by: {page.notice.text}")
        elif self._waited_s > _DEADLINE_S:
            self._end("waited too long")
        elif self._condition():
            self._waited_s = 0.0
            try:
                self._condition = next(self._steps)
            except StopIteration:
                self.is_complete = True
                self._end(f"{len(self._photographer.taken)} pictures")

    def _end(self, sentence: str) -> None:
        self._timer.stop()
        sys.stderr.write(f"screenshots: {sentence}\n")
        self._window.close_now()

    def _go(self) -> Iterator[Condition]:
        from app.wizard import Step

        window, take = self._window, self._photographer.take
        yield self._is_idle
        take("welcome")
        window.begin_with_hosts()
        yield self._is_idle
        take("hosts-own")
        window.begin_with_lab()
        yield lambda: window.wizard.state.discovery is not None and self._is_idle()
        for step, name in ((Step.HOSTS, "hosts"), (Step.LINK, "link"), (Step.CHOOSE, "choose"), (Step.PLAN, "plan")):
            window.go(step)
            yield self._is_idle
            if step is Step.CHOOSE:
                self._select_protected()
            yield window.footer.next.isEnabled
            take(name)
            if step is Step.CHOOSE:
                self._open_guidelines()
                yield lambda: self._guidelines() is not None and self._is_idle()
                dialog = self._guidelines()
                take("guidelines", dialog)
                if dialog is not None:
                    dialog.reject()
            window.go_next()
        live = window.bridge.live
        for stage, name in (("latency", "run"), ("throughput", "run-throughput")):
            yield partial(_is_measuring, window, stage)
            take(name)
        yield lambda: not window.is_measuring
        take("run-done")
        if live.status().ended is None or window.wizard.state.campaign_id is None:
            raise RuntimeError("the comparison did not end as it should")
        window.go_next()
        yield lambda: window.results.data is not None and self._is_idle()
        tabs = window.results.tabs
        names = ("results", "distribution", "frontier", "cpu", "wire", "why", "facts", "doubts", "configuration")
        for nth, name in enumerate(names):
            tabs.setCurrentIndex(nth)
            yield self._is_idle
            take(name)
        yield from self._roll_out()
        window.show_history()
        yield self._is_idle
        take("history")
        window.show_census()
        yield self._is_idle
        window.current.begin.click()  # type: ignore[union-attr]
        yield lambda: window.findChild(CensusDialog) is not None
        window.findChild(CensusDialog).accept()  # type: ignore[union-attr]
        yield lambda: window.current.is_running  # type: ignore[union-attr]
        yield lambda: self._tried() >= _TRIED
        take("census")
        window.current.operation.cancel()  # type: ignore[union-attr]
        yield self._is_idle
        window.show_lint()
        window.current.check([Path("docs/examples/old-site.ovpn")])  # type: ignore[union-attr]
        yield self._is_idle
        take("lint")

    def _roll_out(self) -> Iterator[Condition]:
        """Roll out the best one, keep it, look at it, and take it back."""
        window, take = self._window, self._photographer.take
        window.results.rollout.click()
        page = window.deploy
        yield lambda: page.preview.isEnabled() and self._is_idle()
        page.preview.click()
        yield lambda: page.deploy.isEnabled() and self._is_idle()
        take("deploy")
        page.deploy.click()
        yield lambda: page.live.countdown.is_open
        take("deploy-countdown")
        page.live.countdown.keep.click()
        yield self._is_idle
        take("deploy-done")
        window.show_area("standing")
        yield self._is_idle
        window.standing.look()
        yield self._is_idle
        take("standing")
        window.standing.detail.undo.click()
        question = window.findChild(Question)
        if question is None:
            raise RuntimeError("it is not asked whether to undo")
        question.yes.click()
        yield self._is_idle
        take("undeploy-done")

    def _tried(self) -> int:
        table = self._window.current.table.census  # type: ignore[union-attr]
        return sum(line.result is not None for line in table.lines)

    def _is_idle(self) -> bool:
        return not self._window.runner.running

    def _open_guidelines(self) -> None:
        from app.wizard import Step

        self._window.step_page(Step.CHOOSE).guidelines.open.click()  # type: ignore[attr-defined]

    def _guidelines(self) -> QDialog | None:
        return next((one for one in self._window.findChildren(QDialog) if one.isVisible()), None)

    def _select_protected(self) -> None:
        from app.wizard import Step

        page = self._window.step_page(Step.CHOOSE)
        page.select_first_protected()  # type: ignore[attr-defined]


def _is_measuring(window: MainWindow, stage: str) -> bool:
    """Whether the third candidate is in the middle of a stage."""
    live = window.bridge.live
    rows = live.rows()
    row = next((row for row in rows if row.key == live.status().running), None)
    is_third = row is not None and sum(other.rounds_done > 0 for other in rows) >= 2
    if row is None or row.stage is None or row.stage.value != stage or not is_third:
        return False
    if stage == "throughput":
        return len(live.throughput("b_to_a")) >= 1
    figures = live.figures()
    return (figures.frame_bytes or 0) >= 1024 and figures.count >= figures.expected / 3


def main(argv: list[str] | None = None) -> int:
    """Write pictures of every page.

    Args:
        argv: Arguments without the program's name.

    Returns:
        0 if every picture was taken, else 1.
    """
    parser = argparse.ArgumentParser(prog="ui.screenshots", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("docs/images"), help="where the pictures go")
    folder: Path = parser.parse_args(argv).folder
    folder.mkdir(parents=True, exist_ok=True)
    tours: list[Tour] = []

    def begin(window: MainWindow) -> None:
        window.resize(*_SIZE)
        tours.append(Tour(window, folder))

    with tempfile.TemporaryDirectory(prefix="tunnelmark-pictures-") as home:
        os.environ["TUNNELMARK_HOME"] = home  # pictures show this run only, and the user's data stays as it is
        run_window(real_services, on_window=begin)
    return 0 if tours and tours[0].is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
