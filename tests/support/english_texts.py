"""Messages that become plain texts, which are English, in code that shows texts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.messages import Message

ROOT = Path(__file__).parents[2]

_MAKING_TEXTS = [
    "__add__",
    "__format__",
    "__getitem__",
    "casefold",
    "lower",
    "removeprefix",
    "removesuffix",
    "replace",
    "rstrip",
    "split",
    "splitlines",
    "strip",
    "upper",
]
"""Methods of a text of which a message's result is English; `local_text` returns a text of its own first."""


def watch_messages(patch: pytest.MonkeyPatch, *folders: str) -> set[str]:
    """Return where modules of these folders make texts of messages; it fills from now on, until the patch ends.

    Args:
        folders: Below the project's root, for example `ui`.
    """
    watched = tuple(f"{ROOT / folder}/" for folder in folders)
    found: set[str] = set()

    def noting(name: str, usual: Callable[..., Any]) -> Callable[..., Any]:
        def method(message: Message, *words: Any) -> Any:
            caller = sys._getframe(1)
            if caller.f_code.co_filename.startswith(watched):
                file = Path(caller.f_code.co_filename).relative_to(ROOT)
                found.add(f"{file}:{caller.f_lineno}: {name} of {message.form.code}")
            return usual(message, *words)

        return method

    for name in _MAKING_TEXTS:
        patch.setattr(Message, name, noting(name, getattr(str, name)), raising=False)
    return found


def watch_sinks(patch: pytest.MonkeyPatch, found: set[str], *sinks: tuple[type, str]) -> None:
    """Add calls to which a message is given as it is.

    Args:
        found: What is added to.
        sinks: Classes of Qt, and their methods that show a text.
    """
    for kind, name in sinks:
        patch.setattr(kind, name, _checked(found, kind, name))


def _checked(found: set[str], kind: type, name: str) -> Callable[..., Any]:
    usual = getattr(kind, name)

    def method(*words: Any) -> Any:
        for message in words:
            if isinstance(message, Message):
                found.add(f"{kind.__name__}.{name}: {message.form.code}")
        return usual(*words)

    return method
