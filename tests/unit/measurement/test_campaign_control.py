from __future__ import annotations

import threading

import pytest

from app.domain.errors import Cancelled
from app.domain.events import Paused
from app.measurement.control import CampaignControl


def wait_in_thread(control: CampaignControl) -> tuple[threading.Thread, list[object], threading.Event]:
    seen: list[object] = []
    paused = threading.Event()

    def emit(event: Paused) -> None:
        seen.append(event)
        paused.set()

    def wait() -> None:
        try:
            control.wait_while_paused(emit)
        except Cancelled as error:
            seen.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread, seen, paused


def test_without_a_pause_no_one_waits() -> None:
    seen: list[Paused] = []
    CampaignControl().wait_while_paused(seen.append)

    assert seen == []


def test_a_pause_lasts_until_another_user_goes_on() -> None:
    control = CampaignControl()
    control.pause()
    thread, seen, paused = wait_in_thread(control)
    assert paused.wait(120)
    assert thread.is_alive()

    control.resume()
    thread.join(120)

    assert seen == [Paused(is_paused=True), Paused(is_paused=False)]


def test_a_pause_can_be_rolled_back() -> None:
    control = CampaignControl()
    control.pause()
    control.resume()

    assert not control.is_pause_wanted


def test_cancelling_ends_a_pause() -> None:
    control = CampaignControl()
    control.pause()
    thread, seen, paused = wait_in_thread(control)
    assert paused.wait(120)

    control.cancel()
    thread.join(120)

    assert isinstance(seen[-1], Cancelled)


def test_skipping_ends_the_attempt_alone() -> None:
    control = CampaignControl()
    token, end = control.begin_attempt()

    control.skip()

    assert token.is_cancelled
    assert control.is_skipped
    assert not control.token.is_cancelled
    end()
    following, _ = control.begin_attempt()
    assert not following.is_cancelled
    assert not control.is_skipped


def test_skipping_nothing_does_nothing() -> None:
    control = CampaignControl()
    control.skip()
    token, end = control.begin_attempt()
    end()
    control.skip()

    assert not token.is_cancelled
    assert not control.is_skipped


def test_cancelling_ends_the_attempt_and_is_not_skipping() -> None:
    control = CampaignControl()
    token, _ = control.begin_attempt()
    control.skip()
    control.cancel()

    assert token.is_cancelled
    assert not control.is_skipped


def test_an_attempt_after_cancelling_is_cancelled_at_once() -> None:
    control = CampaignControl()
    control.cancel()
    token, _ = control.begin_attempt()

    with pytest.raises(Cancelled):
        token.raise_if_cancelled()
