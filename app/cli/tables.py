"""Tables for the terminal: identifiers are never cut, prose wraps, and what matters least is left out by width."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from app.domain.plain_text import plain_text
from app.wording.language import tr

_RULE = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
"""A line below the headings and nothing else."""

WIDTH_WITHOUT_TERMINAL = 10_000
"""So that no line is broken in a pipe or a file, and no column is left out."""

_GAP = 2
_PROSE_MIN, _WORD_MAX = 24, 36
_PROSE_MAX = 100
"""Most columns that one of prose gets; and, in a pipe or a file, those of the line below short headings."""


class Kind(Enum):
    """Kind of a column's cells, which decides their fate where there is little room."""

    IDENTIFIER = "identifier"
    """A name, an id, an address, a suite, a state: on one line, whole."""
    FIGURE = "figure"
    """A number: on one line, whole, aligned to the right."""
    PROSE = "prose"
    """Prose, wrapped to the column's width."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        heading: One line, or several.
        kind: What its cells hold.
        rank: 0 is always shown; of the others the highest is left out first.
    """

    heading: str
    kind: Kind = Kind.IDENTIFIER
    rank: int = 0

    @property
    def name(self) -> str:
        """The heading on one line."""
        return " ".join(self.heading.split())


@dataclass
class Table:
    """Rows of text under headings.

    Args:
        columns: From left to right.
        title: Above it; may be empty.
        more: Where everything can be seen, for the note on columns that were left out, such as `--json`.
    """

    columns: Sequence[Column]
    title: str = ""
    more: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add_row(self, *cells: object) -> None:
        """Add a row with a cell for each column."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(tuple(plain_text(str(cell)) for cell in cells))

    def print(self, out: Console) -> None:
        """Print it as wide as the console allows, or as a list of rows where even the narrowest table is wider."""
        if self.title:
            out.print(self.title, style="bold", soft_wrap=True)
        shown = self._shown(out.width)
        if not shown:
            self._print_list(out)
            return
        self._print_table(out, shown)
        hidden = [number for number in range(len(self.columns)) if number not in shown and self._is_used(number)]
        left_out = dict.fromkeys(self._full_name(number, shown) for number in hidden)
        if left_out:
            how = tr("; {more} has them").format(more=self.more) if self.more else ""
            text = tr("Left out at this width: {names}{how}.").format(names=", ".join(left_out), how=how)
            out.print(text, style="dim")

    def _print_table(self, out: Console, shown: Sequence[int]) -> None:
        """Print the columns; in a pipe or a file each row on one line, whatever is long in it."""
        if out.width < WIDTH_WITHOUT_TERMINAL:
            out.print(self._laid_out(shown, out.width))
            return
        widths = self._widths(shown, out.width)
        high = max(self.columns[number].heading.count("\n") for number in shown)
        above = {number: "\n" * (high - self.columns[number].heading.count("\n")) for number in shown}
        heads = self._lines({number: above[number] + self.columns[number].heading for number in shown}, widths)
        whole = sum(widths.values()) + _GAP * (len(shown) - 1)
        rule = min(whole, max(_PROSE_MAX, *map(cell_len, heads)))
        for line in heads:
            out.print(line, style="bold", soft_wrap=True)
        out.print("─" * rule, soft_wrap=True)
        for row in self.rows:
            for line in self._lines({number: row[number] for number in shown}, widths):
                out.print(line, soft_wrap=True)

    def _lines(self, cells: Mapping[int, str], widths: Mapping[int, int]) -> list[str]:
        """Return the lines of cells; one that is wider than its column moves those after it, on this line alone."""
        split = {number: cell.split("\n") for number, cell in cells.items()}
        made = []
        for nth in range(max(map(len, split.values()))):
            line = ""
            for place, (number, parts) in enumerate(split.items()):
                text = parts[nth] if nth < len(parts) else ""
                fill = " " * (widths[number] - cell_len(text))
                is_figure = self.columns[number].kind is Kind.FIGURE
                line += " " * (_GAP if place else 0) + (fill + text if is_figure else text + fill)
            made.append(line.rstrip())
        return made

    def _full_name(self, number: int, shown: Sequence[int]) -> str:
        """Return a column's name; with the one before it where a shown column has the same name."""
        name = self.columns[number].name
        is_double = number > 0 and any(self.columns[other].name == name for other in shown)
        return f"{self.columns[number - 1].name} {name}" if is_double else name

    def _shown(self, width: int) -> list[int]:
        """Return the columns that fit; none where not even those of rank 0 do."""
        shown = [number for number in range(len(self.columns)) if self._is_used(number)]
        while sum(self._least(number) for number in shown) + _GAP * (len(shown) - 1) > width:
            least = max(self.columns[number].rank for number in shown)
            if not least:
                return []
            shown = [number for number in shown if self.columns[number].rank < least]
        return shown

    def _is_used(self, number: int) -> bool:
        """Whether a column says anything; those of rank 0 always do."""
        return not self.columns[number].rank or not self.rows or any(row[number].strip(" -") for row in self.rows)

    def _least(self, number: int) -> int:
        """Return the width below which a column cannot be shown."""
        texts = [self.columns[number].heading, *(row[number] for row in self.rows)]
        natural = max(cell_len(line) for text in texts for line in text.split("\n"))
        if self.columns[number].kind is not Kind.PROSE:
            return natural
        word = max((cell_len(word) for text in texts for word in text.split()), default=0)
        return min(natural, max(_PROSE_MIN, min(word, _WORD_MAX)))

    def _laid_out(self, shown: Sequence[int], width: int) -> RichTable:
        table = RichTable(box=_RULE, padding=(0, _GAP - 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
        widths = self._widths(shown, width)
        high = max(self.columns[number].heading.count("\n") for number in shown)
        for number in shown:
            column = self.columns[number]
            above = "\n" * (high - column.heading.count("\n"))
            is_figure = column.kind is Kind.FIGURE
            table.add_column(
                Text(above + column.heading, justify="right" if is_figure else "left"),
                width=widths[number],
                no_wrap=column.kind is not Kind.PROSE,
                justify="right" if is_figure else "left",
                overflow="fold",
            )
        for row in self.rows:
            table.add_row(*(Text(row[number]) for number in shown))
        return table

    def _widths(self, shown: Sequence[int], width: int) -> dict[int, int]:
        """Return a width for each column: what is left over goes to prose, the shortest of it first."""
        widths = {number: self._least(number) for number in shown}
        left = width - sum(widths.values()) - _GAP * (len(shown) - 1)
        wanted = {number: min(_PROSE_MAX, self._natural(number)) - widths[number] for number in shown}
        prose = sorted((number for number in shown if self.columns[number].kind is Kind.PROSE), key=wanted.__getitem__)
        for place, number in enumerate(prose):
            more = max(0, min(wanted[number], left // (len(prose) - place)))
            widths[number] += more
            left -= more
        return widths

    def _natural(self, number: int) -> int:
        return max(
            cell_len(line)
            for text in (self.columns[number].heading, *(row[number] for row in self.rows))
            for line in text.split("\n")
        )

    def _print_list(self, out: Console) -> None:
        """Print each row as lines of heading and cell; the terminal wraps what is longer than itself."""
        wide = max(len(column.name) for column in self.columns) + 2
        for number, row in enumerate(self.rows):
            if number:
                out.print()
            for column, cell in zip(self.columns, row, strict=True):
                if not cell.strip(" -"):
                    continue
                head, indent = f"{column.name}:".ljust(wide), " " * wide
                room = max(out.width, wide + _PROSE_MIN)
                lines = (
                    textwrap.wrap(
                        cell,
                        room,
                        initial_indent=head,
                        subsequent_indent=indent,
                        break_long_words=False,
                        break_on_hyphens=False,
                    )
                    if column.kind is Kind.PROSE
                    else [head + cell]
                )
                for line in lines:
                    out.print(line, soft_wrap=True)
