"""Closing the window: ask, cancel, wait visibly for clean-up, then close."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.common.texts import tr

if TYPE_CHECKING:
    from ui.shell.window import MainWindow


class Closing:
    """Belongs to a window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._is_asking = False
        self._is_services_closed = False
        self.is_closing = False

    def may_close(self) -> bool:
        """Whether everything has ended."""
        return self.is_closing and not self._window.runner.running and self._is_services_closed

    def ask(self) -> None:
        """The user wants to close the window."""
        if self.is_closing or self._is_asking:
            return
        window = self._window
        if not (window.is_measuring or window.is_trying or window.is_studying or window.is_rolling):
            self.begin()
            return
        self._is_asking = True
        if window.is_rolling:
            self._ask_about_deployment()
            return
        from ui.common.dialogs import Question

        title, resumed = self._running_words()
        is_paused = window.is_measuring and window.bridge.live.status().is_paused
        text = tr(
            "Closing stops it: the current test is stopped and both hosts are restored, which takes some "
            "seconds; then the window closes. Results so far are saved."
        )
        if is_paused:
            text = tr(
                "Closing stops it. It is paused: no candidate is running and both hosts are restored. "
                "Results so far are saved."
            )
        continue_text = tr("Keep it paused") if is_paused else tr("Continue")

        def answered_no() -> None:
            self._is_asking = False

        Question(
            window,
            title,
            f"{text} {resumed}",
            tr("Stop and close"),
            continue_text,
            "warning",
        ).ask(self.begin, answered_no)

    def _running_words(self) -> tuple[str, str]:
        """Return what runs, and where it can be resumed."""
        if self._window.is_measuring:
            return tr("A comparison is running"), tr("It can be resumed from the history.")
        if self._window.is_trying:
            return tr("A cipher census is running"), tr("It can be resumed from the history.")
        return tr("A study is running"), tr("It can be resumed.")

    def _ask_about_deployment(self) -> None:
        from ui.common.dialogs import Question

        window = self._window
        window.show_page(window.deploy)
        title, text, yes = window.deploy.closing_words

        def answered_no() -> None:
            self._is_asking = False

        Question(window, title, text, yes, tr("Do not close"), "warning").ask(self.begin, answered_no)

    def check(self) -> None:
        """An operation began or ended: close when none is left."""
        if not self.is_closing or self._window.runner.running:
            return
        if self._is_services_closed:
            self._window.close()
        else:
            self._close_services()

    def begin(self) -> None:
        """Cancel everything, and close when it has ended."""
        if self.is_closing:
            return
        self._is_asking = False
        self.is_closing = True
        window = self._window
        if window.is_measuring:
            window.run_page.cancel_now()
            window.show_page(window.run_page)
        kept = [window.run_page.operation] if window.is_measuring else []
        if window.is_rolling:
            window.show_page(window.deploy)
            window.deploy.end_now()
            kept.append(window.deploy.operation)
        window.bridge.refuse_all()
        for operation in window.runner.running:
            if operation not in kept:
                operation.cancel()
        window.show_status(tr("Closing: waiting until both hosts are restored"))
        window.lock()
        self.check()

    def _close_services(self) -> None:
        window = self._window
        if not window.context.has_services:
            self._is_services_closed = True
            window.close()
            return
        services = window.context.services

        def done() -> None:
            self._is_services_closed = True

        window.show_status(tr("Closing connections, and the practice lab that was started here"))
        window.runner.run(
            tr("Closing"),
            lambda _token, _report: services.close(),
            on_success=lambda _none: done(),
            on_failure=lambda _error: done(),
            on_cancelled=done,
        )
