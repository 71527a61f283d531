"""IPsec and MACsec on gateways: what holds the frames when protection is gone, and other suites for one tunnel.

That nothing is readable after each breakage is asked of every adapter elsewhere; here is the other half: without our
firewall table the same frames are readable, so that the table is what holds them. It is asked of both hosts at the
same time. One tunnel serves all tests of a class; those that break it come last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.domain.solutions import Suite
from support.bare_tunnel import BareTunnel, marks_on_underlay, ping
from support.lab_pairs import MIXED, NEWEST, OLD, LabPair, LabPairs, Platforms, each_pair
from support.lab_sessions import sh
from support.made_up_capture import MARK
from support.tunnel_checks import by_its_steps
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS

TABLE = "nft delete table inet tunnelmark_guard"


def built(pair: LabPair, name: str) -> Iterator[BareTunnel]:
    """Give a tunnel that is up, with the default suite; nothing of it is left afterwards."""
    with by_its_steps(pair, ADAPTERS[name]) as tunnel:
        yield tunnel
    if name == "ipsec":
        assert tunnel.both(lambda side: has_policy(tunnel, side)) == (False, False)


@pytest.fixture(scope="class", params=each_pair(Platforms(MIXED)))
def ipsec(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> Iterator[BareTunnel]:
    yield from built(lab_pairs.of(request.param), "ipsec")


# Different platforms have different kinds of MKA, and static keys between them.
@pytest.fixture(scope="class", params=each_pair(Platforms(NEWEST), (Platforms(NEWEST), Platforms(OLD))))
def macsec(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> Iterator[BareTunnel]:
    yield from built(lab_pairs.of(request.param), "macsec")


def both_marks(tunnel: BareTunnel, work: Callable[[Side], object]) -> tuple[int, int]:
    """Return how many marks each host sent readably on the underlay while both did something."""
    return tunnel.both(lambda side: marks_on_underlay(tunnel, lambda: work(side), side=side))


def send_to_peer(tunnel: BareTunnel, side: Side, answered: dict[Side, int], wait_s: int = 60) -> None:
    """Send canary frames through the tunnel, and note how many were answered."""
    address = tunnel.plan.probe_address(side.other)
    answered[side] = ping(tunnel.session(side), address, mark=True, wait_s=wait_s)


def assert_rules_can_be_listed(tunnel: BareTunnel) -> None:
    """A user's work with the firewall is possible while our table is there: list it, as JSON too, and load the list."""
    listing = "/run/tunnelmark/ruleset"
    again = f"nft list ruleset > {listing}; nft -c -f {listing} && nft -j list ruleset > {listing}.json"
    script = f"{again} && cat {listing} && nft -j -c -f {listing}.json && rm {listing} {listing}.json"
    for shown in tunnel.both(lambda side: sh(tunnel.session(side), script)):
        assert "table inet tunnelmark_guard" in shown
        assert shown.count("counter packets") == 8


def switch(tunnel: BareTunnel, suite: Suite) -> list[str]:
    """Give a tunnel that is up another suite; return what failed, by host."""
    tunnel.request = replace(tunnel.request, suite=suite)
    end_plans = {side: tunnel.plan.on(side) for side in Side}

    def one(side: Side) -> str:
        steps = [step for step in end_plans[side].steps if step.depends_on_suite]
        host, token = tunnel.session(side), CancelToken()
        for step in reversed(steps):
            assert step.undo is not None
            assert host.run(step.undo, token=token).is_ok
        host.write_files(end_plans[side].files, token=token)
        results = [host.run(step.command, token=token) for step in steps]
        return " ".join(result.stderr for result in results if not result.is_ok)

    return [reported for reported in tunnel.both(one) if reported]


def has_policy(tunnel: BareTunnel, side: Side) -> bool:
    """Whether the kernel has policies (`ip xfrm state` would show keys)."""
    return "OUT 0" not in sh(tunnel.session(side), "ip xfrm policy count")


class TestIpsec:
    def test_ipsec_gets_other_suites_while_it_is_up(self, ipsec: BareTunnel) -> None:
        facts = ipsec.request.facts_a, ipsec.request.facts_b
        options = {option.name: option for option in ipsec.adapter.census(*facts)}
        for name, is_readable in (("aes128ctr", False), ("aes256gmac", True), ("sha512", False)):
            assert switch(ipsec, options[name].suite) == []
            for side in Side:
                check = ipsec.plan.on(side).negotiated
                assert check is not None
                assert ipsec.holds(side, check), name
            address = ipsec.plan.probe_address_b
            marks = marks_on_underlay(ipsec, lambda to=address: ping(ipsec.sessions.a, to, frame_bytes=242, mark=True))
            assert (marks > 0) is is_readable is options[name].is_unprotected, name
        reported = switch(ipsec, options["serpent256"].suite)
        assert reported
        assert reported[0].strip().endswith("received NO_PROPOSAL_CHOSEN notify, no CHILD_SA built")
        assert ping(ipsec.sessions.a, ipsec.plan.probe_address_b, wait_s=1) == 0
        # One that failed is not in the way of the next.
        assert switch(ipsec, next(one for one in ipsec.adapter.suites(*facts) if one.is_default)) == []
        assert ping(ipsec.sessions.a, ipsec.plan.probe_address_b) >= 10

    def test_ipsec_leaves_the_host_its_rules(self, ipsec: BareTunnel) -> None:
        assert_rules_can_be_listed(ipsec)
        for shown in ipsec.both(lambda side: sh(ipsec.session(side), "ip rule; ip -6 rule")):
            assert "lookup 220" not in shown

    def test_killed_ipsec_goes_on_encrypted(self, ipsec: BareTunnel) -> None:
        # The only breakage after which charon restores nothing itself.
        def kill(side: Side) -> None:
            command = ipsec.plan.on(side).breakages[1].command
            assert ipsec.session(side).run(command, token=CancelToken()).is_ok
            wait_until(lambda: "charon" not in sh(ipsec.session(side), "ps -e -o comm="), "the end of charon")

        ipsec.both(kill)
        answered: dict[Side, int] = {}
        assert both_marks(ipsec, lambda side: send_to_peer(ipsec, side, answered)) == (0, 0)
        assert min(answered.values()) >= 10

    def test_stopped_ipsec_is_held_by_the_firewall_table(self, ipsec: BareTunnel) -> None:
        assert ipsec.both(lambda side: has_policy(ipsec, side)) == (True, True)

        def stop(side: Side) -> None:
            command = ipsec.plan.on(side).breakages[0].command
            assert ipsec.session(side).run(command, token=CancelToken()).is_ok

        ipsec.both(stop)
        answered: dict[Side, int] = {}
        assert both_marks(ipsec, lambda side: send_to_peer(ipsec, side, answered, wait_s=2)) == (0, 0)
        assert answered == {Side.A: 0, Side.B: 0}
        ipsec.both(lambda side: sh(ipsec.session(side), TABLE))
        marks = both_marks(ipsec, lambda side: send_to_peer(ipsec, side, answered))
        assert min(marks) > 0, "without this the table has not been shown to do anything"
        assert min(answered.values()) > 0


def agreed_key(tunnel: BareTunnel) -> str:
    """Return the identifier of the key with which A decrypts."""
    return sh(tunnel.sessions.a, "ip macsec show tmk0 | grep -A 1 RXSC | grep -o 'key [0-9a-f]*'")


class TestMacsec:
    def test_macsec_leaves_the_firewall_to_be_listed(self, macsec: BareTunnel) -> None:
        assert_rules_can_be_listed(macsec)

    def test_mka_agrees_on_a_new_key_when_an_end_joins_again(self, macsec: BareTunnel) -> None:
        assert macsec.request.suite.name.startswith("mka-")
        first = agreed_key(macsec)
        step = next(step for step in macsec.plan.b.steps if step.depends_on_suite)
        assert step.undo is not None
        # The same secret: it is the agreement that makes the key new.
        assert macsec.sessions.b.run(step.undo, token=CancelToken()).is_ok
        assert macsec.sessions.b.run(step.command, token=CancelToken()).is_ok
        address = macsec.plan.probe_address_b
        wait_until(lambda: ping(macsec.sessions.a, address, count=1, wait_s=1) > 0, "frames to cross again")
        assert agreed_key(macsec) != first

    def test_what_the_host_sends_below_macsec_remains_inside(self, macsec: BareTunnel) -> None:
        link = macsec.request.link
        low = link.names.lower_interface
        key = agreed_key(macsec)
        chatter = (
            f"ip addr add 198.19.0.1/24 dev {low}; ip neigh add 198.19.0.2 lladdr 02:00:00:00:00:09 dev {low}; "
            f"ping -n -q -c 5 -i 0.1 -w 2 -p {MARK.hex()} 198.19.0.2 >/dev/null; ip addr del 198.19.0.1/24 dev {low}"
        )
        assert both_marks(macsec, lambda side: sh(macsec.session(side), chatter)) == (0, 0)
        marks = both_marks(macsec, lambda side: sh(macsec.session(side), f"{TABLE}; {chatter}"))
        assert min(marks) > 0, "without this the table has not been shown to do anything"
        # Ends that do not understand each other agree anew every ten seconds.
        assert agreed_key(macsec) == key
