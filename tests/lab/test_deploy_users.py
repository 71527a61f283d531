"""Single tunnels by users who are not root; afterwards the hosts are as before.

On hosts made of namespaces; in `make test-full` on the practice lab's gateways as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.events import Stage
from app.domain.hosts import Privilege, Side
from app.tunnel import preflight, temporary_tunnel
from support.lab_deploy import Bench, wait_until_as_before
from support.lab_sessions import connected
from support.tunnel_state import still_up


@pytest.fixture(autouse=True)
def unchanged(hosts_or_gateways: Bench) -> Iterator[None]:
    """Every test here must leave both hosts as it found them."""
    before = hosts_or_gateways.inspect()
    yield
    wait_until_as_before(hosts_or_gateways.sessions, before)


def ignore_stage(_stage: Stage, _detail: str) -> None:
    pass


def test_tunnel_by_users_who_are_not_root(hosts_or_gateways: Bench, tmp_path: Path) -> None:
    bench = hosts_or_gateways
    for user in ("nopass", "doasuser"):
        (tmp_path / user).mkdir()
    with (
        connected(bench.pair, tmp_path / "nopass", "nopass") as with_sudo,
        connected(bench.pair, tmp_path / "doasuser", "doasuser") as with_doas,
    ):
        sessions = SessionPair(with_sudo.a, with_doas.b)
        assert (sessions.a.privilege, sessions.b.privilege) == (Privilege.SUDO, Privilege.DOAS)
        request = bench.request(bench.any_solution)
        with temporary_tunnel(sessions, request, token=CancelToken(), on_stage=ignore_stage) as made:
            assert still_up(made)


def test_user_without_rights_is_an_obstacle(hosts_or_gateways: Bench, tmp_path: Path) -> None:
    bench = hosts_or_gateways
    with connected(bench.pair, tmp_path, "plain") as sessions:
        found = preflight(sessions, bench.request(bench.any_solution), token=CancelToken())
    assert [obstacle.side for obstacle in found] == [Side.A, Side.B]
    assert all(obstacle.is_blocking for obstacle in found)
