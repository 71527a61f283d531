"""Settings of a file, quickly found by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.domain.adapters import Setting
from app.policy.lint.inheritance import MAX_INHERITED, parts_of
from app.policy.lint.rules import Name

_NO_SECTIONS = frozenset({"%default", "default", "options"})
"""Sections of defaults, and those about the program as a whole. Source: ipsec.conf(5), vtund.conf(5)."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a file: a service, a session, a connection, a child.

    Attributes:
        head: Where it begins and what it is called.
        inside: Its settings, those included that it takes over.
        around: Those of the section that it lies in; of the file where it lies in none.
    """

    head: Setting
    inside: SettingsView
    around: SettingsView


class SettingsView:
    """Settings by the last part of their name, and by section.

    Args:
        settings: All settings of a file, in order.
        origins: Where settings are written that a section takes over from another one.
    """

    def __init__(self, settings: tuple[Setting, ...], origins: Mapping[Setting, Setting] | None = None) -> None:
        self.all = settings
        self._origins = origins or {}
        self._found: dict[str, list[Setting]] | None = None

    @property
    def _by_last(self) -> dict[str, list[Setting]]:
        """Settings by the last part of their name; made when it is first needed, which in many sections is never."""
        if self._found is None:
            self._found = defaultdict(list)
            for setting in self.all:
                name = setting.name.lower()
                self._found[name if name.startswith("[") else name.rpartition(".")[2]].append(setting)
        return self._found

    def matching(self, name: Name) -> Iterator[Setting]:
        """Yield the settings that a name stands for."""
        candidates = self.all if name.last == "*" else self._by_last.get(name.last, ())
        for setting in candidates:
            if name.pattern.fullmatch(setting.name.lower()) and (
                name.value is None or name.value.fullmatch(setting.value)
            ):
                yield setting

    def written(self, setting: Setting) -> Setting:
        """Return a setting as it is written in the file."""
        return self._origins.get(setting, setting)

    def has(self, name: Name) -> bool:
        """Whether there is such a setting."""
        return next(self.matching(name), None) is not None

    def sections(self, section: str) -> Iterator[Section]:
        """Yield each section of a name.

        Args:
            section: `[Peer]`, `[*]`, or a dotted name in which `*` stands for one part, for example `connections.*`.
        """
        if section.startswith("["):
            yield from self._bracketed(section.lower())
        else:
            yield from self._dotted(section.lower().split("."))

    def _bracketed(self, section: str) -> Iterator[Section]:
        first = next((index for index, one in enumerate(self.all) if one.name.startswith("[")), len(self.all))
        count = sum(one.name.startswith("[") for one in self.all)
        before = self.all[: min(first, MAX_INHERITED // max(count, 1))] if section == "[*]" else ()
        if section == "[*]" and first == len(self.all):
            yield Section(Setting(0, section, ""), self, self)
            return
        head: Setting | None = None
        inside: list[Setting] = []
        for setting in (*self.all[first:], Setting(0, "[", "")):
            if not setting.name.startswith("["):
                inside.append(setting)
                continue
            if head is not None:
                own = {one.name.lower() for one in inside}
                taken_over = [one for one in before if one.name.lower() not in own]
                yield Section(head, SettingsView((*inside, *taken_over), self._origins), self)
            is_wanted = section == "[*]" or setting.name.lower() == section
            head, inside = (setting if is_wanted else None), []

    def _dotted(self, parts: list[str]) -> Iterator[Section]:
        outer = len(parts) - 1 - parts[-2::-1].index("*") if "*" in parts[:-1] else 0
        fixed = [(place, part) for place, part in enumerate(parts) if part != "*"]
        groups: dict[tuple[str, ...], list[Setting]] = defaultdict(list)
        around: dict[tuple[str, ...], list[Setting]] = defaultdict(list)
        start = "" if parts[0] == "*" else f"{parts[0]}."
        for setting in self.all:
            if not setting.name.lower().startswith(start):
                continue
            names = parts_of(setting.name)
            head = tuple(names[: len(parts)])
            if len(head) == len(parts) and all(head[place].lower() == part for place, part in fixed):
                groups[head].append(setting)
            if outer:
                around[tuple(names[:outer])].append(setting)
        views = {head: SettingsView(tuple(settings), self._origins) for head, settings in around.items()}
        for head, settings in groups.items():
            if head[-1] not in _NO_SECTIONS:
                inside = SettingsView(tuple(settings), self._origins)
                yield Section(Setting(settings[0].line, ".".join(head), ""), inside, views.get(head[:outer], self))
