"""The two-ended transaction that builds a tunnel and puts both hosts back."""

from app.deploy.active import ActiveTunnel
from app.deploy.preflight import preflight
from app.deploy.preview import preview
from app.deploy.recovery import HostRecovery, RecoveryReport, recover
from app.deploy.request import DeployRequest, LockInfo, Obstacle
from app.deploy.snapshots import HostSnapshot, SnapshotDepth, compare_snapshots
from app.deploy.surveys import take_snapshot
from app.deploy.transaction import temporary_tunnel

__all__ = [
    "ActiveTunnel",
    "DeployRequest",
    "HostRecovery",
    "HostSnapshot",
    "LockInfo",
    "Obstacle",
    "RecoveryReport",
    "SnapshotDepth",
    "compare_snapshots",
    "preflight",
    "preview",
    "recover",
    "take_snapshot",
    "temporary_tunnel",
]
