"""The states that a deployment goes through, between two made-up hosts."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from app.cli.rollout_text import applied_words, print_status
from app.compose import rollout_deploy
from app.deploy import confirming, lasting
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult
from app.domain.errors import CommandFailed, NotFound, TunnelDown
from app.domain.hosts import Side
from app.domain.injection import InjectionReport
from app.domain.link import STATE_DIR
from app.domain.rollout import Deployment, DeploymentState, RolloutObstacle, RolloutOptions
from app.domain.rollout_events import (
    Decision,
    RolloutApplied,
    RolloutCountdown,
    RolloutEnded,
    RolloutEvent,
    RolloutNote,
)
from app.domain.wire import BreakOutcome, BreakVerdict, Crossing, LeakProof, LeakVerdict, WireReport
from app.storage import Store
from support.deploy_world import World, shell_of
from support.lasting_rollout import (
    Operations,
    Says,
    assert_next_contact_takes_back,
    deploy,
    deploy_and_keep,
    look,
    save_facts,
)
from support.lasting_world import current, is_confirming, lasting_world, when_confirming
from support.made_up_host import LocalHost
from support.made_up_vpn import MadeUpVpn, step
from support.sample_wire import injection_report


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with lasting_world(tmp_path / "world", shell_of(request)) as made:
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "t.db") as opened:
        yield opened


NOTHING_SEEN = {"a": 0, "b": 0}
CLOSED = BreakOutcome("The key is removed on gateway-a", BreakVerdict.FAILS_CLOSED, NOTHING_SEEN, 0, 6)
PROVEN = LeakProof(LeakVerdict.PROTECTED, 5, 5, {"a": 10, "b": 10}, NOTHING_SEEN, {"a": 1, "b": 1}, (CLOSED,))
NO_TCPDUMP = LeakProof(
    LeakVerdict.NOT_PROVEN, 0, 0, NOTHING_SEEN, NOTHING_SEEN, NOTHING_SEEN, note="gateway-a has no tcpdump."
)
UNSURE = replace(
    PROVEN, broken=(CLOSED, replace(CLOSED, title="The table is deleted", verdict=BreakVerdict.NOT_PROVEN))
)


class Wire:
    """What captures show; made-up hosts have no wire.

    Attributes:
        proofs: What they show, one look after the other; the last one again and again.
        crossings: Whether a full frame crosses.
        looks: How often it was looked.
        injection: What the injection test shows.
    """

    def __init__(self) -> None:
        self.proofs = [PROVEN]
        self.crossings: tuple[Crossing, ...] = (Crossing("full-size", has_crossed=True),)
        self.looks = 0
        self.injection: InjectionReport | None = None

    def probe(self, *_given: object, **_more: object) -> WireReport:
        proof = self.proofs[min(self.looks, len(self.proofs) - 1)]
        self.looks += 1
        return WireReport(leak=proof, crossings=self.crossings, injection=self.injection)


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    made = Wire()
    monkeypatch.setattr(lasting, "prove", made.probe)
    monkeypatch.setattr(lasting, "missing_for_wire", lambda *_given: "" if made.proofs != [NO_TCPDUMP] else "tcpdump")
    return made


def stored(store: Store) -> list[Deployment]:
    return list(store.list_deployments("pair"))


@pytest.mark.parametrize("has_crossed", [True, False])
def test_frames_of_full_size_that_do_not_cross_are_told(
    world: World, store: Store, wire: Wire, *, has_crossed: bool
) -> None:
    wire.crossings = (
        Crossing("full-size", has_crossed=has_crossed, note="0 of 4 frames of 1514 bytes were answered."),
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
        (NO_TCPDUMP, 1, ("nothing can be read on the way. gateway-a has no tcpdump", "not tried whether frames stop")),
        (UNSURE, rollout_deploy.PROOFS, ("frames stop after this: The table is deleted",)),
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
    for sentence in (*sentences, "both hosts go back", "see to what is missing"):
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
        "On the wire: ✓ confidential, ? authentic (not tried), ? replay-proof (not tried). "
        "With the protection taken away: fails closed."
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
    assert "shown before it was confirmed: ✓ confidential, ? authentic (not tried), ✓ replay-proof" in said


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


def test_what_was_left_to_the_timers_waits_and_is_told_so(world: World, store: Store) -> None:
    options = RolloutOptions(confirm_within_s=30.0)
    one = deploy(world, store, options=options)
    assert one.state is DeploymentState.APPLIED
    status = look(world, store)
    assert status.state is DeploymentState.APPLIED
    assert status.deployment is not None
    assert status.deployment.id == one.id
    assert status.a.left_s is not None
    assert 0 < status.a.left_s <= 36


@contextmanager
def lost_when_confirming(host: LocalHost, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lose a host for good in the moment in which it is to confirm; at the end it can be reached again."""

    def lose() -> None:
        host.is_cut, host.can_reconnect = True, False

    with monkeypatch.context() as patch:
        patch.setattr(confirming, "REACH_S", 0.2)
        when_confirming(host, lose)
        yield
    host.on_run = None
    host.is_cut, host.can_reconnect = False, True


def go_back(host: LocalHost) -> None:
    """Take back what a host has, as its timer does once it runs out."""
    assert host.shell_run("sh", f"{STATE_DIR}/undo.sh").returncode == 0


def forget(host: LocalHost) -> None:
    """Remove what a host still has of somebody's work, as its timer does after that."""
    host.end_processes()
    host.shell_run("rm", "-rf", STATE_DIR)


def test_a_host_that_is_lost_in_the_moment_of_confirming_leaves_a_half_that_is_shown(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lost_when_confirming(world.b, monkeypatch):
        done = deploy(world, store)
    assert done.state is DeploymentState.HALF_CONFIRMED

    go_back(world.b)
    status = look(world, store)
    assert status.state is DeploymentState.HALF_CONFIRMED
    assert "keeps a deployment that gateway-b does not have" in " ".join(status.sentences)

    # Rolling out once more puts it right, whatever each host had.
    forget(world.b)
    again = deploy(world, store)
    assert again.state is DeploymentState.CONFIRMED
    assert look(world, store).state is DeploymentState.CONFIRMED
    assert {one.state for one in stored(store)} == {DeploymentState.CONFIRMED, DeploymentState.REPLACED}


def left_s(host: LocalHost) -> int:
    """Return for how many more seconds a host waits to hear of Tunnelmark."""
    return int((host.state_dir / "lease").read_text()) - int(host.uptime_s)


def test_confirming_gives_both_hosts_time_for_it(world: World, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    options = RolloutOptions(confirm_within_s=30.0)
    one = deploy(world, store)
    later = deploy(world, store, options=options)
    assert (one.state, later.state) == (DeploymentState.CONFIRMED, DeploymentState.APPLIED)
    for host in world.hosts:
        lease = host.state_dir / "lease"
        lease.write_text(f"{int(lease.read_text()) - left_s(host) + 8:<10}\n")
    left: dict[str, int] = {}

    def before(host: LocalHost, command: Command) -> None:
        if is_confirming(command) or b"Puts what starts this end" in (command.stdin or b""):
            left[f"{host.side} {len(left)}"] = left_s(host)

    for host in world.hosts:
        monkeypatch.setattr(host, "on_run", partial(before, host))
    confirmed = Operations(world, store).confirm(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert confirmed.id == later.id
    assert confirmed.state is DeploymentState.CONFIRMED
    assert len(left) == 4
    assert min(left.values()) > 8, left
    assert store.get_deployment(one.id).state is DeploymentState.REPLACED


def test_what_was_taken_back_on_one_host_alone_is_taken_back_on_both_at_the_next_contact(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_facts(world, store)
    before = [host.etc_files() for host in world.hosts]
    services = Operations(world, store)
    one = deploy(world, store)
    with (
        lost_when_confirming(world.b, monkeypatch),
        pytest.raises(CommandFailed, match="has not ended on both hosts"),
    ):
        services.undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert not look(world, store).can_be_repaired, "B goes back by itself first"
    with pytest.raises(CommandFailed, match="goes back by itself"):
        services.repair(one.pair, token=CancelToken(), emit=lambda _event: None)

    go_back(world.b)
    forget(world.b)
    assert_next_contact_takes_back(world, store)
    assert [host.etc_files() for host in world.hosts] == before


def test_confirming_says_why_there_is_nothing_to_confirm(world: World, store: Store) -> None:
    def refused() -> NotFound:
        with pytest.raises(NotFound) as error:
            Operations(world, store).confirm(world.request.pair, token=CancelToken(), emit=lambda _event: None)
        return error.value

    nothing = refused()
    assert nothing.message == "There is nothing to confirm on pair: nothing is deployed."
    assert nothing.hint == "Deploy with: tunnelmark deploy pair SOLUTION"
    one = deploy_and_keep(world, store)
    done = refused()
    assert done.message == "Nothing waits for a confirmation on pair."
    assert f"Its last deployment, {one.id[:8]}, is confirmed." in done.hint
