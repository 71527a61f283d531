"""Transfers between nodes that are machines: these join all tunnels that are up, and leave before the tunnels go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from test_transfers import CELLS, Host, Stage

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import Side


class Machines:
    """Machines behind the gateways, and what they were made nodes of."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        nodes: Any = (Host("node-a"), Host("node-b"))
        self.sessions = SessionPair(*nodes)
        self.nodes = {side: SimpleNamespace(interface="eth1", gateway_interface="eth2") for side in Side}
        self.joins: list[tuple[int, str, bool | None]] = []

    @contextmanager
    def joined(self, tunnels: Any, settings: Any, *, token: CancelToken) -> Iterator[None]:
        assert self._stage.is_group_open
        self.joins.append((len(tunnels), settings.congestion, settings.has_hystart))
        yield
        assert self._stage.is_group_open, "they leave the tunnels before these go"
        assert self._stage.conditions[-1] is None


def test_machines_are_the_nodes_of_all_tunnels_that_are_up(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch, failed=1)
    machines = Machines(stage)
    stage.run(machines=machines)
    assert machines.joins == [(1, "bbr", True), (1, "cubic", True)]
    assert {one.seconds for one in stage.results if one.cell.solution == "none"} == {26.5}
    assert [one.lans for one in (extension.parts[0] for extension in stage.extensions)] == 4 * [
        {Side.A: "eth2", Side.B: "eth2"}
    ]
    transfers_made = [words for words in machines.sessions.a.commands if "iperf3" in words]
    assert len(transfers_made) == len(CELLS) / 2
    assert not any("netns" in words for words in (*transfers_made, *stage.a.commands))
    flushes = [sum("tcp_metrics flush" in words for words in host.commands) for host in (stage.a, machines.sessions.b)]
    assert flushes == [len(CELLS) / 2] * 2
