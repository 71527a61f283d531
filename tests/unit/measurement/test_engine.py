"""Measuring engine: the plan decides which tunnels are up, and what is done next."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

import sample_records as sample
from campaign_stage import Stage

from app.domain import events
from app.domain.adapters import find_suite
from app.domain.cancel import CancelToken
from app.domain.results import Attempt, AttemptKey, AttemptStatus, CampaignStatus
from app.measurement.comparison import Comparison
from app.measurement.comparison.attempt import not_run
from app.measurement.interfaces import Tunnel
from app.measurement.work import Done, Task

BLOCKS = 3


class Interleaved(Comparison):
    """Keeps all candidates of a round up at once and measures them in alternating blocks; one leaves early."""

    blocks: list[str] = []  # noqa: RUF012 - of one test

    def tasks(self) -> Generator[Task[Attempt], Done[Attempt], CampaignStatus]:
        keys = list(self.context.plan.attempts)
        self._stack = ExitStack()
        with self._stack:
            tunnels: dict[AttemptKey, Tunnel] = {}
            for block in range(BLOCKS):
                for key in list(keys):
                    done = yield Task(lambda *_, key=key: self._measure(tunnels, key))
                    if not done.is_good or block == BLOCKS - 1:
                        keys.remove(key)
                        yield Task(lambda *_, key=key: Done((self._result(key),)), (key,), (key.solution,))
        return CampaignStatus.COMPLETED

    @property
    def is_tunnel_up(self) -> bool:
        return True

    def _measure(self, tunnels: dict[AttemptKey, Tunnel], key: AttemptKey) -> Done[Attempt]:
        if key not in tunnels:
            adapter, facts = self.context.adapters[key.solution], self.context.facts
            suite = find_suite(adapter, facts["a"], facts["b"], key.suite)
            assert suite is not None
            opened = self.context.tunnels.open(adapter, suite, token=CancelToken(), on_stage=lambda *_: None)
            tunnels[key] = self._stack.enter_context(opened)
        self.blocks.append(key.solution)
        return Done(is_good=key.solution != "wireguard" or self.blocks.count("wireguard") < 2)

    def _result(self, key: AttemptKey) -> Attempt:
        return not_run(key, "", f"{self.blocks.count(key.solution)} blocks")


def test_several_candidates_may_be_up_at_once_and_leave_early() -> None:
    stage = Stage(candidates=(sample.WIREGUARD, sample.OPENVPN_UDP))
    most: list[int] = []
    stage.on_event = lambda _event: most.append(len(stage.tunnels.tunnels_up))
    Interleaved.blocks = []
    record = stage.run(work=Interleaved)

    assert record.status is CampaignStatus.COMPLETED
    assert max(most) == 2
    assert stage.tunnels.tunnels_up == []
    assert {one.key.solution: one.message for one in record.attempts} == {
        "wireguard": "2 blocks",
        "openvpn-udp": "3 blocks",
    }


def test_cancelled_between_blocks_everything_is_closed_and_the_rest_left_out() -> None:
    stage = Stage(candidates=(sample.WIREGUARD, sample.OPENVPN_UDP))
    stage.on_event = lambda event: stage.control.cancel() if isinstance(event, events.AttemptEnded) else None
    Interleaved.blocks = []
    record = stage.run(work=Interleaved)

    assert record.status is CampaignStatus.CANCELLED
    assert stage.tunnels.tunnels_up == []
    assert [one.status for one in record.attempts] == [AttemptStatus.NOT_RUN] * 2
    assert sorted(one.reason for one in record.attempts) == ["", "cancelled"]
