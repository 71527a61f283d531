"""Reports in another language: no heading, caption or label remains English, and numbers have its decimal sign."""

from __future__ import annotations

import re
from gettext import NullTranslations

import pytest

from app.ranking import rank
from app.reports import to_html, to_json
from app.wording import language
from support.sample_records import sample_record

_LABELS = re.compile(r"<(h2|h3|caption|dt|figcaption|summary|th scope=\"col\"[^>]*)>(.*?)</", re.DOTALL)
_TRANSLATED = "⟦"


class _Pseudo(NullTranslations):
    def gettext(self, message: str) -> str:
        return f"{_TRANSLATED}{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(language, "_catalogue", lambda _language: _Pseudo())
    record = sample_record(rounds=3, noise=0.005)
    return to_html(record, rank(record))


def test_every_label_of_a_report_is_translated(page: str) -> None:
    record = sample_record(rounds=1)
    own = {*(one.title for one in record.plan.candidates), "A: gateway-a", "B: gateway-b", "TCP"}
    labels = [re.sub(r"<[^>]*>", "", text).strip() for _, text in _LABELS.findall(page)]
    left = {text for text in labels if re.search(r"[A-Za-z]{3}", text) and _TRANSLATED not in text}
    assert len(labels) > 100
    assert left - own == set()


def test_a_german_report_has_german_numbers_and_json_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    record = sample_record(rounds=3, noise=0.005)
    html = to_html(record, rank(record))
    assert '<html lang="de">' in html
    assert "Gewichtete Latenz" in html
    assert re.search(r">1,\d\d<", html)
    with language.source_language():
        found = to_json(record, rank(record))
    assert str(found["recommendation"]["sentence"]).startswith("Take WireGuard")
