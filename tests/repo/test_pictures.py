"""The documents' pictures: `make screenshots` takes each of them, and documents refer to no others."""

from __future__ import annotations

import re
from pathlib import Path

from screenshots import PICTURES, SCHEMES, file_name

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
_REFERENCE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)|<img[^>]+src=[\"']([^\"']+)")


def test_every_picture_is_one_that_the_script_takes() -> None:
    taken = {file_name(name, word) for name in PICTURES for _, word in SCHEMES}
    assert sorted(path.name for path in IMAGES.iterdir() if path.name not in taken) == []


def test_documents_refer_to_pictures_that_are_there() -> None:
    documents = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
    referred = [
        (document, document.parent / (found[1] or found[2]))
        for document in documents
        for found in _REFERENCE.finditer(document.read_text(encoding="utf-8"))
        if "://" not in found[0]
    ]
    assert referred
    broken = [
        f"{document.relative_to(ROOT)}: {picture}"
        for document, picture in referred
        if picture.resolve().parent != IMAGES or not picture.is_file()
    ]
    assert broken == []


def test_no_picture_has_a_name_twice() -> None:
    assert len(set(PICTURES)) == len(PICTURES)
