"""Names, platforms and what a lab is asked for."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.lab import PLATFORMS, CpuKind, LabSpec, check_lab_name, parse_platforms, platforms_text
from app.lab.messages import LAB_NAME_OF_PLATFORM, LAB_NAME_WRONG, PLATFORM_UNKNOWN
from app.lab.platforms import platform
from app.lab.spec import boot_share
from support.message_checks import has_message


@pytest.mark.parametrize("name", ["a", "0", "shared", "e2e-4711", "a" * 31])
def test_good_names(name: str) -> None:
    check_lab_name(name)


@pytest.mark.parametrize("name", ["", "-a", "A", "a b", "a/b", "..", "ä", "a" * 32, "a\n", "a.b", "a_b"])
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidOption, check=has_message(LAB_NAME_WRONG)):
        check_lab_name(name)


@given(st.text(max_size=40))
def test_an_accepted_name_is_always_a_safe_file_name(name: str) -> None:
    try:
        check_lab_name(name)
    except InvalidOption:
        return
    assert set(name) <= set(string.ascii_lowercase + string.digits + "-")
    assert 1 <= len(name) <= 31
    assert not name.startswith("-")


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_platform_names_are_reserved(name: str) -> None:
    with pytest.raises(InvalidOption, check=has_message(LAB_NAME_OF_PLATFORM, lab=name)):
        LabSpec(name).check()


def test_unknown_platforms_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidOption, check=has_message(PLATFORM_UNKNOWN, platform="debian-1")) as caught:
        LabSpec("x", platform_b="debian-1").check()
    assert "debian-13" in caught.value.hint


def test_the_two_ends_may_differ() -> None:
    spec = LabSpec("x", platform_a="one", platform_b="two", cpu=CpuKind.NO_AES)
    assert (spec.platform(Side.A), spec.platform(Side.B)) == ("one", "two")


@pytest.mark.parametrize("row", PLATFORMS.values(), ids=list(PLATFORMS))
def test_every_platform_can_be_made_and_measured_with(row: object) -> None:
    entry = platform(getattr(row, "name"))  # noqa: B009 - the table's key and the row's name must agree
    assert entry is row
    assert {"openssh-server", "iperf3", "tcpdump", "iputils-ping", "openvpn", "wireguard-tools"} <= set(entry.packages)
    assert {"tinc", "wpasupplicant"} <= set(entry.packages)
    # Debian's packages of the two IKE daemons conflict.
    assert ({"charon-systemd", "strongswan-swanctl"} <= set(entry.packages)) == ("libreswan" not in entry.packages)
    assert len(set(entry.packages)) == len(entry.packages)
    assert entry.kernel_package.startswith("linux-image-")


def test_freelan_is_where_debian_has_it() -> None:
    assert [row.name for row in PLATFORMS.values() if "freelan" in row.packages] == ["debian-11"]


def test_vpns_of_former_times_and_the_general_kernel_are_on_one_platform() -> None:
    assert [row.name for row in PLATFORMS.values() if "vtun" in row.packages] == ["debian-12-legacy"]
    assert [row.name for row in PLATFORMS.values() if "cloud" not in row.kernel_package] == ["debian-12-legacy"]


def test_no_platform_gets_options_that_its_sshd_does_not_understand() -> None:
    assert PLATFORMS["debian-11"].sshd_lines == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("debian-13", ("debian-13", "debian-13")),
        ("A=debian-11,B=debian-13", ("debian-11", "debian-13")),
        ("b=debian-11, a=debian-13", ("debian-13", "debian-11")),
    ],
)
def test_platforms_of_both_sides(text: str, expected: tuple[str, str]) -> None:
    assert parse_platforms(text) == expected
    assert parse_platforms(platforms_text(*expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "=,=", "debian-1", "debian-11,debian-13", "A=debian-11", "A=debian-11,B=", "A=debian-11,C=debian-13"),
        *("A=debian-11,A=debian-13", "A=debian-11,B=debian-13,B=debian-13"),
    ],
)
def test_what_is_no_platform_is_refused(text: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        parse_platforms(text)
    assert "debian-13" in caught.value.hint


@given(st.text(alphabet="AB=,debian-13 x", max_size=40))
def test_reading_platforms_never_crashes(text: str) -> None:
    try:
        found = parse_platforms(text)
    except InvalidOption:
        return
    assert set(found) <= set(PLATFORMS)


def test_how_far_a_boot_is_becomes_unknown_when_it_takes_longer_than_usual() -> None:
    shares = [boot_share(waited_s) for waited_s in (0.0, 10.0, 20.0, 24.0, 25.0, 90.0)]
    assert shares[:3] == [0.0, 0.4, 0.8]
    assert shares[4:] == [None, None], "a bar that rests just before its end says that the end is near"
