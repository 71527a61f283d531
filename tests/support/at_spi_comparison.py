"""A comparison from the first page to the report by AT-SPI actions alone. Prints what it found as JSON.

Called by Debian's own Python with the path of the report.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from at_spi_tree import Atspi, Desk, act, states

STEPS = ("Step 1, Hosts", "Step 2, Link", "Step 3, Choice", "Step 4, Plan", "Step 5, Run", "Step 6, Results")
PLOTS = {
    "Latency": "RTT by frame size",
    "Ratios": "Latency over that of the fastest",
    "Distribution": "Cumulative distribution",
    "Throughput": "TCP throughput",
    "Frontier": "Throughput vs. latency",
    "CPU": "CPU during throughput",
}


def compare(report: str) -> dict[str, Any]:
    """Return what was seen and heard on the way."""
    desk = Desk()
    desk.press("push button", "Use the practice lab")
    steps = []
    for step in STEPS:
        entry = desk.find("list item", step, lambda node: "selected" in states(node))
        steps.append(entry.get_name())
        if step != STEPS[-1]:
            act(desk.until("Next", lambda: next_button(desk)), "Press")
    sentence = desk.find("label", "No clear winner: ").get_name()
    tables = {}
    for tab, plot in PLOTS.items():
        desk.choose("page tab", tab)
        chart = desk.find("chart", plot)
        desk.press("push button", f"Show as table: {plot}")
        table = desk.find("table", plot)
        tables[tab] = {"chart": chart.get_name(), "rows": rows(table)}
    write_report(desk, report)
    notice = desk.find("notification", "Report saved")
    desk.until("its being read", lambda: any("Report saved" in text for text in desk.heard))
    return {
        "steps": steps,
        "sentence": sentence,
        "tables": tables,
        "notice": notice.get_description(),
        "heard": desk.heard,
    }


def next_button(desk: Desk) -> Any:
    """Return the last button of the window, if it can be pressed: Next, whatever a page calls it."""
    buttons = [node for node in desk.walk() if node.get_role_name() == "push button"]
    return buttons[-1] if buttons and {"enabled", "sensitive"} <= states(buttons[-1]) else None


def rows(table: Any) -> list[list[str]]:
    """Return a table's cells."""
    height, width = Atspi.Table.get_n_rows(table), Atspi.Table.get_n_columns(table)
    return [
        [Atspi.Table.get_accessible_at(table, row, column).get_name() for column in range(width)]
        for row in range(height)
    ]


def write_report(desk: Desk, report: str) -> None:
    """Open the menu of the reports, choose HTML, type where it is to be, and save."""
    Atspi.set_timeout(1000, 1000)  # the action that opens a menu may answer only when the menu is closed
    act(desk.find("push button", "Report"), "ShowMenu")
    desk.press("menu item", "Save as HTML")
    field = desk.find("text", "File name")
    Atspi.EditableText.set_text_contents(field, report)
    desk.press("push button", "Save")


if __name__ == "__main__":
    json.dump(compare(sys.argv[1]), sys.stdout)
