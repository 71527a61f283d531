"""Choice of the census to resume."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.census import CensusPlan
from app.domain.hosts import HostFacts
from app.storage import Store


def find_unfinished(store: Store, plan: CensusPlan, facts: Mapping[str, HostFacts], version: str) -> int | None:
    """Return the newest unfinished census that would try the same with the same programs.

    Args:
        store: Where censuses are kept.
        plan: What is to be tried now.
        facts: What was found on the hosts now, by `a` and `b`.

    Returns:
        Its number; None where there is none.
    """
    for census_id in store.unfinished_censuses(plan.pair.name):
        record = store.load_census(census_id)
        if (
            (record.plan.items, record.plan.pings, record.plan.seconds) == (plan.items, plan.pings, plan.seconds)
            and record.tunnelmark_version == version
            and versions(record.facts, plan.solutions) == versions(facts, plan.solutions)
            and (record.pair.underlay_a, record.pair.underlay_b) == (plan.pair.underlay_a, plan.pair.underlay_b)
        ):
            return census_id
    return None


def versions(facts: Mapping[str, HostFacts], solutions: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return, by host, the versions of everything that decides which option works: the kernel and the programs."""
    return {
        side: (
            one.kernel,
            *(one.solutions[name].version if name in one.solutions else "" for name in solutions),
        )
        for side, one in facts.items()
    }
