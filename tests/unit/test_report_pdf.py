from __future__ import annotations

from pathlib import Path

import pytest
from sample_records import MODELS, hostile_record, sample_record

from app.domain.results import CampaignRecord, CampaignStatus
from app.ranking import rank
from app.reports import to_pdf, write_pdf

CASES = {
    "usual": lambda: sample_record(pings=30),
    "one round": lambda: sample_record(pings=30, rounds=1),
    "nothing measured": lambda: sample_record(attempts_kept=0, status=CampaignStatus.CANCELLED),
    "no candidates": lambda: sample_record(models=(), status=CampaignStatus.CANCELLED),
    "only failed": lambda: sample_record(models=(MODELS[5],)),
    "no deadline": lambda: sample_record(pings=30, deadline_ms=None),
    "hostile": hostile_record,
}


@pytest.mark.parametrize("name", CASES)
def test_is_a_pdf_with_its_own_fonts(name: str) -> None:
    record: CampaignRecord = CASES[name]()
    content = to_pdf(record, rank(record))
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert b"DejaVuSans" in content
    assert len(content) > 10_000


def test_the_same_record_gives_the_same_file() -> None:
    record = sample_record(pings=30, rounds=1)
    assert to_pdf(record, rank(record)) == to_pdf(record, rank(record))


def test_written_in_one_step(tmp_path: Path) -> None:
    record = sample_record(pings=30, rounds=1)
    write_pdf(record, rank(record), tmp_path / "report.pdf")
    assert [path.name for path in tmp_path.iterdir()] == ["report.pdf"]
