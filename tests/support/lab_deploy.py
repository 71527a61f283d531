"""Tunnels on a running lab; also as a program of its own that a test can kill."""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from app.discovery import discover_pair
from app.domain.adapters import Adapter, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.concurrency import run_both
from app.domain.events import Stage
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.link import Link
from app.domain.topology import ProxyPlace, Topology
from app.host.inspection import take_snapshot
from app.host.snapshots import HostSnapshot, SnapshotDepth, compare_snapshots
from app.tunnel import DeployRequest, plan_of, temporary_group, temporary_tunnel
from app.tunnel.host_settings import HostSettings
from app.tunnel.hub_clients import HubClients
from app.tunnel.node_machines import NodesRequest, node_machines
from app.tunnel.nodes import NodeSteps
from app.tunnel.proxy import ProxySteps
from app.tunnel.request import Extended
from support.lab_sessions import connected
from support.pair_files import load_pair
from support.waiting import PATIENCE_S
from vpn_adapters.registry import ADAPTERS, HUBS

Snapshots = tuple[HostSnapshot, HostSnapshot]
MACHINES = "machines"


@dataclass(frozen=True)
class Bench:
    """A pair with connections to it and what was found on it."""

    any_solution: ClassVar[str] = "wireguard"
    """A VPN that its hosts can run, where it does not matter which."""

    pair: PairSpec
    sessions: SessionPair
    facts: tuple[HostFacts, HostFacts]

    def request(self, solution: str, adapter: Adapter | None = None) -> DeployRequest:
        adapter = adapter or ADAPTERS[solution]
        suite = next(one for one in adapter.suites(*self.facts) if one.is_default)
        link = Link(self.pair.underlay_a, self.pair.underlay_b)
        return DeployRequest(self.pair, adapter, suite, link, *self.facts)

    def inspect(self, depth: SnapshotDepth = SnapshotDepth.QUICK) -> Snapshots:
        return inspect(self.sessions, depth)


def inspect(sessions: SessionPair, depth: SnapshotDepth) -> Snapshots:
    """Return snapshots of both gateways."""
    return run_both(
        lambda: take_snapshot(sessions.a, token=CancelToken(), depth=depth),
        lambda: take_snapshot(sessions.b, token=CancelToken(), depth=depth),
    )


def find_out(sessions: SessionPair) -> tuple[HostFacts, HostFacts]:
    return discover_pair(sessions, ADAPTERS, token=CancelToken())


def differences(before: Snapshots, after: Snapshots) -> list[str]:
    """Return what is different on A and B."""
    return [
        f"{side}: {text}"
        for side, one, other in zip("ab", before, after, strict=True)
        for text in compare_snapshots(one, other)
    ]


def wait_until_as_before(sessions: SessionPair, before: Snapshots) -> None:
    """Wait until both hosts are as they were; what has ended its work there may still be ending itself.

    Raises:
        AssertionError: They are not.
    """
    until_s = time.monotonic() + PATIENCE_S
    while found := differences(before, inspect(sessions, before[0].depth)):
        assert time.monotonic() < until_s, found
        time.sleep(0.5)


@dataclass(frozen=True)
class Altered:
    """An adapter with one more step on one host, before or after its own."""

    inner: Adapter
    side: Side
    step: PlanStep
    is_first: bool = False

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        plan = self.inner.plan(request)
        end = plan.on(self.side)
        steps = (self.step, *end.steps) if self.is_first else (*end.steps, self.step)
        changed: EndpointPlan = replace(end, steps=steps)
        return replace(plan, a=changed) if self.side is Side.A else replace(plan, b=changed)


def shell_step(title: str, script: str, undo: str = "true", timeout_s: float = 30.0) -> PlanStep:
    return PlanStep(
        title,
        Command(shell_step_argv(script), timeout_s=timeout_s, is_root=True),
        Command(shell_step_argv(undo), timeout_s=10.0, is_root=True),
    )


def with_nodes(
    request: DeployRequest, topology: str, proxy: str = "none", congestion: str = "", of_proxy: str = ""
) -> DeployRequest:
    """Return a request with nodes, and a proxy and congestion controls of hosts and proxy where there are any."""
    place, of_nodes = ProxyPlace(proxy), Topology(topology)
    parts = (NodeSteps(of_nodes), ProxySteps(of_nodes, place, of_proxy), HostSettings(congestion))
    return replace(request, extension=Extended(parts))


def with_clients(bench: Bench, solution: str, clients: int) -> DeployRequest:
    """Return a request for a hub on A with clients on B."""
    request = bench.request(solution, HUBS[solution].adapter(clients))
    return replace(request, extension=HubClients(clients))


def _extended(bench: Bench, solution: str, topology: str = Topology.PAIR, *more: str) -> DeployRequest:
    if topology == "hub":
        return with_clients(bench, solution, int(more[0]))
    return with_nodes(bench.request(solution), topology, *more)


def as_machines(bench: Bench) -> NodesRequest:
    """Return a request that makes hosts nodes of two tunnels, as if they were machines behind gateways, by `lan0`."""
    plans = [(plan_of(one), one.link) for one in (bench.request("baseline"), bench.request("openvpn-udp"))]
    tunnels = [(plan, link.instance(number)) for number, (plan, link) in enumerate(plans)]
    return NodesRequest(dict.fromkeys(Side, "lan0"), tunnels, HostSettings("reno"))


def main() -> None:
    """Build tunnels and print the stages, until killed: file of the pair, solution, lease in s, stage to stop in.

    Several solutions, separated by commas, are built side by side; topology, place of a proxy and congestion control
    may follow a solution, each after a colon, or `hub` and the number of clients. `machines` builds none, and makes the
    hosts nodes of some.
    """
    file, solution, lease_s, pause_in = sys.argv[1:]
    pair = load_pair(Path(file))

    def of_group(_position: int, stage: Stage, detail: str) -> None:
        on_stage(stage, detail)

    def on_stage(stage: Stage, detail: str) -> None:
        print(stage.value, detail, flush=True)
        if stage.value == pause_in:
            print("staying", flush=True)

    with tempfile.TemporaryDirectory() as folder, connected(pair, Path(folder)) as sessions:
        bench = Bench(pair, sessions, find_out(sessions))
        print("ready", flush=True)
        requests = [_extended(bench, *one.split(":")) for one in solution.split(",") if one != MACHINES]
        with ExitStack() as stack:
            if not requests:
                nodes = as_machines(bench)
                stack.enter_context(
                    node_machines(sessions, nodes, token=CancelToken(), audit=None, lease_s=float(lease_s))
                )
            elif len(requests) == 1:
                stack.enter_context(
                    temporary_tunnel(
                        sessions, requests[0], token=CancelToken(), on_stage=on_stage, lease_s=float(lease_s)
                    )
                )
            else:
                group = stack.enter_context(
                    temporary_group(sessions, requests, token=CancelToken(), on_stage=of_group, lease_s=float(lease_s))
                )
                if group.failures:
                    raise next(iter(group.failures.values()))
            print("standing", flush=True)
            if pause_in == "standing":
                time.sleep(3600)


if __name__ == "__main__":
    main()
