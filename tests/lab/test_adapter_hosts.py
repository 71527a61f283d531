"""VPNs of user space on two hosts made of namespaces: one tunnel of each, of which all is asserted; undo of its steps.

Between programs of different age, and in kernels, tunnels are tried on gateways (test_adapter_traffic.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from app.domain.hosts import Side
from app.domain.link import Link
from support.bare_tunnel import BareTunnel, tunnels_made
from support.export_attack import plain_tunnel
from support.injection_checks import check_nothing_gets_in
from support.lab_pairs import LabPair
from support.net_bench import NetBench
from support.tunnel_checks import (
    USER_SPACE,
    by_a_transaction,
    by_its_steps,
    check_fails_closed,
    check_nothing_gets_in_without_daemons,
    check_undone,
    check_unreadable,
    check_up,
)
from support.underlay_attack import UnderlayAttack
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS


@pytest.fixture(scope="module")
def pair(net: NetBench) -> LabPair:
    return LabPair(net.sessions, net.facts, Link(*net.hosts.addresses))


@pytest.mark.parametrize("name", USER_SPACE)
def test_undo_after_some_or_all_steps_leaves_nothing(name: str, pair: LabPair) -> None:
    with tunnels_made(pair.sessions, pair.facts, pair.link) as make:
        check_undone(make(ADAPTERS[name]))


def test_a_snapshot_shows_what_a_tunnel_could_leave_behind(pair: LabPair) -> None:
    with by_its_steps(pair, ADAPTERS["openvpn-udp"]) as tunnel:
        names, end = tunnel.request.link.names, tunnel.plan.a
        shown = tunnel.snapshot(Side.A)
        config = end.files[0].path
        for pattern in (
            rf"^{end.interface}: <",
            rf"^udp \S+:{names.udp_port}$",
            rf"^{config}$",
            r"^openvpn .*--config",
        ):
            assert re.search(pattern, shown, re.MULTILINE), (pattern, shown)


@pytest.fixture(scope="module", params=USER_SPACE)
def built(request: pytest.FixtureRequest, pair: LabPair) -> Iterator[BareTunnel]:
    """Give each solution's safe default, up; and see afterwards that nothing of it is left."""
    with by_a_transaction(pair, ADAPTERS[request.param]) as tunnel:
        yield tunnel


def test_comes_up_as_asked_and_carries_every_frame_size(built: BareTunnel) -> None:
    check_up(built)


def test_nothing_is_readable_and_the_overhead_is_what_theory_says(built: BareTunnel) -> None:
    check_unreadable(built)
    check_nothing_gets_in(built)


def test_nothing_leaves_or_gets_in_without_its_daemons(built: BareTunnel, net: NetBench) -> None:
    # The last one, for what is broken is not mended.
    with UnderlayAttack(net.hosts.a.world, net.hosts) as attack:
        check_fails_closed(built)
        check_nothing_gets_in_without_daemons(built, attack)


def test_the_attacker_gets_in_where_nothing_protects(net: NetBench) -> None:
    with plain_tunnel(net.hosts), UnderlayAttack(net.hosts.a.world, net.hosts) as attack:
        wait_until(
            lambda: {text[0] for text in attack.forge().let_in} == {side.upper() for side in Side}, "forged frames"
        )
