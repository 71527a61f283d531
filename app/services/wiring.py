"""Services of a comparison, made of the real parts, for window and command line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.deployment.events import DeploymentNote
from app.deployment.operations import DeploymentOperations
from app.discovery.candidates import judge_again
from app.discovery.install_on_host import install_on_host
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.conditions import Condition
from app.domain.credentials import ConfirmHostKey
from app.domain.errors import HostUnreachable
from app.domain.hosts import HostSpec, MissingPart, PairSpec, Side
from app.domain.linting import ConfigKind, LintedFile
from app.domain.pairs import Saving
from app.domain.paths import Paths, find_paths
from app.domain.progress import ProgressSink
from app.domain.results import CampaignRecord, PlannedItem
from app.domain.solutions import SolutionInfo
from app.domain.version import tunnelmark_version
from app.lab.desk import LabOperations
from app.lab.kinds import DEFAULT_PLATFORM
from app.lab.practice_labs import LabPasswords, Labs
from app.linting import masked_diff
from app.linting.files import LintOptions, lint_file
from app.linting.host_files import lint_hosts
from app.measurement.firewalls import FirewallConsents
from app.measurement.inspect_pair import inspect_pair, obstacles_of, preview_candidate
from app.measurement.lab_studies import LabStudyOperations
from app.measurement.node_machines import NodeMachines, log_in_to_nodes
from app.measurement.node_needs import NodeNeeds
from app.measurement.pairs import PairOperations
from app.measurement.studies import StudyOperations
from app.policy.file_header import file_header
from app.reports.archive import Archive
from app.secrets import LayeredPasswords, MemoryPasswords, PasswordStore
from app.services.deployments import DeploymentService
from app.services.interfaces import Prompts
from app.services.measuring import MeasuringOperations
from app.services.messages import A_PAIR_CHANGE, CONNECTING, INSTALLATION, READING_FILES
from app.services.results import ResultOperations
from app.services.settings import SettingsOperations
from app.ssh import SshConnector
from app.ssh.connections import Connections
from app.storage.study_results import renamed_results
from app.tunnel import RecoveryReport, recover_pair
from vpn_adapters.registry import ADAPTERS, HUBS, NODE_PROTECTIONS, SESSION_HUBS

if TYPE_CHECKING:
    from app.export.pair_export import Exported, ExportOptions


class Services(
    SettingsOperations,
    PairOperations,
    LabOperations,
    ResultOperations,
    MeasuringOperations,
    StudyOperations,
    LabStudyOperations,
    DeploymentService,
):
    """All services: implements `ComparisonServices` and `DeploymentServices`. Safe to use from several worker threads.

    Args:
        prompts: Where questions go to; None refuses whatever would have to be asked.
        paths: Where things are kept; None means the usual places.
        confirm_host_key: Asked about unknown host keys instead of the prompts, where given.
    """

    def __init__(
        self, *, prompts: Prompts | None, paths: Paths | None = None, confirm_host_key: ConfirmHostKey | None = None
    ) -> None:
        self.paths = paths or find_paths()
        SettingsOperations.__init__(self, self.paths.settings)
        self.adapters = ADAPTERS
        self.node_protections = NODE_PROTECTIONS
        self.hubs = HUBS
        self.session_hubs = SESSION_HUBS
        self.archive = Archive(self.paths)
        self.store = self.archive.store
        self.lab_service = Labs(self.paths)
        self.in_use = self.lab_service.in_use
        self.passwords = LayeredPasswords(
            store=PasswordStore(),
            memory=MemoryPasswords(),
            ask=prompts.ask_password if prompts else None,
            report=prompts.report if prompts else None,
        )
        self.connector = SshConnector(
            known_hosts=self.paths.known_hosts,
            passwords=LabPasswords(self.lab_service, self.passwords),
            confirm_host_key=confirm_host_key or (prompts.confirm_host_key if prompts else None),
        )
        self.firewall_consents = FirewallConsents(self.lab_service, self.store)
        self._connections = Connections(self.connector)
        self.deploying = DeploymentOperations(
            store=self.store,
            adapters=self.adapters,
            hosts=self._connections,
            discover=lambda pair, token, emit: self.discover(
                pair, token=token, on_progress=lambda text, _share: emit(DeploymentNote(text))
            ),
            remember_consent=lambda pair: self.allow_opening_firewalls(pair, may_open=pair.may_open_firewall),
            guidelines=self.guidelines,
            diffs=masked_diff,
            header=file_header,
            version=tunnelmark_version,
        )

    # --- labs ---------------------------------------------------------------------------------------------------------

    def start_lab(self, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        """Start (and where needed make) the default practice lab, or take the one that is up."""
        return self.lab_service.pair(DEFAULT_PLATFORM, token=token, on_progress=on_progress)

    def is_lab_gone(self, record: CampaignRecord) -> bool:
        """Whether the practice lab that a comparison ran in has ended; False for a pair of the user's own hosts."""
        return self.lab_service.is_gone(record)

    def start_lab_like(self, record: CampaignRecord, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        """Return the lab that a comparison ran in, or another of the same kind, which is started if none is up."""
        return self.lab_service.like(record, token=token, on_progress=on_progress)

    def solutions(self) -> Mapping[str, SolutionInfo]:
        """Return what is always true of each solution that there is an adapter for, by its name."""
        return {name: adapter.info for name, adapter in self.adapters.items()}

    # --- pairs --------------------------------------------------------------------------------------------------------

    def rename_pair(self, old: str, new: str) -> None:
        """Rename a pair as `PairOperations` does, with results of studies on it: all of it, or nothing.

        Raises:
            DiskFull, StorageFault: Results could not be written under the new name.
            PairLocked: A study, or other work, runs on the pair.
        """
        with self._unused(self.hosts_of_stored(old)), renamed_results(self.paths.studies_dir, old, new):
            super().rename_pair(old, new)

    def save_pair(self, pair: PairSpec, how: Saving) -> None:
        """Store a pair as `PairOperations` does; PairLocked where its machines change while work runs on them."""
        with self._unused(self.hosts_replaced_by(pair)):
            super().save_pair(pair, how)

    def remove_pair(self, name: str) -> None:
        """Remove a pair as `PairOperations` does. Raises PairLocked while work runs on it."""
        with self._unused(self.hosts_of_stored(name)):
            super().remove_pair(name)

    def _unused(self, hosts: Sequence[HostSpec]) -> contextlib.AbstractContextManager[object]:
        """Hold hosts while what is stored of them changes: results of a study on them belong to the pair's name."""
        return self.in_use.hold(hosts, A_PAIR_CHANGE())

    # --- inspecting hosts ---------------------------------------------------------------------------------------------

    def discover(self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> Discovery:
        """Log in to both hosts and find out what they can do."""
        on_progress(CONNECTING(a=pair.a.label, b=pair.b.label), None)
        try:
            sessions = self._connections.pair(pair, token=token)
        except HostUnreachable as error:
            raise self.lab_service.explained(pair, error) from error
        return inspect_pair(
            pair,
            sessions,
            self.adapters,
            self.store,
            guidelines=self.guidelines(),
            token=token,
            on_progress=on_progress,
        )

    def judge_again(self, discovery: Discovery) -> Discovery:
        """Judge what was found by the guidelines that apply now; touches no host."""
        return judge_again(discovery, self.adapters, guidelines=self.guidelines())

    def install_missing(
        self,
        pair: PairSpec,
        side: Side,
        missing: Sequence[MissingPart],
        *,
        token: CancelToken,
        on_progress: ProgressSink,
    ) -> str:
        """Install packages on a host; return what was done, in words.

        Raises:
            PairLocked: Other work on this computer holds the host; nothing was touched.
        """
        with self.in_use.hold((pair.host(side),), INSTALLATION()):
            session = self._connections.host(pair.host(side), token=token)
            return install_on_host(session, self.store, pair, side, missing, token=token, on_progress=on_progress)

    # --- before measuring ---------------------------------------------------------------------------------------------

    def preview(
        self,
        discovery: Discovery,
        candidate: tuple[str, str],
        condition: Condition | None = None,
        workloads: Sequence[str] = (),
    ) -> tuple[PlannedItem, ...]:
        """Return every file and command for a candidate, with those that make the condition on own hosts."""
        return preview_candidate(self.adapters, discovery, candidate, condition, workloads)

    def preflight(
        self,
        discovery: Discovery,
        candidates: Sequence[tuple[str, str]],
        workloads: Sequence[str] = (),
        *,
        token: CancelToken,
    ) -> tuple[str, ...]:
        """Return what would be in the way of candidates and workloads, as sentences. Changes nothing."""
        sessions = self.sessions(discovery.pair, token=token)
        return obstacles_of(self.adapters, discovery, candidates, sessions, workloads=workloads, token=token)

    def sessions(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        """Return connections to both hosts of a pair."""
        return self._connections.pair(pair, token=token)

    def node_machines(self, pair: PairSpec, needs: NodeNeeds, *, token: CancelToken) -> NodeMachines:
        """Return the machines behind both gateways of a pair, logged in to, with what a study needs of them."""

        def connect(machines: PairSpec) -> SessionPair:
            return self._connections.pair(machines, token=token)

        return log_in_to_nodes(pair, connect, needs, token=token, audit=self.store.audit)

    def recover(self, pair: PairSpec, *, token: CancelToken) -> RecoveryReport:
        """Roll back both hosts, and nodes, after a run that died; one that is out of reach delays no other."""
        return recover_pair(
            pair,
            lambda host, child: self._connections.host(host, token=child),
            token=token,
            audit=self.store.audit,
            was_changed=lambda host: self.store.may_have_changed(host.address),
        )

    # --- existing configurations --------------------------------------------------------------------------------------

    def lint_file(self, path: Path, *, kind: ConfigKind | None = None) -> LintedFile:
        """Check a configuration file on this computer by the user's guidelines."""
        return lint_file(path, LintOptions(kind=kind, guidelines=self.guidelines()))

    def lint_pair(
        self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink, guidelines: Sequence[str] | None = None
    ) -> tuple[LintedFile, ...]:
        """Return what is wrong with the configuration files on both hosts. Changes nothing and keeps no file.

        Without `guidelines` (their ids) those count that the user has chosen to apply.
        """
        chosen = self.guidelines() if guidelines is None else tuple(guidelines)
        on_progress(CONNECTING(a=pair.a.label, b=pair.b.label), None)
        sessions = self._connections.pair(pair, token=token)
        on_progress(READING_FILES(), None)
        return lint_hosts(sessions, token=token, guidelines=chosen)

    def export_config(
        self, pair: PairSpec, options: ExportOptions, *, token: CancelToken, on_progress: ProgressSink
    ) -> Exported:
        """Write a pair's configuration into a folder, for those who deploy by hand or with Ansible."""
        from app.export.pair_export import PairExport

        export = PairExport(
            store=self.store,
            adapters=self.adapters,
            guidelines=self.guidelines(),
            discover=lambda: self.discover(pair, token=token, on_progress=on_progress),
            sessions=lambda: self.sessions(pair, token=token),
        )
        return export.write(pair, options, token=token, on_progress=on_progress)

    def close(self) -> None:
        """End connections and own labs, and close the database."""
        with contextlib.ExitStack() as stack:
            stack.callback(self.store.close)
            stack.callback(self.lab_service.close)
            stack.callback(self._connections.close)


@contextlib.contextmanager
def open_services(prompts: Prompts | None, *, confirm_host_key: ConfirmHostKey | None = None) -> Iterator[Services]:
    """Give the services for the length of a `with` block."""
    services = Services(prompts=prompts, confirm_host_key=confirm_host_key)
    try:
        yield services
    finally:
        services.close()
