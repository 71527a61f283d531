"""Probes of a round on two hosts: the counters that say whether both were quiet enough."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import sample_records as sample

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.hosts import Nic, Side
from app.measurement.adaptive.host_probes import HostProbes
from support.fake_hosts import Answer, FakeHost


def test_drops_on_the_underlay_are_those_of_both_hosts_between_two_readings() -> None:
    counts = {"gateway-a": itertools.count(5, 7), "gateway-b": itertools.count(0, 0)}
    asked: list[tuple[str, str]] = []

    def host(label: str) -> FakeHost:
        def answer(command: Command, token: CancelToken) -> Answer:
            asked.append((label, command.argv[-1]))
            yield f"underlay rx_errors {next(counts[label])}"

        return FakeHost(label, answer)

    def facts(name: str, address: str) -> Any:
        return replace(sample.facts(), nics=(Nic(name, "", 1500, None, is_up=True, addresses=(f"{address}/30",)),))

    pair = sample.pair()
    found = {"a": facts("eth1", pair.underlay_a), "b": facts("eth7", pair.underlay_b)}
    context: Any = SimpleNamespace(
        guests=(),
        facts=found,
        plan=SimpleNamespace(pair=pair),
        sessions=SessionPair(host("gateway-a"), host("gateway-b")),
    )
    key = SimpleNamespace(position=4)
    draft: Any = SimpleNamespace(key=key, daemon_pids=lambda _side: (), device=lambda _side: "")
    conditions = HostProbes(context).watch([draft], token=CancelToken())()
    assert set(asked) == {("gateway-a", "eth1"), ("gateway-b", "eth7")}
    readings = conditions.readings[4]
    assert (readings[Side.A.value].underlay_drops, readings[Side.B.value].underlay_drops) == (7, 0)
