"""Interface of the comparison, for window and command line.

`app.services.wiring.Services` implements `ComparisonServices` with the real parts; the window's tests use a fake. Every
method that talks to a host or a lab blocks, and is called in a worker thread, never on the window's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.conditions import Condition
from app.domain.credentials import HostKeyQuestion, Secret, SecretKey
from app.domain.events import EventSink
from app.domain.history import EntryId, HistoryEntry, Winner
from app.domain.hosts import MissingPart, PairSpec, Side
from app.domain.linting import ConfigKind, LintedFile
from app.domain.pairs import PairChoice, Saving
from app.domain.progress import ProgressSink
from app.domain.ranking import Ranking
from app.domain.results import CampaignPlan, CampaignRecord, PlannedItem
from app.domain.solutions import SolutionInfo
from app.measurement.control import CampaignControl
from app.measurement.options import RunOptions
from app.services.interfaces.desk import LabServices, PairServices, SettingsServices

if TYPE_CHECKING:
    from app.tunnel.recovery import RecoveryReport


class Prompts(Protocol):
    """Questions to the user, asked from worker threads; they block until they are answered."""

    def confirm_host_key(self, question: HostKeyQuestion) -> bool:
        """Show an unknown host key's fingerprint and ask whether it is the right one."""
        ...

    def ask_password(self, key: SecretKey, is_retry: bool) -> Secret | None:  # noqa: FBT001 - as PasswordProvider asks
        """Ask for a password; None means the user declined."""
        ...

    def report(self, sentence: str) -> None:
        """Show a sentence, for example that there is no keyring and a password is kept in memory only."""
        ...


class ComparisonServices(SettingsServices, PairServices, LabServices, Protocol):
    """Services of a comparison."""

    def pairs(self) -> tuple[PairChoice, ...]:
        """Return stored pairs and running labs."""
        ...

    def save_pair(self, pair: PairSpec, how: Saving) -> None:
        """Store a pair."""
        ...

    def check_pair(self, pair: PairSpec, how: Saving) -> None:
        """Refuse what `save_pair` would refuse."""
        ...

    def start_lab(self, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        """Start (and where needed make) the default practice lab, or take the one that is up.

        A lab that this starts ends with this program.
        """
        ...

    def refuse_if_in_use(self, pair: PairSpec) -> None:
        """Refuse a pair of which other work on this computer holds a host, before any login.

        Raises:
            PairLocked: Other work holds one of its hosts.
        """
        ...

    def is_lab_gone(self, record: CampaignRecord) -> bool:
        """Whether the practice lab that a comparison ran in has ended; False for a pair of the user's own hosts."""
        ...

    def start_lab_like(self, record: CampaignRecord, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        """Return the lab that a comparison ran in, or another of the same kind, which is started if none is up.

        A lab that this starts ends with this program.
        """
        ...

    def discover(self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> Discovery:
        """Log in to both hosts and find out what they can do."""
        ...

    def guidelines(self) -> tuple[str, ...]:
        """Return the ids of the guidelines that apply."""
        ...

    def use_guidelines(self, ids: Sequence[str]) -> None:
        """Let other guidelines apply from now on."""
        ...

    def judge_again(self, discovery: Discovery) -> Discovery:
        """Judge what was found by the guidelines that apply now; touches no host."""
        ...

    def install_missing(
        self,
        pair: PairSpec,
        side: Side,
        missing: Sequence[MissingPart],
        *,
        token: CancelToken,
        on_progress: ProgressSink,
    ) -> str:
        """Install packages on a host; return what was done, in words."""
        ...

    def plan(self, discovery: Discovery, chosen: Sequence[tuple[str, str]], options: RunOptions) -> CampaignPlan:
        """Make a plan with predicted times. Raises InvalidPlan for what cannot be done."""
        ...

    def preview(
        self,
        discovery: Discovery,
        candidate: tuple[str, str],
        condition: Condition | None = None,
        workloads: Sequence[str] = (),
    ) -> tuple[PlannedItem, ...]:
        """Return every file and command for a candidate, without touching anything.

        Hosts of the user's own make the condition of the link themselves: then that is among them. So is what opens
        their firewalls for the ports of the workloads.
        """
        ...

    def run(
        self,
        discovery: Discovery,
        plan: CampaignPlan,
        *,
        control: CampaignControl,
        emit: EventSink,
        resume_id: int | None = None,
    ) -> CampaignRecord:
        """Measure. Returns when all is done, cancelled and cleaned up."""
        ...

    def lint_file(self, path: Path, *, kind: ConfigKind | None = None) -> LintedFile:
        """Check a configuration file on this computer; the result also reports what cannot be read.

        Without `kind` its content and name say what it is.
        """
        ...

    def lint_pair(self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> tuple[LintedFile, ...]:
        """Return what is wrong with the configuration files on both hosts. Changes nothing and keeps no file."""
        ...

    def unfinished(self, pair_name: str) -> int | None:
        """Return the number of an interrupted comparison of this pair that can be resumed."""
        ...

    def unfinished_like(self, plan: CampaignPlan) -> tuple[int, ...]:
        """Return the numbers of interrupted comparisons of the same on a plan's pair, newest first."""
        ...

    def record(self, campaign_id: int) -> CampaignRecord:
        """Return a stored comparison without its ranking, which takes a while."""
        ...

    def results(self, campaign_id: int) -> tuple[CampaignRecord, Ranking]:
        """Return a stored comparison with its ranking."""
        ...

    def history(self) -> tuple[HistoryEntry, ...]:
        """Return comparisons, censuses and deployments, newest first; winners that are not known yet are missing."""
        ...

    def winner(self, campaign_id: int) -> Winner:
        """Return which VPN a comparison recommends; the history has it from now on."""
        ...

    def set_note(self, entry: EntryId, note: str) -> None:
        """Store the user's note on a comparison or census; an empty one removes it. Raises InvalidOption."""
        ...

    def delete_measured(self, entries: Sequence[EntryId]) -> None:
        """Delete comparisons and censuses with all that was measured in them: all of them, or none.

        Raises InvalidPlan where one is running.
        """
        ...

    def solutions(self) -> Mapping[str, SolutionInfo]:
        """Return what is always true of each solution that there is an adapter for, by its name."""
        ...

    def write_report(self, campaign_id: int, path: Path) -> Path:
        """Write a report; the kind follows from the ending: .html, .pdf, .json or .csv."""
        ...

    def default_report_path(self, campaign_id: int) -> Path:
        """Return the default file of a report."""
        ...

    def recover(self, pair: PairSpec, *, token: CancelToken) -> RecoveryReport:
        """Roll back both hosts after a run that died; return for each what was found and whether it is clean now."""
        ...

    def close(self) -> None:
        """End connections and own labs, and close the database."""
        ...
