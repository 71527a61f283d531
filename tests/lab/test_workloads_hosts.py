"""Every workload once for real, over a bare link of a known rate between two hosts made of namespaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from app.domain.cancel import CancelToken
from app.domain.link import Link
from app.probes.workloads import (
    TUNNEL_WORKLOADS,
    WORKLOADS,
    WorkloadPath,
    both_directions,
    idle_data,
    loaded_latency,
    transactions,
    transfer,
    two_flows,
    voice,
)
from support.lab_sessions import sh, wait_until_clean
from support.net_bench import NetBench

Figures = Mapping[str, float]

RATE_MBIT_S = 20.0
QUEUE_MS = 50.0
BURST_BYTES = 32_768
"""Passes at once, before the rate holds."""
MOST_MBIT_S, MOST_S = 1.5 * RATE_MBIT_S, 170.0
"""Bounds for a busy computer: what was held up may arrive at once, and whatever crosses may take longer than usual."""

pytestmark = pytest.mark.usefixtures("quick", "limited")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten what takes its time on purpose."""
    for module, name, value in (
        (both_directions, "_SECONDS", 2),
        (idle_data, "WINDOW_S", 4),
        (idle_data, "_SETTLE_S", 1),
        (loaded_latency, "_LOAD_S", 3),
        (transactions, "_SECONDS", 2),
        (two_flows, "_SECONDS", 6),
        (two_flows, "_EDGE_S", 2.0),  # seconds of iperf3 may end late on a busy computer
        (voice, "_COUNT", 150),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.fixture(scope="module")
def limited(net: NetBench) -> Iterator[None]:
    """Limit what each host sends on the underlay."""
    hosts = (net.sessions.a, net.sessions.b)
    limit = f"rate {RATE_MBIT_S:.0f}mbit burst {BURST_BYTES} latency {QUEUE_MS:.0f}ms"
    for host in hosts:
        sh(host, f"tc qdisc add dev eth1 root tbf {limit}")
    yield
    for host in hosts:
        sh(host, "tc qdisc del dev eth1 root")


def least_s(size_bytes: int) -> float:
    """Return the seconds below which nothing of this size can cross."""
    return 8 * (size_bytes - BURST_BYTES) / (1e6 * RATE_MBIT_S)


def check_loaded(found: Figures) -> None:
    assert 0 < found["idle"] < found["a-to-b"] <= found["a-to-b-p95"]
    assert found["idle"] < found["b-to-a"] <= found["b-to-a-p95"]
    assert 1 < found["added"] < 100 * QUEUE_MS
    assert found["added"] == pytest.approx(max(found["a-to-b"], found["b-to-a"]) - found["idle"])


def check_both(found: Figures) -> None:
    assert found["sum"] == pytest.approx(found["a-to-b"] + found["b-to-a"])
    assert all(0 < found[way] < MOST_MBIT_S for way in ("a-to-b", "b-to-a"))


def check_transfer(found: Figures) -> None:
    assert least_s(4_000_000) < found["b-to-a"] < MOST_S
    assert 0.1 < found["a-to-b"] < MOST_S
    assert found["mbit-s"] == pytest.approx(32 / found["b-to-a"])


def check_voice(found: Figures) -> None:
    assert 1 <= found["mos"] <= 4.5
    assert 0 <= found["rating"] <= 93.2
    assert 80 < found["delay"] < 80 + 100 * QUEUE_MS
    for way in ("a-to-b", "b-to-a"):
        assert found["rating"] <= found[f"rating-{way}"] <= 100
        assert found[f"jitter-{way}"] > 0
        assert all(0 <= found[f"{kind}-{way}"] <= 100 for kind in ("lost", "late"))


def check_page(found: Figures) -> None:
    assert least_s(530_000) < found["page"] < MOST_S
    assert 0 < found["first-byte"] / 1e3 <= found["document"] <= found["page"]


def check_flows(found: Figures) -> None:
    assert 0.5 <= found["fairness"] <= 1
    assert 0 <= found["second-share"] <= 100
    assert 0 < found["first"] + found["second"] < MOST_MBIT_S


def check_files(found: Figures) -> None:
    for way in ("a-to-b", "b-to-a"):
        assert 1e3 * least_s(1_000_000) < found[f"response-{way}"] <= found[f"longest-{way}"]
        assert 0 < found[f"rate-{way}"] < MOST_MBIT_S
        assert all(0 <= found[f"{one}-cpu-{way}"] <= 100 for one in ("sender", "receiver"))
    assert found["response"] == pytest.approx((found["response-a-to-b"] + found["response-b-to-a"]) / 2)


def check_idle(found: Figures) -> None:
    assert found == {"month": 0.0, "frames": 0.0, "bytes": 0.0}, "nothing keeps a bare link up"


CHECKS: Mapping[str, Callable[[Figures], None]] = {
    "loaded-latency": check_loaded,
    "both-directions": check_both,
    "transfer": check_transfer,
    "voice": check_voice,
    "web-page": check_page,
    "two-flows": check_flows,
    "transactions": check_files,
    "idle-data": check_idle,
}


def path_of(net: NetBench, reported: list[str]) -> WorkloadPath:
    """Return the bare link; names of figures that are reported meanwhile are put into the list."""
    link = Link(net.pair.underlay_a, net.pair.underlay_b)
    return WorkloadPath(
        sessions=net.sessions,
        address_a=link.underlay_a,
        address_b=link.underlay_b,
        underlay=(link.underlay_a, link.underlay_b),
        outer_filter="",
        port=link.names.iperf_port,
        rtt_ms=0.0,
        token=CancelToken(),
        report=lambda figure, _at_s, _value: reported.append(figure),
    )


@pytest.mark.parametrize("name", [name for name in TUNNEL_WORKLOADS if name != "restart"])
def test_a_workload_measures_what_the_link_is(net: NetBench, name: str) -> None:
    reported: list[str] = []
    workload = WORKLOADS[name]
    found = workload.run(path_of(net, reported))
    declared = {kind.name for kind in workload.figures}
    assert set(found) == declared
    assert set(reported) <= declared
    CHECKS[name](found)
    wait_until_clean(net.sessions.a, net.sessions.b)


def test_a_larger_file_takes_longer(net: NetBench) -> None:
    found = transfer.sized(8).run(path_of(net, []))
    assert least_s(8_000_000) < found["b-to-a"] < 2 * MOST_S
    assert found["mbit-s"] == pytest.approx(64 / found["b-to-a"])
