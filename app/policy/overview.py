"""Overview of 2004: fifteen open-source VPNs as they were published, with today's verdict and what replaces them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from app.domain.mesh import MeshEffort
from app.domain.structured import bundled
from app.domain.verdicts import Finding
from app.policy.data import rows_of
from app.policy.judge import judge

OVERVIEW = "oslv-2004"
"""Name of the study."""

TITLE = "Khanvilkar, Khokhar: Virtual Private Networks: An Overview with Performance Evaluation, 2004"

PRINTED_SITES = 10
"""Sites that the study prints totals for."""


class CipherChoice(StrEnum):
    """Ciphers that a system leaves to its user."""

    LIBRARY = "library"  # all of SSH or OpenSSL
    LISTED = "listed"
    FIXED = "fixed"
    NONE = "none"


class State(StrEnum):
    """State of a system today."""

    MAINTAINED = "maintained"
    PACKAGED = "packaged"  # in Debian 12, but old by design or without releases
    NOT_PACKAGED = "not-packaged"


class Carries(StrEnum):
    """Contents of a system's tunnel."""

    IP = "ip"
    EITHER = "either"  # IP packets or Ethernet frames, by its configuration
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PublishedSecurity:
    """Properties of a protocol. Source: Table 4."""

    has_confidentiality: bool
    has_integrity: bool
    has_authentication: bool
    has_anti_replay: bool


@dataclass(frozen=True, slots=True)
class PublishedSystem:
    """A system as the study has it.

    Attributes:
        name: As printed.
        version: Empty where there is none.
        is_standard: Whether it follows a standard of the Internet.
        group: By its security protocol.
        cipher_choice: Which ciphers its user can choose.
        ciphers: As printed, `cipher/MAC`; of a library the example; empty where none is named.
        compression: As printed.
        setup_asterisks: Complexity of its setup; fewer is simpler.
        new_algorithms: Difficulty of adding an algorithm: low, medium or high.
        routing: manual, config-file, shell-script or automatic.
        effort: Tasks when a site is added to a full mesh of N sites; its total is N times their sum.
        printed_total: The total's formula as printed, which does not always follow from the tasks.
        printed_n10: The total for `PRINTED_SITES` as printed, which does not always follow from either.
        security: None for systems on open standards, which Table 4 does not have.
    """

    name: str
    version: str
    is_standard: bool
    group: str
    cipher_choice: CipherChoice
    ciphers: str
    compression: str
    setup_asterisks: int
    new_algorithms: str
    routing: str
    effort: MeshEffort
    printed_total: str
    printed_n10: int
    security: PublishedSecurity | None = None

    @property
    def has_consistent_total(self) -> bool:
        """Whether the printed number follows from the printed tasks."""
        return self.effort.total(PRINTED_SITES) == self.printed_n10


@dataclass(frozen=True, slots=True)
class Leaving:
    """A system today, and how to leave it.

    Attributes:
        name: As the study prints it.
        id: Its name at the command line.
        judged: Names of the policy for the system as the study had it.
        state: What is known of it.
        now: The same in a sentence.
        source: Where that is stated.
        carries: What travels inside.
        carrier: What it travels in on the underlay, with ports.
        successors: Solutions of Tunnelmark, the first one to try first.
        gain: What leaving it gains.
        first: What to do first.
        watch: What to be careful about.
        heir: Program that continues it under another name; empty where there is none.
        today: Names of the policy for its current version, or its heir's; empty where there is neither.
        adapter: The solution that is its current version; empty where Tunnelmark does not set it up.
        compared: The solution that is like it, or its heir, for comparison alone; empty where there is none.
    """

    name: str
    id: str
    judged: tuple[str, ...]
    state: State
    now: str
    source: str
    carries: Carries
    carrier: str
    successors: tuple[str, ...]
    gain: str
    first: str
    watch: str
    heir: str = ""
    today: tuple[str, ...] = ()
    adapter: str = ""
    compared: str = ""


@dataclass(frozen=True, slots=True)
class OverviewSystem:
    """A system of the overview.

    Attributes:
        published: As the study has it.
        leaving: Today, and how to leave it.
        then: The policy's finding that decides about it as the study had it.
        now: The same about its current version or its heir; None where there is neither.
    """

    published: PublishedSystem
    leaving: Leaving
    then: Finding
    now: Finding | None


@dataclass(frozen=True, slots=True)
class _OverviewFile:
    system: tuple[PublishedSystem, ...]


@cache
def overview_systems() -> tuple[OverviewSystem, ...]:
    """Return the systems in the order of the study.

    Source: resources/reference/oslv_2004.toml and resources/policy/systems.toml.

    Raises:
        Bug: A file is malformed.
    """
    published = bundled(files("resources") / "reference" / "oslv_2004.toml", _OverviewFile).system
    today = {one.name: one for one in rows_of(Leaving, "systems.toml", "system")}
    return tuple(_joined(one, today[one.name]) for one in published)


def _joined(published: PublishedSystem, leaving: Leaving) -> OverviewSystem:
    now = _worst(leaving.today) if leaving.today else None
    return OverviewSystem(published, leaving, _worst(leaving.judged), now)


def _worst(names: Iterable[str]) -> Finding:
    return max((judge(name, guidelines=()) for name in names), key=lambda finding: finding.verdict.severity)
