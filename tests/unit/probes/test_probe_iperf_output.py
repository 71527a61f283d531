from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.probes.iperf_output import (
    Failure,
    Interval,
    Malformed,
    TextReader,
    Total,
    has_json_stream,
    parse_json_event,
)

# As iperf3 3.18 printed it (shortened to little more than the fields that the program reads).
INTERVAL = json.dumps(
    {
        "event": "interval",
        "data": {
            "streams": [{"socket": 5, "start": 0, "end": 1.000077, "bytes": 51118080, "sender": True}],
            "sum": {
                "start": 1.5,
                "end": 2.500077,
                "seconds": 1.000077,
                "bytes": 51118080,
                "bits_per_second": 408913117.2,
                "retransmits": 0,
                "omitted": False,
                "sender": True,
            },
        },
    }
)
END = json.dumps(
    {
        "event": "end",
        "data": {
            "sum_sent": {"start": 0, "end": 3.0, "bits_per_second": 409e6, "retransmits": 12, "sender": True},
            "sum_received": {"start": 0, "end": 3.0, "bits_per_second": 404.5e6, "sender": True},
            "cpu_utilization_percent": {"host_total": 4.2},
        },
    }
)


def test_events_of_a_test() -> None:
    assert parse_json_event('{"event":"start","data":{"connected":[]}}') is None
    assert parse_json_event(INTERVAL) == Interval(1.5, 2.500077, pytest.approx(408.9131172))
    assert parse_json_event(END) == Total(pytest.approx(404.5), 12)


def test_the_start_that_is_left_out_is_marked() -> None:
    omitted = INTERVAL.replace('"omitted": false', '"omitted": true')
    assert parse_json_event(omitted) == Interval(1.5, 2.500077, pytest.approx(408.9131172), is_omitted=True)

    # As iperf3 3.12 printed it.
    line = "[  5]   0.00-1.01   sec  2.50 MBytes  20757 Kbits/sec    0   1.12 MBytes       (omitted)"
    assert TextReader().read(line) == Interval(0, 1.01, 20.757, is_omitted=True)
    assert TextReader().read(line.removesuffix("(omitted)")) == Interval(0, 1.01, 20.757)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            '{"event":"error","data":"unable to connect to server: Connection refused"}',
            "unable to connect to server: Connection refused",
        ),
        (
            "iperf3: error - unable to connect to server: No route to host",
            "unable to connect to server: No route to host",
        ),
        ("iperf3: parameter error - some option you are trying to set", "some option you are trying to set"),
        ("iperf3: interrupt - the server has terminated", "iperf3: interrupt - the server has terminated"),
    ],
)
def test_errors_come_in_its_own_words(line: str, text: str) -> None:
    assert parse_json_event(line) == Failure(text)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "not json at all",
        "[]",
        "17",
        "null",
        '{"event":"interval"}',
        '{"event":"interval","data":{}}',
        '{"event":"interval","data":{"sum":{"start":0,"end":1,"bits_per_second":"fast"}}}',
        '{"event":"interval","data":{"sum":{"start":0,"end":1,"bits_per_second":true}}}',
        '{"event":"interval","data":{"sum":{"start":0,"end":1,"bits_per_second":-5}}}',
        '{"event":"interval","data":{"sum":{"start":0,"end":1,"bits_per_second":NaN}}}',
        '{"event":"end","data":[]}',
        '{"event":"end","data":{"sum_received":{"bits_per_second":1e99}}}',
        '{"data":{}}',
        "[" * 100_000,
    ],
)
def test_what_it_should_not_print_is_distinguished(line: str) -> None:
    parsed = parse_json_event(line)

    assert isinstance(parsed, Malformed)
    assert len(parsed.text) <= 300


@given(st.text(max_size=200))
def test_no_line_makes_the_json_parser_fail(line: str) -> None:
    parse_json_event(line)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["event", "data", "sum", "start", "end", "bits_per_second"]), inner)
        ),
        max_leaves=20,
    ),
    st.sampled_from(["interval", "end", "start", "error"]),
)
def test_no_event_makes_the_json_parser_fail(data: object, name: str) -> None:
    parse_json_event(json.dumps({"event": name, "data": data}))


TEXT = """\
Connecting to host 192.0.2.2, port 25201
[  5] local 192.0.2.1 port 40404 connected to 192.0.2.2 port 25201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  47360 KBytes  387876 Kbits/sec   15    315 KBytes
[  5]   1.00-2.00   sec  51200 KBytes  419430 Kbits/sec    0    410 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-2.00   sec  98560 KBytes  403653 Kbits/sec   15             sender
[  5]   0.00-2.01   sec  97280 KBytes  396481 Kbits/sec                  receiver

iperf Done.
"""


def test_text_of_older_versions() -> None:
    reader = TextReader()

    parsed = [value for line in TEXT.splitlines() if (value := reader.read(line)) is not None]

    assert parsed == [Interval(0, 1, 387.876), Interval(1, 2, 419.43), Total(396.481, 15)]


def test_text_without_retransmits() -> None:
    reader = TextReader()
    reader.read("[  5]   0.00-2.00   sec  98560 KBytes  403653 Kbits/sec                  sender")

    assert reader.read("[  5]   0.00-2.01   sec  97280 KBytes  396481 Kbits/sec                  receiver") == Total(
        396.481, None
    )


def test_text_of_the_receiving_side_has_no_retransmits_column() -> None:
    line = "[  5]   0.00-1.00   sec  47360 KBytes  387876 Kbits/sec"

    assert TextReader().read(line) == Interval(0, 1, 387.876)


def test_errors_in_text() -> None:
    words = "error - unable to connect to server: Connection refused"

    assert TextReader().read(f"iperf3: {words}") == Failure("unable to connect to server: Connection refused")


@given(st.text(alphabet="[ID] 0123456789.-secKMBytes/dr\t", max_size=120))
def test_no_line_makes_the_text_parser_fail(line: str) -> None:
    TextReader().read(line)


@pytest.mark.parametrize(
    ("version", "has_it"),
    [
        ("3.18", True),
        ("3.17.1", True),
        ("iperf 3.18 (cJSON 1.7.15)", True),
        ("3.16", False),
        ("3.9", False),
        ("", False),
    ],
)
def test_which_versions_stream_json(version: str, has_it: bool) -> None:
    assert has_json_stream(version) is has_it
