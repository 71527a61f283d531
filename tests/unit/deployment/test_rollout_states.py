"""The states that a deployment goes through, between two made-up hosts."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from app.cli.deployments_text import applied_words, print_status
from app.deployment import deploy as rollout_deploy
from app.deployment.events import (
    Decision,
    RolloutApplied,
    RolloutCountdown,
    RolloutEnded,
    RolloutEvent,
    RolloutNote,
)
from app.domain.cancel import CancelToken
from app.domain.capture import FrameCrossing, LeakProof, LeakVerdict
from app.domain.commands import Command, CommandResult
from app.domain.deployment import Deployment, DeploymentState, RolloutObstacle, RolloutOptions
from app.domain.errors import CommandFailed, PreflightRefused, TunnelDown
from app.domain.hosts import Side
from app.storage import Store
from support.deploy_world import World, shell_of
from support.lasting_rollout import (
    Operations,
    Says,
    deploy,
    deploy_and_keep,
    look,
)
from support.lasting_world import current, lasting_world
from support.made_up_vpn import MadeUpVpn, step
from support.rollout_wire import NO_TCPDUMP, PROVEN, UNSURE, Wire, left_s, shown_on_wire
from support.sample_wire import injection_report


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with lasting_world(tmp_path / "world", shell_of(request)) as made:
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "t.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    return shown_on_wire(monkeypatch)


def stored(store: Store) -> list[Deployment]:
    return list(store.list_deployments("pair"))


@pytest.mark.parametrize("has_crossed", [True, False])
def test_frames_of_full_size_that_do_not_cross_are_told(
    world: World, store: Store, wire: Wire, *, has_crossed: bool
) -> None:
    wire.crossings = (
        FrameCrossing("full-size", has_crossed=has_crossed, note="0 of 4 frames of 1514 bytes were answered."),
    )
    events: list[RolloutEvent] = []
    assert deploy(world, store, events).state is DeploymentState.CONFIRMED
    told = [event.text for event in events if isinstance(event, RolloutNote) and "full size" in event.text]
    assert told == (
        [] if has_crossed else ["Frames of full size do not cross. 0 of 4 frames of 1514 bytes were answered."]
    )


def test_a_confirmed_deployment_is_written_down_with_its_plan_and_its_commands(world: World, store: Store) -> None:
    events: list[RolloutEvent] = []
    one = deploy(world, store, events)
    assert one.state is DeploymentState.CONFIRMED
    assert stored(store) == [one]
    assert [type(event) for event in events if isinstance(event, (RolloutApplied, RolloutEnded))] == [
        RolloutApplied,
        RolloutEnded,
    ]
    assert [file.text for file in one.b.files] == ["peer public-a\n"]
    assert {"build", "restart", "install", "confirm"} <= set(one.timings_s)
    entries = store.list_audit()
    assert {entry.deployment for entry in entries} == {one.id}
    assert all(entry.who for entry in entries)
    assert "Confirm the deployment" in {entry.what for entry in entries}
    assert not [entry for entry in entries if "secret of" in entry.command and "echo" not in entry.command]

    status = look(world, store)
    assert status.state is DeploymentState.CONFIRMED
    assert status.deployment == one
    world.a.path(f"{one.link.run_dir}/config").write_text("peer somebody\npsk = hunter2\n\x1b[2J\n")
    drift = look(world, store).a.drift
    assert [part.path for part in drift] == [f"{one.link.run_dir}/config"]
    assert "-peer public-b" in drift[0].diff
    assert "+peer somebody" in drift[0].diff
    assert "hunter2" not in drift[0].diff
    assert "\x1b" not in drift[0].diff


@pytest.mark.parametrize("decision", [Decision.UNDO, None])
def test_what_the_user_does_not_keep_is_undone(world: World, store: Store, decision: Decision | None) -> None:
    events: list[RolloutEvent] = []
    options = RolloutOptions(confirm_within_s=1.0)
    one = deploy(world, store, events, options=options, user=Says(decision))
    assert one.state is DeploymentState.UNDONE
    assert any(isinstance(event, RolloutCountdown) for event in events)
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]
    assert look(world, store).state is None


def test_how_much_longer_hosts_wait_is_stored_as_they_say(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, says = world.a.run, iter((Decision.EXTEND, Decision.UNDO))

    def grudging(command: Command, **more: Any) -> CommandResult:
        result = run(command, **more)
        return replace(result, stdout="waits 45\n") if result.stdout.startswith("waits 3") else result

    monkeypatch.setattr(world.a, "run", grudging)
    user = SimpleNamespace(wait=lambda *_given, **_more: next(says))
    one = deploy(world, store, options=RolloutOptions(confirm_within_s=30.0), user=cast("Says", user))
    assert one.expires_at is not None
    assert (one.expires_at - one.state_at).total_seconds() <= 40


@pytest.mark.parametrize(
    ("proof", "looks", "sentences"),
    [
        (NO_TCPDUMP, 1, ("Leak test inconclusive. gateway-a has no tcpdump", "The fail-closed test was not run.")),
        (UNSURE, rollout_deploy.PROOFS, ("Fail-closed test inconclusive: The table is deleted",)),
    ],
)
def test_what_was_not_proven_is_not_confirmed_without_the_user(
    world: World, store: Store, wire: Wire, proof: LeakProof, looks: int, sentences: tuple[str, ...]
) -> None:
    wire.proofs = [proof]
    events: list[RolloutEvent] = []
    one = deploy(world, store, events)
    assert (one.state, wire.looks) == (DeploymentState.APPLIED, looks)
    assert one.expires_at is not None
    assert [current(host) for host in world.hosts] == ["", ""]
    told = " ".join(event.text for event in events if isinstance(event, RolloutNote) and event.is_warning)
    for sentence in (*sentences, "both hosts roll back", "see to what is missing"):
        assert sentence in told
    assert all(sentence in one.message for sentence in sentences)
    (applied,) = (event for event in events if isinstance(event, RolloutApplied))
    assert len(applied.unproven) == len(sentences)
    assert "Not all of it was proven" in applied_words(applied)
    assert "verified" not in applied_words(applied)
    assert min(left_s(host) for host in world.hosts) > 100
    confirmed = Operations(world, store).confirm(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert confirmed.state is DeploymentState.CONFIRMED


@pytest.mark.parametrize("decision", [Decision.KEEP, Decision.UNDO])
def test_the_user_is_asked_where_something_was_not_proven(
    world: World, store: Store, wire: Wire, decision: Decision
) -> None:
    wire.proofs = [NO_TCPDUMP]
    one = deploy(world, store, user=Says(decision))
    assert one.state is (DeploymentState.CONFIRMED if decision is Decision.KEEP else DeploymentState.UNDONE)


def test_where_a_loop_is_possible_it_is_not_confirmed_without_the_user(world: World, store: Store) -> None:
    unknown = RolloutObstacle(
        None, "Whether the two LANs are joined already could not be found out.", needs_person=True
    )
    events: list[RolloutEvent] = []
    one = deploy(world, store, events, warnings=(unknown,))
    assert one.state is DeploymentState.APPLIED
    assert one.message == unknown.what
    told = [event.text for event in events if isinstance(event, RolloutNote) and event.is_warning]
    assert told.count(unknown.what) == 1
    assert "not confirmed without you" in told[-1]
    assert [current(host) for host in world.hosts] == ["", ""]
    confirmed = Operations(world, store).confirm(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert confirmed.state is DeploymentState.CONFIRMED
    again = deploy(world, store, warnings=(unknown,), is_confirmed_before=True)
    assert again.state is DeploymentState.APPLIED


def test_what_is_proven_at_the_second_look_is_confirmed(world: World, store: Store, wire: Wire) -> None:
    wire.proofs = [UNSURE, PROVEN]
    events: list[RolloutEvent] = []
    one = deploy(world, store, events)
    assert (one.state, one.message, wire.looks) == (DeploymentState.CONFIRMED, "", 2)
    assert look(world, store).state is DeploymentState.CONFIRMED
    (applied,) = (event for event in events if isinstance(event, RolloutApplied))
    assert applied_words(applied).endswith(
        "Packet tests: ✓ confidential, ? authentic (not tried), ? replay-proof (not tried). "
        "Fail-closed test: fail-closed."
    )


def test_what_the_injection_test_showed_is_stored_and_shown(world: World, store: Store, wire: Wire) -> None:
    wire.injection = injection_report(LeakVerdict.PROTECTED)
    events: list[RolloutEvent] = []
    one = deploy(world, store, events)
    assert one.state is DeploymentState.CONFIRMED
    verdicts = {name: result.verdict.value for name, result in store.get_deployment(one.id).properties.items()}
    assert verdicts == {"confidential": "holds", "authentic": "not-tried", "replay-proof": "holds"}
    notes = [event.text for event in events if isinstance(event, RolloutNote)]
    assert "Authentic: not tried, because gw-b has no nft to hold back packets with." in notes
    doubted = [event.sides for event in events if isinstance(event, RolloutNote) and event.text.startswith("Authentic")]
    assert doubted == [(Side.B,)]
    console = Console(width=200, file=io.StringIO())
    print_status(console, look(world, store))
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "tested before it was confirmed: ✓ confidential, ? authentic (not tried), ✓ replay-proof" in said


def test_tunnel_that_lets_in_forged_packets_is_not_rolled_out(world: World, store: Store, wire: Wire) -> None:
    wire.injection = replace(injection_report(LeakVerdict.EXEMPT), is_exempt=False)
    with pytest.raises(TunnelDown, match="Packets get into the tunnel without its cryptography") as caught:
        deploy(world, store)
    assert "3 of 3 packets forged from a third address got in on A" in caught.value.hint
    assert stored(store)[0].state is DeploymentState.FAILED
    assert [current(host) for host in world.hosts] == ["", ""]


def test_what_was_confirmed_before_needs_nobody_again(world: World, store: Store, wire: Wire) -> None:
    wire.proofs = [NO_TCPDUMP]
    done = deploy(world, store, is_confirmed_before=True)
    assert done.state is DeploymentState.CONFIRMED
    assert "has no tcpdump" in done.message


def test_what_the_user_keeps_stays(world: World, store: Store) -> None:
    one = deploy_and_keep(world, store)
    assert one.state is DeploymentState.CONFIRMED
    assert look(world, store).state is DeploymentState.CONFIRMED


def test_what_fails_is_written_down_with_its_reason(world: World, store: Store) -> None:
    broken = MadeUpVpn(interface="tml0", steps={Side.B: (step("Fail", "exit 7", None),)})
    with pytest.raises(CommandFailed):
        deploy(world, store, vpn=broken)
    assert [(one.state, "exit status 7" in one.message) for one in stored(store)] == [(DeploymentState.FAILED, True)]
    assert not stored(store)[0].is_refused
    for host in world.hosts:
        (host.net / "links" / "tml0").touch()
    with pytest.raises(PreflightRefused):
        deploy(world, store)
    assert [one.is_refused for one in stored(store)] == [True, False]


def test_what_was_left_to_the_timers_waits_and_is_told_so(world: World, store: Store) -> None:
    options = RolloutOptions(confirm_within_s=30.0)
    one = deploy(world, store, options=options)
    assert one.state is DeploymentState.APPLIED
    status = look(world, store)
    assert status.state is DeploymentState.APPLIED
    assert status.deployment is not None
    assert status.deployment.id == one.id
    assert status.a.left_s is not None
    assert 0 < status.a.left_s <= 30, "what was promised, without the host's margin"
