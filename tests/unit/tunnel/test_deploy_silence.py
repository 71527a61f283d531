"""Two supervisors that each start their end again when the other one is silent: they do not do so in turn for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from app.domain.hosts import Side
from support.supervised_hosts import MadeUpTunnel, SupervisedHosts, supervised_hosts

SHELLS = [
    pytest.param(("dash",), id="dash"),
    pytest.param(("busybox", "sh"), id="busybox", marks=pytest.mark.full),
]
WELL_FOR_S = 60.0


@contextmanager
def well(folder: Path, tunnel: MadeUpTunnel, shell: tuple[str, ...] = ("dash",)) -> Iterator[SupervisedHosts]:
    """Give both sides after the tunnel has been up for a minute."""
    with supervised_hosts(folder, tunnel, shell) as ends:
        ends.run_until_steady(120)
        ends.run_for(WELL_FOR_S)
        yield ends


@pytest.mark.parametrize("shell", SHELLS)
def test_an_end_that_started_again_by_itself_waits_anew_for_the_other_one(
    tmp_path: Path, shell: tuple[str, ...]
) -> None:
    # As seen: both firewalls are reloaded, B starts again because something has gone, A because B is silent then.
    tunnel = MadeUpTunnel(start_s=(8, 8), connect_s=2, busy_s=1.5, asker=Side.A)
    with well(tmp_path, tunnel, shell) as ends:
        ends.lose()
        ends.at(10, lambda: ends.break_end(Side.B))
        took_s = ends.run_until_steady(60)
        assert took_s <= 45, ends.story()
        assert [len(ends.starts_s(side)) for side in Side] == [2, 2], ends.story()


# Seconds that the steps of A and B take, and that each program takes longer than on a host that does nothing else.
@pytest.mark.parametrize(
    ("a_s", "b_s", "busy_s"),
    [
        *((4, 4, 0), (15, 15, 1.5)),
        *(pytest.param(*one, marks=pytest.mark.full) for one in ((6, 6, 1.5), (8, 6, 0.5), (12, 12, 0))),
    ],
)
def test_b_lets_a_finish_its_first_start(tmp_path: Path, a_s: float, b_s: float, busy_s: float) -> None:
    tunnel = MadeUpTunnel(start_s=(a_s, b_s), connect_s=2, busy_s=busy_s, asker=Side.A)
    with well(tmp_path, tunnel) as ends:
        ends.lose()
        ends.run_until_steady(22 + tunnel.stop_s + a_s + 2 + 8 * busy_s)
        assert [len(ends.starts_s(side)) for side in Side] == [2, 1], ends.story()


@pytest.mark.parametrize(("side", "after_s"), [(Side.A, 20), (Side.B, 32)])
def test_an_end_whose_daemon_hangs_is_started_again_as_soon_as_documented(
    tmp_path: Path, side: Side, after_s: float
) -> None:
    tunnel = MadeUpTunnel(start_s=(3, 3), connect_s=1)
    with well(tmp_path, tunnel) as ends:
        ends.hang(side)
        began_s = ends.now_s
        ends.run_until(lambda: len(ends.starts_s(side)) == 2, 60)
        # The last answer may be 2 s old; it checks every 2 s, and takes its side down first.
        assert after_s - 4 <= ends.now_s - began_s - tunnel.stop_s <= after_s + 4, ends.story()
        ends.run_until_steady(6)


def test_in_each_long_pause_of_b_a_starts_and_is_left_alone(tmp_path: Path) -> None:
    tunnel = MadeUpTunnel(start_s=(20, 20), connect_s=5)
    with well(tmp_path, tunnel) as ends:
        ends.can_connect = False
        ends.lose()
        ends.run_for(1800)
        a_starts_s, b_starts_s = (ends.starts_s(side) for side in Side)
        late = [(start_s, end_s) for start_s, end_s in pairwise(b_starts_s[2:]) if end_s - start_s > 200]
        assert len(late) >= 3, ends.story()
        for begins_s, ends_s in late:
            free = [
                min(after_s, ends_s) - start_s
                for start_s, after_s in pairwise(a_starts_s)
                if begins_s <= start_s < ends_s
            ]
            assert max(free) >= 120, (free, ends.story())
        pauses_s = {round(after_s - start_s) for start_s, after_s in pairwise(a_starts_s[5:])}
        assert len(pauses_s) >= 3, "they vary"  # by an eighth at most, in steps of the 3 s after which A asks again
