"""Lease renewal for both hosts' rollback timers."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import Cancelled, CommandFailed, TunnelmarkError
from app.domain.hosts import Side
from app.domain.script_files import bare_script, host_script
from app.host.parallel import on_both
from app.host.remote_host import RemoteHost, whole_seconds
from app.tunnel.lock_owner import LET_GO
from app.tunnel.messages import (
    LEASE_ENDING,
    LEASE_GONE,
    LEASE_LATE,
    LEASE_NOT_RENEWED,
    LEASE_UNREAD,
    WAIT_NOT_ACKNOWLEDGED,
)

RENEW_TIMEOUT_S = 10.0
"""Time limit for one renewal on a host, in seconds."""

_LOST = {3: LEASE_GONE, 4: LEASE_ENDING, 5: LEASE_LATE}
"""Why a host refuses a renewal, by the status of `renew.sh`."""

_WAITS = re.compile(r"waits (?P<seconds>\d{1,9})")


class Lease:
    """Renews both hosts' leases, each in a thread of its own, whenever a third of the time has passed.

    Only while this runs do the hosts keep the tunnel: it must be stopped when its owner stops working.

    Args:
        tunnels: The random id of this work on each host.
        lease_s: For how long a host waits to hear of us, in seconds.
    """

    def __init__(self, hosts: Mapping[Side, RemoteHost], tunnels: Mapping[Side, str], lease_s: float) -> None:
        self._hosts = hosts
        self._tunnels = tunnels
        self._lease_s = lease_s
        self._token = CancelToken()
        self._lost: dict[Side, str] = {}
        self._threads: dict[Side, threading.Thread] = {}

    def start(self, *sides: Side) -> None:
        """Begin, on both hosts or on these; each has to be armed. A host that is begun on already goes on.

        Args:
            sides: Which hosts; none of them means both.
        """
        for side in sides or Side:
            if side in self._threads or self._token.is_cancelled:
                continue
            thread = threading.Thread(
                target=self._keep, args=(self._hosts[side],), name="tunnelmark-lease", daemon=True
            )
            self._threads[side] = thread
            thread.start()

    def stop(self) -> None:
        """End; returns when the threads have ended. May be called twice, or without a start."""
        self._token.cancel()
        for thread in tuple(self._threads.values()):
            thread.join()

    @property
    def lost(self) -> Mapping[Side, str]:
        """Host that no longer keeps the tunnel, with the reason as a sentence."""
        return dict(self._lost)

    def _keep(self, host: RemoteHost) -> None:
        try:
            while host.side not in self._lost:
                # The host has only just been given its time; asking costs it a third of a second.
                self._token.sleep(self._lease_s / 3)
                self._renew(host)
        except Cancelled:
            return

    def _renew(self, host: RemoteHost) -> None:
        command = _renewal(host, self._tunnels[host.side], self._lease_s, timeout_s=max(2.0, self._lease_s / 3))
        try:
            status = host.session.run(command, token=self._token).exit_status
        except TunnelmarkError:
            # A broken connection is noticed by the code that uses it; until it is mended, the rollback timer runs.
            return
        if status in _LOST:
            self._lost[host.side] = _LOST[status](host=host.label)


def _renewal(host: RemoteHost, tunnel: str, seconds: float, *, timeout_s: float) -> Command:
    argv = shell_step_argv(host_script("renew.sh"), host.state_dir, tunnel, whole_seconds(seconds))
    return Command(argv, timeout_s=timeout_s, is_root=True)


def set_leases(
    hosts: Mapping[Side, RemoteHost], tunnels: Mapping[Side, str], seconds: float, *, token: CancelToken
) -> float:
    """Renew both hosts' leases: set how long they wait from now on.

    Args:
        tunnels: The random id of this work on each host.
        seconds: For how long, in seconds.

    Returns:
        For how long both wait now, as they say, in seconds.

    Raises:
        CommandFailed: A host rolls back already, or does not report for how long it waits.
        ConnectionLost, DeadlineExceeded: A host could not be reached.
    """

    def renew(side: Side, child: CancelToken) -> float:
        host = hosts[side]
        result = host.session.run(_renewal(host, tunnels[side], seconds, timeout_s=RENEW_TIMEOUT_S), token=child)
        if not result.is_ok:
            raise CommandFailed(LEASE_NOT_RENEWED(host=host.label))
        answer = _WAITS.fullmatch(result.stdout.strip())
        if answer is None:
            raise CommandFailed(LEASE_UNREAD(host=host.label))
        return float(answer["seconds"])

    return min(on_both(renew, token=token).values())


_LET_GO_SCRIPT = bare_script("tunnel/let-go.sh")


def leave_to_timers(
    hosts: Mapping[Side, RemoteHost], tunnels: Mapping[Side, str], seconds: float, *, token: CancelToken
) -> None:
    """Extend both leases once, for a wait without renewals; their absence does not mean that this process died.

    Args:
        tunnels: The random id of this work on each host.
        seconds: For how long they wait for a confirmation, in seconds.

    Raises:
        CommandFailed, ConnectionLost, DeadlineExceeded: As `set_leases`.
    """
    set_leases(hosts, tunnels, seconds, token=token)

    def leave_to_timer(side: Side, child: CancelToken) -> None:
        host = hosts[side]
        argv = shell_step_argv(_LET_GO_SCRIPT, host.state_dir, LET_GO)
        if not host.session.run(Command(argv, timeout_s=RENEW_TIMEOUT_S, is_root=True), token=child).is_ok:
            raise CommandFailed(WAIT_NOT_ACKNOWLEDGED(host=host.label))

    on_both(leave_to_timer, token=token)


@contextmanager
def kept_waiting(
    hosts: Mapping[Side, RemoteHost], tunnels: Mapping[Side, str], lease_s: float, *, token: CancelToken
) -> Iterator[None]:
    """Keep both hosts from rolling back during a `with` block; it begins with a renewal.

    Args:
        tunnels: The random id of this work on each host.
        lease_s: For how long a host waits to hear of us, in seconds.

    Raises:
        CommandFailed, ConnectionLost, DeadlineExceeded: As `set_leases`.
    """
    set_leases(hosts, tunnels, lease_s, token=token)
    lease = Lease(hosts, tunnels, lease_s)
    lease.start()
    try:
        yield
    finally:
        lease.stop()
