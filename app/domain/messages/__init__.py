"""Messages with a stable code, whose English text has one home; beside it the domain's own.

A form (`MessageForm`) is a text with named gaps, declared in a package's `messages.py` or package `messages`. Called
with data it is a `Message`: the English sentence, logged and stored like any text, with code and data, from which
`app.wording.messages` makes the sentence in another language. Must not know any language but English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, Self

from app.domain.plain_text import plain_text

Datum = str | int | float | tuple[str, ...]
"""Types of a message's data, messages among them; several texts are joined by commas."""

TEXT = "text"
"""Format of a gap, `{reason:text}`, whose datum is a text of the catalogues and translated with the message."""

TITLE = "title"
"""Format of a gap, `{title:title}`, whose datum is the title of a solution, suite or candidate."""

TIME = "time"
"""Format of a gap, `{since:time}`, whose datum is a text with a date as ISO 8601 has it."""

_HINT = ".hint"
"""Suffix of a form's code in the code of its hint, which is a form of its own."""

_FORMS: dict[str, MessageForm] = {}
"""Every form that was declared, by its code."""


@dataclass(frozen=True, slots=True)
class MessageForm:
    """A message with gaps.

    Attributes:
        code: Area and name, for example `deploy.port-in-use`. It is stored and printed in JSON, and never reused.
        text: What happened, and on which host, with gaps like `{host}`.
        hint: What to do next, with gaps of the same data; empty where there is nothing to add.
    """

    code: str
    text: str
    hint: str = ""

    def __post_init__(self) -> None:
        if self.code in _FORMS and _FORMS[self.code] != self:
            raise ValueError(f"Two messages have the code {self.code}.")
        _FORMS[self.code] = self
        if self.hint:
            MessageForm(f"{self.code}{_HINT}", self.hint)

    def __call__(self, **data: Any) -> Message:
        """Return the message with its gaps filled."""
        return Message(self, data)


class Message(str):
    """A form's English text with its gaps filled.

    Attributes:
        form: Code and texts.
        data: What fills the gaps; cleaned of characters that are not for reading.
        hint: What to do next: a message as well, or nothing.
    """

    __slots__ = ("data", "form", "hint")

    form: MessageForm
    data: Mapping[str, Datum]
    hint: str

    def __new__(cls, form: MessageForm, data: Mapping[str, Datum]) -> Self:
        """Fill the gaps of a form."""
        cleaned = {name: _cleaned(value) for name, value in data.items()}
        made = super().__new__(cls, fill(form.text, cleaned).strip())
        made.form, made.data = form, cleaned
        made.hint = Message(MessageForm(f"{form.code}{_HINT}", form.hint), cleaned) if form.hint else ""
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.form, dict(self.data))

    @property
    def code(self) -> str:
        """The form's code; of several sentences the first one's."""
        first = self.data["first"] if self.form is SENTENCES else None
        return first.code if isinstance(first, Message) else self.form.code


def number_text(value: float, spec: str) -> str:
    """Return a number in the form of English."""
    return format(value, spec)


def fill(text: str, data: Mapping[str, Datum], number: Callable[[float, str], str] = number_text) -> str:
    """Return a text with its gaps filled; a gap without a datum remains visible, as an error must never fail."""
    parts: list[str] = []
    for literal, name, spec, _ in Formatter().parse(text):
        parts.append(literal)
        if name is not None:
            value = data.get(name, f"{{{name}}}")
            parts.append(number(value, spec or "") if isinstance(value, int | float) else _joined(value))
    return "".join(parts)


def sentences(texts: Iterable[str]) -> str:
    """Return several messages as one text, each in the language of its reader; empty ones are left out."""
    found = [text for text in texts if text]
    if not found:
        return ""
    return found[0] if len(found) == 1 else SENTENCES(first=found[0], rest=sentences(found[1:]))


def mark(text: str) -> str:
    """Mark a text without gaps for extraction: it is kept in English, and translated where it is shown."""
    return text


def code_of(text: str) -> str:
    """Return a message's code; nothing for a text without one."""
    return text.code if isinstance(text, Message) else ""


def error_text(error: BaseException) -> str:
    """Return an error's text, as a message where it was raised with one."""
    first = error.args[0] if len(error.args) == 1 else None
    return first if isinstance(first, Message) else str(error)


_STORED = '{"code":'
_NO_CODE = ""
"""Code of a text that is no message."""


def to_stored(text: str) -> str:
    """Return the text to store: a message's code and data as JSON, any other text as it is.

    A text of a host that begins like a stored message is wrapped, so that it is none when it is read.
    """
    if not isinstance(text, Message) and not text.startswith(_STORED):
        return text
    import json  # not needed by the first window

    envelope = _envelope(text) if isinstance(text, Message) else {"code": _NO_CODE, "text": text, "data": {}}
    return json.dumps(envelope, ensure_ascii=False)


def from_stored(text: str) -> str:
    """Return a stored text: a `Message` where it was one and its code is still known, else the text."""
    if not text.startswith(_STORED):
        return text
    import json

    try:
        return _opened(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, ArithmeticError):
        return text


def _envelope(message: Message) -> dict[str, Any]:
    data = {name: _packed(value) for name, value in message.data.items()}
    return {"code": message.form.code, "text": str(message), "data": data}


def _packed(value: Datum) -> Any:
    if isinstance(value, tuple):
        return [_packed(one) for one in value]
    return _envelope(value) if isinstance(value, Message) else value


def _opened(envelope: Mapping[str, Any]) -> str:
    if envelope["code"] == _NO_CODE:
        return str(envelope["text"])
    form, data = _FORMS.get(envelope["code"]), envelope["data"]
    if form is None or not _gaps(form.text) <= data.keys():  # of an earlier or later version
        return plain_text(str(envelope["text"]))
    return Message(form, {name: _unpacked(value) for name, value in data.items()})


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_opened(one) if isinstance(one, dict) else str(one) for one in value)
    return _opened(value) if isinstance(value, dict) else value


def _gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _cleaned(value: Any) -> Datum:
    if isinstance(value, Message | int | float):
        return value
    if isinstance(value, list | tuple | frozenset | set):
        return tuple(one if isinstance(one, Message) else plain_text(str(one)) for one in value)
    text = error_text(value) if isinstance(value, BaseException) else str(value)
    return text if isinstance(text, Message) else plain_text(text)


def _joined(value: Datum) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


SENTENCES = MessageForm("text.sentences", "{first:text} {rest:text}")
