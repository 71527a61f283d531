"""Generated parts of docs/testing.md, each between two markers."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path("docs") / "testing.md"


def put_part(page: Path, name: str, text: str) -> None:
    """Replace the text between the markers of a part.

    Args:
        page: The document.
        name: Of the part; its markers are `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
        text: Markdown, without blank lines around it.

    Raises:
        ValueError: The document has no such markers.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before = page.read_text(encoding="utf-8")
    found = re.search(f"{re.escape(begin)}\n.*?{re.escape(end)}", before, re.DOTALL)
    if found is None:
        raise ValueError(f"{page} has no markers {begin} and {end}")
    after = f"{before[: found.start()]}{begin}\n\n{text}\n\n{end}{before[found.end() :]}"
    new = page.with_suffix(".new")
    new.write_text(after, encoding="utf-8")
    new.replace(page)
