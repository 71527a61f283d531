from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from app.domain.gates import Gate, GateName, GateVerdict, HostReadings
from app.domain.ranking import AdviceKind, BarrierReason
from app.domain.results import Attempt, AttemptStatus, Block
from app.ranking.gates import MOST_REPEATS, gates_of, spread_of
from app.ranking.messages import HOSTS_TOO_BUSY
from app.ranking.rank import rank
from app.storage.codec import from_json, to_json
from app.wording.numbers import figure
from support.sample_records import sample_record


def attempt() -> Attempt:
    """Return an undisturbed attempt of a VPN."""
    done = sample_record(rounds=1, noise=0.0).attempts
    return next(one for one in done if one.key.solution == "wireguard" and one.status is AttemptStatus.COMPLETED)


def stretched(one: Attempt, factor: float) -> Attempt:
    """Return an attempt of which the upper 60 % of the replies took longer, as load makes them."""

    def stretch(rtt_us: np.ndarray) -> np.ndarray:
        limit = np.quantile(rtt_us, 0.4)
        return np.where(rtt_us > limit, rtt_us * factor, rtt_us).astype(np.uint32)

    return replace(one, latency=tuple(replace(each, rtt_us=stretch(each.rtt_us)) for each in one.latency))


def verdict(one: Attempt, name: GateName, **spreads: float) -> GateVerdict:
    return next(gate.verdict for gate in gates_of(one, **spreads) if gate.name is name)


def reading(**values: object) -> Attempt:
    return replace(attempt(), readings={"a": HostReadings(**values), "b": HostReadings()})  # type: ignore[arg-type]


def test_undisturbed_replies_pass_and_load_is_doubted_then_repeated() -> None:
    quiet = attempt()
    assert 1.0 < (spread_of(quiet) or 0.0) < 1.4
    assert verdict(quiet, GateName.SPREAD) is GateVerdict.OK
    assert verdict(stretched(quiet, 1.45), GateName.SPREAD) is GateVerdict.DOUBT
    assert verdict(stretched(quiet, 2.5), GateName.SPREAD) is GateVerdict.REPEAT


def test_what_was_repeated_three_times_has_failed() -> None:
    loaded = replace(stretched(attempt(), 2.5), repeats=MOST_REPEATS)
    assert verdict(loaded, GateName.SPREAD) is GateVerdict.FAILED


def test_on_a_link_that_varies_by_itself_a_vpn_may_do_so_too() -> None:
    assert verdict(stretched(attempt(), 2.5), GateName.SPREAD, bare_spread=9.0) is GateVerdict.DOUBT
    assert verdict(stretched(attempt(), 2.5), GateName.SPREAD, bare_spread=1.2) is GateVerdict.REPEAT


def test_a_vpn_that_varies_as_much_in_each_round_is_doubted_not_repeated() -> None:
    loaded = stretched(attempt(), 2.5)
    spread = spread_of(loaded) or 0.0
    assert verdict(loaded, GateName.SPREAD, least_spread=spread / 1.4) is GateVerdict.DOUBT
    assert verdict(loaded, GateName.SPREAD, least_spread=spread / 1.6) is GateVerdict.REPEAT


def test_disturbed_blocks_do_not_count() -> None:
    quiet, loaded = attempt(), stretched(attempt(), 5.0)
    series = tuple(
        replace(one, sent=2 * one.sent, received=2 * one.received, rtt_us=np.concatenate([one.rtt_us, other.rtt_us]))
        for one, other in zip(quiet.latency, loaded.latency, strict=True)
    )
    blocks = (Block(1, 0.0), Block(2, 1.0, is_counted=False))
    assert spread_of(replace(quiet, latency=series, blocks=blocks)) == pytest.approx(spread_of(quiet))


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        (GateName.STEAL, {"steal_pct": 1.0}, GateVerdict.OK),
        (GateName.STEAL, {"steal_pct": 5.0}, GateVerdict.DOUBT),
        (GateName.STEAL, {"steal_pct": 20.0}, GateVerdict.REPEAT),
        (GateName.STEAL, {}, GateVerdict.OK),
        (GateName.DROPS, {"drops": 3}, GateVerdict.DOUBT),
        (GateName.UNDERLAY_DROPS, {"underlay_drops": 8}, GateVerdict.OK),
        (GateName.UNDERLAY_DROPS, {"underlay_drops": 80}, GateVerdict.DOUBT),
        (GateName.UNDERLAY_DROPS, {"underlay_drops": 2_000}, GateVerdict.REPEAT),
        (GateName.UNDERLAY_DROPS, {}, GateVerdict.OK),
        (GateName.CLOCK_SOURCE, {"clock_source": "tsc"}, GateVerdict.OK),
        (GateName.CLOCK_SOURCE, {"clock_source": "acpi_pm"}, GateVerdict.DOUBT),
        (GateName.GOVERNOR, {"governor": "powersave"}, GateVerdict.DOUBT),  # earlier versions read no driver
        (GateName.GOVERNOR, {"governor": "ondemand"}, GateVerdict.DOUBT),
        (GateName.GOVERNOR, {"governor": "schedutil"}, GateVerdict.OK),
        (GateName.GOVERNOR, {"governor": "powersave", "scaling_driver": "intel_pstate"}, GateVerdict.OK),
        (GateName.GOVERNOR, {"governor": "powersave", "scaling_driver": "amd-pstate-epp"}, GateVerdict.OK),
        (GateName.GOVERNOR, {"governor": "powersave", "scaling_driver": "amd_pstate_epp"}, GateVerdict.OK),
        (GateName.GOVERNOR, {"governor": "powersave", "scaling_driver": "intel_cpufreq"}, GateVerdict.DOUBT),
        (GateName.GOVERNOR, {"governor": "powersave", "scaling_driver": "amd-pstate"}, GateVerdict.DOUBT),
        (GateName.GOVERNOR, {"governor": "powersave", "scaling_driver": "acpi-cpufreq"}, GateVerdict.DOUBT),
        (GateName.GOVERNOR, {"governor": "conservative", "scaling_driver": "acpi-cpufreq"}, GateVerdict.DOUBT),
        (GateName.GOVERNOR, {"governor": "ondemand", "scaling_driver": "cpufreq-dt"}, GateVerdict.OK),
        (GateName.GOVERNOR, {"governor": "schedutil", "scaling_driver": "cpufreq-dt"}, GateVerdict.OK),
        (GateName.THROTTLING, {"throttled": 0}, GateVerdict.OK),
        (GateName.THROTTLING, {"throttled": 2}, GateVerdict.REPEAT),
        (GateName.CLOCK_STEP, {"clock_step_ms": -3_000.0}, GateVerdict.REPEAT),
        (GateName.DAEMON_WAIT, {"wait_ms": 1.0}, GateVerdict.OK),
        (GateName.DAEMON_WAIT, {"wait_ms": 60_000.0}, GateVerdict.REPEAT),
    ],
)
def test_readings_of_a_host_are_judged(name: GateName, values: dict[str, object], expected: GateVerdict) -> None:
    assert verdict(reading(**values), name) is expected


def test_a_slow_governor_is_named_with_its_driver_and_host() -> None:
    hosts = {
        "a": HostReadings(governor="powersave", scaling_driver="intel_pstate"),
        "b": HostReadings(governor="powersave", scaling_driver="acpi-cpufreq"),
    }
    found = gate(replace(attempt(), readings=hosts), GateName.GOVERNOR)
    assert (found.verdict, found.words) == (GateVerdict.DOUBT, "powersave (acpi-cpufreq) on B")


def test_stored_readings_without_a_driver_are_read() -> None:
    stored = json.loads(to_json(HostReadings(governor="powersave", scaling_driver="intel_pstate")))
    assert stored.pop("scaling_driver") == "intel_pstate"
    found = from_json(HostReadings, json.dumps(stored))
    assert found == HostReadings(governor="powersave")
    assert verdict(replace(attempt(), readings={"a": found}), GateName.GOVERNOR) is GateVerdict.DOUBT


def test_what_no_host_reports_has_no_value() -> None:
    assert next(gate.value for gate in gates_of(reading()) if gate.name is GateName.STEAL) is None


def gate(one: Attempt, name: GateName) -> Gate:
    return next(each for each in gates_of(one) if each.name is name)


def in_steps(step_us: int, ms: float = 1.0) -> Attempt:
    """Return an attempt whose round-trip times are in such steps."""
    rng = np.random.default_rng(1)
    series = []
    for each in attempt().latency:
        rtt_us = 1_000 * ms * np.exp(rng.normal(0.0, 0.3, each.rtt_us.size))
        series.append(replace(each, rtt_us=(np.round(rtt_us / step_us) * step_us).astype(np.uint32)))
    return replace(attempt(), latency=tuple(series))


@pytest.mark.parametrize(
    ("step_us", "ms", "expected"),
    [
        (1, 0.2, GateVerdict.OK),  # iputils and BusyBox below 1 ms
        (10, 5.0, GateVerdict.OK),  # iputils from 1 ms on
        (100, 50.0, GateVerdict.OK),
        (1_000, 50.0, GateVerdict.OK),
        (1_000, 5.0, GateVerdict.DOUBT),  # whole milliseconds
        (1_000, 0.1, GateVerdict.DOUBT),  # all of them 0
        (100, 1.0, GateVerdict.DOUBT),
    ],
)
def test_steps_of_round_trip_times_are_judged_by_the_difference_that_they_hide(
    step_us: int, ms: float, expected: GateVerdict
) -> None:
    found = gate(in_steps(step_us, ms), GateName.RTT_RESOLUTION)
    assert found.verdict is expected
    assert f"in steps of {figure(step_us)} µs" in found.words
    assert found.value == pytest.approx(100 * step_us / max(step_us, 1_000 * ms), rel=0.3)


def test_a_few_replies_tell_no_step() -> None:
    one = in_steps(1_000)
    few = tuple(replace(each, sent=5, received=5, rtt_us=each.rtt_us[:5]) for each in one.latency)
    found = gate(replace(one, latency=few), GateName.RTT_RESOLUTION)
    assert (found.value, found.verdict) == (None, GateVerdict.OK)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(None, GateVerdict.OK), (0.9, GateVerdict.OK), (1.04, GateVerdict.OK), (1.2, GateVerdict.DOUBT)],
)
def test_a_warm_up_whose_windows_did_not_agree_is_doubted(ratio: float | None, expected: GateVerdict) -> None:
    found = gate(replace(attempt(), warm_up_ratio=ratio), GateName.WARM_UP)
    assert (found.value, found.verdict) == (ratio, expected)


def test_without_latency_there_is_neither_resolution_nor_warm_up() -> None:
    names = {one.name for one in gates_of(replace(attempt(), latency=()))}
    assert not names & {GateName.RTT_RESOLUTION, GateName.WARM_UP}


def test_other_work_on_the_labs_computer_is_judged() -> None:
    assert verdict(replace(attempt(), own_load_cores=0.2), GateName.OWN_LOAD) is GateVerdict.OK
    assert verdict(replace(attempt(), own_load_cores=0.7), GateName.OWN_LOAD) is GateVerdict.DOUBT
    assert verdict(replace(attempt(), own_load_cores=1.6), GateName.OWN_LOAD) is GateVerdict.REPEAT


def test_a_candidate_that_did_not_pass_is_not_recommended_and_the_reason_is_given() -> None:
    record = sample_record(noise=0.001)
    attempts = tuple(
        replace(one, own_load_cores=1.6, repeats=MOST_REPEATS) if one.key.solution == "wireguard" else one
        for one in record.attempts
    )
    found = rank(replace(record, attempts=attempts))
    barred = next(one for one in found.results if one.solution == "wireguard")
    assert barred.barrier is not None
    assert barred.barrier.reason is BarrierReason.GATE
    assert found.recommendation.solution != "wireguard"
    assert any("too busy" in caution for caution in found.recommendation.cautions)


def test_there_is_no_advice_where_most_did_not_pass() -> None:
    record = sample_record(noise=0.001)
    attempts = tuple(replace(one, own_load_cores=1.6, repeats=MOST_REPEATS) for one in record.attempts)
    advice = rank(replace(record, attempts=attempts)).recommendation
    assert advice.kind is AdviceKind.NONE
    assert HOSTS_TOO_BUSY() in advice.sentence
    assert "1.6" in advice.sentence


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"steal_pct": 20.0}, "20 % of the CPU taken on A"),
        ({"wait_ms": 60_000.0}, "daemons waited for a CPU"),
        ({"underlay_drops": 2_000}, f"{figure(2_000.0, 2)} packets dropped or damaged by the underlay's interface"),
        ({"clock_step_ms": -3_000.0}, f"{figure(3_000.0, 2)} ms by which the clock was set on A"),
        ({"throttled": 2}, "throttled 2 times on A"),
    ],
)
def test_the_reading_that_bars_every_candidate_is_named(values: dict[str, object], words: str) -> None:
    record = sample_record(noise=0.001)
    readings = {"a": HostReadings(**values), "b": HostReadings()}  # type: ignore[arg-type]
    attempts = tuple(replace(one, readings=readings) for one in record.attempts)
    advice = rank(replace(record, attempts=attempts)).recommendation
    assert advice.kind is AdviceKind.NONE
    assert f"{HOSTS_TOO_BUSY()} ({words}" in advice.sentence


def test_attempts_of_earlier_versions_are_judged_by_what_they_have() -> None:
    names = {one.name for one in gates_of(attempt())}
    assert names == {GateName.SPREAD, GateName.WARM_UP, GateName.RTT_RESOLUTION}


def test_rounds_that_each_did_not_pass_another_gate_bar_a_candidate() -> None:
    record = sample_record(rounds=3, noise=0.001)
    disturbed: dict[int, dict[str, object]] = {
        1: {"own_load_cores": 1.6},
        2: {"readings": {"a": HostReadings(steal_pct=20.0)}},
        3: {"readings": {"a": HostReadings(throttled=2)}},
    }
    attempts = tuple(
        replace(one, repeats=MOST_REPEATS, **disturbed[one.key.round])  # type: ignore[arg-type]
        if one.key.solution == "wireguard"
        else one
        for one in record.attempts
    )
    result = next(one for one in rank(replace(record, attempts=attempts)).results if one.solution == "wireguard")
    assert result.barrier is not None
    assert result.barrier.reason is BarrierReason.GATE


def test_one_disturbed_round_of_three_is_a_doubt() -> None:
    record = sample_record(rounds=3, noise=0.001)
    attempts = tuple(
        replace(one, own_load_cores=1.6, repeats=MOST_REPEATS)
        if one.key.solution == "wireguard" and one.key.round == 2
        else replace(one, own_load_cores=0.1)
        for one in record.attempts
    )
    result = next(one for one in rank(replace(record, attempts=attempts)).results if one.solution == "wireguard")
    assert next(gate.verdict for gate in result.gates if gate.name is GateName.OWN_LOAD) is GateVerdict.DOUBT
    assert result.barrier is None
