"""Contract of the adapters, tested with each one in the registry and each suite that two real hosts have in common."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import pytest

from app.deployment.choice import NEVER_DEPLOYED
from app.domain.adapters import Adapter, PublicIdentity
from app.domain.commands import Command
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive
from app.domain.link import TunnelNames
from app.domain.solutions import Suite
from app.domain.verdicts import Verdict
from app.policy import UNKNOWN_REASON, judge, judge_suite
from support.adapter_cases import (
    COMPARED_ALONE,
    FORMER,
    NEVER_SECURE,
    OWN_PLATFORMS,
    all_cases,
    command_text,
    facts,
    home,
    platforms,
    recorded,
    render,
    request,
    result,
    steps_of,
    without_solution,
)
from vpn_adapters.registry import ADAPTERS

GOLDEN = Path(__file__).parent / "golden"
REGENERATE = "TUNNELMARK_WRITE_GOLDEN"

ALL_ADAPTERS = pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS.keys())
ALL_CASES = pytest.mark.parametrize(
    ("adapter", "suite"), all_cases(), ids=[f"{adapter.info.name}-{suite.name}" for adapter, suite in all_cases()]
)
LACKING = {"debian-13": {"freelan", *COMPARED_ALONE}, "debian-11": COMPARED_ALONE}
"""Solutions that a release does not have; all others are on every platform."""
_NO_LINES: Mapping[Side, tuple[str, ...]] = {}
_DPD = dict.fromkeys(Side, ("dpd_delay = 60s",))
METERED: Mapping[str, Mapping[Side, tuple[str, ...]]] = {
    "baseline": _NO_LINES,
    "l2tp": _NO_LINES,
    "wireguard": _NO_LINES,
    "wireguard-vxlan": _NO_LINES,
    "openvpn-udp": {Side.A: ("keepalive 60 180",)},
    "openvpn-tcp": {Side.A: ("keepalive 60 180",)},
    "ipsec": _DPD,
    "ipsec-gretap": _DPD,
    "tinc": dict.fromkeys(Side, ("PingInterval = 60",)),
    "ssh": {
        Side.A: ("ClientAliveInterval 60", "ClientAliveCountMax 3"),
        Side.B: ("ServerAliveInterval 60", "ServerAliveCountMax 3"),
    },
    "fastd": _NO_LINES,
    "freelan": _NO_LINES,
    "macsec": _NO_LINES,
    "vtun": dict.fromkeys(Side, ("keepalive 60:3;",)),
    "vtun-ppp": dict.fromkeys(Side, ("keepalive 60:3;",)),
    "pptp": dict.fromkeys(Side, ("lcp-echo-interval 60",)),
    "xl2tpd": dict.fromkeys(Side, ("lcp-echo-interval 60",)),
    "ppp-ssh": {
        Side.A: ("ClientAliveInterval 60", "ClientAliveCountMax 3", "lcp-echo-interval 60"),
        Side.B: ("ServerAliveInterval 60", "ServerAliveCountMax 3", "lcp-echo-interval 60"),
    },
    "stunnel": dict.fromkeys(Side, ("lcp-echo-interval 60",)),
    "libreswan": dict.fromkeys(Side, ("dpddelay=60",)),
}
"""Lines of generated files that a metered deployment has in place of a wired one's."""
SLOWED_LATER = {"wireguard", "wireguard-vxlan"}
"""Solutions whose keepalive the supervisor makes rare, once the peer answers."""
BOTH_SIDES = pytest.mark.parametrize("side", list(Side))


def commands_of(adapter: Adapter, suite: Suite, side: Side) -> list[Command]:
    """Return every command that a plan can run on one host, undo included."""
    plan_request = request(adapter, suite)
    recipe, end = adapter.identity(plan_request, side), adapter.plan(plan_request).on(side)
    commands = [*recipe.public.values(), *(check.command for check in end.up_checks)]
    if end.negotiated:
        commands.append(end.negotiated.command)
    for step in (*recipe.steps, *end.steps):
        commands += [step.command] if step.undo is None else [step.command, step.undo]
    return commands


def test_registry_has_the_first_five_under_their_own_names() -> None:
    assert set(ADAPTERS) >= {"baseline", "l2tp", "wireguard", "openvpn-udp", "openvpn-tcp"}
    assert all(adapter.info.name == name for name, adapter in ADAPTERS.items())


@ALL_ADAPTERS
def test_info_is_reported_in_full(adapter: Adapter) -> None:
    info = adapter.info
    assert info.title
    assert info.summary.endswith(".")
    assert info.is_unprotected or info.sources
    assert info.is_unprotected == (not info.security.has_confidentiality)


@ALL_ADAPTERS
@pytest.mark.parametrize("platform", platforms())
def test_recorded_host_can_do_it(adapter: Adapter, platform: str) -> None:
    support = facts(platform).solutions[adapter.info.name]
    if adapter.info.name in LACKING.get(platform, ()):
        assert not support.is_available
        assert support.missing
    else:
        assert support.is_available
        assert support.missing == ()
        assert support.note == ""
    assert set(adapter.discovery()) == set(recorded(platform).get(adapter.info.name, {}))


@ALL_ADAPTERS
def test_host_that_answers_nothing_lacks_parts_with_names(adapter: Adapter) -> None:
    answers = {name: result(exit_status=127, stderr="not found") for name in adapter.discovery()}
    support = adapter.parse_discovery(answers)
    assert support.is_available == (not adapter.discovery())
    assert support.is_available or support.missing
    assert all(part.what and part.needed_for == adapter.info.name for part in support.missing)


@ALL_ADAPTERS
def test_discovery_needs_no_input_and_is_short(adapter: Adapter) -> None:
    for command in adapter.discovery().values():
        assert command.stdin is None
        assert command.timeout_s <= 10


@ALL_ADAPTERS
@pytest.mark.parametrize(("aes_a", "aes_b"), [(True, True), (True, False), (False, False)])
def test_exactly_one_suite_is_the_default_and_never_insecure(adapter: Adapter, aes_a: bool, aes_b: bool) -> None:
    platform = home(adapter)
    suites = adapter.suites(facts(platform, has_aes=aes_a), facts(platform, has_aes=aes_b))
    defaults = [suite for suite in suites if suite.is_default]
    assert len(defaults) == 1
    assert len({suite.name for suite in suites}) == len(suites)
    verdict, _ = judge_suite(defaults[0], adapter.info)
    assert (verdict is Verdict.UNPROTECTED) == adapter.info.is_unprotected
    assert (verdict is Verdict.INSECURE) == (adapter.info.name in NEVER_SECURE)
    assert adapter.info.name not in COMPARED_ALONE or set(adapter.info.design) & set(NEVER_DEPLOYED)
    assert adapter.info.name not in FORMER or not verdict.is_deployable, "else it is ticked by itself, and recommended"


@ALL_ADAPTERS
def test_no_suite_where_one_host_cannot(adapter: Adapter) -> None:
    host = facts(home(adapter))
    lacking = without_solution(host, adapter.info.name)
    expected = adapter.suites(host, host) if not adapter.discovery() else ()
    assert adapter.suites(host, lacking) == expected
    assert adapter.suites(lacking, host) == expected


@ALL_CASES
def test_policy_knows_every_algorithm_of_a_suite(adapter: Adapter, suite: Suite) -> None:
    assert [name for name in suite.algorithms if judge(name).reason == UNKNOWN_REASON] == []
    assert suite.algorithms or adapter.info.is_unprotected


@ALL_CASES
def test_every_name_and_number_is_taken_from_the_link(adapter: Adapter, suite: Suite) -> None:
    usual = TunnelNames()
    others = {
        one.name: f"other{number}" if isinstance(getattr(usual, one.name), str) else 41_000 + 10 * number
        for number, one in enumerate(fields(TunnelNames))
    }
    asked = request(adapter, suite)
    made = adapter.plan(replace(asked, link=replace(asked.link, names=TunnelNames(**others))))  # type: ignore[arg-type]
    for side in Side:
        text = repr((adapter.identity(asked, side).steps, made.on(side), made.whole_filter))
        found = {name for name in others if re.search(rf"(?<!\w){getattr(usual, name)}(?!\w)", text)}
        assert not found, side


@ALL_CASES
@BOTH_SIDES
def test_plan_is_the_golden_one(adapter: Adapter, suite: Suite, side: Side) -> None:
    text = render(adapter.plan(request(adapter, suite)), side)
    path = GOLDEN / f"{adapter.info.name}-{suite.name}-{side}.txt"
    if os.environ.get(REGENERATE):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, (
        f"see the difference; with {REGENERATE}=1 it becomes the golden one"
    )


def test_there_is_no_golden_file_without_a_case() -> None:
    names = {f"{adapter.info.name}-{suite.name}-{side}.txt" for adapter, suite in all_cases() for side in Side}
    assert {path.name for path in GOLDEN.iterdir()} == names


@ALL_CASES
def test_metered_makes_the_keepalive_of_its_own_rare_and_changes_nothing_else(adapter: Adapter, suite: Suite) -> None:
    asked = request(adapter, suite)
    assert asked.keepalive is Keepalive.WIRED, "the golden ones are of it"
    metered = replace(asked, keepalive=Keepalive.METERED)
    wired, rare = adapter.plan(asked), adapter.plan(metered)
    for side in Side:
        old, new = (render(plan, side).splitlines() for plan in (wired, rare))
        changed = [(former, later) for former, later in zip(old, new, strict=True) if former != later]
        assert [later.split() for _, later in changed] == [
            line.split() for line in METERED[adapter.info.name].get(side, ())
        ], side
        when_idle = rare.on(side).when_idle
        assert wired.on(side).when_idle is None
        assert (when_idle is not None) == (adapter.info.name in SLOWED_LATER)
        if when_idle is not None:
            assert when_idle.argv[-2:] == ("persistent-keepalive", "60")
        assert adapter.identity(metered, side) == adapter.identity(asked, side)


@ALL_CASES
def test_same_request_gives_the_same_plan(adapter: Adapter, suite: Suite) -> None:
    assert adapter.plan(request(adapter, suite)) == adapter.plan(request(adapter, suite))


@ALL_CASES
def test_every_step_has_an_undo(adapter: Adapter, suite: Suite) -> None:
    assert [step.title for step in steps_of(adapter, request(adapter, suite)) if step.undo is None] == []


@cache
def faults_in(script: str, shell: tuple[str, ...]) -> str:
    """Return what a shell has to say of a script without running it; suites have most scripts in common."""
    checked = subprocess.run([*shell, "-n"], input=script, capture_output=True, text=True, check=False)
    return checked.stderr if checked.returncode else ""


@ALL_CASES
def test_shell_scripts_are_posix(adapter: Adapter, suite: Suite) -> None:
    for command in (one for side in Side for one in commands_of(adapter, suite, side)):
        if command.argv[:2] == ("sh", "-c"):
            for shell in (("dash",), ("busybox", "sh")):
                assert faults_in(command.argv[2], shell) == ""


@cache
def run_apart(*commands: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    """Run commands in sequence, with a network, processes, /run and a folder that were just made.

    They end daemons by name and configuration; those of tunnels that other tests have must not be among them.

    Returns:
        Each one's exit status and what it wrote to stderr.
    """
    lines = (
        f'{shlex.join(argv)} < /dev/null > /dev/null 2> "$1/{nth}"; echo "$?"' for nth, argv in enumerate(commands)
    )
    script = "\n".join(("mount -t tmpfs run /run || exit 1", *lines))
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as reported:
        done = subprocess.run(
            ["unshare", "--net", "--pid", "--fork", "--mount", "--mount-proc", "sh", "-c", script, "sh", reported],
            cwd=here,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        errors = [Path(reported, str(nth)).read_text(encoding="utf-8") for nth in range(len(commands))]
    return tuple(zip(map(int, done.stdout.split()), errors, strict=True))


@ALL_CASES
@BOTH_SIDES
def test_undo_on_a_host_with_nothing_left_succeeds_twice(adapter: Adapter, suite: Suite, side: Side) -> None:
    # In a network of its own, with no tunnel in it. `ip` and the rest of the shell's tools are the real ones.
    plan_request = request(adapter, suite)
    steps = (*adapter.identity(plan_request, side).steps, *adapter.plan(plan_request).on(side).steps)
    twice = (*reversed(steps), *reversed(steps))
    undone = run_apart(*(step.undo.argv for step in twice if step.undo is not None))
    for step, (status, stderr) in zip(twice, undone, strict=True):
        assert (status, stderr) == (0, ""), step.title


@ALL_CASES
def test_commands_have_deadlines_and_no_input(adapter: Adapter, suite: Suite) -> None:
    for command in (one for side in Side for one in commands_of(adapter, suite, side)):
        assert command.stdin is None
        assert 0 < command.timeout_s <= 30
        assert command.is_root


@ALL_CASES
def test_files_begin_with_the_header_and_lie_in_the_tunnels_folder(adapter: Adapter, suite: Suite) -> None:
    plan_request = request(adapter, suite)
    plan = adapter.plan(plan_request)
    for file in (*plan.a.files, *plan.b.files):
        assert file.path.startswith(f"{plan_request.link.run_dir}/")
        assert file.mode & 0o077 == 0
        lines = file.content.decode().splitlines()
        assert lines[: len(plan_request.header)] == [f"# {line}" for line in plan_request.header]


@ALL_CASES
def test_header_cannot_begin_a_line_of_its_own(adapter: Adapter, suite: Suite) -> None:
    hostile = replace(request(adapter, suite), header=("Host x\nscript-security 2\rup /bin/sh\u2028q",))
    for side in Side:
        for file in adapter.plan(hostile).on(side).files:
            lines = file.content.decode().splitlines()
            assert lines[0].startswith("# Host x script-security 2 up /bin/sh")
            assert not any(line.startswith(("script-security 2", "up ")) for line in lines)


@ALL_CASES
def test_nothing_secret_is_rendered(adapter: Adapter, suite: Suite) -> None:
    plan = adapter.plan(request(adapter, suite))
    commands = [one for side in Side for one in commands_of(adapter, suite, side)]
    shown = "".join((*(render(plan, side) for side in Side), *map(command_text, commands)))
    assert "PRIVATE KEY" not in shown
    assert not any("PRIVATE KEY" in file.content.decode() for file in (*plan.a.files, *plan.b.files))
    for command in commands:
        # `wg show … dump` and `showconf` print keys; `cat` of a private key does too.
        assert not re.search(r"\bdump\b|showconf|cat .*\.key", " ".join(command.argv))


@ALL_CASES
def test_interface_names_fit_the_kernel(adapter: Adapter, suite: Suite) -> None:
    plan_request = request(adapter, suite)
    plan, names = adapter.plan(plan_request), plan_request.link.names
    assert {plan.a.interface, plan.b.interface} <= {"", names.ethernet_interface}
    assert all(len(name) <= 15 for name in (names.ethernet_interface, names.wireguard_interface))


@ALL_CASES
def test_plan_for_reading_can_be_made_before_there_are_keys(adapter: Adapter, suite: Suite) -> None:
    plan_request = replace(request(adapter, suite), identity_a=PublicIdentity(), identity_b=PublicIdentity())
    with_keys, without_keys = adapter.plan(request(adapter, suite)), adapter.plan(plan_request)
    for side in Side:
        assert len(without_keys.on(side).steps) == len(with_keys.on(side).steps)
        assert [file.path for file in without_keys.on(side).files] == [file.path for file in with_keys.on(side).files]


@ALL_CASES
def test_arithmetic_of_overhead_agrees_with_itself(adapter: Adapter, suite: Suite) -> None:
    plan_request = request(adapter, suite)
    plan = adapter.plan(plan_request)
    largest, overhead = plan.largest_unfragmented_frame_bytes, plan.overhead_bytes
    if largest is not None and overhead is not None:
        room = plan_request.link.underlay_mtu_bytes + 14
        # Padding to 16 bytes makes WireGuard's overhead differ by up to 15 from that at 1000 bytes.
        assert room - 15 <= largest + overhead <= room + 15


@ALL_ADAPTERS
@pytest.mark.parametrize("garbage", ["", "no key here", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----"])
def test_identity_that_is_no_key_is_refused(adapter: Adapter, garbage: str) -> None:
    host = request(adapter, adapter.suites(facts(home(adapter)), facts(home(adapter)))[0])
    public = adapter.identity(host, Side.A).public
    if not public:
        assert adapter.parse_identity({}).values == {}
        return
    with pytest.raises(CommandFailed):
        adapter.parse_identity({name: result(garbage) for name in public})


@pytest.mark.parametrize("platform", [*platforms(), *OWN_PLATFORMS])
def test_recordings_are_complete(platform: str) -> None:
    path = Path(__file__).parent / "recorded" / f"{platform}.json"
    for answers in json.loads(path.read_text(encoding="utf-8")).values():
        for name, answer in answers.items():
            assert set(answer) == {"argv", "exit_status", "stdout", "stderr"}, name
