"""`--within` of `tunnelmark study run`: the time in which clients of a hub have to be back after its restart."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from app.cli.messages import PART_WITHOUT_RESTART
from app.cli.names import out_of_range
from app.domain.errors import InvalidOption
from app.domain.hub_study import LEAST_WITHIN_S, MOST_WITHIN_S
from app.measurement.lab_study import LabStudy
from app.measurement.messages.studies import STUDY_WITHOUT_RESTART


def with_time(study: LabStudy, options: argparse.Namespace, solutions: Sequence[str]) -> LabStudy:
    """Return a study with the time that is asked for; as it is where none is.

    Args:
        options: Of the command line.
        solutions: Those that are measured; none for all of the part.

    Raises:
        InvalidOption: The study, or what is measured of it, restarts no hub, or the time is out of range.
    """
    if options.within is None:
        return study
    found = study.with_time(options.within)
    if not LEAST_WITHIN_S <= options.within <= MOST_WITHIN_S:
        raise out_of_range("--within", options.within, LEAST_WITHIN_S, MOST_WITHIN_S)
    if not study.restarts(options.part, solutions):
        known = tuple(dict.fromkeys(key.solution for key in study.restarts(options.part)))
        raise InvalidOption(
            PART_WITHOUT_RESTART(part=options.part, study=study.name, solutions=tuple(solutions), known=known)
        )
    return found


def refuse_time(options: argparse.Namespace) -> None:
    """Refuse a time for a study that restarts no hub.

    Raises:
        InvalidOption: One was given.
    """
    if options.within is not None:
        raise InvalidOption(STUDY_WITHOUT_RESTART(study=options.study))
