"""Tunnels side by side for the time of a `with` block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import Bug, TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import Side
from app.tunnel.active_tunnel import ActiveTunnel
from app.tunnel.audit import AuditSink
from app.tunnel.request import DeployRequest
from app.tunnel.temporary import temporary_tunnel

GroupStageSink = Callable[[int, Stage, str], None]


@dataclass
class ActiveGroup:
    """Tunnels that are up side by side, until the `with` block they came from ends.

    Attributes:
        tunnels: Those that are up, by position in the requests.
        failures: Why the others are not, by position; all that concerned them has been rolled back.
    """

    tunnels: dict[int, ActiveTunnel] = field(default_factory=dict)
    failures: dict[int, TunnelmarkError] = field(default_factory=dict)

    @property
    def lost(self) -> Mapping[Side, str]:
        """Which host has rolled back although the tunnels were still wanted, with a sentence that says why."""
        return next((tunnel.lost for tunnel in self.tunnels.values()), {})


@contextmanager
def temporary_group(
    sessions: SessionPair,
    requests: Sequence[DeployRequest],
    *,
    token: CancelToken,
    on_stage: GroupStageSink,
    audit: AuditSink | None = None,
    lease_s: float = 30.0,
) -> Iterator[ActiveGroup]:
    """Build tunnels for the time of a `with` block; both hosts are rolled back at its end, however it ends.

    Args:
        sessions: Connections to both hosts.
        requests: What is to be built.
        token: Cancels building.
        on_stage: Gets each stage as it begins, one call at a time, from any thread.
        audit: Gets every command that changed a host, from any thread.
        lease_s: For how long a host waits to hear of us before it rolls back, in seconds.
    """
    if len(requests) != 1:
        raise Bug("A group holds one tunnel.")

    def on_first(stage: Stage, detail: str) -> None:
        on_stage(0, stage, detail)

    with temporary_tunnel(
        sessions, requests[0], token=token, on_stage=on_first, audit=audit, lease_s=lease_s
    ) as tunnel:
        yield ActiveGroup({0: tunnel})
