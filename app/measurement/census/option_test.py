"""Test of one option: bring the tunnel up, send traffic, classify the outcome."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.census import CensusItem, CensusPlan, OptionResult, OptionStatus
from app.domain.errors import EnvironmentFault, TunnelCannotComeUp, TunnelmarkError
from app.domain.messages import sentences
from app.domain.solutions import Suite
from app.measurement.census.log_diagnosis import last_line, reason_of, root_cause_line, with_words
from app.measurement.census.verdicts import judge, outer_filter
from app.measurement.interfaces import Tunnel
from app.measurement.messages import ECHOES_LOST_AT_FIRST, FEW_CAPTURED_AT_FIRST, SECOND_TRY
from app.measurement.reusable_tunnel import ReusableTunnel
from app.measurement.work import OF_TUNNEL, CampaignContext
from app.probes.smoke_test import SmokeTestOutcome, SmokeTestRequest
from app.ranking.weighted import weighted_latency_ms

ECHO_LIMIT_S = 4.0


CensusContext: TypeAlias = CampaignContext[CensusPlan, OptionResult]


@dataclass(frozen=True, slots=True)
class OptionTest:
    """Inputs of trying any option of one solution.

    Attributes:
        context: The census.
        adapter: The solution.
        reusable: The running tunnel.
    """

    context: CensusContext
    adapter: Adapter
    reusable: ReusableTunnel

    @property
    def token(self) -> CancelToken:
        """Cancels it."""
        return self.context.control.token


def try_option(trial: OptionTest, item: CensusItem, suite: Suite, doubts: Sequence[str] = ()) -> OptionResult:
    """Try one option.

    Args:
        trial: What it needs.
        suite: The suite that tries it.
        doubts: What is to be kept with the result, as sentences.

    Returns:
        What became of it; an option that does not come up is a result.

    Raises:
        EnvironmentFault: Something else than the option failed: a connection, the disk, the rollback.
        Cancelled: The token was cancelled.
    """
    began_s = time.monotonic()
    draft = item.result(OptionStatus.FAILS)
    try:
        tunnel, doubt = _bring(trial, suite, began_s)
    except OF_TUNNEL as error:
        reason = reason_of(error, error.context.get("kernel", ""))
        # A refused option sends nothing, yet protects nothing either: it is listed, and not counted.
        status = OptionStatus.UNPROTECTED if item.is_unprotected else OptionStatus.FAILS
        return replace(draft, status=status, reason=sentences((reason, *doubts)), took_s=time.monotonic() - began_s)
    outcome = smoke_test(trial, tunnel)
    status, reason = judge(item, outcome)
    if status is OptionStatus.FAILS:
        reason = with_words(reason, _last_words(trial, tunnel, began_s))
        status = OptionStatus.UNPROTECTED if item.is_unprotected else status
    return replace(
        draft,
        status=status,
        reason=sentences((reason, doubt, *doubts)),
        negotiated=tunnel.negotiated,
        sent=outcome.sent,
        received=outcome.received,
        weighted_latency_ms=weighted_latency_ms(outcome.mean_ms_by_frame),
        throughput_mbit_s=outcome.throughput_mbit_s,
        took_s=time.monotonic() - began_s,
    )


def _bring(trial: OptionTest, suite: Suite, began_s: float) -> tuple[Tunnel, str]:
    """Bring the tunnel up with a suite; a failure gets a second, more patient try, unless its cause is clear.

    Returns:
        The tunnel, and a doubt where it needed both tries.
    """
    try:
        return trial.reusable.bring(suite), ""
    except OF_TUNNEL as error:
        error.context["kernel"] = _crashes(trial, began_s)
        if error.context["kernel"] or isinstance(error, TunnelCannotComeUp):
            raise
        first = error
    try:
        return trial.reusable.bring(suite, patience=2.0), SECOND_TRY(why=reason_of(first))
    except OF_TUNNEL as error:
        error.context["kernel"] = _crashes(trial, began_s)
        raise


def is_control_well(trial: OptionTest, suite: Suite) -> bool:
    """Return whether the safe default comes up and answers: if it does, what failed before failed by itself.

    Raises:
        EnvironmentFault, Cancelled: As for `try_option`.
    """
    try:
        outcome = smoke_test(trial, trial.reusable.bring(suite), is_control=True)
    except OF_TUNNEL:
        return False
    return 0 < outcome.sent == outcome.received


def smoke_test(trial: OptionTest, tunnel: Tunnel, *, is_control: bool = False) -> SmokeTestOutcome:
    """Send traffic through a running tunnel; once more where single echo requests or captured packets are missing.

    Args:
        trial: Inputs of the solution.
        is_control: Leave out what only counts for a result.
    """
    plan = tunnel.plan
    request = SmokeTestRequest(
        link=trial.context.link,
        source=plan.probe_address_a,
        destination=plan.probe_address_b,
        outer_filter=outer_filter(plan.outer_filter, trial.adapter.info.carrier),
        port=trial.context.link.names.iperf_port,
        pings=trial.context.plan.pings,
        echo_limit_s=max(ECHO_LIMIT_S, trial.context.plan.pings / 5.0),
        seconds=0 if is_control else trial.context.plan.seconds,
        cap_mbit_s=trial.context.plan.pair.load_cap_mbit_s,
    )
    outcome = trial.context.tunnels.smoke_test(request, token=trial.token)
    if 0 < outcome.received < outcome.sent:
        doubt = ECHOES_LOST_AT_FIRST(lost=outcome.sent - outcome.received, sent=outcome.sent)
    elif outcome.captured < outcome.sent == outcome.received:
        doubt = FEW_CAPTURED_AT_FIRST(captured=outcome.captured)
    else:
        return outcome
    again = trial.context.tunnels.smoke_test(request, token=trial.token)
    return replace(again, notes=(doubt, *again.notes))


def _last_words(trial: OptionTest, tunnel: Tunnel, began_s: float) -> str:
    crashes = root_cause_line(_crashes(trial, began_s))
    if crashes:
        return crashes
    try:
        log = tunnel.collect_logs(trial.token)
    except TunnelmarkError:
        return ""
    return root_cause_line(log) or last_line(log)


def _crashes(trial: OptionTest, began_s: float) -> str:
    try:
        return trial.context.tunnels.kernel_words(time.monotonic() - began_s + 1.0, token=trial.token)
    except EnvironmentFault:
        return ""
