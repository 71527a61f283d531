"""Proxies on a gateway: the congestion control of their own sockets, and what the host has besides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.adapters import PublicIdentity, TunnelPlan
from app.domain.declared import over_tcp
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.topology import ProxyPlace, Topology
from app.domain.transfers import BBR_ON_PROXY, CONGESTION
from app.tunnel.host_settings import CONGESTION_FILE, HostSettings
from app.tunnel.nodes import NodeSteps
from app.tunnel.proxy import ProxySteps
from support.adapter_cases import facts, home, request
from vpn_adapters.registry import ADAPTERS

NODES = Topology.ROUTED_NODES


def bare() -> tuple[TunnelPlan, Link]:
    """Return the plan of the bare link with routed nodes, and the link."""
    adapter = ADAPTERS["baseline"]
    asked = replace(
        request(adapter, adapter.suites(facts(), facts())[0]), identity_a=PublicIdentity(), identity_b=PublicIdentity()
    )
    return NodeSteps(NODES).extend(adapter.plan(asked), asked.link), asked.link


@pytest.mark.parametrize("congestion", ["", "bbr"])
def test_a_proxy_gets_the_congestion_control_of_its_sockets(congestion: str) -> None:
    plan, link = bare()
    with_proxy = ProxySteps(NODES, ProxyPlace.INSIDE, congestion).extend(plan, link)
    assert with_proxy.a == plan.a
    step = with_proxy.b.steps[-1]
    chain = step.command.argv.index("prerouting")
    assert step.command.argv[chain - 1] == congestion


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_vpn_has_a_proxy_inside_and_one_outside_where_it_is_declared_to_be_over_tcp(name: str) -> None:
    adapter, host = ADAPTERS[name], facts(home(ADAPTERS[name]))
    asked = request(adapter, adapter.suites(host, host)[0])
    plan = NodeSteps(NODES).extend(adapter.plan(asked), asked.link)
    assert "prerouting" in ProxySteps(NODES, ProxyPlace.INSIDE).extend(plan, asked.link).b.steps[-1].command.argv
    if name in over_tcp():
        first = ProxySteps(NODES, ProxyPlace.OUTSIDE).extend(plan, asked.link).b.steps[0]
        assert "output" in first.command.argv, "before the VPN starts"


def test_bbr_on_the_proxy_alone_leaves_cubic_to_gateways_and_loads_what_the_proxy_needs() -> None:
    plan, link = bare()
    kind = CONGESTION[BBR_ON_PROXY]
    assert (kind.sender, kind.gateways, kind.proxy) == ("cubic", "cubic", "bbr")
    plan = HostSettings(kind.gateways, also=kind.proxy).extend(plan, link)
    for side in Side:
        step = plan.on(side).steps[0]
        assert step.command.argv[-3:] == (CONGESTION_FILE, "cubic", "tcp_bbr")
        assert step.undo is not None
        assert step.undo.argv[-2:] == (CONGESTION_FILE, "tcp_bbr")


@pytest.mark.parametrize(("congestion", "module"), [("cubic", ""), ("reno", ""), ("bbr", "tcp_bbr")])
def test_a_congestion_control_of_gateways_loads_its_own_module(congestion: str, module: str) -> None:
    plan, link = bare()
    step = HostSettings(congestion).extend(plan, link).a.steps[0]
    assert step.command.argv[-2:] == (congestion, module)
