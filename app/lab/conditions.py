"""Conditions of a lab's link: the one that lasts, and the one that a process holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.conditions import Condition, LinkDirection
from app.domain.errors import InvalidFile, LabFault
from app.domain.structured import structured
from app.lab.messages import LAB_CONDITION, SET_ANOTHER_CONDITION


@dataclass(frozen=True, slots=True)
class LabCondition:
    """Conditions of the link between a lab's gateways.

    Attributes:
        in_force: The condition that is emulated now; None where the gateways are joined directly.
        usual: The condition that lasts until another is set; None as above.
        holder_pid: The process until whose end `in_force` counts in place of `usual`; None without one.
        is_emulated: Whether the link emulator runs.
    """

    in_force: Condition | None = None
    usual: Condition | None = None
    holder_pid: int | None = None
    is_emulated: bool = False


@dataclass(frozen=True, slots=True)
class _Settings:
    """A condition as the link emulator is given it."""

    a_to_b: LinkDirection
    b_to_a: LinkDirection
    seed: int
    name: str
    title: str = ""
    source: str = ""


def settings_of(condition: Condition | None) -> Mapping[str, Any] | None:
    """Return a condition as the link emulator is given it, with its name."""
    if condition is None:
        return None
    named = {"name": condition.name, "title": condition.title, "source": condition.source}
    return {**condition.settings(), **named}


def lab_condition(report: Mapping[str, Any]) -> LabCondition:
    """Read what a lab's supervisor reports.

    Raises:
        LabFault: It is no such report.
    """
    return LabCondition(
        in_force=_condition(report.get("in_force")),
        usual=_condition(report.get("lasting")),
        holder_pid=report.get("holder"),
        is_emulated=bool(report.get("is_emulated")),
    )


def _condition(settings: object) -> Condition | None:
    if settings is None:
        return None
    try:
        found = structured(_Settings, settings, LAB_CONDITION())
    except InvalidFile as error:
        raise LabFault(error.message, hint=SET_ANOTHER_CONDITION()) from error
    return Condition(found.name, found.title or found.name, found.source, found.a_to_b, found.b_to_a, found.seed)
