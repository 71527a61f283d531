"""The cancel token, and doing things on both hosts at once."""

from __future__ import annotations

import threading

import pytest

from app.domain.cancel import CancelToken
from app.domain.concurrency import run_both
from app.domain.errors import Bug, Cancelled, DeadlineExceeded, LabFault
from app.domain.messages.inputs import WAITED_IN_VAIN
from support.message_checks import has_message


def test_callbacks_are_called_once_and_late_ones_at_once() -> None:
    token = CancelToken()
    calls: list[str] = []
    token.on_cancel(lambda: calls.append("early"))
    unregistered = token.on_cancel(lambda: calls.append("taken back"))
    unregistered()
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: calls.append("late"))
    assert calls == ["early", "late"]


def test_sleeping_ends_when_cancelled() -> None:
    token = CancelToken()
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        token.sleep(30)
    timer.join()
    with pytest.raises(Cancelled):
        token.raise_if_cancelled()


def test_waiting_in_vain_says_for_what() -> None:
    with pytest.raises(DeadlineExceeded, check=has_message(WAITED_IN_VAIN, what="rain")):
        CancelToken().wait_for(lambda: False, timeout_s=0.05, what="rain", interval_s=0.01)


def test_no_handler_of_ordinary_errors_catches_a_cancellation() -> None:
    assert not issubclass(Cancelled, Exception)


def test_both_results() -> None:
    barrier = threading.Barrier(2, timeout=120)
    assert run_both(lambda: barrier.wait() >= 0, lambda: barrier.wait() >= 0) == (True, True)


def test_an_error_of_either_is_raised_after_both_have_ended() -> None:
    ended = threading.Event()

    def fails() -> None:
        raise LabFault("a")

    def fails_too() -> None:
        ended.set()
        raise Bug("b")

    with pytest.raises(LabFault):
        run_both(fails, fails_too)
    assert ended.is_set()
    with pytest.raises(Bug):
        run_both(lambda: 1, fails_too)
