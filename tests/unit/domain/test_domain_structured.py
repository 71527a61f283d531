"""Values of TOML read into dataclasses: names and types are checked, and errors name the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.declared import Declared
from app.domain.errors import Bug, InvalidFile
from app.domain.messages import MessageForm
from app.domain.messages.inputs import (
    BUNDLED_NO_TOML,
    CONTENT_WRONG,
    FIELD_AT,
    FIELD_MISSING,
    FIELD_UNKNOWN,
    FIELD_WRONG,
    MORE_PROBLEMS,
)
from app.domain.structured import bundled, structured
from app.wording.messages import local_text
from support.message_checks import has_message
from support.pseudo_language import LiteralBrackets, brackets, words_outside


@pytest.mark.parametrize(
    ("text", "form", "data", "place"),
    [
        ("speed = 1\n", FIELD_UNKNOWN, {"fields": ("speed",)}, "$"),
        ("kernel_modules = 'tun'\n", FIELD_WRONG, {"wanted": "a list", "found": "a text"}, "$.kernel_modules"),
        ("[styles.x]\ncolour = '#000000'\n", FIELD_MISSING, {"field": "'marker'"}, "$.styles['x'].marker"),
        (
            "[styles.x]\ncolour = 1\nmarker = 'plus'\n",
            FIELD_WRONG,
            {"wanted": "a text", "found": "a whole number"},
            "$.styles['x'].colour",
        ),
    ],
)
def test_a_malformed_file_is_a_bug_with_file_and_key(
    tmp_path: Path, text: str, form: MessageForm, data: dict[str, object], place: str
) -> None:
    file = tmp_path / "declared.toml"
    file.write_text(text)
    with pytest.raises(Bug, check=has_message(CONTENT_WRONG, what="declared.toml")) as caught:
        bundled(file, Declared)
    assert has_message(form, **data)(caught.value)
    assert has_message(FIELD_AT, place=place)(caught.value)


def test_a_file_that_is_no_toml_is_a_bug(tmp_path: Path) -> None:
    file = tmp_path / "declared.toml"
    file.write_text("styles = [\n")
    with pytest.raises(Bug, check=has_message(BUNDLED_NO_TOML, file="declared.toml")):
        bundled(file, Declared)


def test_several_problems_are_in_the_readers_language() -> None:
    data = {"apparmor_words": 1, "kernel_modules": {}, "scripts": True, "speed": 1}
    with pytest.raises(InvalidFile, check=has_message(MORE_PROBLEMS, more=1)) as caught:
        structured(Declared, data, "declared.toml")
    with brackets(LiteralBrackets):
        found = words_outside(local_text(caught.value.message))
    assert found <= {"declared", "toml", "apparmor", "words", "kernel", "modules", "scripts"}
