"""Deployments for the window and the command line: implements `RolloutServices`.

Hosts are marked as in use while something changes on them, so that two instances on this computer do not get in each
other's way. What gets a user out of trouble is never refused: `confirm`, `repair`, `remove_unfinished` and `recover`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from app.deployment.audit_export import audit_entries, audit_text
from app.deployment.events import Confirmation, RolloutSink
from app.deployment.operations import DeploymentOperations
from app.discovery.pair_discovery import Discovery
from app.domain.audit import AuditCheck
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DryRun, RolloutOptions
from app.domain.deployment_status import PairStatus
from app.domain.hosts import PairSpec, Side
from app.reports.files import write_atomically
from app.services.interfaces.comparison import ProgressSink
from app.services.interfaces.deployments import AuditLine, LanPort
from app.storage import Store

if TYPE_CHECKING:
    from app.storage.in_use import InUse, Use

AUDIT_LIMIT = 100_000
"""So many of the newest entries are shown; a file gets all of them."""


class RolloutOperations:
    """`DeploymentOperations` with the hosts held while something changes on them.

    Attributes:
        store: What is kept.
        in_use: Hosts that this user's processes work on.
        deploying: What can be done about deployments.
    """

    store: Store
    in_use: InUse
    deploying: DeploymentOperations

    def lan_ports(self, discovery: Discovery, *, token: CancelToken) -> tuple[LanPort, ...]:
        """Return the interfaces of both hosts, and of each whether it may be joined with a tunnel."""
        return tuple(
            LanPort(side, one.name, " ".join((one.note, *one.warnings)), one.refusal)
            for side, found in self.deploying.lan_interfaces(discovery, token=token).items()
            for one in found
        )

    def dry_run(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: RolloutOptions,
        *,
        token: CancelToken,
        on_progress: ProgressSink,
    ) -> DryRun:
        """Say what a deployment would do; changes nothing."""
        on_progress("Looking at what stands on both hosts", None)
        return self.deploying.dry_run(discovery, key, options, token=token)

    def deploy(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: RolloutOptions,
        *,
        token: CancelToken,
        emit: RolloutSink,
        confirmation: Confirmation | None = None,
    ) -> Deployment:
        """See `DeploymentOperations.deploy`."""
        with self._held(discovery.pair, "a deployment"):
            return self.deploying.deploy(discovery, key, options, token=token, emit=emit, confirmation=confirmation)

    def redeploy(
        self,
        deployment_id: str,
        *,
        token: CancelToken,
        emit: RolloutSink,
        confirmation: Confirmation | None = None,
        confirm_within_s: float | None = None,
    ) -> Deployment:
        """See `DeploymentOperations.redeploy`."""
        with self._held(self.store.get_deployment(deployment_id).pair, "a deployment"):
            return self.deploying.redeploy(
                deployment_id, token=token, emit=emit, confirmation=confirmation, confirm_within_s=confirm_within_s
            )

    def rotate_keys(
        self, pair: PairSpec, *, token: CancelToken, emit: RolloutSink, confirmation: Confirmation | None = None
    ) -> Deployment:
        """See `DeploymentOperations.rotate_keys`."""
        with self._held(pair, "a key rotation"):
            return self.deploying.rotate_keys(pair, token=token, emit=emit, confirmation=confirmation)

    def confirm(self, pair: PairSpec, *, token: CancelToken, emit: RolloutSink) -> Deployment:
        """See `DeploymentOperations.confirm`."""
        return self.deploying.confirm(pair, token=token, emit=emit)

    def undeploy(self, pair: PairSpec, *, token: CancelToken, emit: RolloutSink) -> Deployment:
        """See `DeploymentOperations.undeploy`."""
        with self._held(pair, "the removal of a deployment"):
            return self.deploying.undeploy(pair, token=token, emit=emit)

    def undeploy_one(self, pair: PairSpec, side: Side, *, token: CancelToken, emit: RolloutSink) -> Deployment:
        """See `DeploymentOperations.undeploy_one`."""
        with self.in_use.hold((pair.host(side),), "the removal of a deployment"):
            return self.deploying.undeploy_one(pair, side, token=token, emit=emit)

    def repair(self, pair: PairSpec, *, token: CancelToken, emit: RolloutSink) -> Deployment | None:
        """See `DeploymentOperations.repair`."""
        with self.in_use.hold((pair.a, pair.b), "a repair", is_optional=True):
            return self.deploying.repair(pair, token=token, emit=emit)

    def remove_unfinished(self, pair: PairSpec, *, token: CancelToken) -> None:
        """See `DeploymentOperations.remove_unfinished`."""
        self.deploying.remove_unfinished(pair, token=token)

    def status(self, pair: PairSpec, *, token: CancelToken) -> PairStatus:
        """See `DeploymentOperations.status`."""
        return self.deploying.status(pair, token=token)

    def deployments(self, pair_name: str | None = None) -> tuple[Deployment, ...]:
        """Return every deployment of a pair, or of all, newest first."""
        return self.store.list_deployments(pair_name)

    def refuse_if_in_use(self, pair: PairSpec) -> None:
        """Refuse a pair of which other work on this computer holds a host, before anybody logs in.

        Raises:
            PairLocked: Other work holds one of its hosts.
        """
        self.in_use.refuse(pair)

    def _held(self, pair: PairSpec, what: str) -> AbstractContextManager[Use]:
        return self.in_use.hold((pair.a, pair.b), what)

    # --- what was done ------------------------------------------------------------------------------------------------

    def audit_log(self, pair_name: str | None = None) -> tuple[AuditLine, ...]:
        """Return what was run last on the hosts of a pair, or of all, newest first; see `AUDIT_LIMIT`."""
        entries = audit_entries(self.store, pair_name, limit=AUDIT_LIMIT)
        return tuple(AuditLine(entry, entry.who, entry.deployment) for entry in entries)

    def write_audit(self, path: Path, pair_name: str | None = None) -> Path:
        """Write all of the audit log, in place of what stands there; the kind follows from the ending: .csv or .json.

        Raises:
            InvalidFile: The ending is another one.
            InvalidOption, DiskFull: It cannot be written there.
        """
        write_atomically(path, audit_text(self.store, path, pair_name).encode())
        return path

    def check_audit(self) -> AuditCheck:
        """Find out whether the audit log is what was written."""
        return self.store.check_audit()
