from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BASELINE, BLOWFISH, L2TP, OPENVPN_UDP, WIREGUARD, pair, sample_record

from app.domain.ranking import Estimate
from app.ranking.titles import in_lines, short_titles
from app.reports.labels import shortened, spread, styles
from app.reports.text import NOTHING, clean, interval, with_half_width
from app.reports.view_setting import repeat_command
from app.wording.colours import SOLUTION_COLOURS, series_style
from app.wording.numbers import NARROW_SPACE, counted, figure, listed, signed_pct


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "0"),
        (1.1, "1.10"),
        (0.0456, "0.0456"),
        (24.61, "24.6"),
        (404.4, "404"),
        (9.999, "10.0"),
        (0.9999, "1.00"),
        (1234.5, f"1{NARROW_SPACE}234"),
        (1234567, f"1{NARROW_SPACE}234{NARROW_SPACE}567"),
        (-0.5, "-0.500"),
        (1e-5, "0.0000100"),
    ],
)
def test_three_significant_digits(value: float, expected: str) -> None:
    assert figure(value) == expected


def test_small_words() -> None:
    assert (signed_pct(3.14), signed_pct(-2), signed_pct(-0.04)) == ("+3.1 %", "−2.0 %", "±0.0 %")
    assert (counted(1, "round"), counted(2000, "frame")) == ("1 round", f"2{NARROW_SPACE}000 frames")
    assert (listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])) == (
        "",
        "a",
        "a and b",
        "a, b and c",
    )


def test_estimates_as_text() -> None:
    assert with_half_width(Estimate(42.0, (41.1, 42.9), 3)) == "42.0 ± 0.90"
    assert with_half_width(Estimate(42.0, None, 1)) == "42.0"
    assert with_half_width(None) == NOTHING
    assert interval(Estimate(1.0, (0.9, 1.1), 3)) == "0.900 to 1.10"
    assert interval(Estimate(1.0, None, 1)) == ""


@given(st.text())
def test_clean_text_holds_nothing_harmful_and_keeps_the_rest(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()  # no surrogates
    assert not any(ord(char) < 32 and char not in "\n\t" for char in cleaned)
    assert clean(cleaned) == cleaned


def test_clean_keeps_letters_of_all_kinds_and_line_ends() -> None:
    assert clean("Größe 1\u202f000 µs\tЖ 日本 🙂\r\nnext") == "Größe 1\u202f000 µs\tЖ 日本 🙂\nnext"
    assert clean("a\u202eb\x1b\x00\ufffe") == "a\ufffdb\ufffd\ufffd\ufffd"


@given(
    st.lists(st.floats(0, 100), max_size=12),
    st.floats(0.1, 20),
)
def test_labels_never_cover_each_other_and_stay_inside(positions: list[float], gap: float) -> None:
    places = spread(positions, gap, 0, 100)
    room = min(gap, 100 / max(1, len(positions) - 1))
    ordered = sorted(places)
    assert all(after - before >= room - 1e-6 for before, after in itertools.pairwise(ordered))
    assert all(-1e-6 <= place <= 100 + 1e-6 for place in places)


def test_labels_keep_their_order_and_stay_where_there_is_room() -> None:
    assert spread([10, 50, 90], 10, 0, 100) == pytest.approx([10, 50, 90])
    assert spread([50, 51], 10, 0, 100) == pytest.approx([45.5, 55.5])
    assert spread([0, 1], 10, 0, 100) == pytest.approx([0, 10])
    assert spread([], 10, 0, 100) == []


def test_titles_in_figures_have_their_suite_where_a_solution_is_there_twice() -> None:
    plain = replace(L2TP, title="L2TPv3, unencrypted")
    assert list(short_titles([BASELINE, plain, WIREGUARD, OPENVPN_UDP, BLOWFISH]).values()) == [
        "Bare underlay",
        "L2TPv3, unencrypted",
        "WireGuard",
        "OpenVPN over UDP, AES-256-GCM",
        "OpenVPN over UDP, BF-CBC",
    ]
    assert in_lines("OpenVPN over UDP, ChaCha20-Poly1305") == "OpenVPN over UDP,\nChaCha20-Poly1305"
    assert max(map(len, in_lines("x" * 50).splitlines())) == 18
    assert shortened("x" * 100) == "x" * 53 + "…"


def test_a_solution_has_one_colour_and_its_suites_differ_in_dashes() -> None:
    keys = [("openvpn-udp", "gcm"), ("openvpn-udp", "chacha"), ("baseline", "none")]
    found = styles(keys)
    assert found[keys[0]].colour == found[keys[1]].colour == SOLUTION_COLOURS["openvpn-udp"]
    assert found[keys[0]].dash != found[keys[1]].dash
    assert found[keys[2]].dash
    assert found[keys[2]].colour == "#808080"
    assert series_style("something new").colour.startswith("#")


def test_the_command_to_repeat_names_what_differs_from_the_profile() -> None:
    assert repeat_command(sample_record(pings=200, rounds=1)).endswith(
        "--profile standard --pings 200 --seconds 3 --rounds 1 --deadline-ms 5"
    )
    record = sample_record(deadline_ms=None, pair_spec=pair())
    assert repeat_command(record).startswith(
        "tunnelmark compare lab:practice --solutions baseline,l2tp,wireguard:chacha20-poly1305,openvpn-udp:aes-256-gcm,"
        "openvpn-tcp:aes-256-gcm,openvpn-udp:bf-cbc --profile"
    )
