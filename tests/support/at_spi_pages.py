"""Each page of the window over AT-SPI, after a comparison. Prints as JSON what lacks a name or a role, and the tabs.

Called by Debian's own Python.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from at_spi_comparison import STEPS
from at_spi_tree import Desk, states

AREAS = ("Start", "History", "Cipher census", "Check a file", "Studies", "Deployment")

_NO_CHILD = 500_000


def inspect_surroundings() -> dict[str, Any]:
    """Return the nameless controls of each page and the page tabs and steps, each with its states."""
    desk = Desk()
    nameless: dict[str, list[str]] = {}

    def inspect(page: str) -> None:
        desk.until("a quiet page", lambda: is_quiet(desk))
        nameless[page] = desk.nameless()
        for node in desk.walk():
            node.get_child_at_index(_NO_CHILD)  # as of a scroll bar that has just gone: the program must outlive it

    for area in AREAS:
        desk.choose("page tab", area)
        inspect(area)
    desk.press("page tab", "Deployed tunnels")
    desk.find("page tab", "Deployed tunnels", lambda node: "selected" in states(node))
    inspect("Deployed tunnels")
    desk.choose("page tab", "Studies")
    for tab in ("Times", "Heat maps", "Agreement"):
        desk.choose("page tab", tab)
        inspect(f"Studies, {tab}")
    desk.press("page tab", "Comparison")
    for step in STEPS:
        desk.choose("list item", step)
        inspect(step)
    for tab in (
        "Latency",
        "Ratios",
        "Distribution",
        "Throughput",
        "Frontier",
        "CPU",
        "Packet tests",
        "Rationale",
        "Hosts",
        "Warnings",
        "Configuration",
    ):
        desk.choose("page tab", tab)
        inspect(f"{STEPS[-1]}, {tab}")
    nodes = [node for node in desk.walk() if node.get_role_name() in ("page tab", "list item", "heading")]
    return {
        "nameless": nameless,
        "roles": [(node.get_role_name(), node.get_name(), "selected" in states(node)) for node in nodes],
    }


def is_quiet(desk: Desk) -> bool:
    """Whether nothing is being worked on."""
    return not any(node.get_name() == "Working" for node in desk.walk())


if __name__ == "__main__":
    json.dump(inspect_surroundings(), sys.stdout)
