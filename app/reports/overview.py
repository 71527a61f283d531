"""Overview of 2004 as data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from app.domain.mesh import MeshEffort
from app.domain.verdicts import Finding
from app.policy.overview import OVERVIEW, PRINTED_SITES, TITLE, OverviewSystem


def overview_data(systems: Sequence[OverviewSystem], sites: int) -> dict[str, object]:
    """Return systems with verdicts, successors and migration notes, in English.

    Args:
        sites: Number of sites that tasks are counted for.
    """
    rows = [_system(one, sites) for one in systems]
    return {"format": 1, "study": OVERVIEW, "source": TITLE, "sites": sites, "systems": rows}


def _system(system: OverviewSystem, sites: int) -> dict[str, object]:
    published, leaving = asdict(system.published), asdict(system.leaving)
    for name in ("effort", "printed_total", "printed_n10"):
        del published[name]
    for name in ("judged", "today"):
        del leaving[name]
    return {
        "id": leaving.pop("id"),
        "name": leaving.pop("name"),
        "published": {name: value for name, value in published.items() if name != "name"},
        "tasks": _tasks(system, sites),
        "verdict_then": _finding(system.then),
        "verdict_today": None if system.now is None else _finding(system.now),
        **leaving,
    }


def _tasks(system: OverviewSystem, sites: int) -> dict[str, object]:
    effort = system.published.effort
    return {
        **_parts(effort, sites),
        "total": effort.total(sites),
        "printed_total": system.published.printed_total,
        "printed_sites": PRINTED_SITES,
        "printed_number": system.published.printed_n10,
        "printed_number_follows": system.published.has_consistent_total,
    }


def _parts(effort: MeshEffort, sites: int) -> dict[str, object]:
    parts = {"files": effort.files, "routes": effort.routes, "keys": effort.keys}
    return {name: {"formula": str(part), "number": part.count(sites)} for name, part in parts.items()}


def _finding(finding: Finding) -> dict[str, str]:
    return {
        "algorithm": finding.subject,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "source": finding.source,
    }
