"""The two-ended transaction that builds a tunnel and puts both hosts back."""

from app.deploy.active import ActiveTunnel
from app.deploy.build_errors import NotUpInTime
from app.deploy.firewalled import blocked_openings, read_firewalls, with_firewalls
from app.deploy.preflight import preflight
from app.deploy.preview import preview
from app.deploy.recovery import Found, HostRecovery, RecoveryReport, recover, recover_host
from app.deploy.request import DeployRequest, LockInfo, Obstacle
from app.deploy.snapshots import HostSnapshot, SnapshotDepth, compare_snapshots
from app.deploy.surveys import take_snapshot
from app.deploy.transaction import temporary_tunnel

__all__ = [
    "ActiveTunnel",
    "DeployRequest",
    "Found",
    "HostRecovery",
    "HostSnapshot",
    "LockInfo",
    "NotUpInTime",
    "Obstacle",
    "RecoveryReport",
    "SnapshotDepth",
    "blocked_openings",
    "compare_snapshots",
    "preflight",
    "preview",
    "read_firewalls",
    "recover",
    "recover_host",
    "take_snapshot",
    "temporary_tunnel",
    "with_firewalls",
]
