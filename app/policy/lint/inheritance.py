"""Settings that a section of a file takes over from others: defaults, templates, included sections."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.adapters import Setting
from app.domain.linting import INHERITS

MAX_INHERITED = 50_000
"""So many settings are taken over in one file; one made by people has some hundreds."""

_MAX_ANCESTORS = 16
_PART = re.compile(r'"[^"\n]*"|[^.]+')


@dataclass(frozen=True, slots=True)
class Expanded:
    """All settings of a file as they are in force.

    Attributes:
        settings: Those that are written, and those that sections take over, under the names they have there.
        origins: Where a setting that was taken over is written.
    """

    settings: tuple[Setting, ...]
    origins: Mapping[Setting, Setting]


def parts_of(name: str) -> list[str]:
    """Return the parts of a setting's name; a section's name with dots in it is quoted."""
    return _PART.findall(name) if '"' in name else name.split(".")


def expand(settings: tuple[Setting, ...]) -> Expanded:
    """Return the settings of a file with those that sections take over from others.

    What a section has itself counts before what it takes over. Source: strongswan.conf(5), "REFERENCING OTHER
    SECTIONS"; ipsec.conf(5), `also` and `%default`; vtund.conf(5), `default`.
    """
    parents = _parents(settings)
    if not parents:
        return Expanded(settings, {})
    content = _content(settings, {target for targets in parents.values() for target in targets})
    names = {setting.name.lower() for setting in settings}
    origins: dict[Setting, Setting] = {}
    waiting = deque(parents)
    while waiting and len(origins) < MAX_INHERITED:
        head = waiting.popleft()
        for target in _ancestors(head, parents):
            taken = _renamed(content.get(target, ()), target, head)
            fresh = {new: old for new, old in taken.items() if new.name.lower() not in names}
            for new, old in fresh.items():
                section, _, last = new.name.rpartition(".")
                if last == INHERITS and section != head and section not in parents:
                    parents[section] = _targets(old)
                    waiting.append(section)
            origins |= fresh
            names |= {new.name.lower() for new in fresh}
    return Expanded((*settings, *origins), origins)


def _renamed(settings: Iterable[Setting], section: str, head: str) -> dict[Setting, Setting]:
    """Return the settings of a section as those of another one, each with the setting that it comes from."""
    return {Setting(one.line, f"{head}{one.name[len(section) :]}", one.value): one for one in settings}


def _parents(settings: Iterable[Setting]) -> dict[str, tuple[str, ...]]:
    """Return the sections that each section takes over from, the nearest first."""
    found: dict[str, tuple[str, ...]] = {}
    for setting in settings:
        section, _, last = setting.name.rpartition(".")
        if last == INHERITS and section:
            targets = (*_targets(setting), *found.get(section, ()))
            found[section] = tuple(dict.fromkeys(targets))[:_MAX_ANCESTORS]
    return found


def _targets(setting: Setting) -> tuple[str, ...]:
    return tuple(name for name in setting.value.split(",")[:_MAX_ANCESTORS] if name)


def _content(settings: Iterable[Setting], targets: Collection[str]) -> Mapping[str, Sequence[Setting]]:
    found: dict[str, list[Setting]] = defaultdict(list)
    for setting in settings:
        section = ""
        for part in parts_of(setting.name)[:-1]:
            section = f"{section}.{part}" if section else part
            if section in targets:
                found[section].append(setting)
    return found


def _ancestors(head: str, parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the sections that a section takes over from, directly or by others, the nearest first."""
    found: dict[str, None] = {}
    stack = list(reversed(parents.get(head, ())))
    while stack and len(found) < _MAX_ANCESTORS:
        section = stack.pop()
        if section != head and section not in found:
            found[section] = None
            stack += reversed(parents.get(section, ()))
    return list(found)
