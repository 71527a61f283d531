"""Remains on hosts are rolled back: by the next Tunnelmark, or by an engineer at the console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import CleanupFailed, HostUnreachable
from app.domain.hosts import HostSpec, NodeHost, PairSpec, Side
from app.domain.link import STATE_DIR
from app.tunnel import recover, recover_pair
from app.tunnel.messages import (
    DIED_WHILE_LOCKING,
    IS_WORKING,
    LEFT_AND_ROLLED_BACK,
    LEFT_WITHOUT_JOURNAL,
    NODE_NEVER_CHANGED,
    NODE_NOT_ROLLED_BACK,
    NOTHING_TO_ROLL_BACK,
)
from app.tunnel.recovery import Found
from support.deploy_world import World, build_and_vanish, open_tunnel, running_world, shell_of, wait_until_untouched
from support.made_up_vpn import MadeUpVpn, link_step, step
from support.message_checks import has_message
from support.stored_deployments import PAIR
from support.tunnel_state import still_up


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        yield made


def test_what_a_failed_clean_up_left_is_taken_over_by_the_next_tunnel(world: World) -> None:
    flag = str(world.a.net / "flag")
    stuck = step("Stick once", "true", 'rm "$1"', flag)
    vpn = MadeUpVpn(steps={Side.A: (link_step("tmk0"), stuck)})
    with pytest.raises(CleanupFailed), open_tunnel(world, world.with_vpn(vpn), lease_s=600):
        pass
    assert world.a.state_dir.exists()
    Path(flag).touch()
    with open_tunnel(world) as tunnel:
        assert still_up(tunnel)
    wait_until_untouched(world)


def test_recover_finds_nothing_on_hosts_that_are_clean(world: World) -> None:
    report = recover(world.sessions, token=CancelToken())
    assert report.is_clean
    assert report.sentences() == tuple(NOTHING_TO_ROLL_BACK(host=one) for one in ("gateway-a", "gateway-b"))


def test_recover_leaves_hosts_alone_that_another_user_works_on(world: World) -> None:
    with open_tunnel(world):
        report = recover(world.sessions, token=CancelToken())
        assert report.a.found is Found.IN_USE
        assert not report.is_clean
        assert has_message(IS_WORKING)(report.a.sentence)
        assert world.a.links == {"eth1", "tmk0"}
    wait_until_untouched(world)


def forget_owner(world: World) -> None:
    """Make the locks those of a process on this computer that has ended, as after a kill -9."""
    for host in world.hosts:
        owner, key = (host.state_dir / "owner").read_text().splitlines()
        computer = key.split(":")[0]
        (host.state_dir / "owner").write_text(f"{owner}\n{computer}:999999999:1\n")


def test_recover_restores_the_hosts_at_once_after_a_tunnelmark_that_was_killed_here(world: World) -> None:
    build_and_vanish(world, lease_s=600)
    forget_owner(world)
    report = recover(world.sessions, token=CancelToken())
    assert report.is_clean
    assert has_message(LEFT_AND_ROLLED_BACK)(report.a.sentence)
    assert "taken back 0200 Make tmk0" in report.a.log
    wait_until_untouched(world)


def test_next_tunnelmark_takes_over_what_a_killed_one_left(world: World) -> None:
    build_and_vanish(world, lease_s=600)
    forget_owner(world)
    with open_tunnel(world) as tunnel:
        assert still_up(tunnel)
    wait_until_untouched(world)


def test_lock_of_an_owner_on_another_computer_is_respected_until_its_lease_ends(world: World) -> None:
    build = build_and_vanish(world, lease_s=600)
    (world.a.state_dir / "owner").write_text("somebody elsewhere\n0123:17:5\n")
    report = recover(world.sessions, token=CancelToken())
    assert report.a.found is Found.IN_USE
    assert has_message(IS_WORKING, owner="somebody elsewhere")(report.a.sentence)
    assert report.b.found is Found.IN_USE, "this process works on it"
    (world.a.state_dir / "watcher").write_text("1:1 free\n")  # its timer died as well
    (world.a.state_dir / "lease").write_text(f"{1:<10}\n")
    assert recover(world.sessions, token=CancelToken()).a.is_clean
    build.work.roll_back(build.words, cause=None)
    wait_until_untouched(world)


def test_folder_of_a_tunnelmark_that_died_while_it_locked_is_removed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tunnel.recovery.INCOMPLETE_S", 0.0)
    world.a.state_dir.mkdir()
    report = recover(world.sessions, token=CancelToken())
    assert report.is_clean
    assert has_message(DIED_WHILE_LOCKING)(report.a.sentence)
    wait_until_untouched(world)


def test_recover_tells_of_leftovers_without_a_journal(world: World) -> None:
    (world.b.net / "links" / "tmkwg0").touch()
    report = recover(world.sessions, token=CancelToken())
    assert report.b.found is Found.LEFTOVERS
    assert has_message(LEFT_WITHOUT_JOURNAL, left="tmkwg0", first="tmkwg0")(report.b.sentence)
    assert "tmkwg0" in world.b.links


def test_recover_says_which_host_it_could_not_reach(world: World) -> None:
    world.b.is_cut = True
    report = recover(world.sessions, token=CancelToken())
    assert report.a.is_clean
    assert report.b.found is Found.UNREACHABLE
    assert not report.is_clean


def test_a_host_that_cannot_be_logged_in_to_does_not_delay_the_other(world: World) -> None:
    def connect(host: HostSpec, _token: CancelToken) -> HostSession:
        if host == PAIR.b:
            raise HostUnreachable("beta is away.")
        return world.sessions.a

    build_and_vanish(world, lease_s=600)
    forget_owner(world)
    report = recover_pair(PAIR, connect, token=CancelToken())
    assert report.a.found is Found.ABANDONED
    assert report.a.is_clean
    assert (report.b.found, report.b.sentence) == (Found.UNREACHABLE, "beta is away.")
    assert recover(world.sessions, token=CancelToken()).is_clean
    wait_until_untouched(world)


def test_machines_behind_gateways_are_rolled_back_like_them(world: World) -> None:
    nodes = [
        NodeHost(HostSpec(f"node-{side}", f"192.0.2.{number}"), "eth1", "eth2") for number, side in enumerate("ab")
    ]
    at = {nodes[0].host: world.a, nodes[1].host: world.b}

    def connect(host: HostSpec, _token: CancelToken) -> HostSession:
        if host not in at:
            raise HostUnreachable("The gateways are away.")
        return at[host]

    build_and_vanish(world, lease_s=600)
    forget_owner(world)
    report = recover_pair(replace(PAIR, node_a=nodes[0], node_b=nodes[1]), connect, token=CancelToken())
    assert (report.a.found, report.b.found) == (Found.UNREACHABLE, Found.UNREACHABLE)
    assert [(one.found, one.is_clean) for one in report.nodes] == [(Found.ABANDONED, True)] * 2
    assert not report.is_clean
    wait_until_untouched(world)


def with_nodes_off(world: World) -> tuple[PairSpec, Callable[[HostSpec, CancelToken], HostSession]]:
    """Return the pair with a node behind each gateway, and what connects to its gateways alone."""
    nodes = [
        NodeHost(HostSpec(f"node-{side}", f"192.0.2.{number}"), "eth1", "eth2") for number, side in enumerate("ab", 8)
    ]
    pair = replace(PAIR, node_a=nodes[0], node_b=nodes[1])
    gateways = {PAIR.a: world.a, PAIR.b: world.b}

    def connect(host: HostSpec, _token: CancelToken) -> HostSession:
        if host not in gateways:
            raise HostUnreachable(f"{host.label} does not answer.")
        return gateways[host]

    return pair, connect


def test_a_node_that_is_switched_off_is_named_and_the_gateways_are_restored_without_it(world: World) -> None:
    pair, connect = with_nodes_off(world)
    build_and_vanish(world, lease_s=600)
    forget_owner(world)
    report = recover_pair(pair, connect, token=CancelToken())
    assert report.are_gateways_clean
    assert not report.is_clean
    wait_until_untouched(world)
    for found, side in zip(report.nodes, Side, strict=True):
        names = {"host": f"node-{side}", "gateway": pair.host(side).label, "pair": pair.name}
        assert has_message(NODE_NOT_ROLLED_BACK, **names, why=f"node-{side} does not answer.")(found.sentence)
        assert f"tunnelmark recover {pair.name}" in found.sentence, "it says what to do next"


@pytest.mark.parametrize("changed", [(), ("node-b",)], ids=["none", "b"])
def test_a_node_that_is_off_and_was_never_changed_has_nothing_to_be_rolled_back(
    world: World, changed: tuple[str, ...]
) -> None:
    pair, connect = with_nodes_off(world)
    report = recover_pair(pair, connect, token=CancelToken(), was_changed=lambda host: host.label in changed)
    assert report.is_clean is not bool(changed)
    for found in report.nodes:
        label = pair.nodes[found.side].host.label
        form = NODE_NOT_ROLLED_BACK if label in changed else NODE_NEVER_CHANGED
        assert has_message(form, host=label, why=f"{label} does not answer.")(found.sentence)
        assert found.is_clean is (label not in changed)


def test_engineer_can_undo_from_the_console_again_and_again(world: World) -> None:
    build = build_and_vanish(world, lease_s=600)
    first = world.a.shell_run("sh", f"{STATE_DIR}/undo.sh")
    assert first.returncode == 0, first.stderr
    assert "taken back 0201 Start the daemon" in first.stdout
    assert "this host is as it was before the tunnel" in first.stdout
    assert world.a.links == {"eth1"}
    second = world.a.shell_run("sh", f"{STATE_DIR}/undo.sh")
    assert second.returncode == 0
    assert "taken back" not in second.stdout
    assert "taken back 0201" in (world.a.state_dir / "undo.log").read_text()
    build.work.roll_back(build.words, cause=None)
    wait_until_untouched(world)


def test_undo_works_from_its_own_folder(world: World) -> None:
    build = build_and_vanish(world, lease_s=600)
    done = world.a.shell_run("sh", "-c", f"cd {STATE_DIR} && sh undo.sh")
    assert done.returncode == 0, done.stderr
    assert world.a.links == {"eth1"}
    build.work.roll_back(build.words, cause=None)
    wait_until_untouched(world)


def test_undo_is_safe_while_another_one_runs(world: World) -> None:
    path = str(world.a.net / "count")
    slow = step("Be slow to undo", "true", 'echo x >> "$1"; sleep 1', path)
    request = world.with_vpn(MadeUpVpn(steps={Side.A: (slow, link_step("tmk0"))}))
    build = build_and_vanish(world, request, lease_s=600)
    # The rollback timer begins at the same moment as the engineer and Tunnelmark.
    (world.a.state_dir / "lease").write_text(f"{1:<10}\n")
    done = world.a.shell_run("sh", f"{STATE_DIR}/undo.sh")
    assert done.returncode == 0, done.stdout
    build.work.roll_back(build.words, cause=None)
    assert (world.a.net / "count").read_text() == "x\n"
    wait_until_untouched(world)


def test_undo_ignores_an_entry_whose_writing_was_interrupted(world: World) -> None:
    build = build_and_vanish(world, lease_s=600)
    victim = world.a.root / "victim"
    victim.touch()
    (world.a.state_dir / "journal" / "0300").write_text(f"# Half\nrm -f {victim}")
    assert world.a.shell_run("sh", f"{STATE_DIR}/undo.sh").returncode == 0
    assert victim.exists()
    build.work.roll_back(build.words, cause=None)


def test_undo_script_without_a_journal_fails(world: World) -> None:
    build = build_and_vanish(world, lease_s=600)
    copy = world.a.root / "undo.sh"
    copy.write_text((world.a.state_dir / "undo.sh").read_text())
    done = world.a.shell_run("sh", str(copy))
    assert done.returncode == 1
    assert "There is no journal in" in done.stderr
    build.work.roll_back(build.words, cause=None)
