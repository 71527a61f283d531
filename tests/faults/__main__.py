"""`make faults`: every fault in every stage, and a Tunnelmark killed at random moments, on hosts of this computer.

What was done already is not done again, unless it went wrong: `make faults` goes on where it was broken off, FRESH=1
begins anew. HOSTS=lab tries the matrix on the gateways of the practice lab instead.
"""

from __future__ import annotations

import argparse
import queue
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from platformdirs import user_cache_path
from rich.console import Console
from rich.table import Table

from faults.cells import Cell, CellPlan, CellResult, timeline_of
from faults.fields import Field, NetField
from faults.progress import Progress, code_digest
from faults.stages import BETWEEN, STAGES
from faults.strikes import FAULTS
from support.net_hosts import NetHosts, net_hosts
from support.net_world import why_not

HALF_FAULTS = ("Tunnelmark killed", "SSH broken on B", "SSH out on B", "power loss of A", "power loss of B")
"""What is tried at the moment when A has confirmed and B has not."""
REPLACING_FAULTS = ("Tunnelmark killed", "SSH broken on A", "SSH broken on B", "power loss of A", "power loss of B")
REPLACING_STAGES = ("verify", "confirm", BETWEEN)
"""What is tried where another deployment stands: afterwards that one is healthy on both hosts, or the new one."""
NewField = Callable[[], Field]


def matrix(seed: str, stages: Sequence[str] = STAGES) -> list[CellPlan]:
    """Return every fault in every stage, and some where another deployment stands.

    Every second one joins the networks behind the hosts.
    """
    plans = [
        CellPlan(fault, stage, seed, (row + column) % 2 == 0)
        for row, fault in enumerate(FAULTS)
        for column, stage in enumerate(stages)
    ]
    plans += [CellPlan(fault, BETWEEN, seed, index % 2 == 0) for index, fault in enumerate(HALF_FAULTS)]
    return plans + [
        CellPlan(fault, stage, seed, (row + column) % 2 == 1, is_replacing=True)
        for row, fault in enumerate(REPLACING_FAULTS)
        for column, stage in enumerate(REPLACING_STAGES)
    ]


def kills(seed: str, count: int) -> list[CellPlan]:
    """Return random moments at which Tunnelmark is killed; every second one joins the networks."""
    rng = random.Random(f"kills {seed}")  # noqa: S311 - nothing secret
    return [
        CellPlan("Tunnelmark killed", "any", f"{seed}-{number}", number % 2 == 1, rng.random())
        for number in range(count)
    ]


def run_all(plans: Sequence[CellPlan], new_field: NewField, progress: Progress, workers: int, out: Console) -> None:
    """Try plans out, on several pairs at the same time."""
    waiting: queue.Queue[CellPlan] = queue.Queue()
    for plan in plans:
        waiting.put(plan)

    def work() -> None:
        field: Field | None = None
        timelines_s: dict[bool, tuple[float, ...]] = {}
        while True:
            try:
                plan = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                if field is None:
                    field = new_field()
                with tempfile.TemporaryDirectory(prefix="tunnelmark-fault-") as folder:
                    bridge = plan.has_bridge
                    if plan.stage == "any" and bridge not in timelines_s:
                        timelines_s[bridge] = timeline_of(field, Path(folder) / "timeline", has_bridge=bridge)
                    result = Cell(field, plan, Path(folder), timelines_s.get(bridge, ())).run()
            except Exception as error:  # noqa: BLE001 - one cell's fault must not stop the others
                result = CellResult(plan, "EXCEPTION", what=repr(error))
            if result.outcome == "too late":  # faster than the one whose timeline was taken
                timelines_s.pop(plan.has_bridge, None)
                waiting.put(plan)
                continue
            if not result.is_well:
                field = None  # nobody knows what is on these hosts
            progress.add(result)
            out.print(_line(result), markup=False, soft_wrap=True)

    threads = [threading.Thread(target=work, name=f"faults-{number}") for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _line(result: CellResult) -> str:
    plan = result.plan
    bridge = ", bridged" if plan.has_bridge else ""
    when = f"{plan.stage} {100 * plan.share:.0f} %" if plan.stage == "any" else plan.column
    text = f"{plan.fault}, {when}{bridge}: {result.outcome}, settled after {result.settled_s:.0f} s. {result.what}"
    return text if result.is_well else f"{text}\n    " + "\n    ".join(result.said)


def table_of(plans: Sequence[CellPlan], progress: Progress) -> Table:
    """Return the matrix as a table."""
    columns = tuple(dict.fromkeys(plan.column for plan in plans))
    table = Table("fault", *columns, title="What became of the hosts, and seconds until they had settled")
    for fault in dict.fromkeys(plan.fault for plan in plans):
        cells = []
        for column in columns:
            plan = next((one for one in plans if (one.fault, one.column) == (fault, column)), None)
            row = progress.results.get(plan.key) if plan else None
            cells.append(f"{row['outcome']} {row['settled_s']:.0f}" if row else "" if plan is None else "not tried")
        table.add_row(fault, *cells)
    return table


def _summary(plans: Sequence[CellPlan], progress: Progress, title: str, out: Console) -> int:
    """Print how often each outcome was seen; return how many plans are not well."""
    rows = [progress.results[plan.key] for plan in plans if plan.key in progress.results]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["outcome"]] = counts.get(row["outcome"], 0) + 1
    longest_s = max((row["settled_s"] for row in rows), default=0.0)
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    out.print(f"{title}: {len(rows)} of {len(plans)} tried: {told}. Settled after {longest_s:.0f} s at most.")
    return len(plans) - len(rows) + counts.get("EXCEPTION", 0)


@contextmanager
def net_fields() -> Iterator[NewField]:
    """Give what makes pairs of hosts made of namespaces."""
    lock = threading.Lock()
    with tempfile.TemporaryDirectory(prefix="tunnelmark-faults-") as folder, net_hosts(Path(folder), 0) as hosts:

        def new() -> Field:
            with lock:
                return new_pair(hosts)

        yield new


def new_pair(hosts: NetHosts) -> NetField:
    """Add a pair of hosts with networks behind them."""
    return NetField(hosts, hosts.add(has_lan=True))


def main(words: Sequence[str]) -> int:
    """Run it; see the module's text."""
    parser = argparse.ArgumentParser("make faults", description=__doc__)
    parser.add_argument("--hosts", choices=("namespaces", "lab"), default="namespaces")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    parser.add_argument("--seed", help="for random choices; another one than before begins anew")
    parser.add_argument("--workers", type=int, default=4, help="so many pairs at the same time")
    parser.add_argument("--only", default="", help="only faults or stages with this in their names")
    parser.add_argument("--kills", type=int, default=200, help="random interruptions (namespaces only)")
    options = parser.parse_args(words)
    out = Console(soft_wrap=False, width=160)
    is_lab = options.hosts == "lab"
    if not is_lab and (reason := why_not()):
        out.print(f"Not possible here: {reason}.")
        return 1
    path = user_cache_path("tunnelmark") / f"faults-{options.hosts}.jsonl"
    digest = code_digest()
    progress = Progress(path, is_fresh=options.fresh, seed=options.seed, digest=digest)
    if progress.is_outdated:
        out.print("What was tried before was other code: all is begun anew.")
    out.print(f"Seed {progress.seed}, code {digest}; progress in {path}")
    cells = [plan for plan in matrix(progress.seed) if options.only in f"{plan.fault} / {plan.column}"]
    if is_lab:
        cells = [plan for plan in cells if plan.stage != BETWEEN]
    random_ones = kills(progress.seed, 0 if is_lab or options.only else options.kills)
    left = [plan for plan in (*cells, *random_ones) if not progress.is_well(plan.key)]
    with _fields(options.hosts) as new_field:
        run_all(left, new_field, progress, 1 if is_lab else options.workers, out)
    out.print(table_of(cells, progress))
    wrong = _summary(cells, progress, "Matrix", out)
    if random_ones:
        wrong += _summary(random_ones, progress, "Killed at random moments", out)
    return 1 if wrong else 0


def _fields(kind: str) -> AbstractContextManager[NewField]:
    if kind == "lab":
        from faults.lab_field import lab_fields

        return lab_fields()
    return net_fields()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
