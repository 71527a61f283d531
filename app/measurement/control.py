"""Control of a running campaign, a comparison or a census, from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled
from app.domain.events import Paused


class CampaignControl:
    """Pause, go on, skip, cancel. Every method may be called from any thread and returns at once.

    A pause takes effect when the running attempt has ended, because only then both hosts are as they were.

    Args:
        is_attended: Whether there is a user who can end a pause: the campaign then pauses where it would have to stop.
        token: Cancelled when the whole campaign is; None makes one.

    Attributes:
        token: Cancelled when the whole campaign is.
        is_attended: As given.
    """

    def __init__(self, *, is_attended: bool = False, token: CancelToken | None = None) -> None:
        self.token = token or CancelToken()
        self.is_attended = is_attended
        self._condition = threading.Condition()
        self._is_pause_wanted = False
        self._pause_reason = ""
        self._attempt: CancelToken | None = None
        self._is_skipped = False
        self.token.on_cancel(self._wake)

    @property
    def is_pause_wanted(self) -> bool:
        """Whether a pause was requested and not cancelled since."""
        with self._condition:
            return self._is_pause_wanted

    def pause(self, reason: str = "") -> None:
        """Wait after the attempt that is running now.

        Args:
            reason: Why, as a sentence, where the user did not ask for it.
        """
        with self._condition:
            self._is_pause_wanted = True
            self._pause_reason = reason

    def resume(self) -> None:
        """Resume, or cancel a pause that has not begun."""
        with self._condition:
            self._is_pause_wanted = False
            self._condition.notify_all()

    def skip(self) -> None:
        """End the running attempt, clean up after it and go on with the next one; nothing if none is running."""
        with self._condition:
            attempt = self._attempt
            self._is_skipped = attempt is not None
        if attempt is not None:
            attempt.cancel()

    def cancel(self) -> None:
        """End the running attempt, clean up after it, and run none of the others."""
        self.token.cancel()

    # --- for the one who runs the campaign ----------------------------------------------------------------------------

    def begin_attempt(self) -> tuple[CancelToken, Callable[[], None]]:
        """Return a token for one attempt, cancelled by skipping and by cancelling, and a function that ends it."""
        attempt = CancelToken()
        with self._condition:
            self._attempt, self._is_skipped = attempt, False
        unregister = self.token.on_cancel(attempt.cancel)

        def end() -> None:
            unregister()
            with self._condition:
                self._attempt = None

        return attempt, end

    @property
    def is_skipped(self) -> bool:
        """Whether the attempt that began last was skipped (and not the whole campaign cancelled)."""
        with self._condition:
            return self._is_skipped and not self.token.is_cancelled

    def wait_while_paused(self, emit: Callable[[Paused], None]) -> None:
        """Return at once if no pause is requested, else when it is over.

        Args:
            emit: Receives an event when a pause begins, and when it ends.

        Raises:
            Cancelled: The campaign was cancelled meanwhile.
        """
        if not self.is_pause_wanted:
            return
        with self._condition:
            reason = self._pause_reason
        emit(Paused(is_paused=True, reason=reason))
        with self._condition:
            self._condition.wait_for(lambda: not self._is_pause_wanted or self.token.is_cancelled)
        emit(Paused(is_paused=False))
        if self.token.is_cancelled:
            raise Cancelled

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify_all()
