"""`make faults`: every fault in every stage, a Tunnelmark killed at random moments, and damaged files at a restart.

What was done already is not done again, unless it went wrong: `make faults` goes on where it was broken off. What went
wrong once remains reported, however often it went well later; FRESH=1 forgets that and begins anew. HOSTS=lab tries the
matrix on the gateways of the practice lab instead. TABLE=matrix, kills or boot tries one table, ONLY=TEXT what has
that in its fault's or its column's name.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from platformdirs import user_cache_path
from rich.console import Console

from faults.boot_files import boot_plans
from faults.cells import CellPlan
from faults.fields import Field, NetField
from faults.progress import Progress, code_digest
from faults.reporting import report_all
from faults.running import NewField, Runner
from faults.stages import BETWEEN, STAGES
from faults.strikes import FAULTS
from support.net_hosts import NetHosts, net_hosts
from support.net_world import why_not

TABLES = ("matrix", "kills", "boot")
HALF_FAULTS = ("Tunnelmark killed", "SSH broken on B", "SSH out on B", "power loss of A", "power loss of B")
"""Faults at the moment when A has confirmed and B has not."""
REPLACING_FAULTS = ("Tunnelmark killed", "SSH broken on A", "SSH broken on B", "power loss of A", "power loss of B")
REPLACING_STAGES = ("verify", "confirm", BETWEEN)
"""Faults where another deployment is active: afterwards that one is healthy on both hosts, or the new one."""


def matrix(seed: str, stages: Sequence[str] = STAGES) -> list[CellPlan]:
    """Return every fault in every stage, and some where another deployment is active.

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


@contextmanager
def net_fields() -> Iterator[NewField]:
    """Give what makes pairs of hosts made of namespaces."""
    lock = threading.Lock()
    made = tempfile.TemporaryDirectory(prefix="tunnelmark-faults-", ignore_cleanup_errors=True)
    with made as folder, net_hosts(Path(folder), 0) as hosts:

        def new() -> Field:
            with lock:
                return new_pair(hosts)

        yield new


def new_pair(hosts: NetHosts) -> NetField:
    """Add a pair of hosts with networks behind them."""
    return NetField(hosts, hosts.add(has_lan=True))


def chosen(options: argparse.Namespace, seed: str) -> tuple[list[CellPlan], list[CellPlan], list[CellPlan]]:
    """Return what is asked for of the three tables: matrix, kills, boot."""
    tables = {options.table} if options.table else set(TABLES)
    is_lab = options.hosts == "lab"

    def asked(table: str, plans: list[CellPlan]) -> list[CellPlan]:
        return [one for one in plans if table in tables and options.only in f"{one.fault} / {one.column}"]

    cells = [one for one in asked("matrix", matrix(seed)) if not is_lab or one.stage != BETWEEN]
    random_ones = kills(seed, 0 if is_lab or options.only or "kills" not in tables else options.kills)
    return cells, random_ones, [] if is_lab else asked("boot", boot_plans(seed))


def main(words: Sequence[str]) -> int:
    """Run it; see the module's text."""
    parser = argparse.ArgumentParser("make faults", description=__doc__)
    parser.add_argument("--hosts", choices=("namespaces", "lab"), default="namespaces")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    parser.add_argument("--seed", help="for random choices; another one than before begins anew")
    parser.add_argument("--workers", type=int, help="so many pairs at the same time (4 of namespaces, 1 lab)")
    parser.add_argument("--table", choices=TABLES, help="only this table (lab: matrix)")
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
    cells, random_ones, boots = chosen(options, progress.seed)
    left = [plan for plan in (*cells, *random_ones, *boots) if not progress.is_well(plan.key)]
    # A signal that ends this program in that way is handled as well, so that the hosts end in an orderly way.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    reason = ""
    try:
        with _fields(options.hosts) as new_field:
            reason = Runner(new_field, progress, out).run(left, options.workers or (1 if is_lab else 4))
    except KeyboardInterrupt:
        reason = "somebody ended it"
    is_well = report_all(cells, random_ones, progress, out, boots)
    if reason:
        reported = f"Broken off: {reason}. What was under way counts as not tried; `make faults` goes on from here."
        out.print(reported, markup=False, soft_wrap=True)
    return 0 if is_well and not reason else 1


def _fields(kind: str) -> AbstractContextManager[NewField]:
    if kind == "lab":
        from faults.lab_field import lab_fields

        return lab_fields()
    return net_fields()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
