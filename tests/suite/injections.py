"""The table of docs/security.md that says what got into tunnels when packets were forged or replayed.

Tests of the injection test write what they counted to the file that TUNNELMARK_INJECTION_RESULTS names, one JSON object
per line (see `support.injection_results`); this makes a table of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PAGE = Path("docs") / "security.md"
PART = "injections"
WITH, WITHOUT, REFERENCE, REPLAY = "with", "without", "reference", "replay"
CASES = (WITH, WITHOUT, REFERENCE, REPLAY)
"""Trials: forged packets with the guard or the program's own protection, without the firewall table, at a
reference that nothing protects; packets sent again."""
_HEAD = (
    "solution",
    "host",
    "kinds of forged packets",
    "forged let in, table removed",
    "forged let in",
    "replayed let in",
)
_NOT_TRIED = "–"


@dataclass(frozen=True)
class Counted:
    """Counts of one test on one host.

    Attributes:
        solution: The VPN.
        host: The host's platform.
        case: One of `CASES`.
        kinds: How many kinds of packets there were.
        sent: How many packets.
        let_in: How many frames came out of the tunnel.
    """

    solution: str
    host: str
    case: str
    kinds: int
    sent: int
    let_in: int


def read_counted(path: Path) -> list[Counted]:
    """Read what tests have written.

    Raises:
        ValueError: A line is no such object.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            one = Counted(**json.loads(line))
        except (TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
        if one.case not in CASES:
            raise ValueError(f"{path}, line {number}: no such case: {one.case}")
        found.append(one)
    return found


def injections_table(counted: Iterable[Counted]) -> str:
    """Return the table as Markdown: one line for each solution and host, figures of several tests added.

    Raises:
        ValueError: There is nothing to show.
    """
    rows: dict[tuple[str, str], dict[str, list[Counted]]] = {}
    for one in counted:
        rows.setdefault((one.solution, one.host), {}).setdefault(one.case, []).append(one)
    if not rows:
        raise ValueError("no test has counted anything")
    lines = [f"| {' | '.join(_HEAD)} |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    for (solution, host), cases in sorted(rows.items()):
        is_reference = REFERENCE in cases
        forged = REFERENCE if is_reference else WITH
        kinds = max((one.kinds for case in (forged, WITHOUT) for one in cases.get(case, ())), default=0)
        cells = (
            f"`{solution}`{' (reference)' if is_reference else ''}",
            host,
            str(kinds or _NOT_TRIED),
            _cell(cases, WITHOUT),
            _cell(cases, forged),
            _cell(cases, REPLAY),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(cases: Mapping[str, list[Counted]], case: str) -> str:
    found = cases.get(case)
    if not found:
        return _NOT_TRIED
    return f"{sum(one.let_in for one in found)} of {sum(one.sent for one in found)}"
