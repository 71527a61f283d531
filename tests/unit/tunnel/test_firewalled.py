"""Openings that a tunnel needs, in plans and in preflight."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.discovery.firewall import Firewall
from app.discovery.firewall.read import parse_firewall_output
from app.discovery.messages import POLICY_DROP
from app.domain.adapters import Purpose
from app.domain.condition_files import presets
from app.domain.firewall import Opening, Owner, words_of
from app.domain.hosts import HostSpec, Nic, PairSpec, Side
from app.domain.link import Link
from app.measurement.firewalls import blocked_solutions
from app.measurement.messages import BLOCKED_BY_FIREWALL
from app.probes.workloads import listening_of
from app.tunnel.messages import FIREWALL_BLOCKS, OPEN_FIREWALL
from app.tunnel.openings import needed_openings
from app.tunnel.plan import plan_of
from app.tunnel.preflight import obstacles_on
from app.tunnel.request import DeployRequest, ReplacedDeployment
from support.adapter_cases import facts
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS
from vpn_adapters.shared.messages import BY_OWN_TABLE

LINK = Link("192.0.2.1", "192.0.2.2")
PAIR = PairSpec("plant", HostSpec("gateway-a", "a"), HostSpec("gateway-b", "b"), "192.0.2.1", "192.0.2.2")
MARK = "#mark"
DROPPING = """*filter
:INPUT DROP [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
{rules}COMMIT
"""
PING = "-A INPUT -p icmp -j ACCEPT\n"


def firewall(rules: str = PING) -> Firewall:
    text = f"{MARK} owners\n{MARK} addresses\n{MARK} iptables\n{DROPPING.format(rules=rules)}\n{MARK} end\n"
    return parse_firewall_output(text, MARK)


def request(solution: str, purpose: Purpose = Purpose.MEASUREMENT, **more: object) -> DeployRequest:
    adapter, found = ADAPTERS[solution], facts()
    suite = adapter.suites(found, found)[0]
    return DeployRequest(PAIR, adapter, suite, LINK, found, found, purpose=purpose, **more)  # type: ignore[arg-type]


def titles(one: DeployRequest, side: Side) -> list[str]:
    plan = plan_of(one)
    return [step.title for step in plan.on(side).steps if has_message(OPEN_FIREWALL)(step.title)]


@pytest.mark.parametrize(
    ("solution", "side", "wanted"),
    [
        ("wireguard", Side.A, "udp 21820 from 192.0.2.2, l2tp from 198.18.1.2 on tmkwg0"),
        ("ipsec", Side.B, "udp 500 and 4500 from 192.0.2.1, esp from 192.0.2.1, l2tp from 192.0.2.1"),
        ("macsec", Side.A, "l2tp from 192.0.2.2"),
        ("l2tp", Side.A, "l2tp from 192.0.2.2"),
        ("openvpn-udp", Side.A, "udp 21194 from 192.0.2.2"),
        ("openvpn-udp", Side.B, ""),
        ("fastd", Side.A, "udp 21194 from 192.0.2.2"),
        ("tinc", Side.B, "udp 21655 from 192.0.2.1, tcp 21655 from 192.0.2.1"),
    ],
)
def test_what_a_tunnel_needs_of_its_peer_alone(solution: str, side: Side, wanted: str) -> None:
    one = request(solution)
    own = plan_of(one).on(side)
    needed = needed_openings(LINK, own, side, Purpose.DEPLOYMENT)
    inside = f"icmp from {LINK.inner_ip(side.other)} on tmk0"
    assert words_of(needed) == ", ".join(filter(None, (wanted, inside)))
    measured = needed_openings(LINK, own, side, Purpose.MEASUREMENT)
    assert words_of(measured[len(needed) :]) == f"tcp 25201 and 25202 from {LINK.inner_ip(side.other)} on tmk0"
    assert {opening.source for opening in measured} <= {
        LINK.underlay(side.other),
        LINK.carrier(side.other),
        LINK.inner_ip(side.other),
    }


def test_what_is_blocked_is_an_obstacle_without_consent_and_a_step_with_it() -> None:
    closed = {Side.A: firewall(), Side.B: firewall("-A INPUT -j ACCEPT\n")}
    refused = request("wireguard", firewalls=closed)
    plan = plan_of(refused)
    (on_a,) = (one for one in obstacles_on(Side.A, refused, plan, {}) if "firewall" in one.what)
    assert on_a.is_blocking
    assert has_message(FIREWALL_BLOCKS, host="gateway-a")(on_a.what)
    assert has_message(POLICY_DROP)(on_a.what)
    assert "udp 21820 from 192.0.2.2, l2tp from 198.18.1.2 on" in on_a.what
    assert [one for one in obstacles_on(Side.B, refused, plan, {}) if "firewall" in one.what] == []
    assert titles(refused, Side.A) == []

    agreed = request("wireguard", firewalls=closed, opens_firewalls=True)
    assert [one for one in obstacles_on(Side.A, agreed, plan, {}) if "firewall" in one.what] == []
    assert titles(agreed, Side.A) == [
        OPEN_FIREWALL(opening=one)
        for one in (
            "udp 21820 from 192.0.2.2",
            "l2tp from 198.18.1.2 on tmkwg0",
            "tcp 25201 from 198.18.0.2 on tmk0",
            "tcp 25202 from 198.18.0.2 on tmk0",
        )
    ]
    assert titles(agreed, Side.B) == []


@pytest.mark.parametrize(
    ("workloads", "on_a", "on_b"),
    [
        ((), [], []),
        (("loaded-latency", "transfer", "both-directions", "two-flows"), [], []),
        (("web-page",), [], ["tcp"]),
        (("transactions", "web-page"), ["tcp"], ["tcp"]),
        (("voice",), ["udp"], ["udp"]),
        (("voice", "web-page"), ["udp"], ["udp", "tcp"]),
    ],
)
def test_the_port_of_workloads_is_opened_for_those_that_are_measured_and_closed_with_the_tunnel(
    workloads: tuple[str, ...], on_a: list[str], on_b: list[str]
) -> None:
    closed = dict.fromkeys(Side, firewall())
    one = request("wireguard", firewalls=closed, opens_firewalls=True, listening=listening_of(workloads))
    for side, protocols in ((Side.A, on_a), (Side.B, on_b)):
        wanted = [OPEN_FIREWALL(opening=f"{each} 25203 from {LINK.inner_ip(side.other)} on tmk0") for each in protocols]
        steps = [step for step in plan_of(one).on(side).steps if " 25203 " in step.title]
        assert [step.title for step in steps] == wanted
        assert all(step.undo is not None for step in steps)


@pytest.mark.parametrize(("solution", "count"), [("baseline", 2), ("wireguard", 0)])
def test_the_bare_link_under_a_condition_is_open_for_datagrams_that_measure_it(solution: str, count: int) -> None:
    closed = dict.fromkeys(Side, firewall())
    one = request(solution, firewalls=closed, opens_firewalls=True)
    assert not [each for each in titles(one, Side.A) if "udp 2520" in each]
    nic = Nic("eth1", "", 1500, None, is_up=True, addresses=("192.0.2.1/24", "192.0.2.2/24"))
    seen = replace(facts(), nics=(nic,))
    shaped = replace(one, shaping=presets()["geo"], facts_a=seen, facts_b=seen)
    for side in Side:
        found = [each for each in titles(shaped, side) if "udp 2520" in each]
        source = LINK.underlay(side.other)
        assert found == [OPEN_FIREWALL(opening=f"udp {25_201 + step} from {source}") for step in range(count)]


def test_without_consent_a_blocked_port_of_workloads_is_an_obstacle() -> None:
    inner = "-A INPUT -i tmk0 -p tcp -j ACCEPT\n"
    one = request("openvpn-udp", firewalls={Side.B: firewall(PING + inner)}, listening=listening_of(("voice",)))
    (obstacle,) = (each for each in obstacles_on(Side.B, one, plan_of(one), {}) if "firewall" in each.what)
    assert obstacle.is_blocking
    assert f"udp 25203 from {LINK.inner_ip(Side.A)} on tmk0" in obstacle.what


@pytest.mark.parametrize("solution", ["wireguard", "ipsec", "macsec", "openvpn-udp"])
def test_nothing_is_opened_before_the_guard_is_there_nor_after_it_has_gone(solution: str) -> None:
    plain, closed = request(solution), dict.fromkeys(Side, firewall())
    agreed = replace(plain, firewalls=closed, opens_firewalls=True)
    before = plan_of(plain).a.steps
    steps = plan_of(agreed).a.steps
    count, guards = len(titles(agreed, Side.A)), 0 if solution == "openvpn-udp" else 1
    assert count
    assert (steps[:guards], steps[guards + count :]) == (before[:guards], before[guards:])
    assert all(has_message(BY_OWN_TABLE)(step.title) for step in steps[:guards])
    assert all(has_message(OPEN_FIREWALL)(step.title) for step in steps[guards : guards + count])


def test_rules_and_tables_of_other_tunnels_do_not_count() -> None:
    comment = '-m comment --comment "tunnelmark other udp 21820 from 192.0.2.2"'
    rules = f"-A INPUT -s 192.0.2.2/32 -p udp -m udp --dport 21820 {comment} -j ACCEPT\n{PING}"
    opening = Opening("udp", 21820, "192.0.2.2")
    assert [one.opening for one in firewall(rules).blocked((opening,), "eth1")] == [opening]
    plain = rules.replace(f"{comment} ", "")
    assert firewall(plain).blocked((opening,), "eth1") == ()


def test_what_a_replaced_deployment_opened_in_firewalld_is_opened_again() -> None:
    open_now = Firewall(Owner.FIREWALLD, firewall("-A INPUT -j ACCEPT\n").ruleset)
    both = dict.fromkeys(Side, open_now)
    fresh = request("wireguard", Purpose.DEPLOYMENT, firewalls=both, opens_firewalls=True)
    assert titles(fresh, Side.A) == []
    assert len(titles(replace(fresh, replaced={Side.A: ReplacedDeployment(None)}), Side.A)) == 3


def test_hosts_without_rules_and_hosts_that_were_not_read_block_nothing() -> None:
    for firewalls in ({}, dict.fromkeys(Side, Firewall())):
        one = request("ipsec", firewalls=firewalls, opens_firewalls=True)
        assert titles(one, Side.A) == []


def test_solutions_are_listed_with_what_is_blocked_on_each_host() -> None:
    both = dict.fromkeys(Side, facts())
    closed = {Side.A: firewall(), Side.B: firewall("-A INPUT -j ACCEPT\n")}
    found = blocked_solutions(ADAPTERS, PAIR, LINK, both, closed)
    for solution, openings in (("openvpn-udp", "udp 21194"), ("baseline", "tcp 25201 and 25202")):
        assert found[solution] == (BLOCKED_BY_FIREWALL(host="gateway-a", openings=f"{openings} from 192.0.2.2"),)
    assert blocked_solutions(ADAPTERS, PAIR, LINK, both, {}) == {}
