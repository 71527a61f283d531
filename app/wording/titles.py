"""Titles of solutions, suites and candidates in the current language. Stored and compared titles are English."""

from __future__ import annotations

from app.domain.messages import fill
from app.wording.language import SOURCE_LANGUAGE, current_language, mark, tr

_WHOLE = (
    mark("Bare underlay"),
    mark("OpenSSH tap forwarding"),
    mark("keys agreed by MKA"),
    mark("static keys"),
    mark("unencrypted"),
)
"""Parts of titles that are translated as they are."""

_JOINED = (
    (" over ", mark("{one} over {other}")),
    (" with ", mark("{one} with {other}")),
    (" and ", mark("{one} and {other}")),
)
"""Words between two names, and the text that has both."""

_ENDING = ((" keys", mark("{name} keys")), (" certificates", mark("{name} certificates")))
"""Words after a name, and the text that has both."""


_STORED: dict[str, str] = {}
"""Titles by the texts with which they were shown."""


def local_title(title: str) -> str:
    """Return a title in the current language, part by part; any other text as its translation, else as it is."""
    if current_language() == SOURCE_LANGUAGE:
        return title
    shown = ", ".join(map(_local_part, title.split(", ")))
    if shown != title:
        _STORED[shown] = title
    return shown


def stored_title(shown: str) -> str:
    """Return the stored title of one that was shown, for files that other programs read; any other text as it is."""
    return _STORED.get(shown, shown)


def _local_part(part: str) -> str:
    if part in _WHOLE or " " in part:  # else it is a name
        whole = tr(part)
        if whole != part:
            return whole
    for ending, form in _ENDING:
        if part.endswith(ending):
            return fill(tr(form), {"name": part.removesuffix(ending)})
    for word, form in _JOINED:
        one, found, other = part.partition(word)
        if found:
            return fill(tr(form), {"one": one, "other": other})
    return part
