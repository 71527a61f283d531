"""A deployment that waits for its confirmation: both hosts have to hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from stored_deployments import DEPLOYMENT

from app.deployment.reconcile import Reached, waiting_on
from app.deployment.status import HostDeployment
from app.deployment.unconfirmed import held_unconfirmed
from app.deployment.waiting import find_waiting
from app.domain.deployment import DeploymentState
from app.domain.hosts import Side
from app.host.inspection import LockInfo
from app.storage import Store
from app.tunnel.lock_owner import LET_GO

APPLIED = replace(DEPLOYMENT, state=DeploymentState.APPLIED, tunnels={"a": "aa" * 8, "b": "bb" * 8})
LOCKS = {
    side: LockInfo(APPLIED.tunnels[side.value], "eve on laptop", LET_GO, 10, 60, True, False, True) for side in Side
}
HOLDING = {side: Reached(None, HostDeployment(lock=LOCKS[side])) for side in Side}
SILENT = Reached(None, None, "It does not answer.")
FREE = Reached(None, HostDeployment())


@pytest.mark.parametrize(
    ("reached", "waits", "is_found"),
    [
        (HOLDING, True, True),
        ({}, False, False),
        ({Side.A: HOLDING[Side.A]}, True, False),
        ({**HOLDING, Side.B: SILENT}, False, False),
        ({**HOLDING, Side.B: FREE}, False, False),
        ({Side.A: HOLDING[Side.B], Side.B: HOLDING[Side.A]}, False, False),
    ],
    ids=["both", "none asked", "one asked", "one silent", "one free", "of other work"],
)
def test_a_deployment_is_confirmed_where_both_hosts_hold_it(
    tmp_path: Path, reached: Mapping[Side, Reached], waits: bool, is_found: bool
) -> None:
    assert waiting_on(APPLIED, reached) is waits
    assert held_unconfirmed([APPLIED], reached) == (APPLIED if waits else None)
    with Store.open(tmp_path / "tunnelmark.db") as store:
        store.save_pair(APPLIED.pair)
        store.save_deployment(APPLIED)
        assert find_waiting(store, APPLIED.pair, reached) == (APPLIED if is_found else None)


def test_without_tunnels_nothing_waits() -> None:
    assert not waiting_on(DEPLOYMENT, HOLDING)
