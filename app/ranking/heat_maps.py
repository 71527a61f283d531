"""Heat map of a study: by how much each of its cells is better than each other one, published and own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.transfers import Agreement
from app.ranking.published_order import agreement


@dataclass(frozen=True, slots=True)
class HeatValue:
    """Difference of a column from its row.

    Attributes:
        order: 1 where the column is better, -1 where it is worse, 0 where both are alike.
        percent: The difference in whole percent of the row's figure, positive where the column is better; None where
            the order alone is known.
    """

    order: int
    percent: int | None = None


HeatRows = tuple[tuple[HeatValue | None, ...], ...]
"""Rows and columns are the same cells; None on the diagonal, and where nothing is known of a pair."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Cells of a study compared with each other, as it publishes them and from own figures.

    Attributes:
        title: Of the comparison, in the user's language.
        head: Of what its rows are, in the user's language.
        names: Names of the cells, which are rows and columns alike.
        published: Published differences.
        own: Own differences of the same cells.
        missing: Numbers of the cells without an own figure, from 0.
        agreement: Agreement of the order of own figures with the published one; cells by their numbers.
        failed: Those of the missing cells that were measured in vain.
        is_speed: Whether the better one is the faster one.
        notes: Sentences on its figures, in the user's language.
    """

    title: str
    head: str
    names: tuple[str, ...]
    published: HeatRows
    own: HeatRows
    missing: tuple[int, ...]
    agreement: Agreement[int]
    failed: tuple[int, ...] = ()
    is_speed: bool = True
    notes: tuple[str, ...] = ()

    @property
    def has_own(self) -> bool:
        """Whether there are own figures."""
        return len(self.missing) < len(self.names)

    def is_reversed(self, row: int, column: int) -> bool:
        """Whether two cells come out in the other order than in the study."""
        against = self.agreement.against
        return (row, column) in against or (column, row) in against


def difference(row: float, column: float, *, is_more_better: bool = False) -> HeatValue:
    """Return by how much a column is better than its row.

    Source: Guilloteau et al. 2021, Fig. 3 to 6, which print (row - column) / row; mirrored where more is better.
    """
    gain = column - row if is_more_better else row - column
    order = (gain > 0) - (gain < 0)
    return HeatValue(order, round(100.0 * gain / row) if row > 0 else None)


def differences(values: Sequence[float | None], *, is_more_better: bool = False) -> HeatRows:
    """Return the differences of figures; those of one that is not known are None."""
    return tuple(
        tuple(
            None
            if nth == other or row is None or column is None
            else difference(row, column, is_more_better=is_more_better)
            for other, column in enumerate(values)
        )
        for nth, row in enumerate(values)
    )


def places_apart(places: Sequence[float]) -> HeatRows:
    """Return the order of places, 1 the best, without percent."""
    return tuple(
        tuple(
            None if nth == other else HeatValue((row > column) - (row < column)) for other, column in enumerate(places)
        )
        for nth, row in enumerate(places)
    )


def missing_of(values: Sequence[float | None]) -> tuple[int, ...]:
    """Return the numbers of the values that are not known."""
    return tuple(nth for nth, one in enumerate(values) if one is None)


def agreed(own: Sequence[float | None], published: Sequence[float | None], *, sign: float = 1.0) -> Agreement[int]:
    """Compare the order of own figures with the published one, by the numbers of the cells.

    Args:
        own: Own figures; None where one is not known.
        published: Published figures in the same unit, or places.
        sign: -1 where places are compared with figures of which more is better.
    """
    return agreement({nth: sign * one for nth, one in _known(own).items()}, _known(published))


def _known(values: Sequence[float | None]) -> Mapping[int, float]:
    return {nth: one for nth, one in enumerate(values) if one is not None}
