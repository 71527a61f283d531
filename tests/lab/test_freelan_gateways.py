"""freelan of Debian 11: one tunnel of which all is asserted, strangers, what the host has of its own, a deployment.

Debian 11 is the last release that has freelan. In every run, its program is taken from the gateway that has it and put
on hosts made of namespaces; two gateways of Debian 11 are in `make test-full`, and their tunnel in
test_adapter_traffic.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from app.domain.errors import DeadlineExceeded
from app.domain.hosts import PairSpec, Side
from app.domain.link import Link
from support.bare_tunnel import BareTunnel, build, new_tunnel, ping
from support.borrowed import pack, unpack
from support.injection_checks import check_nothing_gets_in
from support.lab_deploy import find_out
from support.lab_deployment import check_daemon_comes_back, desk_for
from support.lab_pairs import MIXED, OLD, UNDERLAY, LabPair, LabPairs
from support.lab_sessions import sh
from support.net_bench import net_bench
from support.net_desk import need_namespaces
from support.net_hosts import NetPair
from support.tunnel_checks import (
    by_a_transaction,
    check_fails_closed,
    check_nothing_gets_in_without_daemons,
    check_undone,
    check_unreadable,
    check_up,
    default_suite,
)
from support.underlay_attack import UnderlayAttack
from support.waiting import wait_until
from vpn_adapters.freelan import adapter

OWN_INSTANCE = """\
mkdir -p /run/own-freelan
printf '%s\\n' '[fscp]' 'listen_on=127.0.0.1:12000' 'upnp_enabled=no' '[tap_adapter]' 'enabled=no' \
  '[security]' 'passphrase=only for this test' > /run/own-freelan/freelan.cfg
setsid freelan -f -c /run/own-freelan/freelan.cfg > /run/own-freelan/log 2>&1 < /dev/null &
echo $! > /run/own-freelan/pid
ip route add PEER/32 dev eth1 proto static
"""
TAKE_OWN_AWAY = 'kill "$(cat /run/own-freelan/pid)"; ip route del PEER/32 proto static; rm -rf /run/own-freelan'


@dataclass(frozen=True)
class Place(LabPair):
    """Two hosts that have freelan.

    Attributes:
        spec: How to reach them.
        hosts: What they are where they are made of namespaces.
    """

    spec: PairSpec
    hosts: NetPair | None = None


@pytest.fixture(scope="module", params=["hosts", pytest.param("gateways", marks=pytest.mark.full)])
def place(
    request: pytest.FixtureRequest, lab_pairs: LabPairs, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    if request.param == "gateways":
        found = lab_pairs.get(*OLD)
        a, b = found.sessions.a.spec, found.sessions.b.spec
        yield Place(found.sessions, found.facts, found.link, PairSpec("pair", a, b, *UNDERLAY, is_lab=True))
        return
    need_namespaces()
    archive = pack(lab_pairs.get(*MIXED).sessions.a, "freelan")
    with net_bench(tmp_path_factory.mktemp("net")) as net:
        for host in net.hosts.hosts:
            unpack(host, "freelan", archive)
        yield Place(net.sessions, find_out(net.sessions), Link(*net.hosts.addresses), net.pair, net.hosts)


@pytest.fixture
def tunnel(place: Place) -> Iterator[BareTunnel]:
    """A tunnel of which nothing is made; afterwards nothing of it is left."""
    made = new_tunnel(place.sessions, adapter, default_suite(place, adapter), place.facts, place.link)
    before = made.both(made.snapshot)
    yield made
    made.undo()
    made.check_as(before)


def test_undo_after_some_or_all_steps_leaves_nothing(tunnel: BareTunnel) -> None:
    check_undone(tunnel)


def test_it_carries_every_frame_size_unreadably_and_fails_closed(place: Place) -> None:
    with by_a_transaction(place, adapter) as tunnel:
        check_up(tunnel)
        check_unreadable(tunnel)
        check_nothing_gets_in(tunnel)
        if place.hosts is None:  # the attacker does not hear the underlay of gateways
            check_fails_closed(tunnel)
            return
        with UnderlayAttack(place.hosts.a.world, place.hosts) as attack:
            check_fails_closed(tunnel)
            check_nothing_gets_in_without_daemons(tunnel, attack)


def test_a_stranger_with_a_certificate_of_his_own_is_refused(tunnel: BareTunnel) -> None:
    tunnel.make_keys()
    # B expects A to show the certificate that B itself has.
    tunnel.request = replace(tunnel.request, identity_a=tunnel.request.identity_b)
    tunnel.apply()
    with pytest.raises(DeadlineExceeded):
        tunnel.wait_until_up(timeout_s=6)
    assert ping(tunnel.sessions.a, tunnel.plan.probe_address(Side.B), wait_s=2) == 0
    refused = f"cat {tunnel.plan.b.log_paths[0]}"
    wait_until(lambda: "certificate is invalid" in sh(tunnel.sessions.b, refused), "the refusal")


def test_a_freelan_and_a_route_of_the_host_s_own_remain(tunnel: BareTunnel) -> None:
    host, peer = tunnel.sessions.a, tunnel.request.link.underlay_b
    sh(host, OWN_INSTANCE.replace("PEER", peer))
    try:
        build(tunnel)
        tunnel.undo()
        assert f"{peer} dev eth1 proto static" in sh(host, "ip route")
        assert "own-freelan" in sh(host, "tr '\\0' ' ' < /proc/$(cat /run/own-freelan/pid)/cmdline")
    finally:
        sh(host, TAKE_OWN_AWAY.replace("PEER", peer))


@pytest.mark.full
def test_deployed_it_comes_back_when_its_daemon_is_killed_and_goes_without_a_trace(
    place: Place, tmp_path: Path
) -> None:
    with desk_for(place.spec, tmp_path) as desk:
        check_daemon_comes_back(desk, "freelan")
