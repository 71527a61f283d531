"""IPsec and MACsec on real gateways: what holds the frames when protection is gone, and suites on a standing tunnel.

That nothing is readable after each breakage is asked of every adapter elsewhere; here is the other half: without our
firewall table the same frames are readable, so that the table is what holds them. One tunnel serves all tests of a
class; those that break it come last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.domain.solutions import Suite
from support.adapter_cases import platforms
from support.bare_tunnel import MARK, BareTunnel, build, marks_on_underlay, new_tunnel, ping
from support.lab_pairs import LabPair, LabPairs
from support.lab_sessions import sh
from vpn_adapters.registry import ADAPTERS

TABLE = "nft delete table inet tunnelmark_guard"


@pytest.fixture(scope="module", params=platforms())
def pair(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.get(request.param, request.param)


def built(pair: LabPair, name: str, suite: str = "") -> Iterator[BareTunnel]:
    """Give a tunnel that is up, with the default suite unless another is named; nothing of it is left afterwards."""
    adapter = ADAPTERS[name]
    wanted = next(one for one in adapter.suites(*pair.facts) if one.name == suite or (not suite and one.is_default))
    tunnel = new_tunnel(pair.sessions, adapter, wanted, pair.facts, pair.link)
    before = tunnel.both(tunnel.snapshot)
    try:
        build(tunnel)
        yield tunnel
    finally:
        tunnel.undo()
    assert tunnel.both(tunnel.snapshot) == before
    if name == "ipsec":
        assert tunnel.both(lambda side: has_policy(tunnel, side)) == (False, False)


@pytest.fixture(scope="class")
def ipsec(pair: LabPair) -> Iterator[BareTunnel]:
    yield from built(pair, "ipsec")


@pytest.fixture(scope="class")
def macsec(pair: LabPair) -> Iterator[BareTunnel]:
    yield from built(pair, "macsec")


def assert_rules_can_be_listed(tunnel: BareTunnel) -> None:
    """What a user does with the firewall works while our table stands: list it, as JSON too, and load the list."""
    listing = "/run/tunnelmark/ruleset"
    for side in Side:
        shown = sh(
            tunnel.session(side),
            f"nft list ruleset > {listing}; nft -c -f {listing}; nft -j list ruleset > {listing}.json; cat {listing}",
        )
        sh(tunnel.session(side), f"nft -j -c -f {listing}.json; rm {listing} {listing}.json")
        assert "table inet tunnelmark_guard" in shown
        assert shown.count("counter packets") == 3


def switch(tunnel: BareTunnel, suite: Suite) -> list[str]:
    """Give a standing tunnel another suite; return what failed, by end."""
    tunnel.request = replace(tunnel.request, suite=suite)
    end_plans = {side: tunnel.plan.end(side) for side in Side}

    def one(side: Side) -> str:
        steps = [step for step in end_plans[side].steps if step.is_per_suite]
        host, token = tunnel.session(side), CancelToken()
        for step in reversed(steps):
            assert step.undo is not None
            assert host.run(step.undo, token=token).is_ok
        host.write_files(end_plans[side].files, token=token)
        results = [host.run(step.command, token=token) for step in steps]
        return " ".join(result.stderr for result in results if not result.is_ok)

    return [said for said in tunnel.both(one) if said]


def has_policy(tunnel: BareTunnel, side: Side) -> bool:
    """Whether the kernel has policies (`ip xfrm state` would show keys)."""
    return "OUT 0" not in sh(tunnel.session(side), "ip xfrm policy count")


class TestIpsec:
    def test_ipsec_gets_other_suites_while_it_stands(self, ipsec: BareTunnel, pair: LabPair) -> None:
        options = {option.name: option for option in ipsec.adapter.census(*pair.facts)}
        for name, is_readable in (("aes128ctr", False), ("aes256gmac", True), ("sha512", False)):
            assert switch(ipsec, options[name].suite) == []
            for side in Side:
                check = ipsec.plan.end(side).negotiated
                assert check is not None
                assert ipsec.holds(side, check), name
            address = ipsec.plan.probe_address_b
            marks, _ = marks_on_underlay(
                ipsec, lambda to=address: ping(ipsec.sessions.a, to, frame_bytes=242, mark=True)
            )
            assert (marks > 0) is is_readable is options[name].is_unprotected, name
        said = switch(ipsec, options["serpent256"].suite)
        assert said
        assert said[0].strip().endswith("received NO_PROPOSAL_CHOSEN notify, no CHILD_SA built")
        assert ping(ipsec.sessions.a, ipsec.plan.probe_address_b, wait_s=1) == 0
        # One that failed is not in the way of the next.
        assert switch(ipsec, next(one for one in ipsec.adapter.suites(*pair.facts) if one.is_default)) == []
        assert ping(ipsec.sessions.a, ipsec.plan.probe_address_b) >= 10

    def test_ipsec_leaves_the_host_its_rules(self, ipsec: BareTunnel) -> None:
        assert_rules_can_be_listed(ipsec)
        for side in Side:
            assert "lookup 220" not in sh(ipsec.session(side), "ip rule; ip -6 rule")

    def test_killed_ipsec_goes_on_encrypted(self, ipsec: BareTunnel) -> None:
        # The only breakage after which charon takes back nothing itself.
        for side in Side:
            kill = ipsec.plan.end(side).breakages[1]
            assert ipsec.session(side).run(kill.command, token=CancelToken()).is_ok
            assert "charon" not in sh(ipsec.session(side), "ps -e -o comm=")
        answered: list[int] = []
        marks, _ = marks_on_underlay(
            ipsec, lambda: answered.append(ping(ipsec.sessions.a, ipsec.plan.probe_address_b, mark=True))
        )
        assert marks == 0
        assert answered[0] >= 10

    def test_stopped_ipsec_is_held_by_the_firewall_table(self, ipsec: BareTunnel) -> None:
        address = ipsec.plan.probe_address_b
        assert ipsec.both(lambda side: has_policy(ipsec, side)) == (True, True)
        for side in Side:
            stop = ipsec.plan.end(side).breakages[0]
            assert ipsec.session(side).run(stop.command, token=CancelToken()).is_ok
        answered: list[int] = []
        marks, _ = marks_on_underlay(
            ipsec, lambda: answered.append(ping(ipsec.sessions.a, address, mark=True, wait_s=2))
        )
        assert (marks, answered) == (0, [0])
        ipsec.both(lambda side: sh(ipsec.session(side), TABLE))
        marks, _ = marks_on_underlay(ipsec, lambda: answered.append(ping(ipsec.sessions.a, address, mark=True)))
        assert marks > 0, "without this the table has not been shown to do anything"
        assert answered[1] > 0


def agreed_key(tunnel: BareTunnel) -> str:
    """Return the identifier of the key with which A decrypts."""
    return sh(tunnel.sessions.a, "ip macsec show tmk0 | grep -A 1 RXSC | grep -o 'key [0-9a-f]*'")


class TestMacsec:
    def test_macsec_leaves_the_firewall_to_be_listed(self, macsec: BareTunnel) -> None:
        assert_rules_can_be_listed(macsec)

    def test_mka_agrees_on_a_new_key_when_an_end_joins_again(self, macsec: BareTunnel) -> None:
        assert macsec.request.suite.name.startswith("mka-")
        first = agreed_key(macsec)
        step = next(step for step in macsec.plan.b.steps if step.is_per_suite)
        assert step.undo is not None
        # The same secret: it is the agreement that makes the key new. The count that both ends keep is set back.
        again = "echo 0 > /run/tunnelmark/tunnel/macsec.count"
        assert macsec.sessions.b.run(step.undo, token=CancelToken()).is_ok
        sh(macsec.sessions.b, again)
        assert macsec.sessions.b.run(step.command, token=CancelToken()).is_ok
        CancelToken().wait_for(
            lambda: ping(macsec.sessions.a, macsec.plan.probe_address_b, count=1, wait_s=1) > 0,
            timeout_s=30,
            what="frames to cross again",
        )
        assert agreed_key(macsec) != first

    def test_what_the_host_sends_below_macsec_stays_inside(self, macsec: BareTunnel) -> None:
        link = macsec.request.link
        low = link.names.lower_interface
        key = agreed_key(macsec)
        chatter = (
            f"ip addr add 198.19.0.1/24 dev {low}; ip neigh add 198.19.0.2 lladdr 02:00:00:00:00:09 dev {low}; "
            f"ping -n -q -c 5 -i 0.1 -w 2 -p {MARK} 198.19.0.2 >/dev/null; ip addr del 198.19.0.1/24 dev {low}"
        )
        marks, _ = marks_on_underlay(macsec, lambda: sh(macsec.sessions.a, chatter))
        assert marks == 0
        marks, _ = marks_on_underlay(macsec, lambda: sh(macsec.sessions.a, f"{TABLE}; {chatter}"))
        assert marks > 0, "without this the table has not been shown to do anything"
        # Ends that do not understand each other agree anew every ten seconds.
        assert agreed_key(macsec) == key
