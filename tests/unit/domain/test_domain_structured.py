"""Values of TOML read into dataclasses: names and types are checked, and errors name the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.declared import Declared
from app.domain.errors import Bug
from app.domain.structured import bundled


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("speed = 1\n", r"there is no field speed @ \$\."),
        ("kernel_modules = 'tun'\n", r"expected a list, not str @ \$\.kernel_modules"),
        ("[styles.x]\ncolour = '#000000'\n", r"field 'marker' is missing @ \$\.styles\['x'\]\.marker"),
        ("[styles.x]\ncolour = 1\nmarker = 'plus'\n", r"expected str, not int @ \$\.styles\['x'\]\.colour"),
        ("styles = [\n", "is no TOML: "),
    ],
)
def test_a_malformed_file_is_a_bug_with_file_and_key(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "declared.toml"
    file.write_text(text)
    with pytest.raises(Bug, match=rf"^declared\.toml .*{words}"):
        bundled(file, Declared)
