"""Words of findings in the current language."""

from __future__ import annotations

from app.domain.messages import Message
from app.wording.messages import local_text


def replacement_words(replacement: str) -> str:
    """Return what to use instead; a single word is a name or a value of a file, and the same in every language."""
    return local_text(replacement) if isinstance(replacement, Message) or " " in replacement else replacement
