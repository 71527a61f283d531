"""Tunnels of kernel and user space side by side between two gateways: each as closed as if it were alone."""

from __future__ import annotations

import pytest

from app.domain.adapters import PlanRequest
from app.domain.cancel import CancelToken
from app.domain.hosts import PairSpec
from app.domain.side_by_side import side_by_side
from app.host.snapshots import SnapshotDepth
from app.tunnel import DeployRequest, temporary_group
from support.injection_checks import check_nothing_gets_in
from support.lab_deploy import inspect, wait_until_as_before
from support.lab_pairs import NEWEST, LabPair, LabPairs
from support.lab_sessions import sh
from support.tunnel_checks import DeployedTunnel, check_unreadable, check_up, default_suite
from support.tunnel_state import still_up
from vpn_adapters.registry import ADAPTERS

GUARDED = ("wireguard", "wireguard-vxlan", "ipsec", "macsec")
"""Have a firewall table each, so that nothing leaves or enters unprotected."""
INJECTED = "ipsec"
"""The one that forged, altered and repeated packets are sent to while the others are up."""
GROUPS = (
    ("baseline", "wireguard", "wireguard-vxlan", "openvpn-udp", "ipsec"),
    ("baseline", "wireguard", "wireguard-vxlan", "openvpn-udp", "macsec"),
)


@pytest.fixture(scope="module")
def pair(lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.get(*NEWEST)


def _request(pair: LabPair, solution: str) -> DeployRequest:
    spec = PairSpec("pair", pair.sessions.a.spec, pair.sessions.b.spec, pair.link.underlay_a, pair.link.underlay_b)
    adapter = ADAPTERS[solution]
    return DeployRequest(spec, adapter, default_suite(pair, adapter), pair.link, *pair.facts)


@pytest.mark.full
@pytest.mark.parametrize("names", GROUPS, ids="-".join)
def test_what_may_be_up_together_is_protected_as_if_it_were_alone(pair: LabPair, names: tuple[str, ...]) -> None:
    assert side_by_side(names) == (tuple(range(len(names))),)
    before = inspect(pair.sessions, SnapshotDepth.THOROUGH)
    _check_group(pair, names)
    wait_until_as_before(pair.sessions, before)


def _check_group(pair: LabPair, names: tuple[str, ...]) -> None:
    requests = [_request(pair, name) for name in names]
    with temporary_group(pair.sessions, requests, token=CancelToken(), on_stage=lambda *_: None, lease_s=120) as group:
        assert group.failures == {}
        for position, active in group.tunnels.items():
            if names[position] == "baseline":
                continue
            request = PlanRequest(active.link, requests[position].suite, *pair.facts)
            tunnel = DeployedTunnel(pair.sessions, requests[position].adapter, request, active)
            check_up(tunnel)
            check_unreadable(tunnel)
            if names[position] == INJECTED:
                check_nothing_gets_in(tunnel)
        guards = {one.link.names.guard_table for one in group.tunnels.values() if one.plan.solution in GUARDED}
        for host in (pair.sessions.a, pair.sessions.b):
            tables = {line.split()[-1] for line in sh(host, "nft list tables").splitlines()}
            assert {table for table in tables if table.startswith("tunnelmark_guard")} == guards
        assert all(still_up(active) for active in group.tunnels.values())
    assert all(one.differences == () for one in group.tunnels.values())
