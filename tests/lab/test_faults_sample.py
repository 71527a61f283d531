"""Some of the faults of `make faults`, and what becomes of two hosts made of namespaces."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from faults.cells import CLEANED, EXCEPTION, Cell, CellPlan, CellResult
from faults.fields import NetField
from faults.stages import BETWEEN
from faults.strikes import POWERLESS

from support.net_desk import need_namespaces
from support.net_hosts import NetHosts, net_hosts

SEED = "sample"
SAMPLE = (
    CellPlan("Tunnelmark killed", BETWEEN, SEED, True),
    CellPlan("Tunnelmark killed", "verify", SEED, False),
    CellPlan("power loss of A", "confirm", SEED, False),
    CellPlan("SSH broken on B", "confirm", SEED, True),
    CellPlan("disk full", "arm", SEED, False),
    CellPlan("underlay down", "verify", SEED, False),
    CellPlan("two Tunnelmarks", "verify", SEED, False),
)
FURTHER = (
    CellPlan("Tunnelmark killed", "prepare", SEED, False),
    CellPlan("power loss of B", "apply", SEED, True),
    CellPlan("SSH broken on both", "arm", SEED, False),
    CellPlan("package vanishes", "verify", SEED, False),
    CellPlan("daemon refuses", "apply", SEED, False),
)
ALLOWED = {
    "Tunnelmark killed": {"as before", "half, repaired", "confirmed"},
    "package vanishes": {"as before"},
    "daemon refuses": {"as before"},
    "disk full": {"as before"},
    "two Tunnelmarks": {"confirmed"},
    **{fault: {"as before", "confirmed", CLEANED} for fault in POWERLESS},
}
"""Outcomes other than `as before` or `confirmed` that would be wrong with these."""
PAIRS = 4
PATIENCE = 8.0
"""No time limit here: how soon hosts are well again is judged by `make faults`, which has the computer for itself."""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetHosts]:
    need_namespaces()
    with net_hosts(tmp_path_factory.mktemp("hosts"), PAIRS, has_lan=True) as started:
        yield started


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "plans", [pytest.param(SAMPLE, id="sample"), pytest.param(FURTHER, id="further", marks=pytest.mark.full)]
)
def test_no_fault_leaves_anything_behind_or_locks_any_user_out(
    hosts: NetHosts, plans: tuple[CellPlan, ...], tmp_path: Path
) -> None:
    # Most of the time is spent waiting for the hosts' rollback timers: several pairs at once do not disturb each other.
    own = threading.local()
    free = [NetField(hosts, pair) for pair in hosts.pairs]

    def take() -> None:
        own.field = free.pop()

    def run(numbered: tuple[int, CellPlan]) -> CellResult:
        number, plan = numbered
        return Cell(own.field, plan, tmp_path / str(number), patience=PATIENCE).run()

    with ThreadPoolExecutor(PAIRS, initializer=take) as pool:
        results = list(pool.map(run, enumerate(plans)))
    reported = [(one.plan.fault, one.plan.stage, one.outcome, one.what, one.reported) for one in results]
    usual = {"as before", "confirmed"}
    wrong = [row for row in reported if row[2] == EXCEPTION or row[2] not in ALLOWED.get(row[0], usual)]
    assert wrong == [], "\n".join(str(row) for row in wrong)
    assert all(one.outcome in ("half, repaired", "confirmed") for one in results if one.plan.stage == BETWEEN)
