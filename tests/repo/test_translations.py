"""Catalogues of translations: complete, without stale entries, with the placeholders and keys of the English texts."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.catalog import Catalog, Message

ROOT = Path(__file__).parents[2]
CATALOGUES = sorted((ROOT / "resources" / "locale").glob("*/LC_MESSAGES/*.po"))

_PLACEHOLDER = re.compile(r"%[1-9ABT]|\{[a-z_0-9]*\}|\n")
_MNEMONIC = re.compile(r"&(?=\w)")


def _messages_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("messages", ROOT / "packaging" / "messages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _messages_tool()


@pytest.fixture(params=CATALOGUES, ids=lambda path: path.parts[-3])
def catalogue(request: pytest.FixtureRequest) -> Catalog:
    read: Catalog = TOOL.read_catalogue(request.param)
    return read


def test_there_are_catalogues() -> None:
    assert [path.parts[-3] for path in CATALOGUES] == ["de"]


def test_every_text_is_translated_and_no_entry_is_stale(catalogue: Catalog) -> None:
    entries = {message.id: message for message in catalogue if message.id}
    texts = TOOL.gather()
    assert len(texts) > 1000
    assert sorted(map(str, texts - entries.keys())) == [], "run `make messages`, then translate"
    assert sorted(map(str, entries.keys() - texts)) == [], "run `make messages`: no text of the program is this"
    assert not catalogue.obsolete, "run `make messages`"
    assert [message.id for message in entries.values() if not _is_done(message)] == []


def test_translations_have_the_placeholders_keys_and_spaces_of_their_texts(catalogue: Catalog) -> None:
    faults = [
        (english, translated)
        for message in catalogue
        if message.id and message.string
        for english, translated in zip(_forms(message.id), _forms(message.string), strict=True)
        if _shape(english) != _shape(translated)
    ]
    assert faults == []


def _is_done(message: Message) -> bool:
    return all(_forms(message.string)) and not message.fuzzy


def _forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def _shape(text: str) -> tuple[object, ...]:
    spaces = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return Counter(_PLACEHOLDER.findall(text)), len(_MNEMONIC.findall(text)), spaces


def test_texts_are_found_within_f_strings_and_over_lines() -> None:
    source = 'tr("one")\nf"{language.tr(\'two\')} 3"\nmark(\n  "thr"\n  "ee"\n)\ntrn("%1 x", "%1 xs", n)\ntr(name)\n'
    assert set(TOOL.texts_of(source)) == {"one", "two", "three", ("%1 x", "%1 xs")}


@pytest.mark.parametrize(
    ("english", "translated"),
    [("%1 of %2", "%1 von %1"), ("{a} x", "x"), ("&Copy", "Kopieren"), (" ms", "ms"), ("a\nb", "a b")],
)
def test_other_shapes_are_noticed(english: str, translated: str) -> None:
    assert _shape(english) != _shape(translated)
