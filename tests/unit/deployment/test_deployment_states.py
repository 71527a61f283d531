"""The states that a deployment goes through, between two made-up hosts."""

from __future__ import annotations

import io
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.cli.deployments_text import applied_words, print_status
from app.cli.terminal import CleanConsole
from app.deployment import deploy as deploy_again
from app.deployment.events import (
    Decision,
    DeploymentApplied,
    DeploymentCountdown,
    DeploymentEnded,
    DeploymentEvent,
    DeploymentNote,
)
from app.deployment.messages import NOT_CONFIRMED_ALONE, PACKETS_GET_IN, STEP_CONFIRM
from app.domain.cancel import CancelToken
from app.domain.capture import FrameCrossing, LeakProof, LeakVerdict
from app.domain.commands import Command, CommandResult
from app.domain.deployment import Deployment, DeploymentObstacle, DeploymentOptions, DeploymentState
from app.domain.errors import CommandFailed, PreflightRefused, TunnelDown
from app.domain.hosts import Side
from app.domain.messages.results import PACKETS_GOT_IN
from app.storage import Store
from support.deploy_world import World
from support.deployment_captures import NO_TCPDUMP, PROVEN, UNSURE, CaptureProof, left_s, shown_by_captures
from support.deployment_world import current
from support.made_up_deployment import (
    Answers,
    Operations,
    deploy,
    deploy_and_keep,
    inspect,
)
from support.made_up_vpn import MadeUpVpn, step
from support.message_checks import has_message
from support.sample_captures import injection_report


@pytest.fixture(autouse=True)
def capture(monkeypatch: pytest.MonkeyPatch) -> CaptureProof:
    return shown_by_captures(monkeypatch)


def stored(store: Store) -> list[Deployment]:
    return list(store.list_deployments("pair"))


@pytest.mark.parametrize("has_crossed", [True, False])
def test_frames_of_full_size_that_do_not_cross_are_reported(
    world: World, store: Store, capture: CaptureProof, *, has_crossed: bool
) -> None:
    capture.crossings = (
        FrameCrossing("full-size", has_crossed=has_crossed, note="0 of 4 frames of 1514 bytes were answered."),
    )
    events: list[DeploymentEvent] = []
    assert deploy(world, store, events).state is DeploymentState.CONFIRMED
    reported = [event.text for event in events if isinstance(event, DeploymentNote) and "full size" in event.text]
    assert reported == (
        [] if has_crossed else ["Frames of full size do not cross. 0 of 4 frames of 1514 bytes were answered."]
    )


def test_a_confirmed_deployment_is_written_down_with_its_plan_and_its_commands(world: World, store: Store) -> None:
    events: list[DeploymentEvent] = []
    one = deploy(world, store, events)
    assert one.state is DeploymentState.CONFIRMED
    assert stored(store) == [one]
    assert [type(event) for event in events if isinstance(event, (DeploymentApplied, DeploymentEnded))] == [
        DeploymentApplied,
        DeploymentEnded,
    ]
    assert [file.text for file in one.b.files] == ["peer public-a\n"]
    assert {"build", "restart", "install", "confirm"} <= set(one.timings_s)
    entries = store.list_audit()
    assert {entry.deployment for entry in entries} == {one.id}
    assert all(entry.who for entry in entries)
    assert STEP_CONFIRM() in {entry.what for entry in entries}
    assert not [entry for entry in entries if "secret of" in entry.command and "echo" not in entry.command]

    status = inspect(world, store)
    assert status.state is DeploymentState.CONFIRMED
    assert status.deployment == one
    world.a.path(f"{one.link.run_dir}/config").write_text("peer somebody\npsk = hunter2\n\x1b[2J\n")
    drift = inspect(world, store).a.drift
    assert [part.path for part in drift] == [f"{one.link.run_dir}/config"]
    assert "-peer public-b" in drift[0].diff
    assert "+peer somebody" in drift[0].diff
    assert "hunter2" not in drift[0].diff
    assert "\x1b" not in drift[0].diff


@pytest.mark.parametrize("decision", [Decision.ROLLBACK, None])
def test_what_the_user_does_not_keep_is_undone(world: World, store: Store, decision: Decision | None) -> None:
    events: list[DeploymentEvent] = []
    for host in world.hosts:
        host.hold_clock()  # this program rolls back, and not a host whose short lease has ended on a busy computer
    options = DeploymentOptions(confirm_within_s=1.0)
    one = deploy(world, store, events, options=options, user=Answers(decision))
    assert one.state is DeploymentState.REMOVED
    assert one.is_rolled_back
    assert any(isinstance(event, DeploymentCountdown) for event in events)
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]
    assert inspect(world, store).state is None


def test_how_much_longer_hosts_wait_is_stored_as_they_say(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, reports = world.a.run, iter((Decision.EXTEND, Decision.ROLLBACK))

    def grudging(command: Command, **more: Any) -> CommandResult:
        result = run(command, **more)
        return replace(result, stdout="waits 45\n") if result.stdout.startswith("waits 3") else result

    monkeypatch.setattr(world.a, "run", grudging)
    user = SimpleNamespace(wait=lambda *_given, **_more: next(reports))
    one = deploy(world, store, options=DeploymentOptions(confirm_within_s=30.0), user=cast("Answers", user))
    assert one.expires_at is not None
    assert (one.expires_at - one.state_at).total_seconds() <= 40


@pytest.mark.parametrize(
    ("proof", "inspections", "sentences"),
    [
        (NO_TCPDUMP, 1, ("Leak test inconclusive. gateway-a has no tcpdump", "The fail-closed test was not run.")),
        (UNSURE, deploy_again.PROOFS, ("Fail-closed test inconclusive: The table is deleted",)),
    ],
)
def test_what_was_not_proven_is_not_confirmed_without_the_user(
    world: World, store: Store, capture: CaptureProof, proof: LeakProof, inspections: int, sentences: tuple[str, ...]
) -> None:
    capture.proofs = [proof]
    events: list[DeploymentEvent] = []
    one = deploy(world, store, events)
    assert (one.state, capture.inspections) == (DeploymentState.APPLIED, inspections)
    assert one.expires_at is not None
    assert [current(host) for host in world.hosts] == ["", ""]
    reported = [event.text for event in events if isinstance(event, DeploymentNote) and event.is_warning]
    assert any(has_message(NOT_CONFIRMED_ALONE)(text) for text in reported)
    assert all(sentence in " ".join(reported) for sentence in sentences)
    assert all(sentence in one.message for sentence in sentences)
    (applied,) = (event for event in events if isinstance(event, DeploymentApplied))
    assert len(applied.unproven) == len(sentences)
    assert "Not all of it was proven" in applied_words(applied)
    assert "verified" not in applied_words(applied)
    assert min(left_s(host) for host in world.hosts) > 100
    confirmed = Operations(world, store).confirm(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert confirmed.state is DeploymentState.CONFIRMED


@pytest.mark.parametrize("decision", [Decision.CONFIRM, Decision.ROLLBACK])
def test_the_user_is_asked_where_something_was_not_proven(
    world: World, store: Store, capture: CaptureProof, decision: Decision
) -> None:
    capture.proofs = [NO_TCPDUMP]
    one = deploy(world, store, user=Answers(decision))
    assert one.state is (DeploymentState.CONFIRMED if decision is Decision.CONFIRM else DeploymentState.REMOVED)


def test_where_a_loop_is_possible_it_is_not_confirmed_without_the_user(world: World, store: Store) -> None:
    unknown = DeploymentObstacle(
        None, "Whether the two LANs are joined already could not be found out.", needs_person=True
    )
    events: list[DeploymentEvent] = []
    one = deploy(world, store, events, warnings=(unknown,))
    assert one.state is DeploymentState.APPLIED
    assert one.message == unknown.what
    reported = [event.text for event in events if isinstance(event, DeploymentNote) and event.is_warning]
    assert reported.count(unknown.what) == 1
    assert has_message(NOT_CONFIRMED_ALONE)(reported[-1])
    assert [current(host) for host in world.hosts] == ["", ""]
    confirmed = Operations(world, store).confirm(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert confirmed.state is DeploymentState.CONFIRMED
    again = deploy(world, store, warnings=(unknown,), is_confirmed_before=True)
    assert again.state is DeploymentState.APPLIED


def test_what_is_proven_at_the_second_inspection_is_confirmed(
    world: World, store: Store, capture: CaptureProof
) -> None:
    capture.proofs = [UNSURE, PROVEN]
    events: list[DeploymentEvent] = []
    one = deploy(world, store, events)
    assert (one.state, one.message, capture.inspections) == (DeploymentState.CONFIRMED, "", 2)
    assert inspect(world, store).state is DeploymentState.CONFIRMED
    (applied,) = (event for event in events if isinstance(event, DeploymentApplied))
    assert applied_words(applied).endswith(
        "Packet tests: ✓ confidential, ? authentic (not tried), ? replay-proof (not tried). "
        "Fail-closed test: fail-closed."
    )


def test_what_the_injection_test_showed_is_stored_and_shown(world: World, store: Store, capture: CaptureProof) -> None:
    capture.injection = injection_report(LeakVerdict.PROTECTED)
    events: list[DeploymentEvent] = []
    one = deploy(world, store, events)
    assert one.state is DeploymentState.CONFIRMED
    verdicts = {name: result.verdict.value for name, result in store.get_deployment(one.id).properties.items()}
    assert verdicts == {"confidential": "holds", "authentic": "not-tried", "replay-proof": "holds"}
    notes = [event.text for event in events if isinstance(event, DeploymentNote)]
    assert "Authentic: not tried, because gw-b has no nft to hold back packets with." in notes
    doubted = [
        event.sides for event in events if isinstance(event, DeploymentNote) and event.text.startswith("Authentic")
    ]
    assert doubted == [(Side.B,)]
    console = CleanConsole(width=200, file=io.StringIO())
    print_status(console, inspect(world, store))
    reported = console.file.getvalue()  # type: ignore[attr-defined]
    assert "tested before it was confirmed: ✓ confidential, ? authentic (not tried), ✓ replay-proof" in reported


def test_tunnel_that_lets_in_forged_packets_is_not_deployed(world: World, store: Store, capture: CaptureProof) -> None:
    capture.injection = replace(injection_report(LeakVerdict.EXEMPT), is_exempt=False)
    with pytest.raises(TunnelDown, check=has_message(PACKETS_GET_IN)) as caught:
        deploy(world, store)
    assert has_message(PACKETS_GOT_IN, entered=3, sent=3, side="A")(caught.value)
    assert stored(store)[0].state is DeploymentState.FAILED
    assert [current(host) for host in world.hosts] == ["", ""]


def test_what_was_confirmed_before_needs_no_one_again(world: World, store: Store, capture: CaptureProof) -> None:
    capture.proofs = [NO_TCPDUMP]
    done = deploy(world, store, is_confirmed_before=True)
    assert done.state is DeploymentState.CONFIRMED
    assert "has no tcpdump" in done.message


def test_what_the_user_keeps_remains(world: World, store: Store) -> None:
    one = deploy_and_keep(world, store)
    assert one.state is DeploymentState.CONFIRMED
    assert inspect(world, store).state is DeploymentState.CONFIRMED


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


def test_what_was_left_to_the_timers_waits_and_is_reported_so(world: World, store: Store) -> None:
    options = DeploymentOptions(confirm_within_s=30.0)
    one = deploy(world, store, options=options)
    assert one.state is DeploymentState.APPLIED
    status = inspect(world, store)
    assert status.state is DeploymentState.APPLIED
    assert status.deployment is not None
    assert status.deployment.id == one.id
    assert status.a.left_s is not None
    assert 0 < status.a.left_s <= 30, "what was promised, without the host's margin"
