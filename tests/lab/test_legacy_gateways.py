"""VPNs of former times, between gateways that still have them: measured for comparison, and removed without a trace.

Their image is made for these tests alone; in every run, contract tests judge their plans and what was recorded.
"""

from __future__ import annotations

import pytest

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from support.adapter_cases import FORMER, facts
from support.bare_tunnel import BareTunnel, new_tunnel, ping
from support.forged_frames import attack, keep_out_over_ipv6, let_in_over_ipv6
from support.lab_pairs import LEGACY, LabPair, LabPairs
from support.lab_sessions import sh
from support.tunnel_checks import (
    by_a_transaction,
    by_its_steps,
    check_fails_closed,
    check_undone,
    check_unreadable,
    check_up,
    default_suite,
)
from vpn_adapters.registry import ADAPTERS

pytestmark = pytest.mark.full

REFUSED = {"ppp-ssh": "message authentication code incorrect", "stunnel": "bad record mac"}
"""Solutions over TCP, and what A's program logs of an altered segment. Source: OpenSSH 9.2, ssherr.c; OpenSSL 3.0."""


@pytest.fixture(scope="module")
def pair(lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.get(*LEGACY)


@pytest.fixture(params=sorted(FORMER))
def adapter(request: pytest.FixtureRequest) -> Adapter:
    found: str = request.param
    return ADAPTERS[found]


def test_gateways_answer_as_recorded(pair: LabPair) -> None:
    recorded = facts(LEGACY[0])
    for host in pair.facts:
        for name in sorted(FORMER):
            found, known = host.solutions[name], recorded.solutions[name]
            assert (found.is_available, found.features) == (known.is_available, known.features), name


def test_undo_after_some_or_all_steps_leaves_nothing(pair: LabPair, adapter: Adapter) -> None:
    tunnel = new_tunnel(pair.sessions, adapter, default_suite(pair, adapter), pair.facts, pair.link)
    before = tunnel.both(tunnel.snapshot)
    try:
        check_undone(tunnel)
    finally:
        tunnel.undo()
    assert tunnel.both(tunnel.snapshot) == before


def test_it_carries_every_frame_size_unreadably_and_fails_closed(pair: LabPair, adapter: Adapter) -> None:
    with by_a_transaction(pair, adapter) as tunnel:
        check_up(tunnel)
        check_unreadable(tunnel)
        check_fails_closed(tunnel)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_forged_and_altered_packets_are_refused_and_it_calls_again(pair: LabPair, name: str) -> None:
    hosts = pair.sessions.a, pair.sessions.b
    for host in hosts:
        let_in_over_ipv6(host)
    try:
        with by_its_steps(pair, ADAPTERS[name]) as tunnel:
            for is_cookie_known in (False, True):
                for counts in attack(tunnel, is_cookie_known=is_cookie_known):
                    assert counts
                    assert set(counts.values()) == {0}, counts
            _alter(tunnel, REFUSED[name])
            assert ping(tunnel.sessions.b, tunnel.plan.probe_address_a, wait_s=50) >= 10, tunnel.logs()
    finally:
        for host in hosts:
            keep_out_over_ipv6(host)


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
