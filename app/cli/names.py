"""Names that are typed: checked before anything is started, with the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from app.domain.errors import InvalidOption


def words_of(text: str | None) -> tuple[str, ...]:
    """Return the words of a list with commas; none for None."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def check_list(option: str, text: str | None) -> None:
    """Refuse an option that was given without a word in it.

    Raises:
        InvalidOption: It names nothing.
    """
    if text is not None and not words_of(text):
        raise InvalidOption(
            f"{option} {text!r} names nothing.", hint=f"Name something after {option}, or leave it out."
        )


def meant(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean NAME?` where a known name is close to a word; else an empty text."""
    names = {name.lstrip("-"): name for name in known}  # dashes alone make no two options alike
    close = [names[one] for one in difflib.get_close_matches(word.lower().lstrip("-"), list(names), n=1, cutoff=0.6)]
    return f" Did you mean {close[0]}?" if close else ""


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


def no_solution_named(message: str) -> InvalidOption:
    """Return the error where a solution has to be named; its hint lists them. Needs no host."""
    from app.services.solutions import solution_names

    return InvalidOption(message, hint=_known(solution_names()))


def unknown_solution(solution: str, known: Iterable[str]) -> InvalidOption:
    """Return the error about a solution that there is none of."""
    names = list(known)
    return InvalidOption(f"There is no solution named {solution}.{meant(solution, names)}", hint=_known(names))


def _known(names: Iterable[str]) -> str:
    """Return the names that an option takes, each with the title that tables and the window show."""
    from app.services.solutions import solution_titles

    titles = solution_titles()
    texts = (f"{name} ({titles[name]})" if titles.get(name, name) != name else name for name in names)
    return f"Known: {', '.join(texts)}."
