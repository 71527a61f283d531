"""Gather the texts to translate, enter them into the catalogues of resources/locale, and compile these.

A translated text is a literal in `tr`, `trn` or `mark` of `app.wording.language`, text and hint of a `MessageForm`, or
what a file of resources holds under one of the keys of `RESOURCE_KEYS`. Calls within f-strings count, which
`pybabel extract` does not see; and `pybabel compile` takes "95 % interval" for a format of Python.

A text of several parts of the program is in the catalogue of each.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from app.wording.language import template_texts

ROOT = Path(__file__).parents[1]
SOURCES = {
    "window": ("ui",),
    "program": ("app",),
    "commands": ("app/cli",),
    "adapters": ("vpn_adapters",),
    "policy": (),
}
"""Folders of each catalogue; a folder within another one's belongs to the inner catalogue alone."""

TEMPLATES = "resources/templates"
TEMPLATE_FILES = (
    "report.html.j2",
    "report.typ",
    "census.html.j2",
    "study.html.j2",
    "lab_study.html.j2",
    "heat_maps.html.j2",
    "export/README.txt.j2",
)
"""Pages of app/reports and app/export, whose calls of `tr` belong to the catalogue of the program."""

_POLICY_KEYS = (
    "carrier first gain note now reason refusal replacement scope section slow source sources title version watch"
)
RESOURCE_KEYS = {
    "resources/policy": frozenset(_POLICY_KEYS.split()),
    "resources/conditions": frozenset({"source", "title"}),
    "resources/studies": frozenset({"heading", "notes", "summary", "title"}),
}
"""Keys of the TOML files of a folder whose texts are translated; a text without a blank is a name and remains."""

DECLARED_KEY = "never_deployed"
"""Table of declared.toml whose values are translated."""

_FORMS = {"tr": slice(0, 1), "mark": slice(0, 1), "trn": slice(0, 2)}
"""Functions, and which of their arguments are one text or its forms for one and for many."""

Text = str | tuple[str, ...]
"""A text, or its forms for one and for many."""


def gather(catalogue: str, root: Path = ROOT) -> frozenset[Text]:
    """Return every text of a catalogue."""
    if catalogue == "policy":
        return frozenset(_resource_texts(root))
    folders = [root / folder for folder in SOURCES[catalogue]]
    others = [root / folder for name, all_ in SOURCES.items() if name != catalogue for folder in all_]
    inner = [other for other in others if any(folder in other.parents for folder in folders)]
    files = (file for folder in folders for file in sorted(folder.rglob("*.py")))
    own = (file for file in files if not any(other in file.parents for other in inner))
    templates = [root / TEMPLATES / name for name in TEMPLATE_FILES] if catalogue == "program" else []
    found = [text for file in own for text in texts_of(file.read_text(encoding="utf-8"))]
    found += [text for file in templates for text in template_texts(file.read_text(encoding="utf-8"))]
    return frozenset([*found, *(_declared_texts(root) if catalogue == "adapters" else ())])


def texts_of(source: str) -> Iterator[Text]:
    """Return the texts of a module's calls; a call with a variable is skipped."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "MessageForm":
            parts = [*node.args[1:3], *(word.value for word in node.keywords if word.arg in {"text", "hint"})]
            yield from (text for text in map(_literal, parts) if text)
        elif name in _FORMS:
            texts = tuple(map(_literal, node.args[_FORMS[name]]))
            if texts and all(texts):
                yield texts[0] if len(texts) == 1 else texts


def _literal(node: ast.expr) -> str:
    value = getattr(node, "value", None)
    return value if isinstance(value, str) else ""


def _resource_texts(root: Path) -> Iterator[str]:
    for folder, keys in RESOURCE_KEYS.items():
        for file in sorted((root / folder).glob("*.toml")):
            found = _values(tomllib.loads(file.read_text(encoding="utf-8")), "")
            yield from (text for key, text in found if key in keys and len(text.split()) > 1)


def _declared_texts(root: Path) -> Iterator[str]:
    """Give the reasons why suites are never deployed, which are under the names of algorithms."""
    for file in sorted((root / "vpn_adapters").glob("*/declared.toml")):
        yield from tomllib.loads(file.read_text(encoding="utf-8")).get(DECLARED_KEY, {}).values()


def _values(found: Any, key: str) -> Iterator[tuple[str, str]]:
    """Give every text of a file with its key."""
    if isinstance(found, dict):
        for name, value in found.items():
            yield from _values(value, name)
    elif isinstance(found, list):
        for value in found:
            yield from _values(value, key)
    elif isinstance(found, str):
        yield key, found


def catalogue_files(root: Path = ROOT) -> list[Path]:
    """Return the catalogues of all languages."""
    return sorted((root / "resources" / "locale").glob("*/LC_MESSAGES/*.po"))


def read_catalogue(file: Path) -> Catalog:
    """Return a catalogue of resources/locale."""
    with file.open("rb") as source:
        return read_po(source, locale=file.parts[-3])


def update(catalogue: Catalog, texts: frozenset[Text]) -> None:
    """Add texts that are new, and drop those that are gone."""
    template = Catalog()
    for text in texts:
        template.add(text)
    catalogue.update(template, no_fuzzy_matching=True, update_header_comment=False, update_creation_date=False)
    catalogue.obsolete.clear()


def main() -> None:
    """Bring every catalogue up to date, and print how much of it is translated."""
    for file in catalogue_files():
        catalogue = read_catalogue(file)
        texts = gather(file.stem)
        update(catalogue, texts)
        with file.open("wb") as source:
            write_po(source, catalogue, sort_output=True, omit_header=False, width=100)
        with file.with_suffix(".mo").open("wb") as compiled:
            write_mo(compiled, read_catalogue(file))
        done = sum(bool(message.string) and not message.fuzzy for message in catalogue if message.id)
        print(f"{file.parts[-3]}, {file.stem}: {done} of {len(texts)} texts are translated")


if __name__ == "__main__":
    main()
