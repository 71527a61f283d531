"""Named guidelines on algorithms, read from resources/policy/guidelines.toml and checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

from app.domain.errors import Bug
from app.domain.structured import base_converter, structured
from app.domain.verdicts import Verdict
from app.policy.data import PolicyRow, load, tables
from app.policy.messages import GUIDELINE_TITLE

FILE = "guidelines.toml"


class GuidelineStatus(StrEnum):
    """Status in a guideline of an algorithm that is outside it."""

    FORBIDDEN = "forbidden"  # it must not be used
    DISCOURAGED = "discouraged"  # it should not be used
    EXPIRING = "expiring"  # it may be used until a year
    NOT_LISTED = "not-listed"  # the guideline lists what may be used, and this is not in it


@dataclass(frozen=True, slots=True)
class GuidelineRule:
    """One statement of a guideline on what is outside it.

    Attributes:
        rows: What it is about, as titles of the policy's rows.
        status: What it says.
        reason: One sentence.
        section: Where in the guideline.
        year: Since which year, or for `expiring` until the end of which; None where the guideline names none.
        replacement: What to use instead; empty means the policy's own replacement.
    """

    rows: frozenset[str]
    status: GuidelineStatus
    reason: str
    section: str
    year: int | None = None
    replacement: str = ""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Entries of a guideline for one kind; the rest of the kind is outside.

    Attributes:
        kind: Kind of the policy's rows.
        rows: Titles of the rows that are listed.
        rule: What holds for the rest.
    """

    kind: str
    rows: frozenset[str]
    rule: GuidelineRule


@dataclass(frozen=True, slots=True)
class Guideline:
    """A guideline with its version.

    Attributes:
        id: Stable name, for example `bsi-tr-02102-1`.
        title: Short name for people.
        version: As it calls itself.
        published: Its date.
        scope: What it is about, in a few words.
        citation: In full.
        solutions: Solutions that it is about; empty means all.
        designs: Parts of their design that it is about, for example `esp`; empty means all.
        rules: What is outside.
        allowed: What is listed.
        refuses: What this program's own policy calls so, or worse, is outside; None where that does not matter.
        refusal: The sentence for that.
        note: What a user has to know of how it was read.
    """

    id: str
    title: str
    version: str
    published: date
    scope: str
    citation: str
    solutions: tuple[str, ...] = ()
    designs: tuple[str, ...] = ()
    rules: tuple[GuidelineRule, ...] = ()
    allowed: tuple[Allowed, ...] = ()
    refuses: Verdict | None = None
    refusal: str = ""
    note: str = ""

    @property
    def full_title(self) -> str:
        """Title with version."""
        return GUIDELINE_TITLE(title=self.title, version=self.version)

    def is_about(self, solution: str, design: Collection[str] = ()) -> bool:
        """Whether it is about a solution, and a part of its design; nothing stands for any."""
        is_design = not design or not self.designs or not set(design).isdisjoint(self.designs)
        return is_design and (not solution or not self.solutions or solution in self.solutions)

    def outside(self, rows: Iterable[PolicyRow]) -> tuple[PolicyRow, GuidelineRule] | None:
        """Return the first of an algorithm's parts that is outside, with the rule that says so; None where none is."""
        for row in rows:
            rule = self._rule(row)
            if rule is not None:
                return row, rule
        return None

    def _rule(self, row: PolicyRow) -> GuidelineRule | None:
        for rule in self.rules:
            if row.title in rule.rows:
                return rule
        for allowed in self.allowed:
            if row.kind == allowed.kind and row.title not in allowed.rows:
                return allowed.rule
        if self.refuses is not None and row.verdict.severity >= self.refuses.severity:
            return GuidelineRule(frozenset({row.title}), GuidelineStatus.FORBIDDEN, self.refusal, "")
        return None


@cache
def _converter(*, is_detailed: bool = False) -> Converter:
    """Make the converter for guidelines.toml, where `names` of rows are short for their titles."""
    converter = base_converter(is_detailed=is_detailed, forbids_unknown=True)
    converter.register_structure_hook(date, lambda day, _: day)
    titles = override(rename="names", struct_hook=lambda names, _: _titles(names))
    converter.register_structure_hook(GuidelineRule, make_dict_structure_fn(GuidelineRule, converter, rows=titles))
    converter.register_structure_hook(Allowed, lambda raw, _: _allowed(raw, converter))
    guideline_hook = make_dict_structure_fn(
        Guideline, converter, rules=override(rename="rule"), allowed=override(rename="allow")
    )
    converter.register_structure_hook(Guideline, guideline_hook)
    return converter


def _allowed(raw: Mapping[str, Any], converter: Converter) -> Allowed:
    rest = {"status": "not-listed", **raw, "names": ()}
    return Allowed(rest.pop("kind"), _titles(raw["names"]), converter.structure(rest, GuidelineRule))


def _read(raw: object) -> Guideline:
    return structured(Guideline, raw, FILE, _converter, fault=Bug)


def _titles(names: Iterable[str]) -> frozenset[str]:
    found = tables()
    titles: set[str] = set()
    for name in names:
        row = found.modes.get(name) or found.ciphers.get(name) or found.algorithms.get(name)
        if row is None:
            raise ValueError(f"{name} is no row of the policy")
        titles.add(row.title)
    return frozenset(titles)


_FILE = load(FILE)
GUIDELINES: Mapping[str, Guideline] = MappingProxyType({one.id: one for one in map(_read, _FILE["guideline"])})
"""Every guideline that can be picked, by id."""

DEFAULT_GUIDELINES: tuple[str, ...] = tuple(_FILE["default"])
"""Those that apply until the user picks others: what the protocols' own makers say."""
