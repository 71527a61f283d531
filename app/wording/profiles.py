"""Names of profiles in words; options, JSON and CSV have their values."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.profiles import ProfileName
from app.wording.language import mark, tr

_WORDS: Mapping[str, str] = {
    ProfileName.ADAPTIVE: mark("adaptive"),
    ProfileName.QUICK: mark("quick"),
    ProfileName.STANDARD: mark("standard"),
    ProfileName.PAPER: mark("paper"),
    ProfileName.CUSTOM: mark("custom"),
}


def profile_word(name: str) -> str:
    """Return the word for a profile's name; nothing for a census, which has none."""
    return tr(_WORDS.get(name, name))
