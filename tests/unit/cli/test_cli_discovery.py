"""Output of `discover`: a summary of one screen, or every suite."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.discovery_text import print_all, print_summary
from app.cli.suites_text import print_suites
from app.cli.terminal import CleanConsole
from app.discovery.candidates import find_candidates
from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption, NotFound, TunnelmarkError
from app.domain.hosts import HostSpec, MissingPart, PairSpec
from app.domain.messages import MessageForm
from app.domain.paths import Paths
from app.lab.messages import LAB_OR_PLATFORM_UNKNOWN, NO_LAB_OF_KIND, PLATFORM_UNKNOWN
from app.lab.practice_labs import Labs
from support.adapter_cases import facts
from support.fake_solutions import discovery
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS

PAIR = PairSpec("north", HostSpec("gw-a", "10.0.0.1"), HostSpec("gw-b", "10.0.0.2"), "192.0.2.1", "192.0.2.2")
MISSING = tuple(MissingPart("tcpdump", needed, "tcpdump") for needed in ("the leak test", "the injection test"))


def printed(show: object, found: Discovery, width: int = 80) -> list[str]:
    out = CleanConsole(width=width, file=io.StringIO(), color_system=None)
    assert callable(show)
    show(out, found)
    return out.file.getvalue().splitlines()  # type: ignore[attr-defined, no-any-return]


def test_summary_is_one_screen_with_a_line_for_each_solution() -> None:
    found = discovery(PAIR, MISSING)
    lines = printed(print_summary, found)
    assert len(lines) <= 24
    assert all(len(line) <= 80 for line in lines[:-1])
    solutions = {candidate.solution for candidate in found.candidates} | set(found.unavailable)
    for solution in solutions:
        assert sum(line.partition(" ")[0].rstrip(":") == solution for line in lines) == 1, solution
    assert [line for line in lines if "missing: " in line] == [
        "  missing: tcpdump; install it with: tunnelmark discover north --install"
    ]
    assert lines[-1].startswith("Every suite with its reason: tunnelmark discover north --all")


@pytest.mark.parametrize("may_open", [False, True])
@pytest.mark.parametrize(("a", "b"), [("debian-13", "debian-13"), ("debian-11", "debian-13")])
def test_summary_of_all_solutions_behind_firewalls_is_one_screen(a: str, b: str, *, may_open: bool) -> None:
    candidates, defaults = find_candidates(ADAPTERS, facts(a), facts(b))
    there = {one.solution for one in candidates}
    found = replace(
        discovery(replace(PAIR, may_open_firewall=may_open)),
        candidates=candidates,
        defaults=defaults,
        unavailable={name: "A lacks it" for name in ADAPTERS if name not in there},
        blocked=dict.fromkeys(there, ("udp 1 from 192.0.2.1",)),
    )
    lines = printed(print_summary, found)
    assert len(there) >= 11
    assert len(lines) + sum(len(line) > 80 for line in lines) <= 25, "one more than a screen: this host is busy, too"
    assert any(line.startswith("Firewalls block every solution: ") for line in lines)


def test_summary_shows_the_default_of_each_solution_and_its_verdict() -> None:
    found = discovery(PAIR)
    lines = printed(print_summary, found, width=120)
    for solution, suite in found.defaults:
        verdict = next(one.verdict for one in found.candidates if (one.solution, one.suite) == (solution, suite))
        (line,) = (one for one in lines if one.startswith(f"{solution} "))
        assert suite in line
        assert verdict in line


def test_all_shows_every_suite() -> None:
    found = discovery(PAIR, MISSING)
    text = "\n".join(printed(print_all, found, width=200))
    for candidate in found.candidates:
        assert candidate.suite in text
    assert text.count("missing: tcpdump") == 2
    assert "\n  insecure: bf-cbc: Blocks of 64 bits can be matched.\n    bf-cbc\n" in text
    assert "tinc: not possible here" in text


def test_suites_of_one_solution_as_an_option_takes_them() -> None:
    text = "\n".join(
        printed(lambda out, found: print_suites(out, found, ["openvpn-udp"], is_for_option=True), discovery(PAIR))
    )
    assert "    openvpn-udp:aes-256-gcm  (default)\n" in text
    assert "    openvpn-udp:bf-cbc" in text
    assert "wireguard" not in text
    assert "tinc" not in text


@pytest.mark.parametrize(
    ("name", "error", "form"),
    [
        ("practice", NotFound, LAB_OR_PLATFORM_UNKNOWN),
        ("debian-13", NotFound, NO_LAB_OF_KIND),
        ("A=debian-11,B=nonsense", InvalidOption, PLATFORM_UNKNOWN),
    ],
)
def test_showing_the_pair_of_a_lab_starts_none(
    tmp_path: Path, name: str, error: type[TunnelmarkError], form: MessageForm
) -> None:
    paths = Paths(tmp_path / "data", tmp_path / "labs", tmp_path / "cache")
    with pytest.raises(error, check=has_message(form)):
        Labs(paths).running_pair(name)
