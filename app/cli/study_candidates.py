"""`--solutions` of `tunnelmark study run`: candidates to be measured, also those that the study does not have."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from app.cli.compare import chosen_candidates
from app.cli.messages import STUDY_HAS_NO_CELLS, STUDY_SOLUTIONS_FIXED
from app.cli.names import check_list, check_solutions, words_of
from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption
from app.domain.solutions import BASELINE
from app.domain.transfers import TransferCell
from app.ranking.comparison_study import ComparisonStudy

ALL = "all"
"""Word for every candidate of the study that the hosts have."""

NO_TUNNEL = "none"
"""Name of the bare link in the satellite study."""


def check_candidates(text: str | None) -> None:
    """Check the solutions that are named, before a host is asked.

    Raises:
        InvalidOption: There is no such solution, or none is named.
    """
    check_list("--solutions", text)
    check_solutions([word for word in words_of(text) if word != ALL])


def refuse_candidates(options: argparse.Namespace) -> None:
    """Refuse the option for a study whose candidates cannot be chosen.

    Raises:
        InvalidOption: It was given.
    """
    if options.solutions is not None:
        raise InvalidOption(STUDY_SOLUTIONS_FIXED(study=options.study))


def chosen_cells(cells: Sequence[TransferCell], options: argparse.Namespace) -> tuple[TransferCell, ...]:
    """Return the cells of the satellite study that have a VPN that was chosen, or none; all of them without a choice.

    Raises:
        InvalidOption: Nothing is named, or what the study has no cells of.
    """
    check_list("--solutions", options.solutions)
    words, known = words_of(options.solutions), tuple(dict.fromkeys(one.solution for one in cells))
    unknown = [word for word in words if word not in (*known, BASELINE, ALL)]
    if unknown:
        raise InvalidOption(STUDY_HAS_NO_CELLS(study=options.study, name=unknown[0], known=known))
    return tuple(one for one in cells if not words or ALL in words or one.solution in (*words, NO_TUNNEL))


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
