"""Order of the commit: B is asked only once A has confirmed, and without waiting for what A removes afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from app.deployment.commit import CommitState, TwoHostCommit
from app.domain.cancel import CancelToken
from app.domain.errors import CommandFailed, EnvironmentFault
from app.domain.hosts import Side

WAIT_S = 20.0
Ask = Callable[[Side, Callable[[], None]], tuple[CommitState, str]]


def asked(monkeypatch: pytest.MonkeyPatch, ask: Ask, deployment_id: str = "") -> dict[Side, CommitState]:
    monkeypatch.setattr(TwoHostCommit, "_commit_on", lambda _self, side, on_confirmed: ask(side, on_confirmed))
    confirmer = TwoHostCommit({}, {}, {}, "slot", deployment_id, "/run/none")
    return dict(confirmer.commit(token=CancelToken()).hosts)


def test_b_ends_it_while_a_still_removes_what_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    is_b_asked = threading.Event()

    def ask(side: Side, on_confirmed: Callable[[], None]) -> tuple[CommitState, str]:
        on_confirmed()
        if side is Side.B:
            is_b_asked.set()
        assert is_b_asked.wait(WAIT_S), "B waits for A"
        return CommitState.YES, ""

    assert asked(monkeypatch, ask) == {Side.A: CommitState.YES, Side.B: CommitState.YES}


def test_what_remains_is_asked_of_b_only_when_a_has_done_all(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Side] = []

    def ask(side: Side, on_confirmed: Callable[[], None]) -> tuple[CommitState, str]:
        on_confirmed()
        if side is Side.A:
            threading.Event().wait(0.3)
        done.append(side)
        return CommitState.YES, ""

    asked(monkeypatch, ask, "0123456789abcdef")
    assert done == [Side.A, Side.B]


@pytest.mark.parametrize("deployment_id", ["", "0123456789abcdef"])
def test_b_is_not_asked_where_a_does_not_confirm(monkeypatch: pytest.MonkeyPatch, deployment_id: str) -> None:
    def ask(side: Side, on_confirmed: Callable[[], None]) -> tuple[CommitState, str]:
        assert side is Side.A
        return CommitState.REFUSED, "It went back."

    expected = {Side.A: CommitState.REFUSED, Side.B: CommitState.NOT_TRIED}
    assert asked(monkeypatch, ask, deployment_id) == expected


@pytest.mark.parametrize("after", [CommandFailed("Its shell ended."), (CommitState.UNKNOWN, "It is away.")])
def test_who_has_confirmed_cannot_be_lost_afterwards(
    monkeypatch: pytest.MonkeyPatch, after: EnvironmentFault | tuple[CommitState, str]
) -> None:
    def ask(side: Side, on_confirmed: Callable[[], None]) -> tuple[CommitState, str]:
        on_confirmed()
        if side is Side.B:
            return CommitState.YES, ""
        if isinstance(after, EnvironmentFault):
            raise after
        return after

    assert asked(monkeypatch, ask) == {Side.A: CommitState.YES, Side.B: CommitState.YES}


def test_what_goes_wrong_before_any_user_has_confirmed_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(side: Side, on_confirmed: Callable[[], None]) -> tuple[CommitState, str]:
        raise CommandFailed("No channel.")

    with pytest.raises(CommandFailed, match="No channel"):
        asked(monkeypatch, ask)
