"""Order of one comparison against that of another one of the same candidates."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from app.domain.ranking import RankedCandidate, Ranking

_Pair = tuple[tuple[str, str], tuple[str, str]]


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """Pairs that the reference distinguishes and both measured; the faster one of the reference is named first.

    Attributes:
        same: Pairs that have the same order in the other comparison.
        distinguished: Those of them that it distinguishes as well.
        opposite: Titles of the pairs that have the opposite order in it.
        contradicted: Those of them that it distinguishes.
    """

    same: int
    distinguished: int
    opposite: tuple[tuple[str, str], ...] = ()
    contradicted: tuple[tuple[str, str], ...] = ()

    @property
    def pairs(self) -> int:
        """Pairs in all."""
        return self.same + len(self.opposite)


def order_agreement(checked: Ranking, reference: Ranking) -> OrderAgreement:
    """Compare the order of a comparison with that of a reference, wherever the reference distinguishes two."""
    titles = {(one.solution, one.suite): one.title for one in (*checked.results, *reference.results)}
    places = {_key(one): nth for nth, one in enumerate(checked.ranking) if one.rank is not None}
    wanted = [(fast, slow) for fast, slow in _decided(reference, titles) if fast in places and slow in places]
    decided = _decided(checked, titles)
    same = [pair for pair in wanted if places[pair[0]] < places[pair[1]]]
    opposite = [pair for pair in wanted if pair not in same]
    return OrderAgreement(
        len(same),
        sum(pair in decided for pair in same),
        tuple((titles[fast], titles[slow]) for fast, slow in opposite),
        tuple((titles[fast], titles[slow]) for fast, slow in opposite if (slow, fast) in decided),
    )


def _key(one: RankedCandidate) -> tuple[str, str]:
    return one.solution, one.suite


def _decided(ranking: Ranking, titles: dict[tuple[str, str], str]) -> list[_Pair]:
    """Return the pairs that differ beyond chance, the faster one first."""
    places = [one for one in ranking.ranking if one.rank is not None]
    return [
        (_key(one), _key(other)) for one, other in combinations(places, 2) if titles[_key(other)] not in one.tied_with
    ]
