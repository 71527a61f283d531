"""Files with results of a study, whichever kind of results: written all at once, with messages as they are stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from cattrs import Converter

from app.domain.atomic import replace_file
from app.domain.errors import InvalidFile
from app.domain.messages import from_stored, to_stored
from app.domain.version import tunnelmark_version
from app.storage.codec import read_time, write_time
from app.storage.messages import REPEAT_DISTURBED, REPEAT_FAILED, STUDY_FORMAT, STUDY_UNREAD

R = TypeVar("R", bound=Any)
"""A dataclass with `format` and `results`; each of these has a `message`."""

_READER = Converter()
_READER.register_structure_hook(datetime, read_time)


class ResultsByKey:
    """Results of a study, one for each key, some of which are to be measured again."""

    __slots__ = ()
    results: tuple[Any, ...]
    afresh: tuple[Any, ...]
    machines: tuple[str, ...]

    @staticmethod
    def key_of(result: Any) -> Hashable:
        """Return the key of a result."""
        raise NotImplementedError

    @staticmethod
    def is_whole(result: Any) -> bool:
        """Return whether a result has undisturbed figures: it need not be measured again."""
        raise NotImplementedError

    def is_of(self, machines: tuple[str, ...]) -> bool:
        """Return whether they are of a pair's machines; also where one of the two is not known."""
        return not self.machines or not machines or self.machines == machines

    def done(self) -> frozenset[Any]:
        """Return the keys that need not be measured again."""
        return frozenset(self.key_of(one) for one in self.results if self.is_whole(one)).difference(self.afresh)

    def with_result(self, result: Any) -> Self:
        """Return them with one more result; an earlier one of the same key goes.

        Where the earlier one alone is whole it remains, with what became of the new one, and is measured again by the
        next run, unless it is of another suite.
        """
        key = self.key_of(result)
        before = next((one for one in self.results if self.key_of(one) == key), None)
        is_worse = before is not None and self.is_whole(before) and not self.is_whole(result)
        if before is not None and is_worse and not _has_other_suite(before, result.suite):
            why = REPEAT_FAILED(why=result.message) if result.message else REPEAT_DISTURBED()
            kept = tuple(replace(one, message=why) if one is before else one for one in self.results)
            return replace(self, results=kept).to_measure_afresh([key])  # type: ignore[type-var]
        others = tuple(one for one in self.results if self.key_of(one) != key)
        afresh = tuple(one for one in self.afresh if one != key)
        return replace(self, results=(*others, result), afresh=afresh)  # type: ignore[type-var]

    def with_suites(self, suites: Mapping[Any, str]) -> Self:
        """Return them with keys to be measured again whose results are known to be of another suite than today's.

        Args:
            suites: Titles of today's suites by key; results of other keys remain.
        """
        changed = [
            key for one in self.results if (key := self.key_of(one)) in suites and _has_other_suite(one, suites[key])
        ]
        return self.to_measure_afresh(changed) if changed else self

    def to_measure_afresh(self, keys: Iterable[Hashable] | None = None) -> Self:
        """Return them with keys to be measured again, all that have a result unless some are given.

        Each result remains until there is a new one.
        """
        wanted = (self.key_of(one) for one in self.results) if keys is None else keys
        return replace(self, afresh=tuple(dict.fromkeys((*self.afresh, *wanted))))  # type: ignore[type-var]


def _has_other_suite(result: Any, suite: str) -> bool:
    return bool(result.suite and suite) and result.suite != suite


@dataclass
class KeptStudy(Generic[R]):
    """Results of a study, stored as they come.

    Attributes:
        results: What there is until now.
        file: Where it is stored.
        on_result: Gets each new one once it is stored.
    """

    results: R
    file: Path
    on_result: Callable[[Any], None] = field(repr=False)

    def keep(self, result: Any) -> None:
        """Add a result."""
        self.results = self.results.with_result(result)
        if any(one is result for one in self.results.results):
            self.results = replace(self.results, version=tunnelmark_version())
        self.store()
        self.on_result(result)

    def store(self) -> None:
        """Write what there is: a run that is stopped before its next result goes on there as well."""
        write_study(self.file, self.results)


def read_study(file: Path, kind: type[R], *, known: int) -> R | None:
    """Read results; None where there are none.

    Args:
        kind: Class of the results.
        known: Format that is read.

    Raises:
        InvalidFile: The file cannot be read.
    """
    try:
        found = _with_texts(_READER.structure(json.loads(file.read_text(encoding="utf-8")), kind), from_stored)
    except FileNotFoundError:
        return None
    except Exception as error:  # cattrs raises groups of what it finds
        raise InvalidFile(STUDY_UNREAD(file=file, kind=type(error).__name__)) from error
    if found.format != known:
        raise InvalidFile(STUDY_FORMAT(file=file, format=found.format, known=known))
    return found


def write_study(file: Path, results: R) -> None:
    """Write results, all at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(
        file, f"{json.dumps(asdict(_with_texts(results, to_stored)), indent=2, default=write_time)}\n".encode()
    )


def _with_texts(results: R, change: Callable[[str], str]) -> R:
    """Return results with another form of their messages: as they are stored, or as they are shown."""
    return replace(results, results=tuple(replace(one, message=change(one.message)) for one in results.results))
