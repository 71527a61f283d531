"""Hubs of all adapters: steps that are undone, files for root alone, no secret on a command line, limits left alone."""

from __future__ import annotations

import pytest

from app.domain.adapters import TunnelPlan
from app.domain.hosts import Side
from app.domain.hubs import FloodRequest
from app.tunnel.hub_clients import HubClients
from support.adapter_cases import facts, request
from vpn_adapters.registry import ADAPTERS, HUBS


def plan_of(solution: str) -> TunnelPlan:
    adapter = HUBS[solution].adapter(3)
    asked = request(adapter, adapter.suites(facts(), facts())[0])
    return HubClients(3).extend(adapter.plan(asked), asked.link)


@pytest.mark.parametrize("solution", HUBS)
def test_everything_is_undone_and_for_root_alone(solution: str) -> None:
    plan = plan_of(solution)
    for side in Side:
        own = plan.on(side)
        assert own.interface == ""
        assert all(step.undo is not None for step in own.steps)
        assert all(file.mode == 0o600 and file.path.startswith("/run/tunnelmark/") for file in own.files)
        assert not any(b"PRIVATE KEY" in file.content for file in own.files)
    assert plan.a.listens
    assert not plan.b.listens
    assert plan.b.steps[0].command.argv[5] == "3"


@pytest.mark.parametrize("solution", HUBS)
def test_a_flood_names_its_rate_and_no_key(solution: str) -> None:
    hub = HUBS[solution]
    adapter = hub.adapter(3)
    link = request(adapter, adapter.suites(facts(), facts())[0]).link
    flood = hub.flood(link, 3, FloodRequest(26.91, 60))
    assert {"26.9100", "60", "3"} <= set(flood.argv)
    assert flood.timeout_s > 120
    assert hub.solution in ADAPTERS
    assert all(len(word) != 44 for word in flood.argv)


def test_limiters_of_programs_are_left_as_they_are() -> None:
    limiters = {
        "openvpn-udp": (b"connect-freq",),
        "ipsec": (b"cookie_threshold", b"block_threshold", b"dos_protection"),
        "ssh": (b"MaxStartups", b"PerSource"),
        "tinc": (b"MaxConnectionBurst",),
    }
    for solution, words in limiters.items():
        text = b"\n".join(file.content for file in plan_of(solution).a.files)
        assert text
        assert not any(word in text for word in words)


def test_clients_share_one_key_and_each_may_have_a_session() -> None:
    openvpn = next(one for one in plan_of("openvpn-udp").a.files if one.path.endswith("openvpn.conf"))
    assert b"\nduplicate-cn\n" in openvpn.content
    ipsec = [one for one in plan_of("ipsec").a.files if one.path.endswith("swanctl.conf")]
    assert b"unique = never" in ipsec[0].content
    clients = [one for one in plan_of("ipsec").b.files if one.path.endswith("client-3.conf")]
    assert b"/client-3/charon.vici" in clients[0].content
