"""A hub with clients on virtual machines: both count each key exchange, and nothing remains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.hub_study import HubCell, HubKind, HubResult
from app.domain.hubs import FloodRequest
from app.lab import Lab
from app.measurement.hub_study_run import HubChoice, HubPart, HubStudyRun
from app.measurement.tunnels import DeployedTunnels
from app.probes.hub_flood import flood
from app.tunnel import temporary_tunnel
from support.killing import kill_tunnelmark, wait_until_back
from support.lab_deploy import Bench, differences, with_clients
from support.lab_pairs import LabPair
from support.lab_sessions import sh
from vpn_adapters.registry import HUBS

FORWARDING = "cat /proc/sys/net/ipv4/conf/*/forwarding | sort | uniq -c"


@pytest.fixture(scope="module")
def bench(lab: Lab, lab_pair: LabPair) -> Bench:
    return Bench(lab.pair, lab_pair.sessions, lab_pair.facts)


@pytest.fixture(autouse=True)
def unchanged(bench: Bench) -> Iterator[None]:
    """Every test here must leave both gateways as it found them."""
    hosts = bench.sessions.a, bench.sessions.b
    before, forwarding = bench.inspect(), [sh(host, FORWARDING) for host in hosts]
    yield
    assert differences(before, bench.inspect()) == []
    assert [sh(host, FORWARDING) for host in hosts] == forwarding
    for host in hosts:
        assert "tmk" not in sh(host, "ip link; ip netns list; ip route; pgrep -a perl || true")


def test_each_key_exchange_is_counted_by_client_and_hub(bench: Bench) -> None:
    request = with_clients(bench, "wireguard", 2)
    with temporary_tunnel(
        bench.sessions, request, token=CancelToken(), on_stage=lambda *_: None, lease_s=120
    ) as tunnel:
        asked = FloodRequest(rate_s=4.0, seconds=2)
        done = flood(bench.sessions, HUBS["wireguard"], tunnel.link, 2, asked, token=CancelToken()).window
        assert (done.attempts, done.by_clients, done.fresh) == (8, 8, 2)
        assert done.by_hub == 8
        sh(bench.sessions.a, f"ip link set {tunnel.link.names.wireguard_interface} down")
        down = flood(bench.sessions, HUBS["wireguard"], tunnel.link, 2, FloodRequest(1.0, 1), token=CancelToken())
        assert (down.window.attempts, down.window.by_clients, down.window.by_hub) == (1, 0, 0)


@pytest.mark.full
def test_a_killed_run_leaves_no_clients(bench: Bench, tmp_path: Path) -> None:
    kill_tunnelmark(bench, tmp_path, "standing", "wireguard:hub:3", lease_s=6)
    assert "tmk0c3" in sh(bench.sessions.b, "ip netns list")
    wait_until_back(bench.sessions, timeout_s=120.0)


@pytest.mark.full
def test_the_highest_rate_is_found_with_the_cpu_of_the_hub(bench: Bench) -> None:
    hub = HUBS["wireguard"]
    adapter, request = hub.adapter(8), bench.request("wireguard")
    facts = {"a": bench.facts[0], "b": bench.facts[1]}
    tunnels = DeployedTunnels(bench.pair, bench.sessions, request.link, facts, ("x",), lambda _: None)
    kept: list[HubResult] = []
    cell = HubCell(HubKind.FLOOD, "wireguard", "WireGuard")
    choice = HubChoice(cell, hub, adapter, adapter.suites(*bench.facts)[0])
    HubStudyRun(
        *([choice], HubPart(try_s=3, window_s=5), 8, bench.sessions, tunnels, (), lambda _: None, kept.append),
        CancelToken(),
    ).run()
    (result,) = kept
    assert result.message == ""
    assert result.value is not None
    assert result.value >= 1.0
    assert result.window is not None
    assert result.window.has_all(8)
    assert 3 <= len(result.cpu) <= 5
    assert all(0.0 <= one.busy_pct <= 100.0 for one in result.cpu)
