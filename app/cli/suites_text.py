"""Suites that two hosts can do: a line for each solution, or every suite with the reason for its verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from rich.console import Console

from app.cli.tables import Column, Kind, Table
from app.cli.words import word_of
from app.discovery.pair_discovery import Discovery
from app.domain.results import Candidate
from app.domain.verdicts import PostQuantum, Verdict, deciding_finding
from app.wording.language import tr
from app.wording.messages import local_name, local_text


def suite_overview(found: Discovery) -> Table:
    """Return a row for each solution with its default and how many suites have which verdict."""
    columns = [
        Column(tr("solution")),
        Column(tr("default suite")),
        Column(tr("verdict")),
        Column(tr("post-quantum"), rank=1),
        Column(tr("suites"), Kind.FIGURE, 2),
        Column(tr("by verdict"), Kind.PROSE, 3),
    ]
    table = Table(columns, tr("What both can do"), more="--all")
    for solution, candidates in by_solution(found).items():
        first = _default_of(found, candidates)
        table.add_row(
            solution,
            first.suite,
            word_of(first.verdict),
            _post_quantum_word(first),
            len(candidates),
            verdict_counts(candidates) if len(candidates) > 1 else "",
        )
    return table


def print_unavailable(out: Console, found: Discovery, solutions: Collection[str]) -> None:
    """Print which of some solutions these hosts cannot do, and why."""
    for solution, reason in found.unavailable.items():
        if solution in solutions:
            text = tr("{solution}: not possible here: {reason}").format(solution=solution, reason=local_text(reason))
            out.print(text)


def print_suites(
    out: Console, found: Discovery, solutions: Collection[str] = (), *, is_for_option: bool = False
) -> None:
    """Print each suite on a line of its own, below the reason for its verdict.

    Args:
        out: Where to.
        solutions: Only of these; empty for all.
        is_for_option: Write each as `--solutions` takes it, SOLUTION:SUITE.
    """
    for solution, candidates in by_solution(found).items():
        if solutions and solution not in solutions:
            continue
        out.print(f"\n{solution}: {verdict_counts(candidates)}", style="bold")
        for (verdict, why), group in _by_reason(candidates).items():
            out.print(f"  {word_of(verdict)}{': ' + why if why else ''}")
            for one in group:
                name = f"{solution}:{one.suite}" if is_for_option else one.suite
                out.print(f"    {name}{_marks(found, one)}", soft_wrap=True)
    print_unavailable(out, found, solutions or found.unavailable)


def by_solution(found: Discovery) -> Mapping[str, Sequence[Candidate]]:
    """Return candidates by their solution."""
    solutions: dict[str, list[Candidate]] = {}
    for candidate in found.candidates:
        solutions.setdefault(candidate.solution, []).append(candidate)
    return solutions


def verdict_counts(candidates: Sequence[Candidate]) -> str:
    """Return how many have which verdict, best first, for example `3 recommended, 12 legacy`."""
    counts = Counter(one.verdict for one in candidates)
    return ", ".join(
        f"{counts[verdict]} {word_of(verdict)}" for verdict in sorted(counts, key=lambda one: one.severity)
    )


def _by_reason(candidates: Sequence[Candidate]) -> Mapping[tuple[Verdict, str], Sequence[Candidate]]:
    """Return candidates by their verdict and what decided it, best first."""
    groups: dict[tuple[Verdict, str], list[Candidate]] = {}
    for one in sorted(candidates, key=lambda one: one.verdict.severity):
        groups.setdefault((one.verdict, _why(one)), []).append(one)
    return groups


def _why(candidate: Candidate) -> str:
    """Return what decided a verdict that is not the best, with the part that it is about."""
    deciding = deciding_finding(candidate.findings)
    return (
        ""
        if deciding is None or not deciding.verdict.severity
        else f"{local_name(deciding.subject)}: {local_text(deciding.reason)}"
    )


def _marks(found: Discovery, candidate: Candidate) -> str:
    quantum = _post_quantum_word(candidate)
    marks = [
        tr("default") if (candidate.solution, candidate.suite) in found.defaults else "",
        tr("post-quantum: {word}").format(word=quantum) if quantum else "",
    ]
    shown = ", ".join(filter(None, marks))
    return f"  ({shown})" if shown else ""


def _post_quantum_word(candidate: Candidate) -> str:
    """Return what a candidate does against a later quantum computer; empty for what has no keys."""
    if candidate.is_unprotected or candidate.post_quantum is None:
        return ""
    return tr("no") if candidate.post_quantum is PostQuantum.NONE else word_of(candidate.post_quantum.value)


def _default_of(found: Discovery, candidates: Sequence[Candidate]) -> Candidate:
    """Return the default of one solution; where none is, the one with the best verdict."""
    ticked = [one for one in candidates if (one.solution, one.suite) in found.defaults]
    return ticked[0] if ticked else min(candidates, key=lambda one: one.verdict.severity)
