"""Forged packets on gateways: no attacker on the underlay puts a frame into a tunnel that is called protected.

Each kind of packet is sent without a cookie, with a wrong one and with the right one: the firewall table alone has to
hold. That each kind would get in is shown where nothing protects (the plain L2TPv3 tunnel), and what the cookies hold
is shown without the table.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict, TrialKind, authenticity, replay_protection
from app.domain.link import Link
from app.probes.injection.forging import L2TP_PORT
from app.probes.injection.probe import REPLAYS
from app.probes.injection.stages import ECHOES
from suite.injections import REFERENCE, WITH, WITHOUT
from support.bare_tunnel import BareTunnel, ping
from support.forged_frames import (
    COPIES,
    ENCAPSULATED,
    OVER_IPV6,
    TO_THE_CARRIER,
    attack,
    keep_out_over_ipv6,
    let_in_over_ipv6,
    target,
)
from support.injection_checks import inject
from support.injection_results import write_forged, write_report
from support.lab_pairs import MIXED, LabPair, LabPairs, Platforms, each_pair
from support.lab_sessions import sh
from support.tunnel_checks import by_its_steps
from vpn_adapters.registry import ADAPTERS

GUARDED = "wireguard", "ipsec", "macsec"


@pytest.fixture(scope="module", params=each_pair(Platforms(MIXED)))
def pair(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> Iterator[LabPair]:
    pair = lab_pairs.of(request.param)
    hosts = pair.sessions.a, pair.sessions.b
    for host in hosts:
        let_in_over_ipv6(host)
    yield pair
    for host in hosts:
        keep_out_over_ipv6(host)


@pytest.fixture(scope="class", params=GUARDED)
def guarded(request: pytest.FixtureRequest, pair: LabPair) -> Iterator[BareTunnel]:
    with by_its_steps(pair, ADAPTERS[request.param]) as tunnel:
        yield tunnel


def platforms_of(tunnel: BareTunnel) -> tuple[str, ...]:
    """Return what runs on A and on B."""
    script = '. /etc/os-release; echo "$ID-$VERSION_ID"'
    return tuple(sh(tunnel.session(side), script).strip() for side in Side)


def encapsulate(link: Link, side: Side) -> str:
    """Return shell that makes a plain L2TPv3 tunnel's end again, inside UDP."""
    names, tunnel = link.names, link.names.l2tp_tunnel_id
    ports = f"encap udp udp_sport {L2TP_PORT} udp_dport {L2TP_PORT}"
    ends = f"local {link.underlay(side)} remote {link.underlay(side.other)}"
    session = f"session_id {names.l2tp_session_id} peer_session_id {names.l2tp_session_id}"
    return f"""
    ip l2tp del tunnel tunnel_id {tunnel}
    for _ in $(seq 50); do  # the kernel ends the former one later
        ip l2tp add tunnel tunnel_id {tunnel} peer_tunnel_id {tunnel} {ports} {ends} && break
        sleep 0.1
    done
    ip l2tp add session name {names.ethernet_interface} tunnel_id {tunnel} {session}
    ip link set dev {names.ethernet_interface} up
    """


def test_every_kind_of_packet_gets_into_a_tunnel_that_nothing_protects(pair: LabPair) -> None:
    with by_its_steps(pair, ADAPTERS["l2tp"]) as tunnel:
        found = attack(tunnel, is_cookie_known=True)
        write_forged("l2tp", platforms_of(tunnel), REFERENCE, found, COPIES)
        for counts in found:
            # Here is neither a tunnel of the other encapsulation nor a carrier.
            assert {kind for kind, count in counts.items() if count == 0} == {ENCAPSULATED, *TO_THE_CARRIER}
            # A gateway that is held up may drop some.
            assert max(counts.values()) <= COPIES
            assert set(OVER_IPV6) < set(counts)


def test_the_encapsulated_kind_gets_into_a_tunnel_of_that_encapsulation(pair: LabPair) -> None:
    with by_its_steps(pair, ADAPTERS["l2tp"]) as tunnel:
        tunnel.both(lambda side: sh(tunnel.session(side), encapsulate(tunnel.request.link, side)))
        for counts in attack(tunnel, is_cookie_known=True):
            assert counts[ENCAPSULATED] > 0, counts


def test_the_injection_test_gets_into_a_tunnel_that_nothing_protects(pair: LabPair) -> None:
    with by_its_steps(pair, ADAPTERS["l2tp"]) as tunnel:
        report = inject(tunnel)
        write_report("l2tp", platforms_of(tunnel), report, is_reference=True)
    for host in report.hosts.values():
        assert host.missing == {}
        forged = {trial.title: trial.entered for trial in host.of(TrialKind.FORGED)}
        assert {title for title, entered in forged.items() if not entered} == {ENCAPSULATED, *TO_THE_CARRIER}
        assert set(OVER_IPV6) < set(forged)
        assert host.entered(TrialKind.ALTERED) > 0
        (replayed,) = host.of(TrialKind.REPLAYED)
        assert 0 < replayed.entered <= ECHOES * REPLAYS
    assert authenticity(report).verdict is PropertyVerdict.FAILS
    assert replay_protection(report).verdict is PropertyVerdict.FAILS


class TestGuarded:
    def test_the_injection_test_gets_nothing_in_but_its_control(self, guarded: BareTunnel) -> None:
        report = inject(guarded)
        write_report(guarded.adapter.info.name, platforms_of(guarded), report)
        for host in report.hosts.values():
            assert host.missing == {}
            assert all(trial.arrived for trial in host.trials if trial.title not in TO_THE_CARRIER), host.trials
            assert 0 < host.entered(TrialKind.DELAYED) <= ECHOES, host.trials
        assert authenticity(report).verdict is PropertyVerdict.HOLDS, report
        assert replay_protection(report).verdict is PropertyVerdict.HOLDS, report
        for side in Side:
            assert ping(guarded.session(side), guarded.plan.probe_address(side.other)) >= 10

    def test_nothing_forged_gets_in(self, guarded: BareTunnel) -> None:
        for is_cookie_known in (False, True):
            found = attack(guarded, is_cookie_known=is_cookie_known)
            write_forged(guarded.adapter.info.name, platforms_of(guarded), WITH, found, COPIES)
            for counts in found:
                assert counts
                assert set(counts.values()) == {0}, counts
        for side in Side:
            assert len(target(guarded, side).cookie) == 8
            assert ping(guarded.session(side), guarded.plan.probe_address(side.other)) >= 10

    def test_nor_when_what_protects_has_gone(self, guarded: BareTunnel) -> None:
        def take_away(side: Side) -> None:
            breakage = guarded.plan.on(side).breakages[-1 if guarded.adapter.info.name == "wireguard" else 0]
            assert guarded.session(side).run(breakage.command, token=CancelToken()).is_ok

        guarded.both(take_away)
        for counts in attack(guarded, is_cookie_known=True):
            assert set(counts.values()) == {0}, counts

    def test_the_table_remains_while_its_session_is_there(self, guarded: BareTunnel) -> None:
        def remove(side: Side) -> None:
            (step,) = (step for step in guarded.plan.on(side).steps if "firewall table" in step.title)
            assert step.undo is not None
            result = guarded.session(side).run(step.undo, token=CancelToken())
            assert result.exit_status == 1
            assert "is still there" in result.stderr
            sh(guarded.session(side), "nft list table inet tunnelmark_guard")

        guarded.both(remove)

    def test_without_the_table_cookies_hold_what_does_not_have_them(self, guarded: BareTunnel) -> None:
        guarded.both(lambda side: sh(guarded.session(side), "nft delete table inet tunnelmark_guard"))
        for counts in attack(guarded, is_cookie_known=False):
            assert set(counts.values()) == {0}, counts
        found = attack(guarded, is_cookie_known=True)
        write_forged(guarded.adapter.info.name, platforms_of(guarded), WITHOUT, found, COPIES)
        for counts in found:
            assert counts["from a third address"] > 0, "without this the table has not been shown to do anything"


@pytest.mark.full
@pytest.mark.parametrize("name", ["wireguard-vxlan", "ipsec-gretap"])
def test_the_table_alone_keeps_frames_out_of_an_encapsulation_without_cookies(name: str, pair: LabPair) -> None:
    with by_its_steps(pair, ADAPTERS[name]) as tunnel:
        found = attack(tunnel, is_cookie_known=True)
        write_forged(name, platforms_of(tunnel), WITH, found, COPIES)
        for counts in found:
            assert counts
            assert set(counts.values()) == {0}, counts
        for side in Side:
            assert ping(tunnel.session(side), tunnel.plan.probe_address(side.other)) >= 10

        def undo_guard(side: Side) -> None:
            undo = tunnel.plan.on(side).steps[0].undo
            assert undo is not None
            result = tunnel.session(side).run(undo, token=CancelToken())
            assert (result.exit_status, "is still there" in result.stderr) == (1, True)

        tunnel.both(undo_guard)
        # Taken down and not deleted: the interface with the frames would go with its carrier.
        tunnel.both(
            lambda side: tunnel.session(side).run(tunnel.plan.on(side).breakages[0].command, token=CancelToken())
        )
        for counts in attack(tunnel, is_cookie_known=True):
            assert set(counts.values()) == {0}, counts
        tunnel.both(lambda side: sh(tunnel.session(side), "nft delete table inet tunnelmark_guard"))
        found = attack(tunnel, is_cookie_known=True)
        write_forged(name, platforms_of(tunnel), WITHOUT, found, COPIES)
        for counts in found:
            assert counts["from the peer's address"] > 0, "without this the table has not been shown to do anything"
