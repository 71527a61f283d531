"""Work of the engine: tasks in the order of a plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeAlias, TypeVar

from app.domain.adapters import Adapter
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan, CensusRecord, OptionResult
from app.domain.commands import SessionPair
from app.domain.conditions import Condition, MeasuredCondition
from app.domain.errors import CommandFailed, InvalidPlan, PackageMissing, TunnelDown, TunnelmarkError
from app.domain.events import EventOf, Progress
from app.domain.history import EntryKind
from app.domain.hosts import HostFacts, Side, ToolFlavour
from app.domain.hubs import Hub
from app.domain.link import Link
from app.domain.results import Attempt, AttemptKey, CampaignPlan, CampaignRecord, CampaignStatus
from app.domain.workloads import Listening
from app.measurement.control import CampaignControl
from app.measurement.interfaces import CampaignStore, ConditionedLink, Tunnels
from app.measurement.messages import LOAD_NOT_ALLOWED, PROGRAM_MISSING
from app.measurement.progress import Meter, ProgressMeter

P = TypeVar("P", bound=CampaignPlan | CensusPlan)
A = TypeVar("A", bound=Attempt | OptionResult)
R = TypeVar("R", bound=CampaignRecord | CensusRecord)

OF_TUNNEL = (TunnelDown, CommandFailed)
"""Errors of the tunnel that is built: a result of its VPN. Others are of hosts, connections or this computer."""


@dataclass(frozen=True, slots=True)
class Done(Generic[A]):
    """Outcome of a task.

    Attributes:
        attempts: What is stored; empty for a task of which nothing is.
        error: The error that ended it, where that is a result.
        is_good: Whether all is well.
        is_doubtful: Whether a dead link would explain it.
        is_typical: Whether its duration says something about others.
        text: Line that says how it ended; empty keeps the one before.
        again: Called, unless a dead link explains the outcome, before the task is made again and nothing of it is
            stored; None where it counts.
    """

    attempts: tuple[A, ...] = ()
    error: TunnelmarkError | None = None
    is_good: bool = True
    is_doubtful: bool = False
    is_typical: bool = True
    text: str = ""
    again: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Task(Generic[A]):
    """Piece of work that counts as a whole: it is made again where the link died meanwhile.

    Attributes:
        run: Does it, given a token that skipping and cancelling cancel, and doubts to be kept with the result. Which
            tunnels are up meanwhile, and how many, is its own matter.
        keys: The attempts that it is: several where they are made at the same time, none where nothing is stored.
        titles: Their names for people.
    """

    run: Callable[[CancelToken, Sequence[str]], Done[A]]
    keys: tuple[AttemptKey, ...] = ()
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignContext(Generic[P, A]):
    """Inputs of every task of a campaign.

    Attributes:
        plan: The campaign's plan.
        sessions: Both hosts.
        adapters: By solution.
        link: The link that tunnels are built on.
        facts: Facts about the hosts, by `a` and `b`.
        tunnels: Builds and removes them.
        control: How the user steers it.
        emit: Gets events.
        meter: Reports progress.
        keep: Stores an attempt and reports it.
        audit: Writes down every command that changes a host.
        guests: Process ids of a practice lab's virtual machines on this computer; empty for other pairs.
        conditioned: Emulates a condition of the link; None where that is not possible.
        keep_condition: Stores the condition of the link as it was measured.
        keep_for_now: Stores an attempt that is measured again, until the attempt that takes its place is stored.
        hubs: Hubs with many clients, by solution.
    """

    plan: P
    sessions: SessionPair
    adapters: Mapping[str, Adapter]
    link: Link
    facts: Mapping[str, HostFacts]
    tunnels: Tunnels
    control: CampaignControl
    emit: Callable[[EventOf[P, A]], None]
    meter: Meter
    keep: Callable[[A], None]
    audit: Callable[[AuditEntry], None] = lambda _entry: None
    guests: tuple[int, ...] = ()
    conditioned: ConditionedLink | None = None
    keep_condition: Callable[[MeasuredCondition], None] = lambda _found: None
    keep_for_now: Callable[[A], None] = lambda _attempt: None
    hubs: Mapping[str, Hub] = field(default_factory=dict)

    @property
    def labels(self) -> dict[Side, str]:
        """The hosts' names for people."""
        return {side: self.plan.pair.host(side).label for side in Side}


ComparisonContext: TypeAlias = CampaignContext[CampaignPlan, Attempt]


class Work(ABC, Generic[P, A, R]):
    """One kind of campaign, made for one run of the engine.

    Args:
        context: What its tasks need.
        record: The campaign as it is stored.

    Attributes:
        done: Attempts that need not be made again.
        kind: What it is called, and stored as.
        needed: Programs that tasks need, by side.
        load_hint: What to do where the user has not agreed to load on a live link.
        minds_firewalls: Whether what a firewall blocks is an obstacle, or opened where the user agreed.
        is_proven_clean: Whether both hosts are inspected closely before and after it.
        is_ended_by_lost_host: Whether an unreachable host is a result, or raised as an error.
    """

    kind: ClassVar[EntryKind]
    needed: ClassVar[Mapping[Side, tuple[str, ...]]]
    load_hint: ClassVar[str]
    minds_firewalls: ClassVar[bool]
    is_proven_clean: ClassVar[bool]
    is_ended_by_lost_host: ClassVar[bool]

    def __init__(self, context: CampaignContext[P, A], record: R) -> None:
        self.context = context
        self.done: Sequence[A] = self.final_attempts(record)

    # --- before anything is touched -----------------------------------------------------------------------------------

    @classmethod
    def check(cls, plan: P, facts: Mapping[str, HostFacts]) -> None:
        """Refuse a plan that cannot be run on these hosts.

        Raises:
            InvalidPlan: There is no consent to load on a live link.
            PackageMissing: A host lacks what tasks need.
        """
        if not plan.pair.is_lab and not plan.allow_load:
            raise InvalidPlan(
                LOAD_NOT_ALLOWED(pair=plan.pair.name),
                hint=cls.load_hint,
            )
        for side, names in cls.needed.items():
            for name in names:
                tool = facts[side.value].tools.get(name)
                if tool is None or tool.flavour is ToolFlavour.MISSING:
                    raise PackageMissing(
                        PROGRAM_MISSING(program=name, host=plan.pair.host(side).label),
                    )

    @staticmethod
    @abstractmethod
    def load(store: CampaignStore, number: int) -> R:
        """Return a campaign of this kind as it is stored."""

    @staticmethod
    @abstractmethod
    def final_attempts(record: R) -> tuple[A, ...]:
        """Return those attempts of a stored campaign that resuming does not make again."""

    @staticmethod
    @abstractmethod
    def predicted(plan: P) -> tuple[tuple[AttemptKey, float], ...]:
        """Return all attempts of a plan in order, with seconds that each will take."""

    @classmethod
    def meter(cls, plan: P, kept: frozenset[int], emit: Callable[[Progress], None]) -> Meter:
        """Return what reports progress.

        Args:
            plan: What will be done.
            kept: Positions of attempts that need not be made any more.
            emit: Gets progress.
        """
        return ProgressMeter(cls.predicted(plan), kept, emit)

    @staticmethod
    @abstractmethod
    def is_crossed(attempt: A) -> bool:
        """Return whether an attempt shows that frames cross the link between the hosts."""

    @staticmethod
    def shaping(plan: P) -> Condition | None:
        """Return the condition of the link that hosts of the user's own make themselves; None for none."""
        del plan
        return None

    @staticmethod
    def listening(plan: P) -> Mapping[Side, Listening]:
        """Return the ports that the plan's workloads listen on, by side."""
        del plan
        return {}

    # --- while it runs ------------------------------------------------------------------------------------------------

    @abstractmethod
    def tasks(self) -> Generator[Task[A], Done[A], CampaignStatus]:
        """Yield one task after another, each given the outcome of the one before; return how the campaign ended.

        The errors that end a task are raised where it was yielded. Tunnels that are up between tasks are closed with
        the generator.
        """

    def leave(self, left: Sequence[AttemptKey], reason: str, message: str) -> str:
        """Store what is to be stored of the rest of a plan that is not run to its end; return the message."""
        del left, reason
        return message

    @property
    def is_tunnel_up(self) -> bool:
        """Whether a tunnel is up between tasks."""
        return False

    def release(self) -> None:
        """Close the tunnel, so that both hosts are as they were; the next task builds it anew."""
