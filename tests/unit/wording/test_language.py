"""The language of texts, and the catalogues of translations."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from app.wording import language
from app.wording.language import CATALOGUES, available_languages, current_language, language_from, tr, use_language

TRANSLATED = ["de"]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("de", "de"),
        ("de_DE.UTF-8", "de"),
        ("de-AT", "de"),
        ("C.UTF-8", "en"),
        ("xx_XX", "en"),
        ("../de", "en"),
        ("", "en"),
    ],
)
def test_language_of_a_locale(value: str, code: str) -> None:
    assert language_from(value) == code


def test_every_catalogue_is_tested() -> None:
    assert available_languages() == {"en", *TRANSLATED}


def test_texts_are_english_until_a_language_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_CHOSEN", [])
    assert (current_language(), tr("Resume")) == ("en", "Resume")

    use_language("de")
    assert (current_language(), tr("Resume")) == ("de", "Fortsetzen")


def test_text_without_translation_is_shown_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    assert (tr("No catalogue has this text."), tr("")) == ("No catalogue has this text.", "")


@pytest.mark.parametrize("name", CATALOGUES)
@pytest.mark.parametrize("language", TRANSLATED)
def test_compiled_catalogue_is_that_of_its_source(language: str, name: str) -> None:
    folder = files("resources") / "locale" / language / "LC_MESSAGES"
    compiled = BytesIO()
    with (folder / f"{name}.po").open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))

    assert (folder / f"{name}.mo").read_bytes() == compiled.getvalue(), "run `make messages`"
