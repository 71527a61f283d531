"""A tunnel for the time of a `with` block: acquire, preflight, keys, apply; then roll back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import TunnelmarkError
from app.domain.hosts import Side
from app.tunnel.acquire import Acquired
from app.tunnel.active_tunnel import ActiveTunnel
from app.tunnel.audit import AuditSink
from app.tunnel.build import TunnelBuild
from app.tunnel.preflight import remote_hosts, state_dir_of
from app.tunnel.preview import configuration_of
from app.tunnel.request import DeployRequest
from app.tunnel.switch import Switcher
from app.tunnel.transaction import StageSink, Transaction


@contextmanager
def temporary_tunnel(
    sessions: SessionPair,
    request: DeployRequest,
    *,
    token: CancelToken,
    on_stage: StageSink,
    audit: AuditSink | None = None,
    lease_s: float = 30.0,
) -> Iterator[ActiveTunnel]:
    """Build a tunnel for the time of a `with` block; both hosts are rolled back at its end, however it ends.

    Args:
        token: Cancels building; rolling back then runs on a token of its own with its own deadline.
        on_stage: Gets each stage as it begins, one call at a time, from any thread.
        audit: Gets every command that changed a host, from any thread.
        lease_s: For how long a host waits to hear of us before it rolls back, in seconds. A third of it passes
            between two renewals, each of which costs a host a short command.

    Yields:
        The tunnel.

    Raises:
        PreflightRefused: Something is in the way; nothing was changed.
        PairLocked: Another Tunnelmark is at work.
        CommandFailed, DiskFull, TunnelDown: It could not be built. `context["log"]` holds the daemons' logs.
        CleanupFailed: A host is not as it was before.
        ConnectionLost: A connection broke and could not be made again, so that a host is left to its timer.
        Cancelled: The token was cancelled.
    """
    hosts = remote_hosts(sessions, state_dir_of(request), request.pair.name)
    work = Transaction(hosts, on_stage=on_stage, audit=audit, lease_s=lease_s)
    build = TunnelBuild(work, request)
    active: ActiveTunnel | None = None

    def explain(error: TunnelmarkError) -> None:
        if active is None:
            build.add_logs(error)
        elif active.lost:
            error.context["lost"] = " ".join(active.lost.values())

    try:
        with work.rolled_back_at_end(build.words, explain):
            active = build_tunnel(build, token=token)
            yield active
    finally:
        if active is not None:
            active.cleanup_s = work.timings_s.get("undo", 0.0)
            active.differences = work.differences


def build_tunnel(build: TunnelBuild, *, token: CancelToken) -> ActiveTunnel:
    """Run the phases up to a tunnel that is up.

    Raises:
        TunnelmarkError, Cancelled: It did not work; both hosts must be rolled back.
    """
    started_s = time.monotonic()
    acquired = build.acquire(token=token)
    build.refuse_obstacles()
    active = bring_up(build, acquired, token=token)
    active.setup_s = time.monotonic() - started_s
    return active


def bring_up(build: TunnelBuild, acquired: Mapping[Side, Acquired], *, token: CancelToken) -> ActiveTunnel:
    """Run the phases from the keys, which are made, to a tunnel that is up.

    Raises:
        TunnelmarkError, Cancelled: It did not work; both hosts must be rolled back.
    """
    build.exchange_keys(acquired, token=token)
    negotiated = build.apply(token=token)
    work = build.work
    active = ActiveTunnel(
        build.request,
        build.plan,
        work.hosts,
        configuration=configuration_of(build.request, build.plan),
        negotiated=negotiated,
        warnings=build.warnings,
        lost=lambda: work.lost,
        switcher=Switcher(work.hosts, work.ids, work.ledgers, build.identities, build.member),
    )
    active.timings_s = work.timings_s
    return active
