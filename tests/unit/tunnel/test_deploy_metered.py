"""Two supervisors of a metered deployment: they ask rarely while all is well, and as often as others once it is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from app.domain.hosts import Side
from app.domain.keepalive import PROBE_S, Keepalive
from support.supervised_hosts import MadeUpTunnel, SupervisedHosts, supervised_hosts

SHELLS = [
    pytest.param(("dash",), id="dash"),
    pytest.param(("busybox", "sh"), id="busybox", marks=pytest.mark.full),
]
WHILE_S = 300.0
NAT_S = 60.0
"""Least time for which a connection without packets is remembered, see `PROBE_S`, in seconds."""
IDLE_AFTER_S = 2.0 * PROBE_S


@contextmanager
def idle(folder: Path, tunnel: MadeUpTunnel, shell: Sequence[str] = ("dash",)) -> Iterator[SupervisedHosts]:
    """Give both sides once their peers are asked rarely."""
    with supervised_hosts(folder, tunnel, shell) as ends:
        ends.run_until_steady(120)
        ends.run_for(IDLE_AFTER_S)
        yield ends


def made_up(**values: object) -> MadeUpTunnel:
    return MadeUpTunnel(keepalive=Keepalive.METERED, **values)  # type: ignore[arg-type]  # of its own fields


@pytest.mark.parametrize("shell", SHELLS)
def test_an_idle_tunnel_is_asked_for_once_a_minute_and_before_a_nat_forgets_it(
    tmp_path: Path, shell: tuple[str, ...]
) -> None:
    with idle(tmp_path, made_up(), shell) as ends:
        began_s = ends.now_s
        ends.run_for(WHILE_S)
        for side in Side:
            asked_s = [at_s for at_s in ends.asked_s(side) if at_s >= began_s]
            assert WHILE_S / NAT_S - 1 <= len(asked_s) <= WHILE_S / PROBE_S + 1
            assert max(later - former for former, later in pairwise(asked_s)) < NAT_S
            assert len(ends.slowed_s(side)) == len(ends.starts_s(side)) == 1


def test_a_wired_one_is_asked_for_fifteen_times_as_often(tmp_path: Path) -> None:
    with idle(tmp_path, MadeUpTunnel()) as ends:
        began_s = ends.now_s
        ends.run_for(WHILE_S)
        for side in Side:
            assert len([at_s for at_s in ends.asked_s(side) if at_s >= began_s]) >= WHILE_S / 4 - 2
            assert ends.slowed_s(side) == []


def test_after_a_start_it_is_asked_for_as_often_as_a_wired_one_until_it_has_answered_for_a_while(
    tmp_path: Path,
) -> None:
    with supervised_hosts(tmp_path / "metered", made_up()) as ends:
        ends.run_until_steady(120)
        ends.run_for(PROBE_S - 20)
        metered = {side: ends.asked_s(side) for side in Side}
        assert [ends.slowed_s(side) for side in Side] == [[], []]
    with supervised_hosts(tmp_path / "wired", MadeUpTunnel()) as ends:
        ends.run_until_steady(120)
        ends.run_for(PROBE_S - 20)
        assert {side: ends.asked_s(side) for side in Side} == metered


def test_one_lost_answer_ends_neither_the_tunnel_nor_the_rare_questions(tmp_path: Path) -> None:
    with idle(tmp_path, made_up()) as ends:
        log = {side: ends.log(side) for side in Side}
        ends.lose_next(Side.A)
        began_s = ends.now_s
        ends.run_for(3 * NAT_S)
        asked_s = [at_s for at_s in ends.asked_s(Side.A) if at_s >= began_s]
        pauses_s = [later - former for former, later in pairwise(asked_s)]
        assert min(pauses_s) <= 6, "it asks again at once"
        assert [pause_s for pause_s in pauses_s if pause_s > 6][-1] >= PROBE_S
        assert {side: ends.log(side) for side in Side} == log


# When an idle tunnel is lost: the two hosts do not ask at the same time.
@pytest.mark.parametrize(
    ("side", "at_s"),
    [
        *((Side.A, 0), (Side.B, 19), (Side.A, 44)),
        *(pytest.param(side, at_s, marks=pytest.mark.full) for side, at_s in ((Side.B, 0), (Side.A, 19), (Side.B, 44))),
    ],
)
def test_a_hung_daemon_is_started_again_a_minute_later_than_a_wired_one(
    tmp_path: Path, side: Side, at_s: float
) -> None:
    tunnel = made_up(start_s=(3, 3), connect_s=1)
    with idle(tmp_path, tunnel) as ends:
        ends.run_for(at_s)
        ends.hang(side)
        began_s = ends.now_s
        ends.run_until(lambda: len(ends.starts_s(side)) == 2, 120)
        patience_s = 20 if side is Side.A else 36
        # The question takes 2 s without an answer, and is repeated every 3 s; it takes its side down first.
        assert patience_s - 2 <= ends.now_s - began_s - tunnel.stop_s <= NAT_S + patience_s + 4, ends.story()
        ends.run_until_steady(6)


def test_a_loss_that_a_host_makes_itself_does_not_count_from_a_question_long_ago(tmp_path: Path) -> None:
    with idle(tmp_path, made_up(start_s=(3, 3), connect_s=1)) as ends:
        ends.run_until(lambda: ends.now_s - ends.asked_s(Side.A)[-1] >= PROBE_S - 10, 2 * PROBE_S)
        ends.break_end(Side.A)
        ends.run_until(lambda: "answers again" in ends.log(Side.A), 20)
        lasted_s = int(ends.log(Side.A).rpartition("answers again after ")[2].partition(" ")[0])
        assert lasted_s <= 12, ends.story()


@pytest.mark.parametrize(
    ("asker", "at_s"),
    [
        *((None, 0), (Side.A, 29)),
        *(pytest.param(asker, at_s, marks=pytest.mark.full) for asker, at_s in ((None, 29), (Side.A, 0))),
    ],
)
def test_a_lost_connection_comes_back_within_two_minutes(tmp_path: Path, asker: Side | None, at_s: float) -> None:
    with idle(tmp_path, made_up(start_s=(8, 8), busy_s=0.5, asker=asker)) as ends:
        ends.run_for(at_s)
        ends.lose()
        took_s = ends.run_until_steady(180)
        assert took_s <= 120, ends.story()
        before_s = ends.now_s
        ends.run_for(IDLE_AFTER_S)
        assert [len(ends.slowed_s(side)) for side in Side] == [2, 2], "it is asked rarely again"
        assert all(ends.asked_s(side)[-1] > before_s for side in Side)
