"""Two made-up hosts on this computer, and tunnels between them, for tests of deploying."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.events import Stage
from app.domain.hosts import HostFacts, InitSystem, PackageManager, PairSpec, Privilege, Side, Tool, ToolFlavour
from app.domain.link import STATE_DIR, Link
from app.tunnel import ActiveTunnel, DeployRequest, temporary_tunnel
from app.tunnel.build import TunnelBuild
from app.tunnel.preflight import remote_hosts, state_dir_of
from app.tunnel.temporary import build_tunnel
from app.tunnel.transaction import Transaction
from support.made_up_host import UNDERLAYS, LocalHost
from support.made_up_vpn import SUITE, MadeUpVpn
from support.waiting import wait_until

RUN_DIR = f"{STATE_DIR}/tunnel"
"""The folder of a temporary tunnel."""
SHELLS = ("dash", "busybox sh")
DASH_IN_EVERY_RUN = ("dash", pytest.param("busybox sh", marks=pytest.mark.full))
"""Parameters where BusyBox runs the same scripts elsewhere in every run: in test_deploy_shells, for example."""
"""The shells that /bin/sh is on gateways."""
BEYOND_LEASES_S = 100.0
"""Longer than the leases that tests let end, and shorter than what their daemons sleep, in seconds."""
LINGERING_S = 40.0
"""Time after which a rollback timer has noticed that its folder is gone, in seconds; without that it takes a minute."""


def shell_of(request: pytest.FixtureRequest) -> str:
    """Return the shell that a test's hosts have: one of `SHELLS`, always the same for the same test.

    Either half of the tests is run by either shell; that every script is run by both is shown by test_deploy_shells.
    """
    return SHELLS[zlib.crc32(request.node.nodeid.encode()) % len(SHELLS)]


def made_up_facts(side: Side) -> HostFacts:
    """Return what discovery might have found."""
    return HostFacts(
        collected_at=datetime(2026, 1, 1, tzinfo=UTC),
        hostname=f"gateway-{side.value}",
        os_id="debian",
        os_name="Debian",
        kernel="6.12",
        architecture="x86_64",
        cpu_model="made up",
        cpu_count=1,
        cpu_flags=(),
        is_virtual=True,
        memory_total_mib=512,
        memory_available_mib=256,
        nics=(),
        clock_offset_ms=0.0,
        clock_error_ms=0.0,
        init_system=InitSystem.UNKNOWN,
        privilege=Privilege.ROOT,
        user="root",
        package_manager=PackageManager.NONE,
        tools={"ping": Tool("ping", ToolFlavour.IPUTILS)},
    )


@dataclass
class World:
    """Two hosts and what is to be built on them."""

    a: LocalHost
    b: LocalHost
    request: DeployRequest

    @property
    def hosts(self) -> tuple[LocalHost, LocalHost]:
        return (self.a, self.b)

    @property
    def sessions(self) -> SessionPair:
        return SessionPair(self.a, self.b)

    def host(self, side: Side) -> LocalHost:
        return self.a if side is Side.A else self.b

    def with_vpn(self, vpn: MadeUpVpn) -> DeployRequest:
        return replace(self.request, adapter=vpn)


def make_world(root: Path, *, shell: Sequence[str] = ("dash",)) -> World:
    """Return two hosts below a folder."""
    a, b = (LocalHost(side, root / side.value, shell=shell) for side in Side)
    pair = PairSpec("pair", a.spec, b.spec, UNDERLAYS[Side.A], UNDERLAYS[Side.B])
    request = DeployRequest(
        pair=pair,
        adapter=MadeUpVpn(),
        suite=SUITE,
        link=Link(UNDERLAYS[Side.A], UNDERLAYS[Side.B]),
        facts_a=made_up_facts(Side.A),
        facts_b=made_up_facts(Side.B),
    )
    return World(a, b, request)


@contextmanager
def running_world(root: Path, shell: str = "dash") -> Iterator[World]:
    """Give two hosts below a folder whose processes end with the test.

    Args:
        root: The folder.
        shell: Their shell, one of `SHELLS`.
    """
    made = make_world(root, shell=shell.split())
    try:
        yield made
    finally:
        for host in made.hosts:
            host.end_processes()


def let_leases_end(world: World) -> None:
    """Move both hosts' clocks beyond whatever lease they have or are still getting, until nothing is left there."""
    for host in world.hosts:

        def is_empty(host: LocalHost = host) -> bool:
            return not host.processes() and not list((host.root / "run").iterdir())

        host.pass_time(BEYOND_LEASES_S, is_empty, f"nothing to be left on {host.side}")
        assert host.links == {"eth1"}, host.side


def wait_until_untouched(world: World) -> None:
    """Wait until both hosts are as they were made.

    A rollback timer that restored a host removes its folder after that; one that was ended does so by itself, after
    the pause that it makes.
    """
    for host in world.hosts:
        wait_until(lambda host=host: not list((host.root / "run").iterdir()), f"no folder on {host.side}")
        assert host.links == {"eth1"}, host.side
        host.end_pauses()  # once: a timer that lingers longer than that is seen
        wait_until(lambda host=host: not host.processes(), f"no process on {host.side}", LINGERING_S)


def assert_untouched(world: World) -> None:
    """Fail unless both hosts' networks are as they were made, and all else soon is.

    Their clocks are stopped meanwhile: a timer that ends only with its lease does not end.
    """
    for host in world.hosts:
        assert host.links == {"eth1"}, host.side
    following = [host for host in world.hosts if not host.is_clock_held]
    for host in following:
        host.hold_clock()
    wait_until_untouched(world)
    for host in following:
        host.follow_clock()


def ignore_stage(_stage: Stage, _detail: str) -> None:
    """Take a stage and do nothing with it."""


def open_tunnel(
    world: World,
    request: DeployRequest | None = None,
    *,
    token: CancelToken | None = None,
    on_stage: Callable[[Stage, str], None] = ignore_stage,
    audit: list[AuditEntry] | None = None,
    lease_s: float = 30,
) -> AbstractContextManager[ActiveTunnel]:
    """Return a context in which a tunnel is up between the two hosts."""
    return temporary_tunnel(
        world.sessions,
        request or world.request,
        token=token or CancelToken(),
        on_stage=on_stage,
        audit=audit.append if audit is not None else None,
        lease_s=lease_s,
    )


def build_and_vanish(world: World, request: DeployRequest | None = None, *, lease_s: float) -> TunnelBuild:
    """Build a tunnel the way a Tunnelmark does that is killed then."""
    asked = request or world.request
    ends = remote_hosts(world.sessions, state_dir_of(asked), asked.pair.name)
    build = TunnelBuild(Transaction(ends, on_stage=ignore_stage, audit=None, lease_s=lease_s), asked)
    build_tunnel(build, token=CancelToken())
    build.work.pause_lease()
    return build
