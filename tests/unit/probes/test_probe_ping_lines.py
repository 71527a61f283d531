from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.probes.ping_lines import Reply, Summary, Trouble, is_too_long, milliseconds_to_us, parse_ping_line, ratio_of

REPLIES = [
    ("[1795216202.401271] 26 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.245 ms", Reply(1, 245, False, False)),
    ("64 bytes from 192.0.2.2: icmp_seq=65535 ttl=64 time=12.3 ms", Reply(65535, 12_300, False, False)),
    ("64 bytes from 192.0.2.2: icmp_seq=0 ttl=255 time=1234 ms", Reply(0, 1_234_000, False, False)),
    ("64 bytes from 192.0.2.2: icmp_seq=7 ttl=64 time=0.000 ms", Reply(7, 0, False, False)),
    ("64 bytes from 192.0.2.2: icmp_seq=7 ttl=64 time=1.53 ms (DUP!)", Reply(7, 1_530, True, False)),
    ("64 bytes from 192.0.2.2: icmp_seq=7 ttl=64 time=1.53 ms (BAD CHECKSUM!)", Reply(7, 1_530, False, True)),
    ("40 bytes from 192.0.2.2: icmp_seq=7 ttl=64 (truncated)", Reply(7, None, False, True)),
    ("16 bytes from 192.0.2.2: icmp_seq=7 ttl=64", Reply(7, None, False, False)),
    ("26 bytes from 127.0.0.1: seq=2 ttl=64 time=0.007 ms", Reply(2, 7, False, False)),
    ("26 bytes from 127.0.0.1: seq=2 ttl=64 time=0.007 ms (DUP!)", Reply(2, 7, True, False)),
    ("64 bytes from fe80::1%eth1: icmp_seq=1 ttl=64 time=0.245 ms", Reply(1, 245, False, False)),
]


@pytest.mark.parametrize(("line", "reply"), REPLIES)
def test_a_reply_is_understood(line: str, reply: Reply) -> None:
    assert parse_ping_line(line) == reply


@pytest.mark.parametrize(
    ("line", "summary"),
    [
        ("200 packets transmitted, 200 received, 0% packet loss, time 143ms", Summary(200, 200)),
        ("5 packets transmitted, 0 received, +5 errors, 100% packet loss, time 4004ms", Summary(5, 0)),
        ("9 packets transmitted, 9 received, +3 duplicates, 0% packet loss, time 9ms", Summary(9, 9)),
        ("3 packets transmitted, 3 packets received, 0% packet loss", Summary(3, 3)),
    ],
)
def test_totals_are_understood(line: str, summary: Summary) -> None:
    assert parse_ping_line(line) == summary


@pytest.mark.parametrize(
    ("line", "is_long", "is_clock"),
    [
        ("ping: local error: message too long, mtu=1437", True, False),
        ("ping: sendmsg: Message too long", True, False),
        ("ping: sendto: Message too long", True, False),
        ("From 192.0.2.9 icmp_seq=1 Frag needed and DF set (mtu = 1400)", True, False),
        ("From 192.0.2.1 icmp_seq=1 Destination Host Unreachable", False, False),
        ("ping: connect: Network is unreachable", False, False),
        ("ping: sendmsg: Operation not permitted", False, False),
        ("Warning: time of day goes back (-123us), taking countermeasures", False, True),
    ],
)
def test_a_complaint_is_understood(line: str, is_long: bool, is_clock: bool) -> None:
    assert parse_ping_line(line) == Trouble(line, is_clock=is_clock)
    assert is_too_long(line) is is_long


@pytest.mark.parametrize(
    "line",
    [
        "",
        "PING 192.0.2.2 (192.0.2.2) 18(46) bytes of data.",
        "--- 192.0.2.2 ping statistics ---",
        "rtt min/avg/max/mdev = 0.008/0.090/0.245/0.109 ms, ipg/ewma 0.143/0.190 ms",
    ],
)
def test_other_lines_say_nothing(line: str) -> None:
    assert parse_ping_line(line) is None


def print_like_iputils(us: int) -> str:
    """Source: iputils 20240905, ping_common.c, gather_statistics()."""
    if us >= 100_000 - 50:
        return f"{(us + 500) // 1000}"
    if us >= 10_000 - 5:
        return f"{(us + 50) // 1000}.{((us + 50) % 1000) // 100}"
    if us >= 1_000:
        return f"{(us + 5) // 1000}.{((us + 5) % 1000) // 10:02d}"
    return f"{us // 1000}.{us % 1000:03d}"


@given(st.integers(min_value=0, max_value=100_000_000))
def test_what_ping_prints_comes_back_to_its_own_precision(us: int) -> None:
    back_us = milliseconds_to_us(print_like_iputils(us))

    precision_us = 1 if us < 1_000 else 10 if us < 9_995 else 100 if us < 99_950 else 1_000
    assert back_us % precision_us == 0
    assert abs(back_us - us) <= precision_us // 2


@given(st.integers(min_value=0, max_value=10**9))
def test_three_digits_after_the_point_are_exact(us: int) -> None:
    assert milliseconds_to_us(f"{us // 1000}.{us % 1000:03d}") == us


@given(st.text(max_size=300))
def test_no_line_makes_the_parser_fail(line: str) -> None:
    parse_ping_line(line)


@given(st.text(alphabet="0123456789 bytesfrom:icmp_seq=tl.()![]-,%", max_size=120))
def test_no_line_of_the_right_letters_makes_it_fail_either(line: str) -> None:
    parsed = parse_ping_line(line)
    if isinstance(parsed, Reply):
        assert 0 <= parsed.seq <= 65_535
        assert parsed.rtt_us is None or parsed.rtt_us >= 0


@pytest.mark.parametrize(
    ("text", "ratio"), [("900 600", 1.5), ("0 600", None), ("900 0", None), ("900", None), ("9 x", None), ("", None)]
)
def test_the_ratio_of_two_windows_is_known_where_both_had_replies(text: str, ratio: float | None) -> None:
    assert ratio_of(text) == ratio
