"""`--solutions` of `tunnelmark study run`: what is to be measured of a study, or beside its own candidates."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from app.cli.compare import chosen_candidates
from app.cli.messages import STUDY_HAS_NO_CELLS, STUDY_SOLUTIONS_FIXED, STUDY_TAKES_DEFAULTS
from app.cli.names import check_list, check_solutions, words_of
from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption
from app.domain.solutions import BASELINE
from app.domain.transfers import NO_VPN, TransferCell, of_solutions
from app.ranking.comparison_study import ComparisonStudy

ALL = "all"
"""Word for every candidate of the study that the hosts have."""


def check_candidates(text: str | None) -> None:
    """Check the solutions that are named, before a host is asked.

    Raises:
        InvalidOption: There is no such solution, or none is named.
    """
    check_list("--solutions", text)
    check_solutions([word for word in words_of(text) if word != ALL])


def chosen_solutions(
    known: Sequence[str], options: argparse.Namespace, *, takes_others: bool = False
) -> tuple[str, ...]:
    """Return which solutions of a study's part are to be measured; none for all of them.

    Args:
        known: Solutions of the part; none where it measures something else.
        options: Of the command line.
        takes_others: Whether other solutions can be measured beside them, each with the safe default of the hosts.

    Raises:
        InvalidOption: Nothing is named, what the part has no measurements of, or it has no solutions.
    """
    check_list("--solutions", options.solutions)
    words = {word: NO_VPN if word == BASELINE else word for word in words_of(options.solutions)}
    if words and not known:
        raise InvalidOption(STUDY_SOLUTIONS_FIXED(study=options.study))
    others = [word for word, name in words.items() if name not in (*known, ALL)]
    if others and not takes_others:
        raise InvalidOption(STUDY_HAS_NO_CELLS(study=options.study, name=others[0], known=tuple(known)))
    check_solutions(others)
    with_suite = next((word for word in others if ":" in word), None)
    if with_suite is not None:
        raise InvalidOption(STUDY_TAKES_DEFAULTS(study=options.study, name=with_suite))
    if ALL in words:
        return (*known, *others) if others else ()
    return tuple(words.values())


def chosen_cells(cells: Sequence[TransferCell], options: argparse.Namespace) -> tuple[TransferCell, ...]:
    """Return the cells of the satellite study that have a VPN that was chosen, or none; all of them without a choice.

    Those of other VPNs are behind them.

    Raises:
        InvalidOption: Nothing is named, there is no such solution, or a suite of it is named.
    """
    known = tuple(dict.fromkeys(one.solution for one in cells))
    return of_solutions(cells, chosen_solutions(known, options, takes_others=True))


def wanted_candidates(found: Discovery, study: ComparisonStudy, text: str | None) -> tuple[tuple[str, str], ...] | None:
    """Return solution and suite of each candidate that is to be measured; None for those of the study.

    A solution stands for all its suites in the study; one that the study does not have for its safe default, as in
    `compare`.

    Raises:
        InvalidOption: One is unknown, or these hosts cannot do it.
    """
    if text is None:
        return None
    offered = {(one.solution, one.suite) for one in found.candidates}
    own = [key for one in study.candidate if (key := (one.solution, one.suite)) in offered]
    keys: list[tuple[str, str]] = []
    for word in words_of(text):
        of_study = [key for key in own if word in (ALL, key[0], ":".join(key))]
        keys += of_study or chosen_candidates(found, word)
    return tuple(dict.fromkeys(keys))
