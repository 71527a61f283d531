"""Names that are typed: checked before anything is started, with the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from app.cli.messages import DID_YOU_MEAN, NAMES_NOTHING, NO_SOLUTION, OUT_OF_RANGE, UNKNOWN_SOLUTION_NAME
from app.domain.errors import InvalidOption
from app.domain.messages import Message
from app.wording.local_forms import short_decimal

_DIGITS = 12
"""Significant digits of a number that is typed."""


def words_of(text: str | None) -> tuple[str, ...]:
    """Return the words of a list with commas; none for None."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def check_list(option: str, text: str | None) -> None:
    """Refuse an option that was given without a word in it.

    Raises:
        InvalidOption: It names nothing.
    """
    if text is not None and not words_of(text):
        raise InvalidOption(NAMES_NOTHING(option=option, text=text))


def meant(word: str, known: Iterable[str]) -> Message | str:
    """Return `Did you mean NAME?` where a known name is close to a word; else an empty text."""
    names = {name.lstrip("-"): name for name in known}  # dashes alone make no two options alike
    close = [names[one] for one in difflib.get_close_matches(word.lower().lstrip("-"), list(names), n=1, cutoff=0.6)]
    return DID_YOU_MEAN(name=close[0]) if close else ""


def check_solutions(words: Sequence[str]) -> None:
    """Check the solution of each `SOLUTION` or `SOLUTION:SUITE`. Needs no host.

    Raises:
        InvalidOption: There is no such solution.
    """
    from app.services.solutions import solution_names

    known = solution_names()
    for word in words:
        solution = word.partition(":")[0]
        if solution not in known:
            raise unknown_solution(solution, known)


def out_of_range(option: str, value: float, low: float, high: float) -> InvalidOption:
    """Return the error about a number, whose limits are written plainly."""
    shown, least, most = (short_decimal(number, _DIGITS) for number in (value, low, high))
    return InvalidOption(OUT_OF_RANGE(option=option, value=shown, low=least, high=most))


def no_solution_named() -> InvalidOption:
    """Return the error where a solution has to be named; its hint lists them. Needs no host."""
    from app.services.solutions import solution_names

    return InvalidOption(NO_SOLUTION(known=_known(solution_names())))


def unknown_solution(solution: str, known: Iterable[str]) -> InvalidOption:
    """Return the error about a solution that there is none of."""
    names = list(known)
    return InvalidOption(UNKNOWN_SOLUTION_NAME(solution=solution, guess=meant(solution, names), known=_known(names)))


def _known(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that an option takes, each with the title that tables and the window show."""
    from app.services.solutions import solution_titles

    titles = solution_titles()
    return tuple(f"{name} ({titles[name]})" if titles.get(name, name) != name else name for name in names)
