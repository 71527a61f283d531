"""Catalogues of translations: complete, without stale entries, with the placeholders and keys of the English texts."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.catalog import Catalog, Message

from app.wording.language import CATALOGUES
from app.wording.titles import local_title
from support.pseudo_language import LiteralBrackets, brackets, unbracketed
from vpn_adapters.registry import ADAPTERS

ROOT = Path(__file__).parents[2]

_PLACEHOLDER = re.compile(r"%[1-9ABT]|\{[a-z_0-9]*(?::[^}]*)?\}|\n")
_MNEMONIC = re.compile(r"&(?=\w)")
_READER = re.compile(r"(?<=[^.!?:]\s)(?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b")
"""A German word for the reader; a sentence may begin with the same word for a thing."""


def _messages_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("messages", ROOT / "packaging" / "messages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _messages_tool()
gathered = cache(TOOL.gather)
"""Texts of a catalogue by its name: to gather them, its sources are parsed."""

FILES: list[Path] = TOOL.catalogue_files()


@pytest.fixture(params=FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def catalogue_file(request: pytest.FixtureRequest) -> Path:
    file: Path = request.param
    return file


@cache
def read(file: Path) -> Catalog:
    return TOOL.read_catalogue(file)


@pytest.fixture
def catalogue(catalogue_file: Path) -> Catalog:
    return read(catalogue_file)


def test_there_are_catalogues() -> None:
    assert {(path.parts[-3], path.stem) for path in FILES} == {("de", name) for name in CATALOGUES}
    assert set(TOOL.SOURCES) == set(CATALOGUES)
    assert len(gathered("window")) > 1000


def test_every_text_is_translated_and_no_entry_is_stale(catalogue_file: Path, catalogue: Catalog) -> None:
    entries = {message.id: message for message in catalogue if message.id}
    texts = gathered(catalogue_file.stem)
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


def test_no_text_addresses_the_reader(catalogue: Catalog) -> None:
    forms = [form for message in catalogue if message.id and message.string for form in _forms(message.string)]
    assert [form for form in forms if _READER.search(form)] == []


PATTERNS = frozenset({"citation", "requires", "settings", "unless", "value"})
"""Keys of resources whose texts with a blank are patterns, or the titles of guidelines."""


def test_every_key_of_resources_with_sentences_is_translated() -> None:
    for folder, keys in TOOL.RESOURCE_KEYS.items():
        tables = [tomllib.loads(file.read_text(encoding="utf-8")) for file in (ROOT / folder).glob("*.toml")]
        spelled = {name for table in tables for row in table.get("algorithms", ()) for name in row.get("spelled", ())}
        found = {key for table in tables for key, text in TOOL._values(table, "") if " " in text}
        assert keys <= found <= keys | spelled | PATTERNS


def test_every_text_of_declared_files_with_sentences_is_translated() -> None:
    for file in (ROOT / "vpn_adapters").glob("*/declared.toml"):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        sentences = {text for _, text in TOOL._values(table, "") if text.count(" ") > 2}
        assert sentences <= gathered("adapters"), file.parent.name


FOR_PROGRAMS = frozenset(
    {"ansible.cfg", "defaults.yml", "inventory.yml", "meta.yml", "site.yml", "sudoers", "undo.yml"}
)
"""Templates of files that programs read; their comments are English, as those of all files on hosts."""


def test_every_template_for_users_is_translated() -> None:
    folder = ROOT / TOOL.TEMPLATES
    found = {file.relative_to(folder).as_posix() for kind in ("j2", "typ") for file in folder.rglob(f"*.{kind}")}
    rest = {name for name in found - set(TOOL.TEMPLATE_FILES) if Path(name).stem not in FOR_PROGRAMS}
    assert rest == set()
    for name in TOOL.TEMPLATE_FILES:
        assert template_words((folder / name).read_text(encoding="utf-8")) == [], name


_CALLS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<!--.*?-->|<style>.*?</style>|<[^>]*>|\{#.*?#\}", re.DOTALL)
_SAME_IN_ALL = re.compile(r"&\w+;|sh tunnel\.sh \w+( console)?|ansible-playbook site\.yml|/kept|VPN, PEP|Tunnelmark")


def template_words(text: str) -> list[str]:
    """Return the words of a page outside of its calls; a file for typst has calls only."""
    return [] if "#set page" in text else re.findall(r"[A-Za-z]{3,}", _SAME_IN_ALL.sub(" ", _CALLS.sub(" ", text)))


def test_words_of_templates_are_noticed() -> None:
    assert template_words('<p class="x">{{ tr("Some words") }}</p>{% if a %} more {% endif %}') == ["more"]


def test_titles_of_solutions_are_translated() -> None:
    with brackets(LiteralBrackets):
        titles = {local_title(adapter.info.title) for adapter in ADAPTERS.values()}
    assert {
        title for title in titles if re.search(r"\b(?!tinc|freelan|fastd|stunnel)[a-z]{3,}", unbracketed(title))
    } == set()


def test_a_text_is_translated_alike_in_all_catalogues() -> None:
    found: dict[tuple[str, object], set[object]] = defaultdict(set)
    for file in FILES:
        for message in read(file):
            if message.id:
                found[file.parts[-3], message.id].add(message.string)
    assert {text: forms for text, forms in found.items() if len(forms) > 1} == {}


def _is_done(message: Message) -> bool:
    return all(_forms(message.string)) and not message.fuzzy


def _forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def _shape(text: str) -> tuple[object, ...]:
    spaces = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return Counter(_PLACEHOLDER.findall(text)), len(_MNEMONIC.findall(text)), spaces


def test_texts_are_found_within_f_strings_and_over_lines() -> None:
    source = 'tr("one")\nf"{language.tr(\'two\')} 3"\nmark(\n  "thr"\n  "ee"\n)\ntrn("%1 x", "%1 xs", n)\ntr(name)\n'
    source += 'MessageForm("a.b", "four", "five")\nMessageForm("a.c", "six {x}", hint="seven")\n'
    assert set(TOOL.texts_of(source)) == {"one", "two", "three", ("%1 x", "%1 xs"), "four", "five", "six {x}", "seven"}


@pytest.mark.parametrize(
    ("translated", "is_addressed"),
    [
        ("Prüfen Sie die Datei.", True),
        ("Die Werte lesen; Sie finden sie unten.", True),
        ("Mit Ihrem Passwort anmelden.", True),
        ("Sie wartet auf Bestätigung.", False),
        ("Die Datei lesen. Sie nennt beide Hosts.", False),
    ],
)
def test_an_address_of_the_reader_is_noticed(translated: str, is_addressed: bool) -> None:
    assert bool(_READER.search(translated)) is is_addressed


@pytest.mark.parametrize(
    ("english", "translated"),
    [
        ("%1 of %2", "%1 von %1"),
        ("{a} x", "x"),
        ("{a:.1f}", "{a}"),
        ("&Copy", "Kopieren"),
        (" ms", "ms"),
        ("a\nb", "a b"),
    ],
)
def test_other_shapes_are_noticed(english: str, translated: str) -> None:
    assert _shape(english) != _shape(translated)
