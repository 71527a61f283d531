"""Messages in errors and texts, recognised by their form and data instead of their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.domain.errors import TunnelmarkError
from app.domain.messages import Message, MessageForm, error_text, fill


@dataclass(frozen=True, slots=True)
class HasMessage:
    """Whether a text or an error's message or hint holds a message of a form, with these data among its own."""

    form: MessageForm
    data: dict[str, Any]

    def __call__(self, reported: str | Exception) -> bool:
        return any(self._is_it(message) for text in _texts_of(reported) for message in messages_in(text))

    def _is_it(self, message: Message) -> bool:
        return message.form is self.form and all(message.data[name] == value for name, value in self.data.items())


def has_message(form: MessageForm, **data: Any) -> HasMessage:
    """Return a check for `pytest.raises(check=…)` and for texts."""
    return HasMessage(form, data)


def _texts_of(reported: str | Exception) -> tuple[str, ...]:
    if isinstance(reported, TunnelmarkError):
        return reported.message, reported.hint
    return (error_text(reported),) if isinstance(reported, Exception) else (reported,)


def messages_in(text: object) -> Iterator[Message]:
    """Return a text's message and all messages among its data, at any depth."""
    if isinstance(text, Message):
        yield text
        for value in text.data.values():
            yield from messages_in(value)
    elif isinstance(text, tuple):
        for part in text:
            yield from messages_in(part)


def shows(printed: str, form_text: str, **data: Any) -> bool:
    """Return whether a printed text holds a form's text or hint: these data in their gaps, any in others."""
    sentence = re.escape(" ".join(fill(form_text, data).split()))
    return re.search(re.sub(r"\\\{\w+\\\}", ".*?", sentence), " ".join(printed.split())) is not None
