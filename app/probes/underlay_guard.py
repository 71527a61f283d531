"""Runs work over an unreliable link: detects an outage, restores the link where possible, and stops at a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.domain.cancel import CancelToken
from app.domain.errors import (
    CommandFailed,
    ConnectionLost,
    DeadlineExceeded,
    PrivilegeMissing,
    TunnelmarkError,
    UnderlayDown,
)
from app.domain.events import LogLevel, LogLine, UnderlayChanged
from app.domain.link import LinkHealer
from app.domain.messages import sentences
from app.probes.messages import (
    LAB_RESTARTS_LINK,
    LINK_DIED_IN_A_ROW,
    LINK_DIED_OFTEN,
    LINK_DIED_ONCE,
    LINK_IS_BACK,
    LINK_NOT_RESTARTED,
    LINK_STILL_DEAD,
    WAITING_FOR_LINK,
)
from app.probes.underlay import UnderlayWatch

MAX_HEALS = 2
"""So often is the link healed for one piece of work."""

MAX_REPEATS = 2
"""So often is one piece of work repeated because the link died during it."""

HEALED_WITHIN_S = 20.0
"""A healed link must carry frames within so many seconds; address resolution alone takes one or two."""

BACK_WITHIN_S = 60.0
"""Time to wait for a dead link, in seconds: a switch that restarts, a cable that is plugged in again."""

PAUSE_S = 1.0


class UnderlayGuard:
    """Runs between the pieces of work (attempts, options) and asks whether the bare link carries frames.

    Args:
        watch: Checks the link.
        healer: Heals it; None where it is not ours.
        emit: Gets what happens to the link.
    """

    def __init__(
        self,
        watch: UnderlayWatch,
        *,
        healer: LinkHealer | None,
        emit: Callable[[UnderlayChanged | LogLine], None],
    ) -> None:
        self._watch = watch
        self._healer = healer
        self._emit = emit
        self._is_doubtful = True  # before the first piece of work, too
        self._down: UnderlayDown | None = None
        self._heals = self._deaths = self._dropped = 0

    @property
    def doubts(self) -> tuple[str, ...]:
        """Doubts to keep with the piece of work that is repeated, as sentences."""
        if not self._dropped:
            return ()
        if self._dropped == 1:
            return (LINK_DIED_ONCE(link=self._watch.name),)
        return (LINK_DIED_OFTEN(link=self._watch.name, tries=self._dropped),)

    def has_died(self, *, token: CancelToken) -> bool:
        """Return whether the link is dead after a piece of work that failed, which then is to be repeated.

        Raises:
            Cancelled: The token was cancelled.
        """
        self._is_doubtful, self._down = True, None
        try:
            self._down = self._watch.check(token=token)
        except (ConnectionLost, DeadlineExceeded, CommandFailed):
            return False  # a host that cannot be asked explains the failure; the link is asked for before the next work
        except PrivilegeMissing:
            self._is_doubtful = False
            return False
        self._is_doubtful = self._down is not None
        self._deaths += self._is_doubtful
        self._dropped += self._is_doubtful
        return self._is_doubtful

    def settle(self) -> None:
        """A piece of work has ended for good; the next one has all its repetitions."""
        self._heals = self._deaths = self._dropped = 0

    def ensure(self, *, token: CancelToken) -> None:
        """Return when work can begin: at once where there is no doubt, else when frames cross.

        Raises:
            UnderlayDown: The link is dead, could not be healed, and did not come back; the next call begins afresh.
            ConnectionLost, DeadlineExceeded, CommandFailed: A host could not be asked.
            Cancelled: The token was cancelled.
        """
        if not self._is_doubtful:
            return
        try:
            self._down = self._down or self._watch.check(token=token)
            if self._down is not None:
                self._get_back(self._down, token)
        except PrivilegeMissing:
            pass  # what this host refuses is reported by the work itself
        except UnderlayDown:
            self._heals = self._deaths = 0
            self._down = None
            raise
        self._is_doubtful, self._down = False, None

    def _get_back(self, down: UnderlayDown, token: CancelToken) -> None:
        if self._deaths > MAX_REPEATS:
            text = sentences((down.message, LINK_DIED_IN_A_ROW(tries=self._deaths)))
            self._emit(UnderlayChanged(is_up=False, text=text))
            raise down
        is_ours = self._healer is not None and self._heals < MAX_HEALS
        todo = LAB_RESTARTS_LINK() if is_ours else WAITING_FOR_LINK(seconds=BACK_WITHIN_S)
        self._emit(UnderlayChanged(is_up=False, text=sentences((down.message, todo))))
        if not (self._has_healed(token) or self._is_back(BACK_WITHIN_S, token)):
            raise down
        self._emit(UnderlayChanged(is_up=True, text=LINK_IS_BACK(link=self._watch.name)))

    def _has_healed(self, token: CancelToken) -> bool:
        while self._healer is not None and self._heals < MAX_HEALS:
            self._heals += 1
            try:
                if not self._healer.heal(token=token):
                    return False
            except TunnelmarkError as error:
                self._emit(LogLine(LogLevel.WARNING, LINK_NOT_RESTARTED(why=error.sentence())))
                return False
            if self._is_back(HEALED_WITHIN_S, token):
                return True
            self._emit(LogLine(LogLevel.WARNING, LINK_STILL_DEAD(link=self._watch.name)))
        return False

    def _is_back(self, within_s: float, token: CancelToken) -> bool:
        deadline_s = time.monotonic() + within_s
        while not self._watch.is_well(token=token):
            if time.monotonic() + PAUSE_S >= deadline_s:
                return False
            token.sleep(PAUSE_S)
        return True
