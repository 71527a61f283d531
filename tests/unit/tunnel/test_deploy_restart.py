"""Restart of the VPN of one host of a running tunnel: its steps alone, without waiting for the peer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck, shell_step_argv
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command, FileToWrite
from app.domain.errors import Cancelled, CommandFailed, InvalidPlan, TunnelDown
from app.domain.hosts import Side
from app.domain.link import STATE_DIR, Link
from app.tunnel.messages import STEP_FAILED
from support.deploy_world import RUN_DIR, World, open_tunnel, running_world, shell_of
from support.made_up_vpn import MadeUpVpn, link_step, step
from support.message_checks import has_message
from support.tunnel_state import still_up

# $1 folder: a daemon. With a file `fails` it does not start, with one `waits` not before the folder is gone.
_START = """
if [ -e "$1/fails" ]; then echo "no room"; exit 3; fi
if [ -e "$1/waits" ]; then while [ -d "$1" ]; do sleep 0.02; done; exit 3; fi
sleep 600 &
echo $! > "$1/pid"
cat "$1/config" > "$1/used"
"""
_STOP = """
if [ -s "$1/pid" ]; then kill "$(cat "$1/pid")" 2>/dev/null; fi
rm -f "$1/pid" "$1/used"
exit 0
"""


class RestartableVpn(MadeUpVpn):
    """A guard, an interface and a daemon on it, in this order; the guard can be made at any time."""

    why_not: str = ""

    def plan(self, request: PlanRequest) -> TunnelPlan:
        plan = super().plan(request)
        a, b = (self._restartable(plan.on(side), request) for side in Side)
        return replace(plan, a=a, b=b, why_not_restart=self.why_not)

    def _restartable(self, end: EndpointPlan, request: PlanRequest) -> EndpointPlan:
        run_dir = request.link.run_dir
        guard = replace(step("Guard", ': > "$1/guard"', 'rm -f "$1/guard"', run_dir), is_repeatable=True)
        daemon = step("Start the daemon", _START, _STOP, run_dir)
        is_up = UpCheck("It is up", Command(shell_step_argv('test -s "$1/pid" && [ ! -e "$1/silent" ]', run_dir)))
        files = (FileToWrite(f"{run_dir}/config", b"as planned\n"),)
        return replace(end, files=files, steps=(guard, link_step("tmk0"), daemon), up_checks=(is_up,), negotiated=None)


class Before:
    """A step that is not the VPN's, before all of its own."""

    def extend(self, plan: TunnelPlan, link: Link) -> TunnelPlan:
        a, b = (replace(one, steps=(self._step(link), *one.steps)) for one in (plan.a, plan.b))
        return replace(plan, a=a, b=b)

    @staticmethod
    def _step(link: Link) -> PlanStep:
        return step("Shape", ': > "$1/shaped"', 'rm -f "$1/shaped"', link.run_dir)


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        made.request = replace(made.with_vpn(RestartableVpn()), extension=Before())
        yield made


def pid(world: World, side: Side) -> str:
    return world.host(side).path(f"{RUN_DIR}/pid").read_text()


@pytest.mark.parametrize("side", [Side.B, pytest.param(Side.A, marks=pytest.mark.full)])
def test_only_the_steps_of_the_vpn_of_one_host_are_done_again(world: World, side: Side) -> None:
    audit: list[AuditEntry] = []
    own, other = world.host(side), world.host(side.other)
    with open_tunnel(world, audit=audit) as tunnel:
        journal = {path.name: path.read_text() for path in (own.state_dir / "journal").iterdir()}
        old, peer = pid(world, side), pid(world, side.other)
        own.path(f"{RUN_DIR}/config").write_text("something else\n")
        audit.clear()
        commands = len(other.commands)
        tunnel.restart(side, token=CancelToken())
        assert [(entry.side, entry.what) for entry in audit] == [
            (side, f"Write {RUN_DIR}/config"),
            (side, "Undo: Start the daemon"),
            (side, "Undo: Make tmk0"),
            (side, "Make tmk0"),
            (side, "Start the daemon"),
        ]
        assert pid(world, side) != old
        assert (pid(world, side.other), len(other.commands)) == (peer, commands)
        assert own.path(f"{RUN_DIR}/used").read_text() == "as planned\n"
        assert journal == {path.name: path.read_text() for path in (own.state_dir / "journal").iterdir()}
        assert still_up(tunnel)
    for host in world.hosts:
        assert host.links == {"eth1"}
        assert not host.state_dir.exists()


def test_a_restart_that_fails_is_mended_by_one_of_both_hosts(world: World) -> None:
    with open_tunnel(world) as tunnel:
        world.b.path(f"{RUN_DIR}/fails").touch()
        failed = has_message(STEP_FAILED, step="Start the daemon", host="gateway-b")
        with pytest.raises(CommandFailed, check=failed) as caught:
            tunnel.restart(Side.B, token=CancelToken())
        assert "no room" in caught.value.context["output"]
        world.b.path(f"{RUN_DIR}/fails").unlink()
        old = pid(world, Side.A)
        tunnel.restart_both(token=CancelToken())
        assert pid(world, Side.A) != old
        assert pid(world, Side.B)
    assert world.a.links == world.b.links == {"eth1"}


def test_the_peer_is_not_awaited(world: World) -> None:
    """Frames may cross much later, when the peer has noticed."""
    with open_tunnel(world) as tunnel:
        world.b.path(f"{RUN_DIR}/silent").touch()
        old = pid(world, Side.B)
        tunnel.restart(Side.B, token=CancelToken())
        assert pid(world, Side.B) != old
        with pytest.raises(TunnelDown):
            tunnel.restart_both(token=CancelToken())


def test_what_cannot_be_restarted_alone_is_refused_untouched(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RestartableVpn, "why_not", "Both hosts count.")
    with open_tunnel(world) as tunnel:
        commands = len(world.b.commands)
        with pytest.raises(InvalidPlan, match="Both hosts count"):
            tunnel.restart(Side.B, token=CancelToken())
        assert len(world.b.commands) == commands


def interrupted(world: World, at: Callable[[str], bool], act: Callable[[], None], token: CancelToken) -> None:
    def watch(line: str) -> None:
        if at(line):
            world.b.on_line = None
            act()

    with open_tunnel(world) as tunnel:
        world.b.path(f"{RUN_DIR}/waits").touch()
        world.b.on_line = watch
        tunnel.restart(Side.B, token=token)


def test_cancelled_in_the_middle_everything_is_rolled_back(world: World) -> None:
    token = CancelToken()
    with pytest.raises(Cancelled):
        interrupted(world, lambda line: " back " in line, token.cancel, token)
    assert world.a.links == world.b.links == {"eth1"}
    assert not world.b.processes()


def test_a_host_that_has_rolled_back_meanwhile_gets_nothing_new(world: World) -> None:
    def roll_back() -> None:
        world.b.shell_run("sh", f"{STATE_DIR}/undo.sh")

    with pytest.raises((CommandFailed, TunnelDown)):
        interrupted(world, lambda line: line.endswith(" written"), roll_back, CancelToken())
    assert world.a.links == world.b.links == {"eth1"}
