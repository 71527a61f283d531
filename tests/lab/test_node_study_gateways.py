"""Frames of nodes on virtual machines: what an observer sees at each hop, and what becomes of frames sent there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.hosts import PairSpec
from app.domain.node_study import FORGED, REPLAYED, Hop, HopReport
from app.domain.topology import Topology
from app.host.snapshots import SnapshotDepth
from app.measurement.node_machines import node_sessions
from app.measurement.node_study_run import ProtectedNodes
from app.probes.hops import HopsRequest, probe_hops
from app.ranking.node_study import node_settings
from app.tunnel import DeployRequest, temporary_group
from app.tunnel.nodes import NodeSteps
from app.tunnel.request import Extended
from support.lab_deploy import inspect, wait_until_as_before
from support.lab_pairs import NEWEST, LabPair, LabPairs
from support.lab_sessions import sh
from support.tunnel_checks import default_suite
from vpn_adapters.registry import ADAPTERS, NODE_PROTECTIONS

SETTINGS = {one.name: one for one in node_settings()}
HIDDEN = {
    "baseline": (set(), set()),
    "macsec-l2tp": (set(), set(Hop)),
    "macsec-over-wireguard": ({Hop.UNDERLAY}, set(Hop)),
    "macsec-plus-wireguard": ({Hop.UNDERLAY}, set(Hop)),
}
"""Hops at which nodes' addresses are hidden, and those at which the payload is."""


@pytest.fixture(scope="module")
def pair(lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.get(*NEWEST)


def report_of(pair: LabPair, name: str) -> HopReport:
    setting, nodes = SETTINGS[name], NodeSteps(Topology.BRIDGED_NODES)
    adapter, extension = ADAPTERS[setting.carrier], Extended((nodes,))
    suite = default_suite(pair, adapter)
    if setting.protection:
        protection = NODE_PROTECTIONS[setting.protection]
        own = protection.suite(*pair.facts, setting.suite)
        assert own is not None
        adapter = protection.around(adapter, setting.place)
        extension = Extended((nodes, ProtectedNodes(protection, own, setting.place)))
    spec = PairSpec("pair", pair.sessions.a.spec, pair.sessions.b.spec, pair.link.underlay_a, pair.link.underlay_b)
    request = replace(DeployRequest(spec, adapter, suite, pair.link, *pair.facts), extension=extension)
    with temporary_group(pair.sessions, [request], token=CancelToken(), on_stage=lambda *_: None, lease_s=120) as group:
        assert group.failures == {}
        tunnel = group.tunnels[0]
        asked = HopsRequest(tunnel.link, tunnel.plan)
        return probe_hops(
            pair.sessions,
            node_sessions(pair.sessions, tunnel.link, Topology.BRIDGED_NODES),
            asked,
            token=CancelToken(),
            on_stage=lambda _: None,
        )


@pytest.mark.parametrize(
    "name",
    ["macsec-plus-wireguard", *(pytest.param(one, marks=pytest.mark.full) for one in HIDDEN if "plus" not in one)],
)
def test_an_observer_sees_what_the_setting_lets_it_see_and_gets_nothing_in(pair: LabPair, name: str) -> None:
    before = inspect(pair.sessions, SnapshotDepth.THOROUGH)
    report = report_of(pair, name)
    wait_until_as_before(pair.sessions, before)
    for host in (pair.sessions.a, pair.sessions.b):
        assert "tmk" not in sh(host, "ip link; ip netns list; nft list tables")
    assert report.is_proof
    assert 0 < report.answered <= report.sent  # a late answer does not count
    addresses, payload = HIDDEN[name]
    assert {one.hop for one in report.seen if not one.has_addresses} == addresses
    assert {one.hop for one in report.seen if not one.has_payload} == payload
    assert all(one.sent > 0 for one in report.injected)
    assert {one.accepted > 0 for one in report.injected} == {name == "baseline"}
    relayed = {(one.hop, one.kind) for one in report.injected if one.relayed}
    by_gateways = {(Hop.CABLE_A, kind) for kind in (FORGED, REPLAYED)}
    over_plain = by_gateways | {(Hop.UNDERLAY, kind) for kind in (FORGED, REPLAYED)}
    expected = {"macsec-plus-wireguard": set(), "macsec-over-wireguard": by_gateways}
    assert relayed == expected.get(name, over_plain)
