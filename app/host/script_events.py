"""Parser of the host scripts' event lines, which begin with the run id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScriptEvent:
    """One event of a script.

    Attributes:
        words: For example `("step", "0003", "0")`; for a program's output `("text", NAME)`.
        text: That output.
    """

    words: tuple[str, ...]
    text: str = ""


ScriptEventSink = Callable[[tuple[str, ...]], None]
"""Gets the words of each event as it arrives."""


def parse_script_events(output: str, word: str) -> tuple[ScriptEvent, ...]:
    """Cut a script's output into its events.

    Args:
        word: Run id.

    Returns:
        Marks in order. Lines outside of `begin` and `host` that are not ours are left out.
    """
    events: list[ScriptEvent] = []
    name: str | None = None
    collected: list[str] = []
    for line in output.split("\n"):
        words = tuple(line.split(" ")[1:]) if line.startswith(f"{word} ") else ()
        if not words:
            collected.append(line)
        elif words[0] == "begin":
            name, collected = "".join(words[1:2]), []
        elif words[0] == "end":
            # The script ends a text with a line feed of its own, in case the program did not.
            events.append(ScriptEvent(("text", name or ""), "\n".join(collected)))
            name, collected = None, []
        else:
            events.append(ScriptEvent(words))
    return tuple(events)


def parse_sections(output: str, word: str) -> dict[str, str]:
    """Cut the output of an inspection into its sections.

    Args:
        word: Run id.

    Returns:
        Text per section.
    """
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in output.split("\n"):
        if not line.startswith(f"{word} "):
            current.append(line)
        elif line.startswith(f"{word} section "):
            current = sections.setdefault(line.rpartition(" ")[2], [])
        else:
            current = []
    return {name: "\n".join(lines).rstrip("\n") for name, lines in sections.items()}


def find(events: Sequence[ScriptEvent], *words: str) -> ScriptEvent | None:
    """Return the first mark that begins with these words."""
    return next((event for event in events if event.words[: len(words)] == words), None)


def text_after(events: Sequence[ScriptEvent], *words: str, name: str) -> str:
    """Return the first text of a name that comes after a mark."""
    start = next((index for index, event in enumerate(events) if event.words[: len(words)] == words), None)
    if start is None:
        return ""
    return next((event.text for event in events[start:] if event.words == ("text", name)), "")
