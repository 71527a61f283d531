"""Remains when a tunnel is broken off, a connection is lost, or undoing goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    ConnectionLost,
    PairLocked,
)
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.host.messages import PART_IS_NEW
from app.probes.injection.holding import HOLD_TABLE
from app.tunnel.messages import (
    HOST_LOCKED,
    LOCK_AND_ARM,
    MAKE_RUN_DIR,
    ROLLBACK_LEFT_TO_TIMER,
    ROLLED_BACK_IN_PART,
    RUN_ON_CONSOLE,
    WRITE_FILE,
)
from support.deploy_world import (
    RUN_DIR,
    World,
    assert_untouched,
    build_and_vanish,
    let_leases_end,
    open_tunnel,
    running_world,
    shell_of,
)
from support.made_up_vpn import MadeUpVpn, link_step, step
from support.message_checks import has_message
from support.tunnel_state import still_up
from support.waiting import wait_until


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        yield made


@pytest.mark.parametrize("stage", [Stage.PREFLIGHT, Stage.ARM, Stage.IDENTITY, Stage.APPLY, Stage.VERIFY])
def test_cancelling_in_any_stage_leaves_nothing(world: World, stage: Stage) -> None:
    token = CancelToken()

    def cancel(now: Stage, _detail: str) -> None:
        if now is stage:
            token.cancel()

    with pytest.raises(Cancelled), open_tunnel(world, token=token, on_stage=cancel):
        token.raise_if_cancelled()
    assert_untouched(world)


def test_cancelling_inside_leaves_nothing(world: World) -> None:
    token = CancelToken()

    def cancel() -> None:
        token.cancel()
        token.raise_if_cancelled()

    with pytest.raises(Cancelled), open_tunnel(world, token=token):
        cancel()
    assert_untouched(world)


NFT = f"""#!/bin/sh
echo "$*" >> "$FAKE_NET/nft-calls"
[ "$*" != "delete table ip {HOLD_TABLE}" ] || rm -f "$FAKE_NET/hold"
"""


@pytest.mark.parametrize("does_vanish", [False, True])
def test_the_table_of_an_injection_test_that_was_killed_goes_with_the_tunnel(world: World, does_vanish: bool) -> None:
    for host in world.hosts:
        (host.root / "bin" / "nft").write_text(NFT)
        (host.net / "nf_tables").mkdir()
        (host.net / "hold").touch()
    if does_vanish:
        build_and_vanish(world, lease_s=30)
        let_leases_end(world)
    else:
        with open_tunnel(world):
            assert (world.a.net / "hold").exists()
    for host in world.hosts:
        wait_until(lambda host=host: not (host.net / "hold").exists(), "the table to go")


def test_a_host_without_tables_is_not_asked_for_one(world: World) -> None:
    (world.a.root / "bin" / "nft").write_text(NFT)
    with open_tunnel(world):
        pass
    assert not (world.a.net / "nft-calls").exists()


def test_error_inside_comes_out_and_leaves_nothing(world: World) -> None:
    with pytest.raises(RuntimeError, match="of the caller"), open_tunnel(world):
        raise RuntimeError("of the caller")
    assert_untouched(world)


def test_connection_lost_while_it_is_up_is_made_again_for_rolling_back(world: World) -> None:
    with open_tunnel(world) as tunnel:
        world.b.is_cut = True
        assert not still_up(tunnel)
    assert_untouched(world)


@pytest.mark.parametrize("mark", ["hello", "armed", "identity", "step", "built"])
def test_connection_lost_while_building_is_made_again_for_rolling_back(world: World, mark: str) -> None:
    def cut(line: str) -> None:
        words = line.split(" ")
        if len(words) > 1 and words[1] == mark and len(words[0]) == 16:
            world.b.is_cut = True
            world.b.on_line = None

    world.b.on_line = cut
    with pytest.raises(ConnectionLost, match="gateway-b"), open_tunnel(world, lease_s=30):
        pass
    let_leases_end(world)


@pytest.mark.parametrize(
    ("last", "seen"),
    [
        ("armed", [LOCK_AND_ARM()]),
        ("step 0001 0", [LOCK_AND_ARM(), MAKE_RUN_DIR(), "Make a key"]),
        ("step 0200 0", ["Make a key", WRITE_FILE(path=f"{RUN_DIR}/config"), "Make tmk0"]),
    ],
)
def test_what_was_done_before_a_connection_broke_is_audited(world: World, last: str, seen: list[str]) -> None:
    entries: list[AuditEntry] = []

    def cut(line: str) -> None:
        if line.partition(" ")[2] == last:
            world.b.is_cut = True
            world.b.on_line = None

    world.b.on_line = cut
    with pytest.raises(ConnectionLost, match="gateway-b"), open_tunnel(world, audit=entries, lease_s=30):
        pass
    let_leases_end(world)
    on_b = [entry for entry in entries if entry.side is Side.B]
    done = [entry.what for entry in on_b if entry.exit_status == 0 and not entry.what.startswith("Undo: ")]
    assert [what for what in done if what in seen] == seen
    undone = [entry.what for entry in on_b if entry.what.startswith("Undo: ")]
    for what in undone:
        names = [entry.what for entry in on_b]
        assert names.count(what.removeprefix("Undo: ")) == 1, names
        assert names.index(what.removeprefix("Undo: ")) < names.index(what)


def test_host_that_is_lost_is_left_to_its_timer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tunnel.rollback.RECONNECT_S", 0.0)
    world.b.can_reconnect = False
    with pytest.raises(ConnectionLost) as caught, open_tunnel(world, lease_s=30):
        world.b.is_cut = True
    assert has_message(ROLLBACK_LEFT_TO_TIMER, host="gateway-b", seconds=30)(caught.value)
    assert has_message(RUN_ON_CONSOLE, commands=(f"sh {STATE_DIR}/undo.sh",))(caught.value.hint)
    let_leases_end(world)


def test_undo_that_fails_is_reported_and_the_rest_is_undone(world: World) -> None:
    stuck = step("Stick", "true", "echo it is stuck; exit 4")
    vpn = MadeUpVpn(steps={Side.A: (link_step("tmk0"), stuck), Side.B: (link_step("tmk0"),)})
    with (
        pytest.raises(CleanupFailed, check=has_message(ROLLED_BACK_IN_PART, host="gateway-a")) as caught,
        open_tunnel(world, world.with_vpn(vpn)),
    ):
        pass
    assert "FAILED with 4" in caught.value.context["undo"]
    assert "it is stuck" in caught.value.context["undo"]
    assert has_message(RUN_ON_CONSOLE, commands=(f"sh {STATE_DIR}/undo.sh",))(caught.value.hint)
    assert world.a.links == {"eth1"}
    assert not world.b.state_dir.exists()


def test_undo_that_leaves_the_interface_is_noticed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tunnel.rollback.SETTLE_S", 0.3)
    lazy = replace(link_step("tmk0"), undo=Command(("true",), is_root=True))
    vpn = MadeUpVpn(steps={Side.A: (lazy,), Side.B: (link_step("tmk0"),)})
    with (
        pytest.raises(CleanupFailed, check=has_message(PART_IS_NEW, kind="interface", name="tmk0")),
        open_tunnel(world, world.with_vpn(vpn)),
    ):
        pass


def test_change_by_another_user_is_reported_but_is_no_failure(world: World) -> None:
    with open_tunnel(world) as tunnel:
        (world.a.net / "links" / "veth7").touch()
    assert tunnel.differences == (f"gateway-a: {PART_IS_NEW(kind='interface', name='veth7')}",)


def test_process_that_escaped_is_ended(world: World) -> None:
    escaped = step("Start and forget", "setsid sleep 600 > /dev/null 2>&1 &", "true")
    with open_tunnel(world, world.with_vpn(MadeUpVpn(steps={Side.A: (link_step("tmk0"), escaped)}))):
        pass
    assert_untouched(world)


def test_second_tunnelmark_learns_who_works_there(world: World) -> None:
    with (
        open_tunnel(world),
        pytest.raises(PairLocked, check=has_message(HOST_LOCKED, host="gateway-a")) as caught,
        open_tunnel(world),
    ):
        pytest.fail("it must not stand twice")
    assert "process" in caught.value.context["owner"]
    assert int(caught.value.context["age_s"]) >= 0
    assert_untouched(world)


def test_of_two_at_once_exactly_one_gets_through(world: World) -> None:
    outcomes: list[str] = []
    both_inspected = threading.Barrier(2, timeout=120)
    has_ended = threading.Event()

    def work() -> None:
        def meet(stage: Stage, _detail: str) -> None:
            if stage is Stage.PREFLIGHT:
                both_inspected.wait()

        try:
            with open_tunnel(world, on_stage=meet):
                has_ended.wait(120)
                outcomes.append("stood")
        except PairLocked:
            outcomes.append("locked")
            has_ended.set()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(outcomes) == ["locked", "stood"]
    assert_untouched(world)
