"""Interface of deployments, for window and command line.

Services that implement `DeploymentServices` beside `ComparisonServices` can deploy; the window offers it only then.
Every method that takes a token talks to hosts: it blocks, and is called in a worker thread.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from app.deployment.events import Confirmation, DeploymentSink
from app.discovery.pair_discovery import Discovery
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentOptions, DryRun, LanPort
from app.domain.deployment_status import PairStatus
from app.domain.hosts import PairSpec, Side
from app.domain.progress import ProgressSink

AUDIT_KINDS = ("csv", "json")
"""Endings of the files that an audit log can be written to."""


@runtime_checkable
class DeploymentServices(Protocol):
    """Services of a deployment."""

    def lan_ports(self, discovery: Discovery, *, token: CancelToken) -> tuple[LanPort, ...]:
        """Return the interfaces of both hosts, and of each whether it may be joined with a tunnel.

        Never those that carry the SSH connection or the underlay.
        """
        ...

    def dry_run(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: DeploymentOptions,
        *,
        token: CancelToken,
        on_progress: ProgressSink,
    ) -> DryRun:
        """Return what a deployment would do; changes nothing.

        Args:
            key: Solution and suite.
            options: What else was chosen.

        Raises:
            InvalidPlan: It is never deployed, or a reason is missing.
        """
        ...

    def deploy(
        self,
        discovery: Discovery,
        key: tuple[str, str],
        options: DeploymentOptions,
        *,
        token: CancelToken,
        emit: DeploymentSink,
        confirmation: Confirmation,
    ) -> Deployment:
        """Deploy. Returns when the tunnel is active, or when both hosts are as they were before.

        Args:
            key: Solution and suite.
            options: What else was chosen.
            token: Cancels it; both hosts then roll back.
            emit: Gets what happens, in whatever thread it happens.
            confirmation: Asked where the options say so.
        """
        ...

    def status(self, pair: PairSpec, *, token: CancelToken) -> PairStatus:
        """Return the pair's status, read from both hosts."""
        ...

    def undeploy(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        """Remove a pair's deployment."""
        ...

    def undeploy_one(self, pair: PairSpec, side: Side, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        """Remove one host's deployment, because the other one cannot be reached; that one follows at next contact.

        Returns:
            The deployment, half-confirmed: the other host may still have its half.

        Raises:
            NotFound: Nothing is deployed there.
        """
        ...

    def rotate_keys(
        self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink, confirmation: Confirmation
    ) -> Deployment:
        """Deploy a pair's deployment once more, with new keys.

        Raises:
            EnvironmentFault: A host cannot be asked.
            NotFound: Nothing is deployed there.
        """
        ...

    def repair(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment | None:
        """Carry through what was begun last and is on one host alone; None where nothing has to be repaired.

        What was interrupted on a host before it was confirmed is removed; that gives None, too.
        """
        ...

    def remove_unfinished(self, pair: PairSpec, *, token: CancelToken) -> None:
        """Remove what an interrupted deployment left on a host; nothing else."""
        ...

    def confirm(self, pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> Deployment:
        """Confirm what waits for it on the hosts, from whichever instance.

        Raises:
            EnvironmentFault: A host cannot be asked, so what waits is not known.
            NotFound: Nothing waits for a confirmation.
        """
        ...

    def deployments(self, pair_name: str | None = None) -> tuple[Deployment, ...]:
        """Return every deployment of a pair, or of all, newest first."""
        ...

    def redeploy(
        self,
        deployment_id: str,
        *,
        token: CancelToken,
        emit: DeploymentSink,
        confirmation: Confirmation,
        confirm_within_s: float | None = None,
    ) -> Deployment:
        """Deploy an earlier deployment again; without a time to confirm, that of the earlier one applies."""
        ...

    def audit_log(self, pair_name: str | None = None) -> tuple[AuditEntry, ...]:
        """Return what was run on the hosts of a pair, or of all, newest first."""
        ...

    def write_audit(self, path: Path, pair_name: str | None = None) -> Path:
        """Write the audit log; the kind follows from the ending, see `AUDIT_KINDS`."""
        ...
