"""Report at the end: the tables, how long it took at most, and everything that went wrong."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from faults.cells import CLEANED, EXCEPTION, HEALTHY_S, CellPlan
from faults.progress import Progress


def report_all(
    cells: Sequence[CellPlan],
    random_ones: Sequence[CellPlan],
    progress: Progress,
    out: Console,
    boots: Sequence[CellPlan] = (),
) -> bool:
    """Print it.

    Args:
        cells: Of the matrix.
        random_ones: Interruptions at random moments.
        progress: What was tried.
        out: Where it is printed.
        boots: Hosts that restart with damaged files.

    Returns:
        Whether all were tried, and nothing ever went wrong with this code.
    """
    missing = 0
    if cells:
        out.print(table_of(cells, progress))
        missing += _summary(cells, progress, "Matrix", out)
    if random_ones:
        missing += _summary(random_ones, progress, "Killed at random moments", out)
    if boots:
        out.print(
            table_of(boots, progress, "What a host did that restarted with damaged files, and seconds until that")
        )
        missing += _summary(boots, progress, "Damaged files", out)
    return report_exceptions(progress, out) == missing == 0


def table_of(
    plans: Sequence[CellPlan],
    progress: Progress,
    title: str = "What became of the hosts, and seconds until they had settled",
) -> Table:
    """Return the matrix as a table; what was only as before but for what the next contact removed is in a footnote."""
    columns = tuple(dict.fromkeys(plan.column for plan in plans))
    table = Table("fault", *columns, title=title)
    notes = []
    for fault in dict.fromkeys(plan.fault for plan in plans):
        cells = []
        for column in columns:
            plan = next((one for one in plans if (one.fault, one.column) == (fault, column)), None)
            row = progress.results.get(plan.key) if plan else None
            if plan and row and row["outcome"] == CLEANED:
                notes.append(f"{fault}, {column}: {row['what']}")
                cells.append(f"as before* {row['settled_s']:.0f}")
                continue
            cells.append(f"{row['outcome']} {row['settled_s']:.0f}" if row else "" if plan is None else "not tried")
        table.add_row(fault, *cells)
    if notes:
        table.caption = Text("\n".join([f"* {CLEANED}: {len(notes)}", *notes]))
        table.caption_justify = "left"
    return table


def _summary(plans: Sequence[CellPlan], progress: Progress, title: str, out: Console) -> int:
    """Print how often each outcome was seen, and how long it took at most; return how many were not tried."""
    rows = [progress.results[plan.key] for plan in plans if plan.key in progress.results]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["outcome"]] = counts.get(row["outcome"], 0) + 1
    settled_s = max((row["settled_s"] for row in rows), default=0.0)
    reported = "; ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or "nothing"
    text = f"{title}: {len(rows)} of {len(plans)} tried: {reported}. Settled after {settled_s:.0f} s at most."
    healthy = [row["healthy_s"] for row in rows if row["healthy_s"] is not None]
    if healthy:
        text += f" What stood was healthy after {max(healthy):.0f} s at most ({HEALTHY_S:.0f} s are allowed)."
    forged, replayed = (sum(row.get(name, 0) for row in rows) for name in ("forged", "replayed"))
    if forged:
        text += f" An attacker sent {forged} forged and {replayed} replayed packets; one that got in is an exception."
    out.print(text, markup=False, soft_wrap=True)
    return len(plans) - len(rows)


def report_exceptions(progress: Progress, out: Console) -> int:
    """Print everything that ever went wrong with this code, also what went well at another try; return how many."""
    found = progress.exceptions
    if not found:
        out.print("0 exceptions.")
        return 0
    again = {row["key"] for row in found if progress.is_well(row["key"])}
    out.print(f"Exceptions: {len(found)}; well at a second try: {len(again)}. FRESH=1 forgets them and begins anew.")
    for row in found:
        later = " (well at a second try)" if row["key"] in again else ""
        out.print(f"    {EXCEPTION} {row['key']}{later}: {row['what'][:500]}", markup=False, soft_wrap=True)
    return len(found)
