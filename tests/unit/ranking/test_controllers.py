"""Smallest safe settings of controllers, from the slowest replies and the longest runs of losses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sample_records import MODELS, sample_record

from app.domain.condition_files import presets
from app.domain.controllers import Arrivals, ControllerSetting
from app.domain.hosts import Tool, ToolFlavour
from app.domain.ranking import CandidateResult
from app.domain.results import LOST_RTT_US, Attempt, Block, CampaignRecord, LatencySeries
from app.domain.workloads import WorkloadResult
from app.probes.pacing import ping_interval_s
from app.ranking import rank
from app.ranking.controllers import arrivals_of, controller_advice, controller_limits, outage_advice
from app.ranking.outages import request_pace
from app.reports.json_report import to_json
from app.reports.view import report_view
from app.wording.controllers import CONTROLLER_COLUMNS, controller_note, limit_words, outage_words, restart_words


def attempt(*rtt_ms: float | None, frame_bytes: int = 60, blocks: tuple[Block, ...] = ()) -> Attempt:
    """Return an attempt with these replies in ms; None is a lost request."""
    rtt_us = np.array([LOST_RTT_US if one is None else round(1_000 * one) for one in rtt_ms], np.uint32)
    series = LatencySeries(frame_bytes, len(rtt_ms), sum(one is not None for one in rtt_ms), 0, rtt_us)
    return replace(sample_record(rounds=1, pings=5, models=MODELS[:1]).attempts[0], latency=(series,), blocks=blocks)


def advised(found: Arrivals) -> dict[ControllerSetting, int | None]:
    return {one.setting: one.value_ms for one in controller_advice(found)}


def test_extremes_are_those_of_short_frames() -> None:
    short, long = attempt(*[1.0] * 150, 4.0, None, None, 1.0, None), attempt(*[9.0] * 200, frame_bytes=1514)
    both = replace(short, latency=(*short.latency, *long.latency))
    found = arrivals_of([both])
    assert found is not None
    found = replace(found, outage_ms=0.0, is_bounded=True)
    assert found == Arrivals(replies=152, least_ms=1.0, most_ms=4.0, lost_in_a_row=2)
    assert arrivals_of([attempt(*[1.0] * 99)]) is None


@pytest.mark.parametrize(
    ("variation_ms", "lost", "profinet", "ethernet_ip"),
    [
        (0.9, 0, 1, 1),  # 1 ms and 0.9 ms of variation end before the watchdog of 3 ms
        (2.1, 0, 2, 1),  # of 2 ms: 2 + 2.1 < 6
        (2.1, 1, 4, 2),  # one lost: two update times
        (0.9, 2, None, 1),  # two lost: the watchdog of three update times is over
        (30.0, 0, 16, 20),
    ],
)
def test_cyclic_data_arrives_before_the_watchdog(
    variation_ms: float, lost: int, profinet: int | None, ethernet_ip: int
) -> None:
    found = advised(Arrivals(1_000, 1.0, 1.0 + variation_ms, lost))
    assert found[ControllerSetting.PROFINET] == profinet
    assert found[ControllerSetting.ETHERNET_IP] == ethernet_ip


BLOCKS = Block(1, 0.0, lasted_s=0.4), Block(2, 5.0, lasted_s=0.4)
"""Blocks of 60 requests each; in between, other candidates are measured."""

PACED = tuple(replace(one, interval_s=0.05) for one in BLOCKS)
EARLIER = Block(1, 0.0), Block(2, 5.0)


@pytest.mark.parametrize(
    ("lost", "blocks", "pace", "outage_ms"),
    [
        ((), (), (), 0.0),
        ((10,), (), (), 20.0),  # between two answered requests: the spacing of two
        ((10, 11, 12), (), (), 40.0),
        ((10, 30, 31), (), (), 30.0),  # the longest one
        ((10,), (), (ToolFlavour.IPUTILS, 0.05), 100.0),  # requests that do not wait for each other
        ((10,), (), (ToolFlavour.BUSYBOX, None), 2_000.0),
        ((10,), BLOCKS, (), 20.0),
        ((10,), BLOCKS, (ToolFlavour.BUSYBOX, None), 400.0),  # no longer than its block
        ((0,), BLOCKS, (), 400.0),  # without a reply, ping waits a second before it sends again; no block is before it
        ((0,), PACED, (), 100.0),
        ((10,), PACED, (), 100.0),
        ((10,), EARLIER, (), 100.0),  # the interval was not kept: it may be that of long paths
        ((59,), EARLIER, (), 5_000.0),  # up to the next block
        ((59,), BLOCKS, (), 5_000.0),
        ((60,), BLOCKS, (), 5_000.0),  # from the end of the first block, to that of the second one
        ((60,), PACED, (), 4_700.0),  # two requests after the second one began
        ((59, 60), BLOCKS, (), 5_400.0),  # nothing is known of the time between the blocks
    ],
)
def test_an_outage_is_as_long_as_the_spacing_of_what_was_lost(
    lost: tuple[int, ...], blocks: tuple[Block, ...], pace: tuple[ToolFlavour, float | None], outage_ms: float
) -> None:
    rtt_ms = [None if place in lost else 1.0 for place in range(120)]
    found = arrivals_of([attempt(*rtt_ms, blocks=blocks)], *pace)
    assert found is not None
    assert found.outage_ms == outage_ms


@pytest.mark.parametrize(
    ("lost", "lost_in_a_row", "outage_ms"),
    [
        ((18,), 1, 20.0),
        ((19,), 1, 5_000.0),  # nothing is known of the time until the next block
        ((18, 19, 60, 61), 4, 5_400.0),
    ],
)
def test_requests_that_were_not_sent_end_no_outage(lost: tuple[int, ...], lost_in_a_row: int, outage_ms: float) -> None:
    rtt_ms = [None if place in lost or 20 <= place < 60 else 1.0 for place in range(180)]
    blocks = replace(BLOCKS[0], sent=(20,)), BLOCKS[1], Block(3, 10.0, lasted_s=0.4)
    found = arrivals_of([attempt(*rtt_ms, blocks=blocks)])
    assert found is not None
    assert (found.lost_in_a_row, found.outage_ms) == (lost_in_a_row, outage_ms)


def sized(*blocks: Block, silent: tuple[int, ...], lost: tuple[int, ...] = ()) -> Attempt:
    """Return an attempt of 60 short and 4 long requests in a block; those of two sizes are long.

    Args:
        blocks: When they began.
        silent: Blocks from 0 in which only the long frames were sent, without a reply.
        lost: Long sizes that never cross.
    """
    one = attempt(*[1.0] * 60 * len(blocks), blocks=blocks)
    series = []
    for size, number in ((60, 60), (1024, 4), (1514, 4)):
        rtt_us = np.full((len(blocks), number), LOST_RTT_US if size in lost else 1_000, np.uint32)
        rtt_us[list(silent)] = LOST_RTT_US
        sent = rtt_us.size - (len(silent) * number if size == 60 else 0)
        series.append(LatencySeries(size, sent, int((rtt_us != LOST_RTT_US).sum()), 0, rtt_us.reshape(-1)))
    made = tuple(replace(each, sent=(0, 4, 4)) if nth in silent else each for nth, each in enumerate(blocks))
    return replace(one, latency=tuple(series), blocks=made)


CYCLES = tuple(Block(nth, 10.0 * nth - 7.0, lasted_s=9.5) for nth in (1, 2, 3))


@pytest.mark.parametrize(
    ("blocks", "outage_ms"),
    [
        (CYCLES, 10_500.0),  # from the end of the first block, at 12.5 s, to the third one, at 23 s
        (tuple(replace(one, lasted_s=None) for one in CYCLES), 20_000.0),
    ],
)
def test_a_silent_block_is_an_outage_even_if_no_short_frame_was_sent(
    blocks: tuple[Block, ...], outage_ms: float
) -> None:
    found = arrivals_of([sized(*blocks, silent=(1,))])
    assert found is not None
    assert (found.lost_in_a_row, found.outage_ms) == (0, outage_ms)
    assert advised(found)[ControllerSetting.PROFINET] is None
    assert "none lost, but longer frames without a reply allow an outage of up to" in controller_note(found)
    assert controller_note(found).endswith("the values hold for both.")


@pytest.mark.parametrize(
    ("place", "outage_ms"),
    [
        (0, 5_000.0),  # the first request of the first block, 3 s after the attempt began
        (59, 9_500.0),  # longer frames were answered in the same block
        (119, 10_000.0),  # the last one of the second block, which began with longer frames
        (120, 2_000.0),  # one size was answered before it
        (179, 9_500.0),
    ],
)
def test_the_edges_of_a_block_are_those_of_all_its_sizes(place: int, outage_ms: float) -> None:
    one = sized(*CYCLES, silent=())
    short = one.latency[0].rtt_us.copy()
    short[place] = LOST_RTT_US
    found = arrivals_of([replace(one, latency=(replace(one.latency[0], rtt_us=short), *one.latency[1:]))])
    assert found is not None
    assert found.outage_ms == outage_ms


def test_frames_that_never_cross_are_no_outage() -> None:
    found = arrivals_of([sized(*CYCLES, silent=(1,), lost=(1024, 1514))])
    assert found is not None
    assert found.outage_ms == 0.0


def test_ping_waits_as_long_as_its_slowest_reply_where_that_is_longer() -> None:
    found = arrivals_of([attempt(*[30.0] * 100, None, 40.0)])
    assert found is not None
    assert found.outage_ms == 80.0


def test_a_single_lost_request_may_be_an_outage_of_many_frames_of_cyclic_data() -> None:
    found = arrivals_of([attempt(*[1.0] * 100, None, 1.0)])
    assert found is not None
    values = advised(found)
    # One frame of 1 ms would be lost at random; in an outage of 20 ms it is 20 of them.
    assert values[ControllerSetting.PROFINET] == 16  # 16 + 20 < 3 x 16
    assert values[ControllerSetting.ETHERNET_IP] == 10  # 10 + 20 < 4 x 10
    assert advised(replace(found, outage_ms=0.0))[ControllerSetting.PROFINET] == 1


def test_requests_outlast_the_outage_that_lost_requests_allow() -> None:
    found = Arrivals(1_000, 1.0, 1.0, 1, outage_ms=2_000.0)
    # TCP sends again after 201, 603, 1 407 and 3 015 ms.
    assert advised(found)[ControllerSetting.MODBUS] == 5_000
    assert advised(replace(found, outage_ms=200.0))[ControllerSetting.MODBUS] == 500


def test_the_sentence_names_an_outage_only_where_a_request_was_lost() -> None:
    whole, holed = Arrivals(1_000, 1.0, 2.0, 0), Arrivals(1_000, 1.0, 2.0, 1, outage_ms=20.0)
    assert ", none lost." in controller_note(whole)
    assert "cyclic data" not in controller_note(whole)
    assert "1 lost in a row at most, or an outage of up to 20.0 ms." in controller_note(holed)
    assert controller_note(holed).endswith("the values hold for both.")


def test_in_fixed_rounds_an_outage_may_have_been_longer() -> None:
    rtt_ms = [*[1.0] * 119, None]
    fixed, timed, whole = (
        arrivals_of([one]) for one in (attempt(*rtt_ms), attempt(*rtt_ms, blocks=BLOCKS), attempt(*[1.0] * 120))
    )
    assert fixed is not None
    assert timed is not None
    assert whole is not None
    assert (fixed.is_bounded, timed.is_bounded, whole.is_bounded) == (False, True, True)
    assert "or an outage of up to 20.0 ms, longer where ping was restarted." in controller_note(fixed)


def test_the_pace_of_fixed_rounds_is_that_of_their_condition() -> None:
    record = sample_record(rounds=1, pings=5, models=MODELS[:1])
    assert request_pace(record)[1] is None
    under = replace(record, plan=replace(record.plan, condition=presets()["geo"]))
    assert request_pace(under)[1] == ping_interval_s(presets()["geo"])


def test_the_ping_is_that_of_the_sender() -> None:
    record = sample_record(rounds=1, pings=5, models=MODELS[:1])
    busybox = {"ping": Tool("ping", ToolFlavour.BUSYBOX)}
    record = replace(record, facts={**record.facts, "a": replace(record.facts["a"], tools=busybox)})
    assert request_pace(record)[0] is ToolFlavour.BUSYBOX


def test_requests_wait_for_tcp_to_send_again() -> None:
    assert advised(Arrivals(1_000, 1.0, 30.0, 0))[ControllerSetting.MODBUS] == 50
    assert advised(Arrivals(1_000, 1.0, 30.0, 1))[ControllerSetting.MODBUS] == 500
    # Over a satellite TCP waits for the round trip, too: 501 ms, and again 701 ms after a loss.
    assert advised(Arrivals(1_000, 500.0, 501.0, 1))[ControllerSetting.MODBUS] == 2_000
    assert advised(Arrivals(1_000, 1.0, 600.0, 3))[ControllerSetting.OPC_UA] == 10_000


def test_the_report_has_them_with_what_they_rest_on() -> None:
    record = sample_record(models=MODELS[:3], pings=200)
    view = report_view(record, rank(record))["candidates"][0]
    assert [row[0] for row in view["controllers"]] == ["PROFINET RT", "EtherNet/IP", "Modbus/TCP", "OPC UA (TCP)"]
    assert all(row[2].endswith(" ms") for row in view["controllers"])
    assert "200 replies to frames of up to 128 bytes: " in view["controller_note"]
    assert all(len(row) == len(CONTROLLER_COLUMNS) for row in view["controllers"])
    assert "IEC 61158-6-10" in view["controllers"][0][4]
    assert "RFC 6298, 5.5" in view["controllers"][2][4]
    assert (
        "Outage after a failure: not measured by this comparison. The workload restart measures"
        in view["controller_note"]
    )
    assert to_json(record, rank(record))["results"][0]["restart_outage"] is None


def test_json_has_the_source_of_each_assumption() -> None:
    record = sample_record(models=MODELS[:3], pings=200)
    result = to_json(record, rank(record))["results"][0]
    assert result["controller_assumptions"].keys() == result["controllers"].keys()
    assert "4" in result["controller_assumptions"]["ethernet-ip-rpi"]["assumes"]
    assert result["controller_assumptions"]["opc-ua-timeout"]["source"].startswith("OPC 10000-4")


@pytest.mark.parametrize(
    ("outage_s", "profinet", "ethernet_ip", "timeout"),
    [
        (0.0, 1, 1, 50),
        (0.1, 64, 50, 500),  # 64 + 100 < 3 x 64; TCP sends again after 200 ms
        (0.3, 256, 200, 1_000),  # after 200 and 600 ms
        (0.6, 512, 500, 1_000),  # 600 ms is the second retransmission
        (5.0, None, None, 10_000),  # after 6.2 s
        (70.0, None, None, None),
    ],
)
def test_settings_outlast_an_outage(
    outage_s: float, profinet: int | None, ethernet_ip: int | None, timeout: int | None
) -> None:
    found = {one.setting: one.value_ms for one in outage_advice(outage_s)}
    assert found == {
        ControllerSetting.PROFINET: profinet,
        ControllerSetting.ETHERNET_IP: ethernet_ip,
        ControllerSetting.MODBUS: timeout,
        ControllerSetting.OPC_UA: timeout,
    }


def test_a_long_round_trip_delays_what_tcp_sends_after_an_outage() -> None:
    found = {one.setting: one.value_ms for one in outage_advice(0.8, rtt_ms=500.0)}
    assert found[ControllerSetting.MODBUS] == 5_000  # after 0.7 and 2.1 s, answered 0.5 s later
    assert found[ControllerSetting.PROFINET] == 512  # no answer is waited for


def with_restarts(*results: WorkloadResult) -> CampaignRecord:
    """Return a record of as many rounds, whose second candidate has these results."""
    record = sample_record(rounds=len(results), models=MODELS[:2], pings=200)
    key = record.plan.candidates[1].solution
    left = iter(results)
    attempts = tuple(
        replace(one, workloads=(next(left),)) if one.key.solution == key else one for one in record.attempts
    )
    return replace(record, attempts=attempts)


def restarted(record: CampaignRecord) -> tuple[CandidateResult, str, Any]:
    """Return the result of the candidate that was restarted, the sentence of its report, and its JSON."""
    ranking = rank(record)
    key = record.plan.candidates[1].solution
    (place,) = [at for at, one in enumerate(ranking.results) if one.solution == key]
    note = report_view(record, ranking)["candidates"][place]["controller_note"]
    (written,) = [one for one in to_json(record, ranking)["results"] if one["solution"] == key]
    return ranking.results[place], note, written["restart_outage"]


def test_the_longest_outage_after_a_restart_is_that_of_all_rounds_and_has_the_settings_that_outlast_it() -> None:
    figures = [{"outage": seconds, "outage-a": seconds, "outage-b": 0.1} for seconds in (0.31, 0.25)]
    result, note, written = restarted(with_restarts(*(WorkloadResult("restart", one) for one in figures)))
    assert result.restart_outage is not None
    assert result.restart_outage.longest_s == 0.31
    assert "up to 0.3 s (measured), outlasted with PROFINET RT 256 ms, EtherNet/IP 200 ms, Modbus/TCP 1" in note
    assert "supervisor adds its own" in note
    assert written["longest_s"] == 0.31
    assert written["message"] is None
    assert written["controllers"]["profinet-update-time"] == 256
    assert restart_words(result.restart_outage) in note


@pytest.mark.parametrize("figures", [{}, {"outage-a": 0.3}])
def test_an_outage_that_did_not_end_in_one_round_has_no_longest_one(figures: dict[str, float]) -> None:
    good = WorkloadResult("restart", {"outage": 0.3, "outage-a": 0.3, "outage-b": 0.1})
    bad = WorkloadResult("restart", figures, message="Frames did not cross again on B.")
    result, note, written = restarted(with_restarts(good, bad))
    assert result.restart_outage is not None
    assert result.restart_outage.longest_s is None
    assert "Outage after a restart of the VPN on one host: not known. Frames did not cross again on B." in note
    assert written == {"longest_s": None, "controllers": None, "message": "Frames did not cross again on B."}


def test_an_outage_that_was_not_measured_is_not_made_up() -> None:
    assert outage_words(None, ()) == "not measured: no outage has ended yet"
    words = outage_words(5.0, outage_advice(5.0))
    assert words.startswith("the longest of 5.0 s, outlasted with PROFINET RT none of those offered, ")
    assert words.endswith("OPC UA (TCP) 10\N{NARROW NO-BREAK SPACE}000 ms")


def test_limits_of_cyclic_data_count_from_the_shortest_round_trip() -> None:
    limits = controller_limits(ControllerSetting.PROFINET, 500.0)
    assert [one.limit_ms for one in limits[:3]] == [502.0, 504.0, 508.0]
    assert limit_words(limits[1]) == "PROFINET RT 2 ms: shortest RTT + 2 × 2 ms"
    assert [one.limit_ms for one in controller_limits(ControllerSetting.ETHERNET_IP, 0.5)[:2]] == [3.5, 6.5]
    modbus = controller_limits(ControllerSetting.MODBUS, None)
    assert modbus == controller_limits(ControllerSetting.MODBUS, 500.0)
    assert (modbus[0].limit_ms, limit_words(modbus[0])) == (50, "Modbus/TCP 50 ms")
    assert controller_limits(ControllerSetting.PROFINET, None) == ()


@pytest.mark.parametrize("least_ms", [0.1, 500.0])
@pytest.mark.parametrize("most_ms", [501.9, 502.0, 502.1, 503.9, 504.1])
def test_limits_in_plots_agree_with_the_advice(least_ms: float, most_ms: float) -> None:
    found = Arrivals(1_000, least_ms, most_ms, 0)
    for advice in controller_advice(found):
        limits = controller_limits(advice.setting, least_ms)
        assert next((one.value_ms for one in limits if most_ms < one.limit_ms), None) == advice.value_ms
