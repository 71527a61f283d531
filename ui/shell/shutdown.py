"""Closing the window: ask, cancel, wait visibly for clean-up, then close."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.common.texts import tr

if TYPE_CHECKING:
    from ui.shell.navigator import Navigator


class Closing:
    """Belongs to a window."""

    def __init__(self, window: Navigator) -> None:
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
        from ui.common.dialogs import Question

        self._is_asking = True
        if window.is_rolling:
            window.show_page(window.deploy)
            words = (*window.deploy.closing_words, tr("Do not close"))
        else:
            words = self._closing_words()
        Question(window, *words, "warning").ask(self.begin, self._on_no)

    def _on_no(self) -> None:
        self._is_asking = False

    def _closing_words(self) -> tuple[str, str, str, str]:
        """Return what closing the window now would mean: a title, sentences, and the words on both buttons."""
        window = self._window
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
        title, resumed = tr("A study is running"), tr("It can be resumed.")
        if window.is_measuring or window.is_trying:
            title = tr("A comparison is running") if window.is_measuring else tr("A cipher census is running")
            resumed = tr("It can be resumed from the history.")
        no = tr("Keep it paused") if is_paused else tr("Continue")
        return title, f"{text} {resumed}", tr("Stop and close"), no

    def check(self) -> None:
        """An operation began or ended: close when none is left."""
        if not self.is_closing or self._window.runner.running:
            return
        if self._is_services_closed:
            self._window.close()
        else:
            self._close_services()

    def begin(self) -> None:
        """Cancel everything but the rollback of hosts, and close when all has ended."""
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
            if operation not in kept and not operation.is_awaited:
                operation.cancel()
        window.show_status(tr("Closing: waiting until both hosts are restored"))
        window.frame.lock()
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
