"""Deployments for the window and the command line: implements `DeploymentServices`.

Hosts are marked as in use while something changes on them, so that two instances on this computer do not get in each
other's way. What gets a user out of trouble is never refused: `confirm`, `repair`, `remove_unfinished` and `recover`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from app.deployment.audit_export import audit_entries, audit_text
from app.deployment.operations import DeploymentOperations
from app.domain.audit import AuditCheck, AuditEntry
from app.domain.deployment import Deployment
from app.domain.hosts import PairSpec
from app.reports.files import write_atomically
from app.services.messages import A_DEPLOYMENT, A_KEY_ROTATION, A_REMOVAL, A_REPAIR
from app.storage import Store

if TYPE_CHECKING:
    from app.storage.in_use import InUse

P = ParamSpec("P")
T = TypeVar("T")


def _passed_on(
    method: Callable[Concatenate[DeploymentOperations, P], T],
) -> Callable[Concatenate[DeploymentService, P], T]:
    """Return a method that calls one of `DeploymentOperations`."""

    @functools.wraps(method)
    def passed_on(self: DeploymentService, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return method(self.deploying, *args, **kwargs)

    return passed_on


def _holding(
    what: str, method: Callable[Concatenate[DeploymentOperations, P], T], *, is_optional: bool = False
) -> Callable[Concatenate[DeploymentService, P], T]:
    """Return a method that holds its hosts meanwhile; where that is optional, it is never refused."""

    @functools.wraps(method)
    def held(self: DeploymentService, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.in_use.hold(self.deploying.hosts_of(*args, *kwargs.values()), what, is_optional=is_optional):
            return method(self.deploying, *args, **kwargs)

    return held


class DeploymentService:
    """`DeploymentOperations` with the hosts held while something changes on them.

    Attributes:
        store: What is kept.
        in_use: Hosts that this user's processes work on.
        deploying: What can be done about deployments.
    """

    store: Store
    in_use: InUse
    deploying: DeploymentOperations

    lan_ports = _passed_on(DeploymentOperations.lan_ports)
    dry_run = _passed_on(DeploymentOperations.dry_run)
    status = _passed_on(DeploymentOperations.status)
    confirm = _passed_on(DeploymentOperations.confirm)
    remove_unfinished = _passed_on(DeploymentOperations.remove_unfinished)
    deploy = _holding(A_DEPLOYMENT(), DeploymentOperations.deploy)
    redeploy = _holding(A_DEPLOYMENT(), DeploymentOperations.redeploy)
    rotate_keys = _holding(A_KEY_ROTATION(), DeploymentOperations.rotate_keys)
    undeploy = _holding(A_REMOVAL(), DeploymentOperations.undeploy)
    undeploy_one = _holding(A_REMOVAL(), DeploymentOperations.undeploy_one)
    repair = _holding(A_REPAIR(), DeploymentOperations.repair, is_optional=True)

    def deployments(self, pair_name: str | None = None) -> tuple[Deployment, ...]:
        """Return every deployment of a pair, or of all, newest first."""
        return self.store.list_deployments(pair_name)

    def refuse_if_in_use(self, pair: PairSpec) -> None:
        """Refuse a pair of which other work on this computer holds a host, before any login.

        Raises:
            PairLocked: Other work holds one of its hosts.
        """
        self.in_use.refuse(pair)

    # --- what was done ------------------------------------------------------------------------------------------------

    def audit_log(self, pair_name: str | None = None) -> tuple[AuditEntry, ...]:
        """Return what was run last on the hosts of a pair, or of all, newest first."""
        return audit_entries(self.store, pair_name)

    def write_audit(self, path: Path, pair_name: str | None = None) -> Path:
        """Write the whole audit log, replacing the file; the format follows from the ending: .csv or .json.

        Raises:
            InvalidFile: The ending is another one.
            InvalidOption, DiskFull: It cannot be written there.
        """
        write_atomically(path, audit_text(self.store, path, pair_name).encode())
        return path

    def check_audit(self) -> AuditCheck:
        """Find out whether the audit log is what was written."""
        return self.store.check_audit()
