"""Stored comparisons: what is in the database, its ranking, and reports of it. Needs no host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from app.domain.errors import DiskFull, InvalidFile, InvalidOption, NotFound
from app.domain.pair_names import LAB_PREFIX
from app.domain.paths import Paths, find_paths
from app.domain.ranking import Ranking
from app.domain.results import CampaignRecord
from app.ranking import rank
from app.reports.messages import FOLDER_NOT_MADE, NONE_MEASURED, NONE_MEASURED_OF_PAIR, UNKNOWN_KIND
from app.storage import Store
from app.wording.language import current_language, source_language

REPORT_KINDS = (".html", ".pdf", ".json", ".csv")

_FOR_PROGRAMS = frozenset({".json", ".csv"})
"""Reports that are in English whatever the language of the user."""


class Archive:
    """The database with what can be made of it.

    Args:
        paths: Where things are kept.
    """

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.store = Store.open(paths.database)

    def results(self, campaign_id: int) -> tuple[CampaignRecord, Ranking]:
        """Return a stored comparison with its ranking."""
        record = self.store.load_campaign(campaign_id)
        return record, rank(record)

    def latest(self, pair: str | None) -> int:
        """Return the number of the latest comparison, of one pair or of all.

        Raises:
            NotFound: There is none, or no such pair.
        """
        campaign_id = self.store.latest_campaign(pair)
        if campaign_id is None:
            if pair is not None and not pair.startswith(LAB_PREFIX):
                self.store.get_pair(pair)
            raise NotFound(NONE_MEASURED_OF_PAIR(pair=pair) if pair else NONE_MEASURED())
        return campaign_id

    def json_data(self, record: CampaignRecord, ranking: Ranking) -> Mapping[str, object]:
        """Return what a JSON report holds."""
        from app.reports import to_json

        language = current_language()
        with source_language():
            return to_json(record, rank(record) if current_language() != language else ranking)

    def write_report(self, campaign_id: int, path: Path) -> Path:
        """Write a report; the kind follows from the ending: .html, .pdf, .json or .csv.

        Returns:
            The absolute path.

        Raises:
            InvalidOption: There is no report of that kind.
            InvalidFile, DiskFull: It cannot be written there.
        """
        from app.reports import write_report

        if path.suffix.lower() not in REPORT_KINDS:
            raise InvalidOption(UNKNOWN_KIND(kind=path.suffix or path.name, known=tuple(REPORT_KINDS)))
        path = path.expanduser().absolute()
        if path.parent == self.paths.reports_dir:  # no one but Tunnelmark makes that one
            _make_folder(path.parent)
        is_for_programs = path.suffix.lower() in _FOR_PROGRAMS
        with source_language() if is_for_programs else nullcontext():
            write_report(*self.results(campaign_id), path)
        return path

    def write_samples(self, campaign_id: int, path: Path) -> Path:
        """Write every round-trip time of a comparison as CSV.

        Returns:
            The absolute path.

        Raises:
            InvalidFile, DiskFull: It cannot be written there.
        """
        from app.reports import write_samples_csv

        path = path.expanduser().absolute()
        write_samples_csv(self.results(campaign_id)[0], path)
        return path

    def default_report_path(self, campaign_id: int) -> Path:
        """Return the default file of a report."""
        return self.paths.reports_dir / f"comparison-{campaign_id}.html"


@contextmanager
def open_archive() -> Iterator[Archive]:
    """Give the archive for the length of a `with` block."""
    archive = Archive(find_paths())
    try:
        yield archive
    finally:
        archive.store.close()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        kind = DiskFull if error.errno == 28 else InvalidFile
        raise kind(FOLDER_NOT_MADE(folder=folder, reason=error.strerror)) from error
