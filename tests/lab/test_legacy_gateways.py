"""VPNs that are compared and never deployed, between gateways that have them: measured, and removed without a trace.

Their images are made for these tests alone; in every run, contract tests judge their plans and what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.adapters import Adapter, find_suite
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from support.adapter_cases import COMPARED_ALONE, facts, home
from support.bare_tunnel import BareTunnel, new_tunnel, ping
from support.forged_frames import (
    COPIES,
    ENCAPSULATED,
    OVER_IPV6,
    TO_THE_CARRIER,
    arrived,
    attack,
    delivers_to,
    keep_out_over_ipv6,
    let_in_over_ipv6,
    target,
)
from support.injection_checks import check_nothing_gets_in
from support.lab_pairs import LEGACY, LIBRESWAN, LabPair, LabPairs
from support.lab_sessions import sh
from support.made_up_capture import captured
from support.tunnel_checks import (
    CONTROL_FRAME_BYTES,
    by_a_transaction,
    by_its_steps,
    check_fails_closed,
    check_undone,
    check_unreadable,
    check_up,
    default_suite,
)
from vpn_adapters.registry import ADAPTERS
from vpn_adapters.shared import ppp

pytestmark = pytest.mark.full

REFUSED = {"ppp-ssh": "message authentication code incorrect", "stunnel": "bad record mac"}
"""Solutions over TCP, and what A's program logs of an altered segment. Source: OpenSSH 9.2, ssherr.c; OpenSSL 3.0."""
FORGED = *sorted(REFUSED), "pptp", "vtun-ppp"
"""Solutions with L2TPv3 inside PPP that are attacked with forged packets."""
BY_PLATFORM = {
    platforms: [name for name in sorted(COMPARED_ALONE) if home(ADAPTERS[name]) == platforms[0]]
    for platforms in (LEGACY, LIBRESWAN)
}
LOST = "lost"
"""Name of a firewall table of these tests."""
GIVES_UP_S = 33
"""A pppd ends by default after 10 requests in 30 seconds that were not answered. Source: pppd(8), lcp-max-configure."""
FOREIGN_POLICY = "src 203.0.113.9/32 dst 203.0.113.10/32 dir out"


@pytest.fixture(scope="module", params=list(BY_PLATFORM), ids=lambda platforms: platforms[0])
def platforms(request: pytest.FixtureRequest) -> tuple[str, str]:
    found: tuple[str, str] = request.param
    return found


@pytest.fixture(scope="module")
def pair(platforms: tuple[str, str], lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.get(*platforms)


@pytest.fixture(
    scope="module", params=[(platforms, name) for platforms, names in BY_PLATFORM.items() for name in names], ids=str
)
def case(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> tuple[LabPair, Adapter]:
    platforms, name = request.param
    return lab_pairs.get(*platforms), ADAPTERS[name]


@pytest.fixture(scope="module")
def legacy(lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.get(*LEGACY)


@pytest.fixture(scope="module")
def libreswan(lab_pairs: LabPairs) -> tuple[LabPair, Adapter]:
    return lab_pairs.get(*LIBRESWAN), ADAPTERS["libreswan"]


def test_gateways_answer_as_recorded(pair: LabPair, platforms: tuple[str, str]) -> None:
    recorded = facts(platforms[0])
    for host in pair.facts:
        for name in BY_PLATFORM[platforms]:
            found, known = host.solutions[name], recorded.solutions[name]
            assert (found.is_available, found.features) == (known.is_available, known.features), name


def test_undo_after_some_or_all_steps_leaves_nothing(case: tuple[LabPair, Adapter]) -> None:
    pair, adapter = case
    tunnel = new_tunnel(pair.sessions, adapter, default_suite(pair, adapter), pair.facts, pair.link)
    before = tunnel.both(tunnel.snapshot)
    try:
        check_undone(tunnel)
    finally:
        tunnel.undo()
    assert tunnel.both(tunnel.snapshot) == before


def test_it_carries_every_frame_size_unreadably_and_fails_closed(case: tuple[LabPair, Adapter]) -> None:
    with by_a_transaction(*case) as tunnel:
        check_up(tunnel)
        check_unreadable(tunnel)
        check_fails_closed(tunnel)


@pytest.fixture(scope="class")
def attacked(legacy: LabPair) -> Iterator[LabPair]:
    """Give two gateways between which forged packets were seen to get into a tunnel that nothing protects."""
    hosts = legacy.sessions.a, legacy.sessions.b
    for host in hosts:
        let_in_over_ipv6(host)
    try:
        with by_its_steps(legacy, ADAPTERS["l2tp"]) as tunnel:
            for counts in attack(tunnel, is_cookie_known=True):
                held = {title for title, count in counts.items() if not count}
                assert held == {ENCAPSULATED, *TO_THE_CARRIER}, counts
                assert set(OVER_IPV6) < set(counts)
        yield legacy
    finally:
        for host in hosts:
            keep_out_over_ipv6(host)


class TestForged:
    @pytest.mark.parametrize("name", FORGED)
    def test_forged_and_altered_packets_are_refused_and_it_calls_again(self, attacked: LabPair, name: str) -> None:
        with by_its_steps(attacked, ADAPTERS[name]) as tunnel:
            for is_cookie_known in (False, True):
                for counts in attack(tunnel, is_cookie_known=is_cookie_known):
                    assert counts
                    assert set(counts.values()) == {0}, counts
            if name in REFUSED:
                _alter(tunnel, REFUSED[name])
            assert ping(tunnel.sessions.b, tunnel.plan.probe_address_a, wait_s=50) >= 10, tunnel.logs()
            tunnel.both(lambda side: sh(tunnel.session(side), "nft delete table inet tunnelmark_guard"))
            for counts in attack(tunnel, is_cookie_known=True):
                assert counts["from a third address"] == COPIES, (
                    "without this the table has not been shown to do anything"
                )


def _alter(tunnel: BareTunnel, words: str) -> None:
    """Invert a byte of each larger segment that B sends to A, with the right checksum, until A's log has some words.

    Source: tc-pedit(8), tc-csum(8); both headers together have 52 bytes.
    """
    ((_, port),) = tunnel.plan.a.listens
    alter = "pedit munge offset 100 u8 invert pipe action csum ip4h tcp"
    match = f"protocol ip flower ip_proto tcp dst_port {port}"
    sh(tunnel.sessions.b, f"tc qdisc add dev eth1 clsact && tc filter add dev eth1 egress {match} action {alter}")
    try:
        ping(tunnel.sessions.b, tunnel.plan.probe_address_a, frame_bytes=512, count=1, wait_s=3)
        CancelToken().wait_for(lambda: words in tunnel.logs(), timeout_s=30, what="A to refuse what was altered")
    finally:
        sh(tunnel.sessions.b, "tc qdisc del dev eth1 clsact")


@pytest.mark.parametrize("side", Side)
def test_nothing_leaves_b_in_the_clear_when_pppd_ends_and_vtund_goes_on(legacy: LabPair, side: Side) -> None:
    with by_its_steps(legacy, ADAPTERS["vtun-ppp"]) as tunnel:
        b, link = tunnel.sessions.b, tunnel.request.link
        sh(tunnel.session(side), "pkill -KILL -x pppd")
        lower = f"/sys/class/net/{link.names.lower_interface}"
        CancelToken().wait_for(
            lambda: sh(tunnel.session(side), f"[ -e {lower} ] || echo gone") == "gone\n",
            timeout_s=10,
            what="the PPP interface to go",
        )
        assert "vtund" in sh(tunnel.session(side), "ps -e -o comm=").split()

        def send() -> None:
            assert ping(b, tunnel.plan.probe_address_a, frame_bytes=512, mark=True, wait_s=2) == 0
            assert ping(b, link.underlay_a, frame_bytes=CONTROL_FRAME_BYTES, mark=True) >= 10

        seen = captured(b, link.underlay_a, send)
        own = [frame.canaries for frame in seen.frames if frame.length == CONTROL_FRAME_BYTES]
        assert len(own) >= 10
        assert min(own) > 0, "the capture must show what leaves in the clear"
        assert seen.canaries == sum(own), sorted(seen.lengths)


@pytest.mark.parametrize("name", ["aes256cbc", "blowfish128ecb"])
def test_frames_cross_again_when_the_underlay_has_lost_vtuns_packets_for_long(legacy: LabPair, name: str) -> None:
    """The next session opens while nothing arrives, and its pppd has to be there when something does again."""
    adapter = ADAPTERS["vtun-ppp"]
    with by_its_steps(legacy, adapter, find_suite(adapter, *legacy.facts, name)) as tunnel:
        b = tunnel.sessions.b
        log = ppp.log_path(tunnel.request.link)
        token = CancelToken()
        tunnel.both(lambda side: sh(tunnel.session(side), _lose(tunnel.request.link.names.tcp_port)))
        try:
            token.wait_for(
                lambda: all(tunnel.both(lambda side: "network timeout" in sh(tunnel.session(side), f"cat {log}"))),
                timeout_s=90,
                what="both sides to give up their session",
            )
            token.wait_for(
                lambda: _has_asked_for_long(b, log),
                timeout_s=120,
                what="B's pppd of a next session to ask for longer than pppd does by default",
                interval_s=1,
            )
        finally:
            tunnel.both(lambda side: sh(tunnel.session(side), f"nft delete table inet {LOST}"))
        token.wait_for(
            lambda: ping(b, tunnel.plan.probe_address_a, wait_s=2) >= 10,
            timeout_s=90,
            what="frames to cross again",
        )
        for side in Side:
            check = tunnel.plan.on(side).negotiated
            assert check is not None
            assert tunnel.holds(side, check), tunnel.logs()


def _has_asked_for_long(host: HostSession, log: str) -> bool:
    started, *ages_s = sh(host, f"grep -c 'Using interface' {log}; ps -C pppd -o etimes= || :").split()
    return int(started) > 1 and any(int(age_s) > GIVES_UP_S for age_s in ages_s)


def _lose(port: int) -> str:
    """Return a command that drops what arrives of VTun's datagrams: A's have the port of its listener."""
    chain = "{ type filter hook input priority -10; }"
    rule = f"udp dport {port} drop; add rule inet {LOST} in udp sport {port} drop"
    return f"nft 'add table inet {LOST}; add chain inet {LOST} in {chain}; add rule inet {LOST} in {rule}'"


@pytest.fixture
def over_ipv6(libreswan: tuple[LabPair, Adapter]) -> Iterator[None]:
    """Let forged packets reach both gateways over IPv6 as well."""
    hosts = libreswan[0].sessions.a, libreswan[0].sessions.b
    for host in hosts:
        let_in_over_ipv6(host)
    yield
    for host in hosts:
        keep_out_over_ipv6(host)


@pytest.mark.usefixtures("over_ipv6")
def test_nothing_gets_into_libreswan(libreswan: tuple[LabPair, Adapter]) -> None:
    with by_its_steps(*libreswan) as tunnel:
        check_nothing_gets_in(tunnel)
        interface = delivers_to(tunnel.request.link, "libreswan")
        for counts in tunnel.both(lambda side: arrived(tunnel, side, interface, target(tunnel, side).cookie)):
            assert counts
            assert set(counts.values()) == {0}, counts
        for side in Side:
            assert ping(tunnel.session(side), tunnel.plan.probe_address(side.other)) >= 10


@pytest.fixture
def foreign_policy(libreswan: tuple[LabPair, Adapter]) -> Iterator[None]:
    """Give B a policy of IPsec that is not ours, which a pluto that starts would delete."""
    b = libreswan[0].sessions.b
    sh(b, f"ip xfrm policy add {FOREIGN_POLICY} tmpl proto esp mode transport")
    yield
    sh(b, f"ip xfrm policy delete {FOREIGN_POLICY}")


@pytest.mark.usefixtures("foreign_policy")
def test_libreswan_is_not_started_where_the_kernel_has_ipsec_of_others(libreswan: tuple[LabPair, Adapter]) -> None:
    pair, adapter = libreswan
    before = sh(pair.sessions.b, "ip xfrm policy; ls -A /run/tunnelmark 2> /dev/null; nft list tables")
    with pytest.raises(CommandFailed, match="has policies or states of IPsec already"), by_a_transaction(pair, adapter):
        pytest.fail("it was built")
    assert sh(pair.sessions.b, "ip xfrm policy; ls -A /run/tunnelmark 2> /dev/null; nft list tables") == before
