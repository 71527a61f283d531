"""Numbers and dates follow the language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.wording import language as languages
from app.wording.language import source_language
from app.wording.local_forms import day_text, decimal, minute_text, second_text, short_decimal

AT = datetime(2026, 11, 5, 8, 3, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            ["1\u202f234.50", "+0.3", "12\u202f000", "0.5", "2026-11-05", "2026-11-05 08:03", "2026-11-05 08:03:09"],
        ),
        (
            "de",
            ["1\u202f234,50", "+0,3", "12\u202f000", "0,5", "05.11.2026", "05.11.2026 08:03", "05.11.2026 08:03:09"],
        ),
    ],
)
def test_forms_of_a_language(monkeypatch: pytest.MonkeyPatch, language: str, texts: list[str]) -> None:
    monkeypatch.setattr(languages, "_CHOSEN", [language])
    numbers = [decimal(1234.5, 2), decimal(0.3, 1, sign="+"), decimal(12000, 0), short_decimal(0.5)]
    assert [*numbers, day_text(AT), minute_text(AT), second_text(AT)] == texts


def test_files_for_programs_are_english_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "_CHOSEN", ["de"])
    with source_language():
        assert decimal(1.5, 1) == "1.5"
    assert decimal(1.5, 1) == "1,5"
