"""Hubs of all adapters: steps that are undone, files for root alone, no secret on a command line, limits left alone."""

from __future__ import annotations

import pytest

from app.domain.adapters import TunnelPlan
from app.domain.hosts import Side
from app.domain.hubs import FloodRequest, clients_network
from app.tunnel.hub_clients import HubClients
from support.adapter_cases import facts, request
from vpn_adapters.registry import ADAPTERS, HUBS, SESSION_HUBS
from vpn_adapters.shared.strongswan.hub import inner_network


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


def test_a_session_of_ipsec_takes_its_hub_for_gone_sooner_than_an_attempt_does() -> None:
    files = {one.path.rpartition("/")[2]: one.content.decode() for one in plan_of("ipsec").b.files}
    assert "retransmit_tries = 2" in files["session-2.conf"]
    assert "retransmit_tries = 9" in files["client-2.conf"]
    session = files["session-2.swanctl"]
    for line in ("mode = tunnel", "keyingtries = 0", "dpd_action = restart", "close_action = start"):
        assert f" {line}\n" in session
    assert "mode = transport" in files["swanctl.conf"]


def test_the_hub_of_ipsec_takes_attempts_and_sessions_of_its_own_network_alone() -> None:
    plan = plan_of("ipsec")
    hub = next(one for one in plan.a.files if one.path.endswith("swanctl.conf")).content.decode()
    session = next(one for one in plan.b.files if one.path.endswith("session-2.swanctl")).content.decode()
    network = next(line for line in session.splitlines() if "remote_ts" in line).split()[-1]
    assert [line.split()[-1] for line in hub.splitlines() if "_ts = " in line] == [network, network]
    own = next(line for line in session.splitlines() if "local_ts" in line).split()[-1]
    assert own.endswith("/32")
    assert hub.count("start_action = none") == 2


def test_a_restart_of_ipsec_removes_states_of_both_networks_and_begins_anew() -> None:
    hub = SESSION_HUBS["ipsec"]
    adapter = hub.adapter(3)
    link = request(adapter, adapter.suites(facts(), facts())[0]).link
    mute, stop, *_, heard = hub.restart(link)
    assert {clients_network(link), inner_network(link)} <= set(stop.argv)
    # Without its connection charon would refuse clients, which then do not come back.
    assert ("on" in mute.argv, "off" in heard.argv) == (True, True)
