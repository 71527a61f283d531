"""The lab menu at the top right: start, stop, restart and log in to practice labs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from app.domain.cancel import CancelToken
from app.domain.errors import TunnelmarkError
from app.domain.sides import Side
from app.wording.messages import local_sentence
from ui.common.operations import Job, Operation
from ui.common.texts import tr

if TYPE_CHECKING:
    from app.domain.practice_labs import LabChoice, LabDetail
    from app.domain.progress import ProgressSink
    from ui.shell.navigator import Navigator


class LabMenu:
    """Belongs to a window."""

    def __init__(self, window: Navigator) -> None:
        self._window = window
        self._labs: tuple[LabDetail, ...] = ()
        self._running: frozenset[tuple[str, tuple[int, int]]] | None = None
        self._starting: Operation | None = None
        self._progress = ""
        self.menu = QMenu(window.top.lab)
        self.menu.aboutToShow.connect(self._fill)
        window.top.lab.setMenu(self.menu)
        self._show_state()

    @property
    def is_starting(self) -> bool:
        """Whether a lab is being started or restarted from here."""
        return self._starting is not None and self._starting.is_running

    def refresh(self) -> None:
        """Read which labs run."""
        window = self._window
        if not window.context.has_services or window.is_closing:
            return
        services = window.context.services
        window.runner.run(
            tr("Reading practice labs"),
            lambda _token, _report: services.lab_details(),
            on_success=self.show,
            on_failure=lambda _error: window.top.show_lab(tr("lab: unknown"), is_up=False),
            is_quiet=True,
        )

    def show(self, labs: tuple[LabDetail, ...]) -> None:
        """Show which labs run; where others do than before, the page on show offers other pairs."""
        former, self._running = self._running, frozenset((lab.pair_name, lab.ports) for lab in labs if all(lab.is_up))
        self._labs = labs
        self._show_state()
        if former not in (None, self._running) and self._window.current is not None:
            self._window.current.take_pairs()
        self._window.welcome.show_lab(is_up=any(all(lab.is_up) for lab in labs))

    def _show_state(self) -> None:
        is_up = any(all(lab.is_up) for lab in self._labs)
        text = tr("lab: up") if is_up else tr("lab: down")
        if not is_up and any(any(lab.is_up) for lab in self._labs):
            text = tr("lab: partly off")
        if self.is_starting or (not is_up and any(lab.is_starting for lab in self._labs)):
            text = tr("lab: starting")
        self._window.top.show_lab(text, is_up=is_up)

    # --- the menu -----------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        menu, has_services = self.menu, self._window.context.has_services
        menu.clear()
        for lab in self._labs:
            self._add_lab(menu if len(self._labs) == 1 else menu.addMenu(lab.name), lab)
        if self._labs:
            menu.addSeparator()
        if self.is_starting:
            menu.addAction(tr("Cancel the start (%1)", self._progress), self._cancel)
        else:
            menu.addAction(tr("Start a lab…"), self._ask_start).setEnabled(has_services)

    def _add_lab(self, menu: QMenu, lab: LabDetail) -> None:
        head = tr("%1: %2", lab.name, _state(lab))
        menu.addAction(f"{head}…", partial(self._show_details, lab))
        for side in Side:
            text = tr("Copy the login command of gateway %1", side.value.upper())
            menu.addAction(text, partial(self._copy_login, lab, side))
        can_change = not self.is_starting and not lab.is_starting
        restart = menu.addAction(tr("Restart %1…", lab.name), partial(self._ask, lab, is_restart=True))
        stop = menu.addAction(tr("Stop %1…", lab.name), partial(self._ask, lab, is_restart=False))
        for action in (restart, stop):
            action.setEnabled(can_change)

    def _show_details(self, lab: LabDetail) -> None:
        from ui.shell.panel import Information

        lines = {tr("Pair"): lab.pair_name, tr("Kind"): lab.kind}
        for side, is_up, port in zip(Side, lab.is_up, lab.ports, strict=True):
            name = tr("Gateway %1", side.value.upper())
            lines[name] = f"{_word(lab, is_up=is_up)}, {tr('SSH port')} {port}"
            lines[tr("Log in to %1", side.value.upper())] = lab.login(side)
        lines |= {tr("Running since"): lab.since, tr("Runs"): lab.lasts}
        Information(self._window, tr("Practice lab %1", lab.name), lines).open()

    def _copy_login(self, lab: LabDetail, side: Side) -> None:
        QGuiApplication.clipboard().setText(lab.login(side))
        self._window.show_status(tr("Copied: %1. Paste it into a terminal.", lab.login(side)))

    # --- starting -----------------------------------------------------------------------------------------------------

    def _ask_start(self) -> None:
        from ui.shell.lab_dialog import LabDialog

        dialog = LabDialog(self._window, tuple(lab.name for lab in self._labs))
        dialog.ask(lambda: self.start(dialog.choice()))
        dialog.yes.setDefault(True)
        dialog.name.setFocus()

    def start(self, choice: LabChoice) -> None:
        """Start a lab."""
        services = self._window.context.services

        def start(token: CancelToken, report: ProgressSink) -> tuple[str, ...]:
            services.start_chosen_lab(choice, token=token, on_progress=report)
            return ()

        self._run(
            tr("Starting the lab %1", choice.name),
            start,
            tr("The lab %1 is up. Its pair is lab:%1.", choice.name),
            tr("The start of the lab %1 was cancelled. Nothing of it is left.", choice.name),
        )

    def _run(
        self,
        name: str,
        job: Job[tuple[str, ...]],
        done: str,
        cancelled: str,
        on_new_uses: Callable[[tuple[str, ...]], None] | None = None,
    ) -> None:
        """Start or restart a lab; a job that returns new uses of it has done nothing."""
        if self.is_starting:
            return

        def ended(new: tuple[str, ...]) -> None:
            if new and on_new_uses is not None:
                self._show_state()
                on_new_uses(new)
            else:
                self._end(done)

        self._progress = name
        self._starting = self._window.runner.run(
            name,
            job,
            on_success=ended,
            on_failure=self._fail,
            on_cancelled=lambda: self._end(cancelled),
            on_progress=self._on_progress,
        )
        self._window.show_status(name)
        self._show_state()

    def _on_progress(self, text: str, fraction: float | None) -> None:
        share = f" {round(100 * fraction)} %" if fraction is not None else ""
        self._progress = f"{text}{share}"
        self._window.footer.status.setText(self._progress)  # not read out: it changes all the time

    def _cancel(self) -> None:
        if self._starting is not None:
            self._starting.cancel()
            self._window.show_status(tr("Cancelling the start of the lab"))

    def _end(self, sentence: str) -> None:
        self._window.show_status(sentence)
        self.refresh()
        self._show_state()
        if self._window.current is not None:
            self._window.current.take_pairs()

    def _fail(self, error: TunnelmarkError) -> None:
        if self._window.current is not None:
            self._window.current.notice.show_error(error)
        self._end(local_sentence(error))

    # --- stopping -----------------------------------------------------------------------------------------------------

    def _ask(self, lab: LabDetail, *, is_restart: bool) -> None:
        """Find out what uses a lab, and stop or restart it; ask before where something does, or where it is to last."""
        services = self._window.context.services
        self._window.runner.run(
            tr("Finding what uses the lab %1", lab.name),
            lambda _token, _report: services.lab_uses(lab.name),
            on_success=lambda uses: self._on_uses(lab, uses, is_restart=is_restart),
            on_failure=self._fail,
        )

    def _on_uses(self, lab: LabDetail, uses: tuple[str, ...], *, is_restart: bool) -> None:
        from ui.common.dialogs import Question

        act = partial(self._restart if is_restart else self._stop, lab, uses)
        if not uses and not lab.is_detached:
            act()
            return
        title = _question(is_used=bool(uses), is_restart=is_restart)
        lost = (
            tr("Its users lose both gateways, and everything on them is deleted.")
            if uses
            else tr("It is not in use. Everything on both gateways is deleted.")
        )
        Question(
            self._window,
            title.replace("%1", lab.name),
            "\n".join((*uses, "", lost)).strip(),
            tr("Restart lab") if is_restart else tr("Stop lab"),
            tr("Keep running"),
            "warning",
        ).ask(act)

    def _stop(self, lab: LabDetail, agreed: tuple[str, ...]) -> None:
        services = self._window.context.services

        def done(new: tuple[str, ...]) -> None:
            if new:
                self._on_uses(lab, (*agreed, *new), is_restart=False)
            else:
                self._end(tr("The lab %1 is stopped.", lab.name))

        self._window.runner.run(
            tr("Stopping the lab %1", lab.name),
            lambda _token, _report: services.stop_lab(lab.name, agreed),
            on_success=done,
            on_failure=self._fail,
        )

    def _restart(self, lab: LabDetail, agreed: tuple[str, ...]) -> None:
        services = self._window.context.services
        self._run(
            tr("Restarting the lab %1", lab.name),
            lambda token, report: services.restart_lab(lab.name, agreed, token=token, on_progress=report),
            tr("The lab %1 was restarted. Inspect its hosts again.", lab.name),
            tr("The lab %1 is stopped: its start was cancelled.", lab.name),
            lambda new: self._on_uses(lab, (*agreed, *new), is_restart=True),
        )


def _question(*, is_used: bool, is_restart: bool) -> str:
    if is_restart:
        return tr("Restart the lab %1 although it is in use?") if is_used else tr("Restart the lab %1?")
    return tr("Stop the lab %1 although it is in use?") if is_used else tr("Stop the lab %1?")


def _state(lab: LabDetail) -> str:
    if lab.is_starting:
        return tr("starting")
    if all(lab.is_up):
        return tr("both gateways are up")
    if not any(lab.is_up):
        return tr("both gateways are off")
    return tr("gateway A is off") if lab.is_up[1] else tr("gateway B is off")


def _word(lab: LabDetail, *, is_up: bool) -> str:
    if lab.is_starting:
        return tr("starting")
    return tr("up") if is_up else tr("off")
