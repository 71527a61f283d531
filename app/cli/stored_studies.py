"""`tunnelmark study list` and `study show`: what is stored of studies, of which labs, and between which nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from app.cli.context import CommandContext
from app.cli.tables import Column, Kind, Table
from app.domain.errors import InvalidFile
from app.domain.paths import find_paths
from app.measurement.lab_studies import LAB_STUDIES, stored_lab_results
from app.ranking.study_parts import SATCOM, part_states
from app.reports.study_view import part_text, place_text
from app.storage.lab_results import LabResults
from app.storage.study_results import StudyResults, stored_results
from app.wording.language import tr
from app.wording.messages import local_text


def print_stored(context: CommandContext, studies: Sequence[str]) -> None:
    """Print a row for each part of some studies of which results are stored; nothing where there are none.

    Those of studies of comparisons are comparisons, and in the history.
    """
    folder = find_paths().studies_dir
    table = Table(
        (Column(tr("study")), Column(tr("measured on"), Kind.PROSE), Column(tr("part")), Column(tr("measured")))
    )
    faults: list[InvalidFile] = []
    has_rows = False
    for study in studies:
        for place, part, measured, total in _stored(folder, study, faults):
            has_rows = True
            text = tr("{measured} of {total}").format(measured=measured, total=total)
            table.add_row(study, place, part, text)
    if has_rows:
        table.print(context.out)
    for fault in faults:
        context.err.print(local_text(fault.sentence()))


def _place(found: StudyResults | LabResults) -> str:
    """Return where results are from, with the machines of a pair of the user's own: it may have others now."""
    place = place_text(found.pair, found.nodes)
    return f"{place}: {', '.join(found.machines)}" if found.machines else place


def _stored(folder: Path, study: str, faults: list[InvalidFile]) -> Iterator[tuple[str, str, int, int]]:
    """Yield place, part, number of what is measured and of all, where there is any; note files that are unreadable."""
    if study == SATCOM:
        transfers, unread = stored_results(folder, study)
        faults += unread
        for found in transfers:
            for state in part_states(found.done()):
                if state.measured:
                    yield _place(found), state.name, state.measured, len(state.cells)
    elif study in LAB_STUDIES:
        results, unread = stored_lab_results(folder, study)
        faults += unread
        for one in results:
            for of_time in LAB_STUDIES[study].as_measured(one):
                of_part = of_time.state(one.part, one)
                if of_part.measured:
                    yield _place(one), part_text(one.part, of_time.within_s), of_part.measured, of_part.total
