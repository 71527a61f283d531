"""Kinds of practice labs: the platforms, the CPU and the logins that a stored comparison was measured with."""

from __future__ import annotations

import os
from dataclasses import replace

from app.domain.errors import InvalidOption
from app.domain.hosts import HostFacts, Side
from app.domain.results import CampaignRecord
from app.lab import PLATFORMS, CpuKind, Lab, LabSpec, LabStatus, check_lab_name, platforms_text
from app.lab.running import HARDENED_USER

DEFAULT_PLATFORM = "debian-13"
OWN = "own-"
"""Beginning of the names of labs that end with the process that started them."""


def kind_of(record: CampaignRecord) -> LabSpec:
    """Return the kind of lab that a comparison was measured in; its name is empty.

    The gateways' own facts say it, because the lab's description is deleted with the lab.
    """
    facts = {side: record.facts.get(side.value) for side in Side}
    has_aes = all(one is None or "aes" in one.cpu_flags for one in facts.values())
    return LabSpec(
        "",
        _platform_of(facts[Side.A]),
        _platform_of(facts[Side.B]),
        CpuKind.AES if has_aes else CpuKind.NO_AES,
        is_hardened=record.plan.pair.a.user == HARDENED_USER,
    )


def is_usable(lab: Lab) -> bool:
    """Whether this process may use a running lab: another command's own lab ends with that command."""
    return lab.owner_pid in (None, os.getpid())


def is_of_kind(lab: Lab, kind: LabSpec) -> bool:
    """Whether this process may use a running lab, and it is of that kind."""
    return is_usable(lab) and replace(lab.spec, name=kind.name) == kind


def is_plain(kind: LabSpec) -> bool:
    """Whether a lab of this kind can be asked for by its platforms alone."""
    return kind.cpu is CpuKind.AES and not kind.is_hardened and not kind.has_nodes


def stored_name(kind: LabSpec, lab: Lab) -> str:
    """Return the name under which comparisons in a lab are stored: that of its platforms where they say everything."""
    if is_plain(kind) and lab.spec.name.startswith(OWN):
        return f"lab:{platforms_text(kind.platform_a, kind.platform_b)}"
    return lab.pair.name


def pair_name(status: LabStatus) -> str:
    """Return the name by which commands take a running lab: by its platforms, where a process started it for itself."""
    if status.name.startswith(OWN) and status.cpu is CpuKind.AES:
        return f"lab:{platforms_text(*status.platforms)}"
    return f"lab:{status.name}"


def free_name(pair_name: str, fallback: str) -> str:
    """Return the name for a new lab in place of one that is gone: its own where that is no platform's."""
    name = pair_name.removeprefix("lab:")
    try:
        check_lab_name(name)
    except InvalidOption:
        return fallback
    return fallback if name.startswith(OWN) else name


def how_to_measure_again(record: CampaignRecord) -> str:
    """Return the commands that compare again in a new lab of the same kind."""
    kind = kind_of(record)
    platforms = platforms_text(kind.platform_a, kind.platform_b)
    if is_plain(kind):
        return f"tunnelmark compare lab:{platforms}"
    name = free_name(record.plan.pair.name, "again")
    options = f" --cpu {kind.cpu.value}" if kind.cpu is not CpuKind.AES else ""
    options += " --hardened" if kind.is_hardened else ""
    return f"tunnelmark lab up --name {name} --platform {platforms}{options} && tunnelmark compare lab:{name}"


def _platform_of(facts: HostFacts | None) -> str:
    if facts is None:
        return DEFAULT_PLATFORM
    named = (name for name, platform in PLATFORMS.items() if f"({platform.suite})" in facts.os_name)
    return next(named, DEFAULT_PLATFORM)
