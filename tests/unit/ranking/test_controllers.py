"""Smallest safe settings of controllers, from the slowest replies and the longest runs of losses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_records import MODELS, sample_record

from app.domain.controllers import Arrivals, ControllerSetting
from app.domain.results import LOST_RTT_US, Attempt, LatencySeries
from app.ranking import rank
from app.ranking.controllers import arrivals_of, controller_advice, controller_limits, outage_advice
from app.reports.json_report import to_json
from app.reports.view import report_view
from app.wording.controllers import CONTROLLER_COLUMNS, limit_words, outage_words


def attempt(*rtt_ms: float | None, frame_bytes: int = 60) -> Attempt:
    """Return an attempt with these replies in ms; None is a lost request."""
    rtt_us = np.array([LOST_RTT_US if one is None else round(1_000 * one) for one in rtt_ms], np.uint32)
    series = LatencySeries(frame_bytes, len(rtt_ms), sum(one is not None for one in rtt_ms), 0, rtt_us)
    return replace(sample_record(rounds=1, pings=5, models=MODELS[:1]).attempts[0], latency=(series,))


def advised(found: Arrivals) -> dict[ControllerSetting, int | None]:
    return {one.setting: one.value_ms for one in controller_advice(found)}


def test_extremes_are_those_of_short_frames() -> None:
    short, long = attempt(*[1.0] * 150, 4.0, None, None, 1.0, None), attempt(*[9.0] * 200, frame_bytes=1514)
    both = replace(short, latency=(*short.latency, *long.latency))
    assert arrivals_of([both]) == Arrivals(replies=152, least_ms=1.0, most_ms=4.0, lost_in_a_row=2)
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
    assert "not measured by a comparison" in view["controller_note"]


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


def test_an_outage_that_was_not_measured_is_not_made_up() -> None:
    assert outage_words(None, ()) == "not measured: no outage has ended yet"
    words = outage_words(5.0, outage_advice(5.0))
    assert words.startswith("the longest of 5.0 s, outlasted with PROFINET RT none of those offered, ")
    assert words.endswith("OPC UA (TCP) 10\N{NARROW NO-BREAK SPACE}000 ms")


def test_limits_are_values_times_their_factor() -> None:
    limits = controller_limits(ControllerSetting.PROFINET)
    assert [one.limit_ms for one in limits[:3]] == [3, 6, 12]
    assert limit_words(limits[1]) == "PROFINET RT 2 ms × 3"
    assert [one.limit_ms for one in controller_limits(ControllerSetting.ETHERNET_IP)[:2]] == [4, 8]
    assert limit_words(controller_limits(ControllerSetting.MODBUS)[0]) == "Modbus/TCP 50 ms"
