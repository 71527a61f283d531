"""Clean-host check: thorough snapshots of both hosts before and after a comparison prove that nothing was left."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_both
from app.domain.errors import TunnelmarkError
from app.domain.events import EventOf, LogLevel, LogLine
from app.host.inspection import take_snapshot
from app.host.snapshots import HostSnapshot, SnapshotDepth, compare_snapshots
from app.measurement.control import CampaignControl
from app.measurement.engine import CampaignHosts, run_campaign
from app.measurement.interfaces import CampaignStore
from app.measurement.messages import HOST_NOT_AS_BEFORE, HOSTS_AS_BEFORE, NOT_INSPECTED_AFTERWARDS, ON_HOST
from app.measurement.work import A, P, R, Work

Snapshots = tuple[HostSnapshot, HostSnapshot]
"""Those of A and B: interfaces, routes, firewall, sockets, processes, services, files, contents."""


def take_snapshots(sessions: SessionPair, *, token: CancelToken) -> Snapshots:
    """Take thorough snapshots of both hosts. Changes nothing."""
    return run_both(
        lambda: take_snapshot(sessions.a, token=token, depth=SnapshotDepth.THOROUGH),
        lambda: take_snapshot(sessions.b, token=token, depth=SnapshotDepth.THOROUGH),
    )


def report_differences(sessions: SessionPair, before: Snapshots, *, emit: Callable[[LogLine], None]) -> None:
    """Take new snapshots and log what is not as it was; others may have changed it meanwhile.

    Args:
        before: What they were like.
        emit: Gets a line for the log.
    """
    try:
        after = take_snapshots(sessions, token=CancelToken())
    except TunnelmarkError as error:
        emit(LogLine(LogLevel.WARNING, NOT_INSPECTED_AFTERWARDS(why=error.message)))
        return
    found = [
        ON_HOST(host=session.spec.label, what=text)
        for session, was, now in zip((sessions.a, sessions.b), before, after, strict=True)
        for text in compare_snapshots(was, now)
    ]
    for text in found:
        emit(LogLine(LogLevel.WARNING, HOST_NOT_AS_BEFORE(what=text)))
    if not found:
        emit(LogLine(LogLevel.INFO, HOSTS_AS_BEFORE()))


def run_checked(
    work: type[Work[P, A, R]],
    plan: P,
    hosts: CampaignHosts,
    *,
    store: CampaignStore,
    control: CampaignControl,
    emit: Callable[[EventOf[P, A]], None],
    version: str,
    resume_id: int | None = None,
) -> R:
    """Run a campaign as `run_campaign` does; of work that is proven clean, log what it left on the hosts."""
    before = take_snapshots(hosts.sessions, token=control.token) if work.is_proven_clean else None
    record = run_campaign(
        work, plan, hosts, store=store, control=control, emit=emit, version=version, resume_id=resume_id
    )
    if before is not None:
        report_differences(hosts.sessions, before, emit=emit)
    return record
