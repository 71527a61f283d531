"""Clamp of TCP's MSS at a deployment: what is chosen, what is planned, what a host that cannot is refused with."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from plain_data import from_data

from app.deployment.choice import DeploymentChoice
from app.deployment.deployment_steps import DeploymentSteps
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.clamp import clamp_obstacles, clamp_table
from app.deployment.lan.messages import HAS_NO_NFT, NFT_REFUSES, NFT_REFUSES_BECAUSE
from app.deployment.slots import persistent_link
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from app.domain.deployment import DeploymentObstacle, DeploymentOptions
from app.domain.hosts import Side, Tool, ToolFlavour
from app.domain.link import Link
from app.domain.messages import code_of
from app.domain.solutions import Carrier, Suite
from app.storage.codec import to_data
from support.message_checks import HasMessage, has_message

LINK = persistent_link(Link("192.0.2.1", "192.0.2.2"), "00112233aabbccdd", 0)
NFT = {"nft": Tool("nft", ToolFlavour.STANDARD, "1.0.6")}
OWN = EndpointPlan((), (PlanStep("start", Command(("true",)), None),), "tml0")
PLAN = TunnelPlan("made-up", Suite("one", "one"), OWN, OWN, "198.19.0.1", "198.19.0.2", 1500, 42)
PLAN = replace(PLAN, largest_unfragmented_frame_bytes=1472)


def clamps(plan: TunnelPlan, *, bridging: dict[Side, Bridging], fits: bool = True) -> list[list[PlanStep]]:
    extended = DeploymentSteps("/run/kept", bridging, fits_path_mtu=fits).extend(plan, LINK)
    table = clamp_table(LINK)
    return [[step for step in extended.on(side).steps if table in step.command.argv] for side in Side]


def test_a_deployment_of_an_earlier_version_is_not_clamped() -> None:
    data = to_data(DeploymentOptions())
    del data["fits_path_mtu"]
    assert not from_data(DeploymentOptions, data).fits_path_mtu
    assert clamps(PLAN, bridging={}, fits=False) == [[], []]


def test_a_joined_side_is_clamped_on_the_bridge_with_room_for_a_tag_and_another_where_it_routes() -> None:
    (a,), (b,) = clamps(PLAN, bridging={Side.A: Bridging("tmlbr0", "eth2")})
    assert a.command.argv[-5:] == ("bridge", "tunnelmark_mss_tml0", "tml0", "1414", "1394")
    assert b.command.argv[-5:] == ("inet", "tunnelmark_mss_tml0", "tml0", "1418", "1398")
    for step, family in ((a, "bridge"), (b, "inet")):
        assert step.is_repeatable
        assert step.undo is not None
        assert step.undo.argv[-2:] == (family, "tunnelmark_mss_tml0")
        assert step.health_check is not None
        assert step.health_check.argv[-5:-2] == (family, "tunnelmark_mss_tml0", "tml0")


@pytest.mark.parametrize("largest", [None, 1518])
def test_nothing_is_clamped_where_nothing_is_fragmented(largest: int | None) -> None:
    plan = replace(PLAN, largest_unfragmented_frame_bytes=largest)
    assert clamps(plan, bridging={side: Bridging("tmlbr0", "eth2") for side in Side}) == [[], []]


@dataclass
class Host:
    """A host whose nft says something."""

    status: int = 0
    stderr: str = ""
    asked: list[Command] = field(default_factory=list)

    def run(self, command: Command, *, token: CancelToken) -> CommandResult:
        del token
        self.asked.append(command)
        return CommandResult(command.argv, self.status, "", self.stderr, 0.1)


def obstacles(
    a: Host,
    tools_a: dict[str, Tool],
    *,
    fits: bool = True,
    is_mtu_probed: bool = True,
    carrier: Carrier = Carrier.UDP,
    plan: TunnelPlan = PLAN,
) -> list[DeploymentObstacle]:
    pair = SimpleNamespace(host=lambda side: SimpleNamespace(label=f"gateway-{side.value}"))
    checks = [SimpleNamespace(facts=SimpleNamespace(tools=tools)) for tools in (tools_a, NFT)]
    found = SimpleNamespace(pair=pair, a=checks[0], b=checks[1], is_mtu_probed=is_mtu_probed)
    discovery = cast("Discovery", found)
    sessions = cast("SessionPair", SimpleNamespace(a=a, b=Host()))
    bridging = {Side.A: Bridging("tmlbr0", "eth2")}
    steps = DeploymentSteps("/run/kept", bridging, fits_path_mtu=fits)
    adapter = SimpleNamespace(info=SimpleNamespace(carrier=carrier))
    choice = cast("DeploymentChoice", SimpleNamespace(adapter=adapter, title="Made-up VPN, CIPHER-9"))
    extended = steps.extend(plan, LINK)
    return list(clamp_obstacles(sessions, discovery, choice, extended, LINK, bridging, token=CancelToken()))


def test_hosts_that_can_are_asked_without_a_change() -> None:
    host = Host()
    assert obstacles(host, NFT) == []
    (asked,) = host.asked
    assert (asked.argv[-6], asked.argv[-1]) == ("bridge", "-c")


def test_a_host_without_nft_is_no_obstacle_where_nothing_is_clamped() -> None:
    assert obstacles(Host(), {}, fits=False) == []


@pytest.mark.parametrize(
    ("host", "tools", "why"),
    [
        (Host(), {}, has_message(HAS_NO_NFT)),
        (
            Host(1, "Error: Operation not supported\n^^^\n"),
            NFT,
            has_message(NFT_REFUSES_BECAUSE, why="Error: Operation not supported"),
        ),
        (Host(139), NFT, has_message(NFT_REFUSES)),
    ],
)
def test_nothing_is_deployed_where_a_host_cannot_clamp(host: Host, tools: dict[str, Tool], why: HasMessage) -> None:
    (refusal,) = obstacles(host, tools)
    assert (refusal.side, refusal.is_blocking, code_of(refusal.what)) == (Side.A, True, "lan.no-clamp")
    assert why(refusal.what)
    assert "--mtu 1500" in refusal.hint


def test_nothing_is_fitted_to_a_path_that_was_not_measured() -> None:
    (refusal,) = obstacles(Host(), NFT, is_mtu_probed=False)
    assert (refusal.side, refusal.is_blocking, code_of(refusal.what)) == (None, True, "lan.mtu-unknown")


@pytest.mark.parametrize("carrier", [one for one in Carrier if one is not Carrier.TCP])
@pytest.mark.parametrize("is_mtu_probed", [True, False])
def test_nothing_is_fitted_where_it_is_not_known_what_the_vpn_adds(carrier: Carrier, *, is_mtu_probed: bool) -> None:
    host, unknown = Host(), replace(PLAN, largest_unfragmented_frame_bytes=None)
    (refusal,) = obstacles(host, NFT, carrier=carrier, plan=unknown, is_mtu_probed=is_mtu_probed)
    assert (refusal.side, refusal.is_blocking, code_of(refusal.what)) == (None, True, "lan.overhead-unknown")
    assert "Made-up VPN, CIPHER-9" in refusal.what
    assert "--mtu 1500" in refusal.hint
    assert host.asked == []


def test_a_stream_has_nothing_to_fit() -> None:
    stream = replace(PLAN, largest_unfragmented_frame_bytes=None)
    assert obstacles(Host(), {}, carrier=Carrier.TCP, plan=stream) == []


_NFT = """#!/bin/sh
case $* in
    "list table "*) cat table ;;
    *) cat > given; [ ! -e refusing ] && case $* in *-c*) ;; *) cat given > table ;; esac ;;
esac
"""


@pytest.mark.parametrize("shell", ["dash", "busybox sh"])
def test_a_tunnel_does_not_wait_for_a_table_that_its_host_cannot_make_any_more(tmp_path: Path, shell: str) -> None:
    (step,), _ = clamps(PLAN, bridging={Side.A: Bridging("tmlbr0", "eth2")})
    assert step.health_check is not None
    nft = tmp_path / "nft"

    def run(command: Command) -> tuple[int, str]:
        path = f"{tmp_path}:{tmp_path / 'programs'}"
        name, *more = shell.split()
        words = [shutil.which(name) or name, *more, *command.argv[1:]]
        done = subprocess.run(words, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("cat", "modprobe"):
        (programs / name).symlink_to(shutil.which("cat" if name == "cat" else "true") or "")
    assert run(step.health_check)[0] == 0, "without nft there is nothing to wait for"
    status, warned = run(step.command)
    assert (status, "tunnelmark: warning: " in warned) == (0, True)
    nft.write_text(_NFT)
    nft.chmod(0o755)
    assert run(step.health_check)[0] == 1, "the table is missing and can be made"
    assert run(step.command)[0] == 0
    assert run(step.health_check)[0] == 0
    (tmp_path / "table").unlink()
    (tmp_path / "refusing").touch()
    assert run(step.health_check)[0] == 0
    status, warned = run(step.command)
    assert (status, "tunnelmark: warning: " in warned) == (0, True)
