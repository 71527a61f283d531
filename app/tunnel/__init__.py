"""Two-host transaction that builds a tunnel and rolls both hosts back.

Lock, snapshot, lease, apply, verify, switch, rollback, recovery: every change has its undo on the host before it is
made, and a host whose lease runs out rolls back by itself. Must not know of measuring or of deployments, or of any
VPN by name.
"""

from app.tunnel.active_tunnel import ActiveTunnel
from app.tunnel.apply_errors import NotUpInTime
from app.tunnel.openings import blocked_openings, read_firewalls
from app.tunnel.plan import plan_of
from app.tunnel.preflight import preflight
from app.tunnel.preview import preview
from app.tunnel.recovery import RecoveryReport, recover, recover_pair
from app.tunnel.request import DeployRequest, Obstacle
from app.tunnel.temporary import temporary_tunnel
from app.tunnel.temporary_group import temporary_group

__all__ = [
    "ActiveTunnel",
    "DeployRequest",
    "NotUpInTime",
    "Obstacle",
    "RecoveryReport",
    "blocked_openings",
    "plan_of",
    "preflight",
    "preview",
    "read_firewalls",
    "recover",
    "recover_pair",
    "temporary_group",
    "temporary_tunnel",
]
