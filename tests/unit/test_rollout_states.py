"""The states that a deployment goes through, between two made-up hosts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.cli.rollout_text import applied_words
from app.compose import rollout_deploy
from app.compose.rollout import RolloutOperations
from app.compose.rollout_choice import Choice, Prepared
from app.compose.rollout_deploy import Rollout, RolloutRun, new_deployment
from app.compose.rollout_status import Reached, pair_status, reach
from app.deploy import confirming, lasting
from app.deploy.ends import new_id
from app.deploy.kit import kit_dir
from app.deploy.lasting import Place
from app.deploy.lasting_adapter import LastingAdapter
from app.deploy.places import lasting_link, place_dir, slot_of
from app.deploy.request import MakesRoom
from app.domain.adapters import Purpose
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import CommandFailed
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.rollout import Deployment, DeploymentState, RolloutOptions
from app.domain.rollout_events import (
    Decision,
    RolloutApplied,
    RolloutCountdown,
    RolloutEnded,
    RolloutEvent,
    RolloutNote,
)
from app.domain.rollout_status import PairStatus
from app.domain.verdicts import Verdict
from app.domain.wire import BreakOutcome, BreakVerdict, LeakProof, LeakVerdict, WireReport
from app.storage import Store
from support.deploy_world import World, make_world
from support.made_up_host import LocalHost
from support.made_up_vpn import SUITE, MadeUpVpn, step

VPN = MadeUpVpn(interface="tml0")


class Says:
    """A user who says this after some time.

    Args:
        decision: What; None says nothing.
    """

    def __init__(self, decision: Decision | None) -> None:
        self._decision = decision

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        time.sleep(min(timeout_s, 0.05))
        return self._decision


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "world")
    for host in made.hosts:
        host.make_etc()
    yield made
    for host in made.hosts:
        host.end_processes()


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
        looks: How often it was looked.
    """

    def __init__(self) -> None:
        self.proofs = [PROVEN]
        self.looks = 0

    def probe(self, *_given: object, **_more: object) -> WireReport:
        proof = self.proofs[min(self.looks, len(self.proofs) - 1)]
        self.looks += 1
        return WireReport(leak=proof)


@pytest.fixture(autouse=True)
def wire() -> Iterator[Wire]:
    made = Wire()
    # Not the test's own: that one may be undone in the middle.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lasting, "probe_wire", made.probe)
        patch.setattr(lasting, "missing_for_wire", lambda *_given: "" if made.proofs != [NO_TCPDUMP] else "tcpdump")
        yield made


def current(world: World, side: Side, slot: str) -> str:
    path = world.host(side).path(f"{place_dir(slot)}/current")
    return path.read_text().strip() if path.exists() else ""


def rollout(
    world: World,
    store: Store,
    events: list[RolloutEvent],
    *,
    vpn: MadeUpVpn | None = None,
    options: RolloutOptions | None = None,
) -> Rollout:
    vpn = vpn or VPN
    slot = slot_of(world.request.pair)
    replaced = {side: one for side in Side if (one := current(world, side, slot))}
    deployment_id = new_id()
    request = replace(
        world.request,
        adapter=LastingAdapter(vpn, kit_dir(STATE_DIR), {side: place_dir(slot) for side in replaced}),
        link=lasting_link(world.request.link, deployment_id, 0),
        purpose=Purpose.LASTING,
        state_dir=STATE_DIR,
        makes_room={side: MakesRoom(lasting_link(world.request.link, "", 0)) for side in replaced},
    )
    prepared = Prepared(request, Place(deployment_id, slot, replaced), {}, ())
    choice = Choice(vpn, SUITE, "Made up", Verdict.RECOMMENDED, ())
    deployment = new_deployment(prepared, choice, options or RolloutOptions(), policy="p 1", version="0")
    return Rollout(RolloutRun(store, world.sessions, events.append), prepared, deployment)


def look(world: World, store: Store) -> PairStatus:
    pair = world.request.pair
    reached = reach({Side.A: world.a, Side.B: world.b}, slot_of(pair), token=CancelToken())
    return pair_status(pair, store, reached, token=CancelToken())


def stored(store: Store) -> list[Deployment]:
    return list(store.list_deployments("pair"))


def test_a_confirmed_deployment_is_written_down_with_its_plan_and_its_commands(world: World, store: Store) -> None:
    events: list[RolloutEvent] = []
    one = rollout(world, store, events).deploy(token=CancelToken(), confirmation=None)
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
    one = rollout(world, store, events, options=options).deploy(token=CancelToken(), confirmation=Says(decision))
    assert one.state is DeploymentState.UNDONE
    assert any(isinstance(event, RolloutCountdown) for event in events)
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]
    assert look(world, store).state is None


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
    one = rollout(world, store, events).deploy(token=CancelToken(), confirmation=None)
    assert (one.state, wire.looks) == (DeploymentState.APPLIED, looks)
    assert one.expires_at is not None
    assert [current(world, side, one.slot) for side in Side] == ["", ""]
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
    one = rollout(world, store, []).deploy(token=CancelToken(), confirmation=Says(decision))
    assert one.state is (DeploymentState.CONFIRMED if decision is Decision.KEEP else DeploymentState.UNDONE)


def test_what_is_proven_at_the_second_look_is_confirmed(world: World, store: Store, wire: Wire) -> None:
    wire.proofs = [UNSURE, PROVEN]
    events: list[RolloutEvent] = []
    one = rollout(world, store, events).deploy(token=CancelToken(), confirmation=None)
    assert (one.state, one.message, wire.looks) == (DeploymentState.CONFIRMED, "", 2)
    assert look(world, store).state is DeploymentState.CONFIRMED
    (applied,) = (event for event in events if isinstance(event, RolloutApplied))
    assert applied_words(applied).endswith("On the wire: protected. With the protection taken away: fails closed.")


def test_what_was_confirmed_before_needs_nobody_again(world: World, store: Store, wire: Wire) -> None:
    wire.proofs = [NO_TCPDUMP]
    done = rollout(world, store, []).deploy(token=CancelToken(), confirmation=None, is_confirmed_before=True)
    assert done.state is DeploymentState.CONFIRMED
    assert "has no tcpdump" in done.message


def test_what_the_user_keeps_stays(world: World, store: Store) -> None:
    options = RolloutOptions(confirm_within_s=30.0)
    one = rollout(world, store, [], options=options).deploy(token=CancelToken(), confirmation=Says(Decision.KEEP))
    assert one.state is DeploymentState.CONFIRMED
    assert look(world, store).state is DeploymentState.CONFIRMED


def test_what_fails_is_written_down_with_its_reason(world: World, store: Store) -> None:
    broken = MadeUpVpn(interface="tml0", steps={Side.B: (step("Fail", "exit 7", None),)})
    with pytest.raises(CommandFailed):
        rollout(world, store, [], vpn=broken).deploy(token=CancelToken(), confirmation=None)
    assert [(one.state, "exit status 7" in one.message) for one in stored(store)] == [(DeploymentState.FAILED, True)]


def test_what_was_left_to_the_timers_waits_and_is_told_so(world: World, store: Store) -> None:
    options = RolloutOptions(confirm_within_s=30.0)
    one = rollout(world, store, [], options=options).deploy(token=CancelToken(), confirmation=None)
    assert one.state is DeploymentState.APPLIED
    status = look(world, store)
    assert status.state is DeploymentState.APPLIED
    assert status.deployment is not None
    assert status.deployment.id == one.id
    assert status.a.left_s is not None
    assert 0 < status.a.left_s <= 36


def test_a_host_that_is_lost_in_the_moment_of_confirming_leaves_a_half_that_is_shown(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirming, "REACH_S", 0.2)

    def cut(command: Command) -> None:
        if b"Confirms a deployment on this host" in (command.stdin or b""):
            world.b.is_cut, world.b.can_reconnect = True, False

    original = world.b.run

    def run(command: Command, **more: object) -> object:
        cut(command)
        return original(command, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(world.b, "run", run)
    done = rollout(world, store, []).deploy(token=CancelToken(), confirmation=None)
    assert done.state is DeploymentState.HALF_CONFIRMED

    # B goes back by itself, as it would once its timer runs out.
    world.b.shell_run("sh", f"{STATE_DIR}/undo.sh")
    world.b.is_cut, world.b.can_reconnect = False, True
    monkeypatch.undo()
    status = look(world, store)
    assert status.state is DeploymentState.HALF_CONFIRMED
    assert "keeps a deployment that gateway-b does not have" in " ".join(status.sentences)

    # Rolling out once more puts it right, whatever each host had.
    world.b.end_processes()
    world.b.shell_run("rm", "-rf", STATE_DIR)
    again = rollout(world, store, []).deploy(token=CancelToken(), confirmation=None)
    assert again.state is DeploymentState.CONFIRMED
    assert look(world, store).state is DeploymentState.CONFIRMED
    assert {one.state for one in stored(store)} == {DeploymentState.CONFIRMED, DeploymentState.REPLACED}


class Operations(RolloutOperations):
    """Services on two made-up hosts, as far as confirming, and repairing what was being taken back, need them."""

    def __init__(self, world: World, store: Store) -> None:
        self.world = world
        self.store = store
        self.adapters = {VPN.info.name: VPN}

    def sessions(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        return self.world.sessions

    def status(self, pair: PairSpec, *, token: CancelToken) -> PairStatus:
        return look(self.world, self.store)

    def _reach(self, pair: PairSpec, *, token: CancelToken) -> dict[Side, Reached]:
        return reach({Side.A: self.world.a, Side.B: self.world.b}, slot_of(pair), token=token)


def left_s(host: LocalHost) -> int:
    """Return for how many more seconds a host waits to hear of Tunnelmark."""
    now = float(Path("/proc/uptime").read_text().split()[0])
    return int((host.state_dir / "lease").read_text()) - int(now)


def test_confirming_gives_both_hosts_time_for_it(world: World, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    options = RolloutOptions(confirm_within_s=30.0)
    one = rollout(world, store, []).deploy(token=CancelToken(), confirmation=None)
    later = rollout(world, store, [], options=options).deploy(token=CancelToken(), confirmation=None)
    assert (one.state, later.state) == (DeploymentState.CONFIRMED, DeploymentState.APPLIED)
    for host in world.hosts:
        lease = host.state_dir / "lease"
        lease.write_text(f"{int(lease.read_text()) - left_s(host) + 8:<10}\n")
    left: dict[str, int] = {}

    def before(host: LocalHost, command: Command) -> None:
        text = command.stdin or b""
        if b"Puts what starts this end" in text or b"Confirms a deployment on this host" in text:
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
    monkeypatch.setattr(confirming, "REACH_S", 0.2)
    for side, facts in zip(Side, (world.request.facts_a, world.request.facts_b), strict=True):
        store.save_snapshot("pair", side, facts)
    before = [host.etc_files() for host in world.hosts]
    services = Operations(world, store)
    one = rollout(world, store, []).deploy(token=CancelToken(), confirmation=None)
    original = world.b.run

    def run(command: Command, **more: object) -> object:
        if b"Confirms a deployment on this host" in (command.stdin or b""):
            world.b.is_cut, world.b.can_reconnect = True, False
        return original(command, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(world.b, "run", run)
    with pytest.raises(CommandFailed, match="has not ended on both hosts"):
        services.undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    monkeypatch.undo()
    world.b.is_cut, world.b.can_reconnect = False, True
    assert not look(world, store).can_be_repaired, "B goes back by itself first"
    with pytest.raises(CommandFailed, match="goes back by itself"):
        services.repair(one.pair, token=CancelToken(), emit=lambda _event: None)

    world.b.shell_run("sh", f"{STATE_DIR}/undo.sh")
    world.b.end_processes()
    world.b.shell_run("rm", "-rf", STATE_DIR)
    seen = look(world, store)
    assert (seen.state, seen.can_be_repaired) == (DeploymentState.HALF_CONFIRMED, True)
    assert "taken back on both" in seen.repair_text
    ended = services.repair(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert ended is not None
    assert ended.state is DeploymentState.UNDONE
    assert look(world, store).state is None
    assert [host.etc_files() for host in world.hosts] == before
