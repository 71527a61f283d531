"""Repair at contact, once, and the only host that can be asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from app.deployment.contact import RepairAttempts, only_host
from app.domain.deployment import DeploymentState
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.hosts import Side
from support.stored_deployments import DEPLOYMENT

A, B = (EndpointStatus(side, f"gateway-{side.value}", is_reachable=True) for side in Side)
HALF = PairStatus("north", datetime(2026, 1, 1, tzinfo=UTC), DEPLOYMENT, DeploymentState.HALF_CONFIRMED, A, B)
UNFINISHED = replace(HALF, deployment=None, state=None, a=replace(A, is_unfinished=True))


def test_a_repair_is_due_once_for_each_deployment_and_for_the_rest_of_one_on_each_pair() -> None:
    attempts = RepairAttempts()
    another = replace(HALF, deployment=replace(DEPLOYMENT, id="f" * 16))
    for status in (HALF, another, UNFINISHED, replace(UNFINISHED, pair="south")):
        assert attempts.is_due(status)
        attempts.note(status.pair, status.deployment)
        assert not attempts.is_due(status)
    attempts.forget("north", None)
    assert attempts.is_due(UNFINISHED)
    assert not attempts.is_due(HALF)


def test_only_one_host_that_answers_is_worked_on_alone() -> None:
    silent = replace(B, is_reachable=False)
    assert only_host(None) is None
    assert only_host(HALF) is None
    assert only_host(replace(HALF, a=replace(A, is_reachable=False), b=silent)) is None
    alone = only_host(replace(HALF, b=silent))
    assert alone is not None
    assert (alone.side, alone.silent.side, alone.can_be_removed) == (Side.A, Side.B, False)
    remains = replace(A, deployment_id=DEPLOYMENT.id, is_confirmed=True)
    kept = only_host(replace(HALF, a=remains, b=silent))
    assert kept is not None
    assert kept.can_be_removed
