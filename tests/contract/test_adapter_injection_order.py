"""Protection from forged frames is there first and goes last, when a tunnel is built and when its host starts.

A session of the kernel takes frames from any sender, so a firewall table has to guard it. Any other solution has no
such session: its Ethernet interface is a tap device, and only its program, which authenticates, puts frames into it.
"""

from __future__ import annotations

import posixpath
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.deployment.boot_bundle import BootBundleRequest, boot_bundle_files, bundle_steps
from app.domain.adapters import Adapter, Encapsulation, EndpointPlan, PlanRequest, PlanStep
from app.domain.hosts import Side
from app.domain.solutions import Suite
from app.policy import judge_suite
from app.tunnel.audit import STEP_NUMBER, numbered
from app.tunnel.plan import plan_of
from support.adapter_cases import NEVER_SECURE, all_cases, command_text, home, identity, request
from support.export_cases import export_request
from support.guard_rules import Packet, Table, reported, table_of

PROTECTED = [
    pytest.param(*one, id=f"{one[0].info.name}-{one[1].name}")
    for one in all_cases()
    if not one[0].info.is_unprotected and one[0].info.name not in NEVER_SECURE
]
REFERENCES = [
    pytest.param(*one, id=f"{one[0].info.name}-{one[1].name}") for one in all_cases() if one[0].info.is_unprotected
]
STARTED = [
    pytest.param(adapter, suite, id=adapter.info.name)
    for adapter, suite in all_cases()
    if suite.is_default and not adapter.info.is_unprotected
]
SESSION = re.compile(r"\bl2tp add session\b|\btype (?:vxlan|gretap|ip6gretap|geneve|bareudp)\b|\bfou add\b")
"""Commands that let the kernel take Ethernet frames out of packets. Source: ip-l2tp(8), ip-link(8), ip-fou(8)."""
TAP = re.compile(r"\btuntap add\b.*\bmode tap\b|\bmode tap\b", re.DOTALL)
CLAIMS = re.compile(r"encrypt|protect|guard|authentic|macsec|ipsec|cookie", re.IGNORECASE)
BOTH_SIDES = pytest.mark.parametrize("side", list(Side))

# In front of the last line of lasting.sh: steps are noted, not done. Everything else is the script's own.
_NOTING = """\
logger() { :; }
marked() { :; }
up_step() { echo "up $1" >> "$home/noted"; }
down_step() { echo "down $1" >> "$home/noted"; }
"""


def is_guard(step: PlanStep) -> bool:
    """Whether a step makes a firewall table of our own that drops what comes in."""
    text = command_text(step.command)
    return "create table inet" in text and "hook input" in text and re.search(r"guard_in .*\bdrop\b", text) is not None


def has_session(end: EndpointPlan) -> bool:
    return any(SESSION.search(command_text(step.command)) for step in end.steps)


def failures_of(table: Table, asked: PlanRequest, side: Side, kind: Encapsulation) -> list[str]:
    """Return how a table fails to keep strangers out of the session of a plan; nothing where it keeps them out."""
    link, names = asked.link, asked.link.names
    failures = [] if table.name == f"inet {names.guard_table}" else ["it is another table"]
    peer, number = link.underlay(side.other), names.l2tp_session_id
    if kind is Encapsulation.VXLAN:
        peer, number = link.carrier(side.other), names.udp_port
    bare = Packet(number, peer, "underlay0", kind=kind)
    # What protects a session: IPsec, the interface of its carrier, or MACsec inside of it.
    ways = (
        replace(bare, is_in_ipsec=True),
        replace(bare, source=link.carrier(side.other), interface=names.wireguard_interface),
        replace(bare, source=link.carrier(side.other), interface=names.lower_interface),
        replace(bare, inner_type=0x88E5),
    )
    protected = [one for one in ways if not table.drops(one, "input")]
    if len(protected) != 1 or table.drops(protected[0], "output"):
        failures.append("it lets no frames, or too many, through")
    elsewhere = [replace(one, source="192.0.2.66") for one in ways]
    over_ipv6 = [
        replace(bare, family=6, source="2001:db8::66", headers=headers)
        for headers in ((115,), (44, 115), (44, 60, 115), (60, 115), (0, 115))
    ]
    # A stranger can write the peer's address in the interface, too.
    forged = replace(bare, source=link.carrier(side.other))
    unprotected = [bare, forged, *elsewhere]
    if kind is not Encapsulation.VXLAN:
        # A port is found behind options, too.
        unprotected.append(replace(protected[0], has_options=True) if protected else bare)
    if kind is Encapsulation.L2TPV3:
        # The kernel takes nothing else over IPv6.
        unprotected += over_ipv6
    failures += [f"it lets {one} in" for one in unprotected if not table.drops(one, "input")]
    leaving = [bare]
    if kind is Encapsulation.VXLAN:
        # A user of the host, who cannot have a port of root's, sends it through what protects.
        leaving += [replace(one, source_port=40_000) for one in protected]
    failures += [f"it lets {one} out" for one in leaving if not table.drops(one, "output")]
    other = replace(bare, session=number + 1)
    failures += [f"it drops {other}"] if table.drops(other, "input") or table.drops(other, "output") else []
    return failures


GUARDED = [
    pytest.param(*one, id=f"{one[0].info.name}-{one[1].name}")
    for one in all_cases()
    if not one[0].info.is_unprotected and has_session(one[0].plan(request(*one)).on(Side.A))
]


@pytest.mark.parametrize(("adapter", "suite"), PROTECTED)
@BOTH_SIDES
def test_means_against_injection_is_there_before_any_session_or_daemon(
    adapter: Adapter, suite: Suite, side: Side
) -> None:
    asked = request(adapter, suite)
    end = adapter.plan(asked).on(side)
    security = adapter.info.security
    assert security.has_integrity
    assert security.has_authentication
    assert security.has_anti_replay
    if not has_session(end):
        assert any(TAP.search(command_text(step.command)) for step in end.steps)
        assert asked.link.names.guard_table not in "".join(command_text(step.command) for step in end.steps)
        return
    # Keys that the identity makes start nothing; then the guard comes, before all else that runs.
    guard, *others = end.steps
    assert is_guard(guard)
    assert not any(is_guard(step) for step in others)
    assert not any(SESSION.search(command_text(step.command)) for step in adapter.identity(asked, side).steps)
    # After a flush it is found missing, and made again without the tunnel.
    assert guard.health_check is not None
    assert guard.is_repeatable
    # A change of the suite leaves it.
    assert not guard.depends_on_suite


@pytest.mark.parametrize(("adapter", "suite"), GUARDED)
@BOTH_SIDES
def test_guard_does_not_go_before_its_session(adapter: Adapter, suite: Suite, side: Side, tmp_path: Path) -> None:
    end = adapter.plan(request(adapter, suite)).on(side)
    undo = end.steps[0].undo
    assert undo is not None
    # Programs that say what a host with that session, and one without it, says.
    number = request(adapter, suite).link.names.l2tp_session_id
    for name, text in {"ip": '[ ! -e "$0.session" ] || cat "$0.session"', "nft": 'echo "$*" >> "$0.noted"'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "ip.session").write_text(f"Session {number} in tunnel {number}\n")
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(undo.argv, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, (tmp_path / "nft.noted").exists()) == (1, False)
    assert "is still there" in done.stderr
    (tmp_path / "ip.session").unlink()
    subprocess.run(undo.argv, env=environment, check=True)
    assert "delete table inet" in (tmp_path / "nft.noted").read_text()


@pytest.mark.parametrize(("adapter", "suite"), GUARDED)
@BOTH_SIDES
def test_guard_is_the_table_of_its_session_and_each_of_its_rules_is_needed(
    adapter: Adapter, suite: Suite, side: Side, tmp_path: Path
) -> None:
    asked = request(adapter, suite)
    guard, *others = adapter.plan(asked).on(side).steps
    table = table_of(guard, tmp_path / "bin")
    kind = adapter.plan(asked).encapsulation
    assert kind is not None
    assert failures_of(table, asked, side, kind) == []
    for rule in table.rules:
        weaker = replace(table, rules=tuple(one for one in table.rules if one != rule))
        assert failures_of(weaker, asked, side, kind), f"nothing shows that this is missing: {rule}"
    assert failures_of(replace(table, name="inet another"), asked, side, kind)
    # It is this very table that is asked for and removed, and only by its own undo.
    assert guard.health_check is not None
    assert guard.undo is not None
    assert guard.health_check.argv == ("nft", "list", "table", *table.name.split())
    assert reported(guard.undo.argv, tmp_path / "bin").splitlines()[0] == f"nft delete table {table.name}"
    for step in others:
        for command in (step.command, *((step.undo,) if step.undo is not None else ())):
            assert not re.search(r"\bnft\b|\b(?:iptables|ip6tables)\b", command_text(command)), step.title
    # The session has an undo, which comes before.
    sessions = [step for step in others if SESSION.search(command_text(step.command))]
    removal = re.compile(r"l2tp del session|ip link del dev")
    assert all(one.undo is not None and removal.search(command_text(one.undo)) for one in sessions)


@pytest.mark.parametrize(("adapter", "suite"), STARTED)
@BOTH_SIDES
def test_start_of_the_host_keeps_the_order(adapter: Adapter, suite: Suite, side: Side, tmp_path: Path) -> None:
    asked = export_request(adapter.info.name, platform=home(adapter), suite=suite)
    deploy = asked.deploy_request()
    a, b = (identity(asked.adapter, one) for one in Side)
    plan = plan_of(deploy, a, b)
    folder = tmp_path / asked.deployment_id
    (folder / "kept").mkdir(parents=True)
    for file in boot_bundle_files(
        BootBundleRequest(deploy, plan, side, asked.deployment_id, asked.slot, asked.mark), ""
    ):
        text = file.content.decode().replace("/run/tunnelmark", f"{tmp_path}/run/tunnelmark")
        if file.path.endswith("lasting.sh"):
            text = text.replace('\nmain "$@"', f'\n{_NOTING}main "$@"')
        (folder / posixpath.basename(file.path)).write_text(text)
    (tmp_path / "run").mkdir()
    for verb in ("up", "down"):
        done = subprocess.run(["dash", folder / "lasting.sh", verb], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    noted = (folder / "noted").read_text().splitlines()
    steps = [(numbered(STEP_NUMBER + index), step) for index, step in bundle_steps(plan.on(side))]
    assert steps
    assert noted == [
        *(f"up {number}" for number, _ in steps),
        *(f"down {number}" for number, step in reversed(steps) if step.undo is not None),
    ]
    if has_session(plan.on(side)):
        first, guard = steps[0]
        assert is_guard(guard)
        assert (noted[0], noted[-1]) == (f"up {first}", f"down {first}")


@pytest.mark.parametrize(("adapter", "suite"), REFERENCES)
@BOTH_SIDES
def test_reference_claims_no_protection(adapter: Adapter, suite: Suite, side: Side) -> None:
    info, end = adapter.info, adapter.plan(request(adapter, suite)).on(side)
    assert not any(getattr(info.security, name) for name in info.security.__slots__)
    assert not any(is_guard(step) for step in end.steps)
    assert [step.title for step in end.steps if CLAIMS.search(step.title)] == []
    assert (end.breakages, end.negotiated, end.certificates, end.last_handshake) == ((), None, (), None)
    verdict, _ = judge_suite(suite, info)
    assert verdict.value == "unprotected"
