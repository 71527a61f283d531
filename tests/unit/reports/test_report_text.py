from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BASELINE, BLOWFISH, L2TP, OPENVPN_UDP, WIREGUARD, pair, sample_record

from app.domain.ranking import Estimate
from app.ranking.titles import in_lines, short_titles
from app.reports.labels import shortened, stacked, styles
from app.reports.text import NOTHING, clean, interval, with_half_width
from app.reports.view_setting import repeat_command
from app.wording.colours import series_style
from app.wording.numbers import NARROW_SPACE, figure, signed_pct


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
    st.lists(st.tuples(st.floats(-50, 150), st.sampled_from([5.0, 10.0, 15.0])), min_size=1, max_size=12),
)
def test_labels_of_several_lines_have_room_of_their_own(labels: list[tuple[float, float]]) -> None:
    positions, heights = [position for position, _ in labels], [height for _, height in labels]
    centres = stacked(positions, heights, 0.0, 100.0)
    squeeze = min(1.0, 100.0 / sum(heights))
    boxes = sorted(
        (centre - squeeze * height / 2, centre + squeeze * height / 2)
        for centre, height in zip(centres, heights, strict=True)
    )
    assert boxes[0][0] >= -1e-6
    assert boxes[-1][1] <= 100.0 + 1e-6
    assert all(upper[0] >= lower[1] - 1e-6 for lower, upper in itertools.pairwise(boxes))
    by_wish = sorted(range(len(labels)), key=lambda nth: positions[nth])
    assert [centres[nth] for nth in by_wish] == pytest.approx(sorted(centres))


def test_labels_keep_their_order_and_remain_where_there_is_room() -> None:
    assert stacked([10, 50, 90], [10] * 3, 0, 100) == pytest.approx([10, 50, 90])
    assert stacked([50, 51], [10] * 2, 0, 100) == pytest.approx([45.5, 55.5])
    assert stacked([0, 1], [10] * 2, 0, 100) == pytest.approx([5, 15])
    assert stacked([98, 50], [20, 10], 0, 100) == pytest.approx([90, 50])
    assert stacked([], [], 0, 100) == []


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
    assert found[keys[0]].colour == found[keys[1]].colour == series_style("openvpn-udp").colour
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
