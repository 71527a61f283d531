"""Messages in the current language. Logs, JSON and CSV take the English text, which a message is by itself."""

from __future__ import annotations

from string import Formatter

from app.domain.errors import TunnelmarkError
from app.domain.messages import TEXT, TIME, TITLE, Datum, Message, fill, number_text
from app.wording.language import SOURCE_LANGUAGE, current_language, tr
from app.wording.local_forms import with_local_days
from app.wording.numbers import NARROW_SPACE, with_local_sign
from app.wording.titles import local_title


def local_text(text: str) -> str:
    """Return a message in the current language; any other text as its translation, else as it is."""
    return _filled(text) if isinstance(text, Message) else tr(text)


def local_name(text: str) -> str:
    """Return in the current language a name: a title, or a message in place of one; a single word remains."""
    return local_text(text) if isinstance(text, Message) else local_title(text)


def local_hint(error: TunnelmarkError) -> str:
    """Return in the current language what the user can do next."""
    return local_text(error.hint)


def local_sentence(error: TunnelmarkError) -> str:
    """Return message and hint in the current language as one text."""
    return f"{local_text(error.message)} {local_hint(error)}".strip()


def _filled(message: Message) -> str:
    form = tr(message.form.text)
    formats = {name: spec for _, name, spec, _ in Formatter().parse(form) if name is not None}
    data = {name: _local_value(value, formats.get(name)) for name, value in message.data.items()}
    return fill(form, data, _local_number).strip()


def _local_number(value: float, spec: str) -> str:
    text = number_text(value, spec)
    if current_language() == SOURCE_LANGUAGE:
        return text
    return with_local_sign(text.replace(",", NARROW_SPACE))


def _local_value(value: Datum, spec: str | None) -> Datum:
    if isinstance(value, tuple):
        return tuple(_local_part(one, spec) for one in value)
    return _local_part(value, spec) if isinstance(value, str) else value


def _local_part(text: str, spec: str | None) -> str:
    if spec == TITLE:
        return local_title(text)
    if spec == TIME:
        return with_local_days(text)
    return local_text(text) if spec == TEXT or isinstance(text, Message) else text
