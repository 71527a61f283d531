"""Gather the texts to translate, enter them into the catalogues of resources/locale, and compile these.

A translated text is a literal in `tr`, `trn` or `mark` of `app.wording.language`. Calls within f-strings count, which
`pybabel extract` does not see; and `pybabel compile` takes "95 % interval" for a format of Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
SOURCES = ("app", "ui", "vpn_adapters")
_FORMS = {"tr": 1, "mark": 1, "trn": 2}
"""Functions, and how many of their arguments are texts."""

Text = str | tuple[str, ...]
"""A text, or its forms for one and for many."""


def gather(root: Path = ROOT) -> frozenset[Text]:
    """Return every text that is to be translated."""
    files = (file for source in SOURCES for file in sorted((root / source).rglob("*.py")))
    return frozenset(text for file in files for text in texts_of(file.read_text(encoding="utf-8")))


def texts_of(source: str) -> Iterator[Text]:
    """Return the texts of a module's calls; a call with a variable is skipped."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        values = [getattr(one, "value", None) for one in node.args[: _FORMS.get(name, 0)]]
        texts = tuple(value for value in values if isinstance(value, str) and value)
        if texts and len(texts) == _FORMS[name]:
            yield texts[0] if len(texts) == 1 else texts


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
    texts = gather()
    for file in sorted((ROOT / "resources" / "locale").glob("*/LC_MESSAGES/*.po")):
        catalogue = read_catalogue(file)
        update(catalogue, texts)
        with file.open("wb") as source:
            write_po(source, catalogue, sort_output=True, omit_header=False, width=100)
        with file.with_suffix(".mo").open("wb") as compiled:
            write_mo(compiled, read_catalogue(file))
        done = sum(bool(message.string) and not message.fuzzy for message in catalogue if message.id)
        print(f"{file.parts[-3]}: {done} of {len(texts)} texts are translated")


if __name__ == "__main__":
    main()
