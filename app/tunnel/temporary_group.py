"""Several tunnels side by side for the time of a `with` block, in one transaction.

Both hosts are locked once and have one lease, one journal and one undo script for all tunnels: what ends a single
temporary tunnel ends all of them. Each tunnel has an instance of the link and numbers of its own in the journal, so
that one that does not come up is undone alone. The hosts are inspected before the first tunnel is built: what is in the
way of one of them is never another one of the group.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count

from app.domain.adapters import IdentityRecipe
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import WorkerPool
from app.domain.errors import (
    Bug,
    Cancelled,
    CleanupFailed,
    ConnectionLost,
    HostUnreachable,
    PreflightRefused,
    TunnelmarkError,
)
from app.domain.events import Stage
from app.domain.hosts import Side
from app.host.parallel import on_both
from app.tunnel.acquire import Acquired, AcquireRequest
from app.tunnel.active_tunnel import ActiveTunnel
from app.tunnel.audit import AuditSink
from app.tunnel.build import TunnelBuild
from app.tunnel.group_member import prepare, roll_back_member
from app.tunnel.messages import GROUP_EMPTY, PORT_OF_TWO
from app.tunnel.preflight import outside_paths, remote_hosts, state_dir_of
from app.tunnel.request import DeployRequest
from app.tunnel.temporary import bring_up
from app.tunnel.transaction import CLEANUP_S, Transaction

AT_ONCE = 3
"""Most tunnels that are built at the same time."""
CLEANUP_EACH_S = 20.0
"""By how much each further tunnel prolongs what rolling back may take, in seconds."""

GroupStageSink = Callable[[int, Stage, str], None]
_FATAL: tuple[type[TunnelmarkError], ...] = (Bug, CleanupFailed, ConnectionLost, HostUnreachable)
"""Errors that concern both hosts and not one tunnel alone."""


@dataclass
class ActiveGroup:
    """Tunnels that are up side by side, until the `with` block they came from ends.

    Attributes:
        work: The transaction that holds them.
        tunnels: Those that are up, by position in the requests.
        failures: Why the others are not, by position; all that concerned them has been rolled back.
    """

    work: Transaction
    tunnels: dict[int, ActiveTunnel] = field(default_factory=dict)
    failures: dict[int, TunnelmarkError] = field(default_factory=dict)

    @property
    def lost(self) -> Mapping[Side, str]:
        """Host that rolled back although the tunnels were still in use, with the reason as a sentence."""
        return self.work.lost

    def explain(self, error: TunnelmarkError) -> None:
        """Add to an error why a host rolled back."""
        if self.lost:
            error.context["lost"] = " ".join(self.lost.values())


@dataclass(frozen=True, slots=True)
class FirstTunnels:
    """Tunnels of a group that are up before the others are built.

    Attributes:
        positions: Of their requests.
        on_up: Called once they have been built and no other has; some of them may have failed.
        one_of: Of further requests, which are built in this order until one is up.
    """

    positions: tuple[int, ...]
    on_up: Callable[[ActiveGroup], None]
    one_of: tuple[int, ...] = ()


@contextmanager
def temporary_group(
    sessions: SessionPair,
    requests: Sequence[DeployRequest],
    *,
    token: CancelToken,
    on_stage: GroupStageSink,
    audit: AuditSink | None = None,
    lease_s: float = 30.0,
    busy_s: float = 0.0,
    first: FirstTunnels | None = None,
) -> Iterator[ActiveGroup]:
    """Build tunnels for the time of a `with` block; both hosts are rolled back at its end, however it ends.

    Args:
        requests: What is to be built, on the same hosts and link; each gets an instance of that link.
        token: Cancels building; rolling back then runs on a token of its own with its own deadline.
        on_stage: Gets each stage as it begins, one call at a time, from any thread; one of all tunnels once for each.
        audit: Gets every command that changed a host, from any thread.
        lease_s: For how long a host waits to hear of us before it rolls back, in seconds.
        busy_s: For how long what is built may keep a host too busy to answer, in seconds; lease and rollback take
            longer by it.
        first: Those that are built before the others; None for all at once.

    Yields:
        The tunnels that are up, and why others are not.

    Raises:
        PairLocked: Another Tunnelmark is at work.
        CleanupFailed: A host is not as it was before, or a tunnel that failed could not be rolled back alone.
        ConnectionLost: A connection broke and could not be made again, so that a host is left to its timer.
        EnvironmentFault: With all tunnels up, a host accepts no new SSH connection.
        Cancelled: The token was cancelled.
    """
    if not requests:
        raise Bug(GROUP_EMPTY())
    leading = requests[0]
    stages = _Stages(on_stage, len(requests))
    work = Transaction(
        remote_hosts(sessions, state_dir_of(leading), leading.pair.name),
        on_stage=stages.of_all,
        audit=audit,
        lease_s=lease_s,
        cleanup_s=CLEANUP_S + CLEANUP_EACH_S * (len(requests) - 1),
        busy_s=busy_s,
    )
    group = ActiveGroup(work)
    builds = _builds(group, requests, stages)

    def words(side: Side) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for build in builds.values() for word in build.words(side)))

    try:
        with work.rolled_back_at_end(words, group.explain):
            _acquire(work, leading, builds, token=token)
            if first is not None:
                _build_first(group, builds, first, token=token)
                first.on_up(group)
            _build_all(group, builds, tuple(builds), token=token)
            on_both(work.check_connection, token=token)  # the last change has been made
            yield group
    finally:
        for tunnel in group.tunnels.values():
            tunnel.cleanup_s = work.timings_s.get("undo", 0.0)
            tunnel.differences = work.differences


class _Stages:
    """Stages of a group's tunnels, one call at a time.

    Args:
        sink: Gets them.
        count: How many tunnels there are.
    """

    def __init__(self, sink: GroupStageSink, count: int) -> None:
        self._sink = sink
        self._count = count
        self._lock = threading.Lock()

    def of_all(self, stage: Stage, detail: str) -> None:
        """Report a stage of all tunnels."""
        with self._lock:
            for position in range(self._count):
                self._sink(position, stage, detail)

    def of_one(self, position: int) -> Callable[[Stage, str], None]:
        """Return what reports the stages of one tunnel."""

        def report(stage: Stage, detail: str) -> None:
            with self._lock:
                self._sink(position, stage, detail)

        return report


def _builds(group: ActiveGroup, requests: Sequence[DeployRequest], stages: _Stages) -> dict[int, TunnelBuild]:
    """Return the builds by position; of what an adapter cannot plan, the failure.

    What changes nothing on the hosts needs no folder and no numbers of its own: it has those of the first instance.
    """
    is_bare: dict[int, bool] = {}
    for position, request in enumerate(requests):
        try:
            is_bare[position] = TunnelBuild(group.work, request).is_bare
        except Bug:
            raise
        except TunnelmarkError as error:
            group.failures[position] = error
    built = count(int(any(is_bare.values())))
    members = {position: 0 if bare else next(built) for position, bare in is_bare.items()}
    return {
        position: TunnelBuild(
            group.work,
            replace(requests[position], link=requests[position].link.instance(member)),
            member=member,
            on_stage=stages.of_one(position),
        )
        for position, member in members.items()
    }


def _acquire(work: Transaction, first: DeployRequest, builds: Mapping[int, TunnelBuild], *, token: CancelToken) -> None:
    """Lock, arm and inspect both hosts; each tunnel makes its keys later."""
    requests: dict[Side, AcquireRequest] = {}
    for side in Side:
        paths = (path for build in builds.values() for path in outside_paths(build.request, build.plan.on(side)))
        peer = first.link.underlay(side.other)
        requests[side] = AcquireRequest(first.link.run_dir, IdentityRecipe(), peer, tuple(dict.fromkeys(paths)))
    work.acquire(requests, token=token)


def _build_first(
    group: ActiveGroup, builds: Mapping[int, TunnelBuild], first: FirstTunnels, *, token: CancelToken
) -> None:
    _build_all(group, builds, first.positions, token=token)
    for position in first.one_of:
        _build_all(group, builds, (position,), token=token)
        if position in group.tunnels:
            return


def _build_all(
    group: ActiveGroup, builds: Mapping[int, TunnelBuild], positions: Sequence[int], *, token: CancelToken
) -> None:
    """Build tunnels unless they were, some at a time. One that fails leaves nothing; what concerns all ends all.

    Raises:
        EnvironmentFault, Bug, Cancelled: Something that concerns all; both hosts must be rolled back.
    """
    own = CancelToken()

    def work(position: int, build: TunnelBuild) -> None:
        try:
            _refuse_overlap(position, builds)
            group.tunnels[position] = _build_one(build, token=own)
        except _FATAL:
            own.cancel()
            raise
        except TunnelmarkError as error:
            group.failures[position] = error

    unregister = token.on_cancel(own.cancel)
    try:
        with WorkerPool(AT_ONCE, thread_name_prefix="tunnelmark-group") as pool:
            left = [one for one in positions if one in builds and one not in {*group.tunnels, *group.failures}]
            futures = [pool.submit(work, position, builds[position]) for position in left]
            errors = [error for future in futures if (error := future.exception()) is not None]
    except BaseException:
        own.cancel()
        raise
    finally:
        unregister()
    token.raise_if_cancelled()
    if errors:
        raise next((error for error in errors if not isinstance(error, Cancelled)), errors[0])
    group.tunnels = dict(sorted(group.tunnels.items()))


def _build_one(build: TunnelBuild, *, token: CancelToken) -> ActiveTunnel:
    """Build one tunnel, or undo all that concerned it.

    Raises:
        TunnelmarkError: It did not come up.
        Cancelled, and those of _FATAL: Something that concerns all; nothing was undone.
    """
    started_s = time.monotonic()
    token.raise_if_cancelled()
    build.refuse_obstacles()
    if build.is_bare:
        return bring_up(build, {side: Acquired(one, {}) for side, one in build.work.inspections.items()}, token=token)
    build.stage(Stage.IDENTITY, "")
    try:
        active = bring_up(build, prepare(build, token=token), token=token)
    except _FATAL:
        raise
    except TunnelmarkError as error:
        build.add_logs(error)
        roll_back_member(build)
        raise
    active.setup_s = time.monotonic() - started_s
    return active


def _refuse_overlap(position: int, builds: Mapping[int, TunnelBuild]) -> None:
    """Refuse a tunnel that listens where one before it does: its adapter declares no claim on that port.

    Raises:
        PreflightRefused: It does.
    """
    for side in Side:
        own = set(builds[position].plan.on(side).listens)
        for other, build in builds.items():
            shared = own.intersection(build.plan.on(side).listens)
            if other < position and shared:
                protocol, port = min(shared)
                raise PreflightRefused(PORT_OF_TWO(port=str(port), protocol=protocol))
