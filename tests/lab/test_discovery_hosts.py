"""Inspecting hosts: by users with fewer rights, and where their clocks differ.

On hosts made of namespaces; in `make test-full` the users on the practice lab's gateways as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from faults.fields import NetFaultHost

from app.discovery import discover_host
from app.domain.cancel import CancelToken
from app.domain.hosts import Privilege, Side
from support.lab_deploy import Bench
from support.lab_sessions import connected
from support.net_bench import NetBench
from vpn_adapters.registry import ADAPTERS

HOUR_S = 3600


@pytest.mark.parametrize(
    ("user", "privilege"), [("nopass", Privilege.SUDO), ("doasuser", Privilege.DOAS), ("plain", Privilege.NONE)]
)
def test_other_users_find_the_same(hosts_or_gateways: Bench, tmp_path: Path, user: str, privilege: Privilege) -> None:
    with connected(hosts_or_gateways.pair, tmp_path, user) as pair:
        facts = discover_host(pair.a, ADAPTERS, token=CancelToken())
    assert (facts.user, facts.privilege) == (user, privilege)
    expected = hosts_or_gateways.facts[0]
    assert facts.kernel_modules == expected.kernel_modules
    assert facts.missing == expected.missing
    assert {name: tool.version for name, tool in facts.tools.items()} == {
        name: tool.version for name, tool in expected.tools.items()
    }
    assert {name: one.is_available for name, one in facts.solutions.items()} == {
        name: one.is_available for name, one in expected.solutions.items()
    }


def test_clock_of_a_host_is_compared_with_this_computers(net: NetBench) -> None:
    """Hosts made of namespaces have this computer's clock: the offset is known, with one that was moved as well."""
    for moved_s in (0, HOUR_S, -HOUR_S):
        put_right = NetFaultHost(net.hosts, Side.A).move_clock(moved_s)
        try:
            facts = discover_host(net.sessions.a, ADAPTERS, token=CancelToken())
        finally:
            put_right()
        assert 0 < facts.clock_error_ms < HOUR_S * 1000 / 2
        assert abs(facts.clock_offset_ms - moved_s * 1000) <= facts.clock_error_ms + 1
