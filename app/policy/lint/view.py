"""Settings of a file, quickly found by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from app.domain.adapters import Setting
from app.policy.lint.rules import Name


class SettingsView:
    """Settings by the last part of their name, and by section.

    Args:
        settings: All settings of a file, in order.
    """

    def __init__(self, settings: tuple[Setting, ...]) -> None:
        self.all = settings
        self._by_last: dict[str, list[Setting]] = defaultdict(list)
        for setting in settings:
            name = setting.name.lower()
            self._by_last[name if name.startswith("[") else name.rpartition(".")[2]].append(setting)

    def matching(self, name: Name) -> Iterator[Setting]:
        """Yield the settings that a name stands for."""
        candidates = self.all if name.last == "*" else self._by_last.get(name.last, ())
        for setting in candidates:
            if name.pattern.fullmatch(setting.name.lower()) and (
                name.value is None or name.value.fullmatch(setting.value)
            ):
                yield setting

    def has(self, name: Name) -> bool:
        """Whether there is such a setting."""
        return next(self.matching(name), None) is not None

    def sections(self, section: str) -> Iterator[tuple[Setting, SettingsView]]:
        """Yield each section of a name with its settings.

        Args:
            section: `[Peer]`, or a dotted name in which `*` stands for one part, for example `connections.*`.
        """
        if section.startswith("["):
            yield from self._bracketed(section.lower())
        else:
            yield from self._dotted(section.lower().split("."))

    def _bracketed(self, section: str) -> Iterator[tuple[Setting, SettingsView]]:
        head: Setting | None = None
        inside: list[Setting] = []
        for setting in self.all:
            if setting.name.startswith("["):
                if head is not None:
                    yield head, SettingsView(tuple(inside))
                is_wanted = section == "[*]" or setting.name.lower() == section
                head, inside = (setting if is_wanted else None), []
            else:
                inside.append(setting)
        if head is not None:
            yield head, SettingsView(tuple(inside))

    def _dotted(self, parts: list[str]) -> Iterator[tuple[Setting, SettingsView]]:
        groups: dict[tuple[str, ...], list[Setting]] = defaultdict(list)
        for setting in self.all:
            names = setting.name.split(".")
            head = tuple(names[: len(parts)])
            if len(head) == len(parts) and all(
                part in ("*", name.lower()) for part, name in zip(parts, head, strict=True)
            ):
                groups[head].append(setting)
        for head, settings in groups.items():
            yield Setting(settings[0].line, ".".join(head), ""), SettingsView(tuple(settings))
