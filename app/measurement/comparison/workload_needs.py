"""Needs of workloads on hosts, checked by what was found there, before anything is set up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from app.domain.errors import InvalidPlan, PackageMissing
from app.domain.hosts import HostFacts, PairSpec, Side, Tool, ToolFlavour
from app.domain.messages import Message
from app.domain.messages.lists import joined
from app.domain.packages import package_for
from app.measurement.messages import (
    WORKLOAD_NEEDS_FULL,
    WORKLOAD_NEEDS_NEWER,
    WORKLOAD_NEEDS_PROGRAM,
    WORKLOADS_LACK,
    WORKLOADS_NEED_LAB,
)
from app.probes.workloads import WORKLOADS, Workload


def needed_programs() -> tuple[str, ...]:
    """Return every program that a workload needs, which hosts are asked about."""
    sides = (names for one in WORKLOADS.values() for names in one.needs.values())
    return tuple(dict.fromkeys(name for names in sides for name in names))


def refuse_lacking(pair: PairSpec, facts: Mapping[str, HostFacts], workloads: Sequence[str]) -> None:
    """Refuse workloads whose programs a host lacks, all of them in one message.

    Args:
        facts: About both hosts, by `a` and `b`; a program that a host was not asked about is taken to be there.
        workloads: Names of those that are wanted.

    Raises:
        InvalidPlan: One needs a practice lab, and the pair is none.
        PackageMissing: A host lacks a program, or has one that does not do.
    """
    lacks: list[Message] = []
    packages: list[str] = []
    wanted = [WORKLOADS[name] for name in workloads if name in WORKLOADS]
    on_hubs = [one for one in wanted if one.hub_clients]
    if on_hubs and not pair.is_lab:
        raise InvalidPlan(WORKLOADS_NEED_LAB(pair=pair.name, workloads=_titles(on_hubs)))
    for side in Side:
        found, label = facts[side.value], pair.host(side).label
        for program, those in _by_program(wanted, side).items():
            tool = found.tools.get(program)
            for lack in _lacks(tool, those, label) if tool is not None else ():
                lacks.append(lack)
                packages.append(package_for(program, found.package_manager) or program)
    if lacks:
        raise PackageMissing(WORKLOADS_LACK(lacks=joined(lacks), packages=tuple(dict.fromkeys(packages))))


def _by_program(wanted: Sequence[Workload], side: Side) -> dict[str, list[Workload]]:
    programs = dict.fromkeys(name for one in wanted for name in one.needs.get(side, ()))
    return {name: [one for one in wanted if name in one.needs.get(side, ())] for name in programs}


def _lacks(tool: Tool, those: Sequence[Workload], host: str) -> Iterator[Message]:
    """Yield why a program does not do for those workloads that need it."""
    if tool.flavour is ToolFlavour.MISSING:
        yield WORKLOAD_NEEDS_PROGRAM(host=host, program=tool.name, workloads=_titles(those))
        return
    if tool.flavour is ToolFlavour.BUSYBOX:
        full = [one for one in those if tool.name in one.beyond_busybox]
        if full:
            yield WORKLOAD_NEEDS_FULL(host=host, program=tool.name, workloads=_titles(full))
        return
    for one in those:
        least = one.least_versions.get(tool.name, "")
        if least and tool.version and _numbers(tool.version) < _numbers(least):
            yield WORKLOAD_NEEDS_NEWER(
                host=host, program=tool.name, version=tool.version, least=least, workloads=_titles([one])
            )


def _titles(those: Sequence[Workload]) -> tuple[str, ...]:
    return tuple(one.title for one in those)


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with: `3.10.1+` is later than `3.7`."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(number) for number in found[0].split(".")) if found else ()
