"""Reading what is typed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.census import selection_of
from app.cli.condition_options import transfer_mb_of, workloads_of
from app.cli.messages import ADDRESS_FORM, ADDRESS_PORT, OUT_OF_RANGE, TRANSFER_NOT_ASKED_FOR, UNKNOWN_WORKLOAD
from app.cli.pairs import parse_address
from app.cli.parser import make_parser, parse
from app.cli.profile_options import chosen_profile, profile_of
from app.domain.errors import InvalidOption
from app.domain.hosts import AuthKind, HostSpec
from app.domain.preferences import Preferences
from app.domain.profiles import PROFILES, Profile, ProfileName
from app.lab import PLATFORMS
from app.measurement.census.stored import CensusOptions
from app.probes.workloads import TUNNEL_WORKLOADS
from support.message_checks import has_message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("root@10.0.0.1:2222", ("root", "10.0.0.1", 2222)),
        ("10.0.0.1", (None, "10.0.0.1", None)),
        ("gateway-a", (None, "gateway-a", None)),
        ("me@[fe80::1]:22", ("me", "fe80::1", 22)),
        ("[::1]", (None, "::1", None)),
    ],
)
def test_addresses(text: str, expected: tuple[str | None, str, int | None]) -> None:
    host = parse_address(text, "A", identity=None, host_key_file=None)
    assert (host.user, host.address, host.port) == expected
    assert host.auth is AuthKind.AUTO


@pytest.mark.parametrize("text", ["", "root@", "a b", "::::", "host:22:33", "@host"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidOption, check=has_message(ADDRESS_FORM)):
        parse_address(text, "A", identity=None, host_key_file=None)


@pytest.mark.parametrize("port", [0, 70000])
def test_a_port_that_cannot_be_is_named(port: int) -> None:
    with pytest.raises(InvalidOption, check=has_message(ADDRESS_PORT, text=f"host:{port}", port=port)):
        parse_address(f"host:{port}", "A", identity=None, host_key_file=None)


@given(st.text(max_size=60))
def test_reading_an_address_never_crashes(text: str) -> None:
    try:
        host = parse_address(text, "A", identity=None, host_key_file=None)
    except InvalidOption:
        return
    assert isinstance(host, HostSpec)
    assert host.address
    assert not any(character.isspace() for character in host.address)


def test_a_key_file_means_that_key() -> None:
    host = parse_address("root@h", "A", identity="/k", host_key_file="/h")
    assert (host.auth, host.identity_file, host.host_key_file) == (AuthKind.KEY, "/k", "/h")


def test_the_number_of_pings_of_a_census_is_no_kind_of_option() -> None:
    selected = selection_of(parse(["census", "north", "--solutions", "tinc", "--pings", "7"]))
    assert selected == CensusOptions(("tinc",), (), pings=7)


@pytest.mark.parametrize("command", [["lab", "up"], ["demo"], ["compare"], ["discover"]])
def test_help_names_every_platform(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse([*command, "--help"])
    shown = capsys.readouterr().out
    assert [name for name in PLATFORMS if name not in shown] == []


def test_a_profile_remains_itself_unless_something_is_asked_for() -> None:
    assert chosen_profile("paper", pings=None, seconds=None, rounds=None) == PROFILES[ProfileName.PAPER]
    custom = chosen_profile("quick", pings=50, seconds=None, rounds=2)
    assert (custom.name, custom.pings, custom.seconds, custom.rounds) == (ProfileName.CUSTOM, 50, 3, 2)


@pytest.mark.parametrize("wrong", [{"pings": 0}, {"seconds": 0}, {"rounds": 0}, {"pings": 2_000_000}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    given_ = {"pings": None, "seconds": None, "rounds": None, **wrong}
    with pytest.raises(InvalidOption, check=has_message(OUT_OF_RANGE)):
        chosen_profile("quick", pings=given_["pings"], seconds=given_["seconds"], rounds=given_["rounds"])


def test_a_command_for_a_labs_host_is_left_alone() -> None:
    options = parse(["lab", "ssh", "A", "--name", "one", "--", "ip", "--", "-o", "link"])
    assert (options.side, options.name, options.remote) == ("A", "one", ["ip", "--", "-o", "link"])
    assert parse(["lab", "ssh", "B"]).remote == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", PROFILES[ProfileName.PAPER]),
        ("--profile quick", PROFILES[ProfileName.QUICK]),
        ("--rounds 2", replace(PROFILES[ProfileName.PAPER], name=ProfileName.CUSTOM, rounds=2)),
    ],
)
def test_the_profile_of_the_settings_counts_unless_the_command_line_has_one(words: str, expected: Profile) -> None:
    options = make_parser().parse_args(["compare", "north", *words.split()])
    assert profile_of(options, Preferences(ProfileName.PAPER)) == expected


def test_all_workloads_are_those_that_run_over_a_tunnel() -> None:
    def workloads(words: str) -> tuple[str, ...]:
        return workloads_of(make_parser().parse_args(["compare", "plant", "--workload", words]))

    assert workloads("all") == TUNNEL_WORKLOADS
    assert workloads("key-exchanges,all") == (*TUNNEL_WORKLOADS, "key-exchanges")
    assert workloads("key-exchanges") == ("key-exchanges",)


def test_the_size_of_the_file_goes_with_the_workload_that_transfers_it() -> None:
    def size_mb(*words: str) -> int:
        return transfer_mb_of(make_parser().parse_args(["compare", "plant", *words]))

    assert size_mb("--workload", "voice") == 4
    assert size_mb("--workload", "voice,transfer", "--transfer-mb", "25") == 25
    assert size_mb("--workload", "all", "--transfer-mb", "1") == 1
    for words in ((), ("--workload", "voice")):
        with pytest.raises(InvalidOption, check=has_message(TRANSFER_NOT_ASKED_FOR)):
            size_mb(*words, "--transfer-mb", "25")
    with pytest.raises(InvalidOption, check=has_message(UNKNOWN_WORKLOAD)):
        size_mb("--workload", "fax")
