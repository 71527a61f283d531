from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from app.domain.adapters import (
    EndpointPlan,
    IdentityRecipe,
    PlanRequest,
    PlanStep,
    SharedSecret,
    TunnelPlan,
    UpCheck,
    shell_step_argv,
)
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command, FileToWrite
from app.domain.errors import Cancelled, CommandFailed, InvalidPlan, TunnelDown
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.domain.messages import MessageForm
from app.domain.solutions import Suite
from app.tunnel import NotUpInTime
from app.tunnel.messages import NOTHING_REPEATABLE, OTHER_FILES, OTHER_PORTS, OTHER_STEPS, PROGRAM_ENDED, STEP_FAILED
from support.deploy_world import RUN_DIR, World, open_tunnel, running_world, shell_of
from support.made_up_vpn import LIMIT_S, SUITE, MadeUpVpn, link_step, step
from support.message_checks import has_message
from support.tunnel_state import still_up
from support.waiting import PATIENCE_S

# $1 folder, $2 suite, $3 what it does.
_START = """
echo "uses $2" > "$1/daemon.log"
case $3 in
    fails) echo "unknown cipher $2"; exit 3 ;;
    dies) (until [ -e "$1/asked" ]; do sleep 0.1; done) & ;;
    mute) sleep 600 & ;;
    hangs) sleep 60 ;;
    waits) while [ -d "$1" ]; do sleep 0.02; done; exit 3 ;;
    *) sleep 600 & ;;
esac
echo $! > "$1/pid"
case $3 in dies | mute) ;; *) : > "$1/ready" ;; esac
"""
_STOP = """
if [ -s "$1/pid" ]; then kill "$(cat "$1/pid")" 2>/dev/null; fi
rm -f "$1/pid" "$1/ready" "$1/asked"
exit 0
"""


LATE_S = 240.0
"""When it is noticed at the latest that a tunnel is not up, in seconds; what is noticed at once takes a few."""


def suite(name: str, **settings: str) -> Suite:
    return Suite(name, name.upper(), settings=settings)


@dataclass
class SwitchableVpn(MadeUpVpn):
    """A daemon that says which suite it uses; the suite's settings say how a suite misbehaves, by side."""

    change: Callable[[EndpointPlan, Suite], EndpointPlan] = lambda end, _suite: end

    def plan(self, request: PlanRequest) -> TunnelPlan:
        plan = super().plan(request)
        a, b = (self._switchable(plan.on(side), request, side) for side in Side)
        return replace(plan, a=a, b=b)

    def _switchable(self, end: EndpointPlan, request: PlanRequest, side: Side) -> EndpointPlan:
        chosen, run_dir = request.suite, request.link.run_dir
        log = Command(shell_step_argv('cat "$1/daemon.log"', run_dir))
        daemon = step("Start the daemon", _START, _STOP, run_dir, chosen.name, chosen.settings.get(side.value, ""))
        # The undo must be the same for every suite.
        undo = Command(shell_step_argv(_STOP, run_dir), timeout_s=LIMIT_S, is_root=True)
        steps = (link_step("tmk0"), replace(daemon, undo=undo, depends_on_suite=True))
        changed = replace(
            end,
            files=(FileToWrite(f"{run_dir}/config", f"suite {chosen.name}\n".encode()),),
            steps=steps,
            up_checks=(
                UpCheck("It is ready", Command(shell_step_argv(': > "$1/asked"; test -e "$1/ready"', run_dir))),
            ),
            negotiated=UpCheck("What it uses", log, f"^uses {chosen.settings.get('claims', chosen.name)}$"),
        )
        return self.change(changed, chosen)


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        made.request = made.with_vpn(SwitchableVpn())
        yield made


def daemons(world: World, *, expected: int, timeout_s: float = PATIENCE_S) -> list[int]:
    """Count the daemons of both hosts, once those that were to end have done so."""
    until_s = time.monotonic() + timeout_s
    while True:
        counts = [len([pid for pid in host.processes() if b"sleep" in cmdline(pid)]) for host in world.hosts]
        if counts == [expected, expected] or time.monotonic() > until_s:
            return counts
        time.sleep(0.02)


def cmdline(pid: int) -> bytes:
    try:
        text = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
    return text if b"600" in text else b""


def switch(world: World, tunnel: object, to: Suite) -> None:
    tunnel.switch(to, token=CancelToken())  # type: ignore[attr-defined]


def test_only_what_depends_on_the_suite_is_done_again(world: World) -> None:
    audit: list[AuditEntry] = []
    with open_tunnel(world, audit=audit) as tunnel:
        journal = {path.name: path.read_text() for path in (world.a.state_dir / "journal").iterdir()}
        audit.clear()
        assert tunnel.can_switch(suite("weak"))
        switch(world, tunnel, suite("weak"))
        assert world.b.path(f"{RUN_DIR}/config").read_text() == "suite weak\n"
        assert world.a.path(f"{RUN_DIR}/key").exists()
        assert tunnel.plan.suite.name == "weak"
        assert tunnel.negotiated.splitlines() == ["gateway-a: uses weak", "gateway-b: uses weak"]
        assert any("suite weak" in item.text for item in tunnel.configuration)
        assert daemons(world, expected=1) == [1, 1]
        assert journal == {path.name: path.read_text() for path in (world.a.state_dir / "journal").iterdir()}
        assert [entry.what for entry in audit if entry.side is Side.A] == [
            "Undo: Start the daemon",
            f"Write {RUN_DIR}/config",
            "Start the daemon",
        ]
        assert still_up(tunnel)
    for host in world.hosts:
        assert host.links == {"eth1"}
        assert not host.state_dir.exists()


@pytest.mark.parametrize("side", ["a", pytest.param("b", marks=pytest.mark.full)])
def test_failure_tells_why_and_the_next_switch_works(world: World, side: str) -> None:
    with open_tunnel(world) as tunnel:
        with pytest.raises(
            CommandFailed, check=has_message(STEP_FAILED, step="Start the daemon", host=f"gateway-{side}")
        ) as caught:
            switch(world, tunnel, suite("bad", **{side: "fails"}))
        assert "unknown cipher bad" in caught.value.context["output"]
        assert "uses bad" in caught.value.context["log"]
        assert tunnel.negotiated == ""
        switch(world, tunnel, suite("weak"))
        assert daemons(world, expected=1) == [1, 1]
    assert world.a.links == world.b.links == {"eth1"}


def test_daemon_that_is_dead_already_does_not_keep_from_switching(world: World) -> None:
    with open_tunnel(world) as tunnel:
        world.a.shell_run("sh", "-c", f'kill -9 "$(cat {RUN_DIR}/pid)"')
        switch(world, tunnel, suite("weak"))
        assert daemons(world, expected=1) == [1, 1]


def test_daemon_that_dies_is_noticed_before_the_deadline(world: World) -> None:
    world.request = world.with_vpn(SwitchableVpn(up_timeout_s=LATE_S))
    began_s = time.monotonic()
    with open_tunnel(world) as tunnel:
        with pytest.raises(TunnelDown, check=has_message(PROGRAM_ENDED)) as caught:
            switch(world, tunnel, suite("fragile", b="dies"))
        assert not isinstance(caught.value, NotUpInTime)
        assert time.monotonic() - began_s < LATE_S
        switch(world, tunnel, suite("weak"))


def test_deadline_of_a_switch(world: World) -> None:
    with open_tunnel(world) as tunnel, pytest.raises(NotUpInTime):
        tunnel.switch(suite("fragile", a="mute", b="mute"), token=CancelToken(), up_timeout_s=1.0)


def test_suite_that_was_not_asked_for(world: World) -> None:
    with open_tunnel(world) as tunnel, pytest.raises(TunnelDown):
        switch(world, tunnel, suite("weak", claims="strong"))


def test_script_that_was_left_behind_is_stopped_first(world: World) -> None:
    with open_tunnel(world) as tunnel:
        with pytest.raises(CommandFailed):
            switch(world, tunnel, suite("bad", a="fails", b="hangs"))
        switch(world, tunnel, suite("weak"))
        assert world.b.path(f"{RUN_DIR}/daemon.log").read_text() == "uses weak\n"
        assert daemons(world, expected=1) == [1, 1]


def test_cancelled_in_the_middle_everything_is_rolled_back(world: World) -> None:
    token = CancelToken()

    def cancel(line: str) -> None:
        if " back " in line:
            token.cancel()

    def cancelled() -> None:
        with open_tunnel(world) as tunnel:
            world.a.on_line = cancel
            tunnel.switch(suite("weak"), token=token)

    with pytest.raises(Cancelled):
        cancelled()
    assert world.a.links == world.b.links == {"eth1"}
    assert daemons(world, expected=0) == [0, 0]


def test_host_that_is_rolled_back_meanwhile_gets_nothing_new(world: World) -> None:
    def roll_back(line: str) -> None:
        if line.endswith(" written"):
            world.a.on_line = None
            world.a.shell_run("sh", f"{STATE_DIR}/undo.sh")

    def roll_back_meanwhile() -> None:
        with open_tunnel(world) as tunnel:
            world.a.on_line = roll_back
            # Its step lasts until the host has been rolled back: how quickly it is seen decides nothing.
            switch(world, tunnel, suite("weak", a="waits"))

    with pytest.raises((CommandFailed, TunnelDown)):
        roll_back_meanwhile()
    assert world.a.links == world.b.links == {"eth1"}
    assert daemons(world, expected=0) == [0, 0]


def other_file(end: EndpointPlan, chosen: Suite) -> EndpointPlan:
    return replace(end, files=(FileToWrite(f"{RUN_DIR}/{chosen.name}", b""),))


def outside_file(end: EndpointPlan, chosen: Suite) -> EndpointPlan:
    return replace(end, files=(FileToWrite(f"{STATE_DIR}-host", chosen.name.encode()),))


def other_step(end: EndpointPlan, chosen: Suite) -> EndpointPlan:
    return replace(end, steps=(*end.steps, step("Look", "true", None, chosen.name)))


def other_undo(end: EndpointPlan, chosen: Suite) -> EndpointPlan:
    return replace(end, steps=(*end.steps[:1], replace(end.steps[1], undo=Command(("echo", chosen.name)))))


def other_port(end: EndpointPlan, chosen: Suite) -> EndpointPlan:
    return replace(end, listens=(("udp", len(chosen.name)),))


def nothing_per_suite(end: EndpointPlan, chosen: Suite) -> EndpointPlan:
    return replace(end, steps=tuple(replace(one, depends_on_suite=False) for one in end.steps))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (other_file, OTHER_FILES),
        (outside_file, OTHER_FILES),
        (other_step, OTHER_STEPS),
        (other_undo, OTHER_STEPS),
        (other_port, OTHER_PORTS),
        (nothing_per_suite, NOTHING_REPEATABLE),
    ],
)
def test_what_cannot_be_switched_is_refused_untouched(
    world: World, change: Callable[[EndpointPlan, Suite], EndpointPlan], why: MessageForm
) -> None:
    world.request = world.with_vpn(SwitchableVpn(change=change))
    with open_tunnel(world) as tunnel:
        commands = len(world.a.commands)
        assert not tunnel.can_switch(suite("weak"))
        with pytest.raises(InvalidPlan, check=has_message(why, host="gateway-a")):
            switch(world, tunnel, suite("weak"))
        assert len(world.a.commands) == commands
        assert tunnel.plan.suite == SUITE


class OtherKeys(SwitchableVpn):
    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        recipe = super().identity(request, side)
        title = f"Make a key for {request.suite.name}"
        return replace(recipe, steps=tuple(replace(one, title=title) for one in recipe.steps))


class Sharing(SwitchableVpn):
    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        recipe = super().identity(request, side)
        show = Command(shell_step_argv("echo shared"), is_root=True)
        shared = (SharedSecret("A key", show, f"{request.link.run_dir}/shared"),) if side is Side.A else ()
        return replace(recipe, shared=shared)


@pytest.mark.parametrize("vpn", [OtherKeys, Sharing])
def test_other_keys_and_shared_secrets_are_not_switched(world: World, vpn: type[SwitchableVpn]) -> None:
    world.request = world.with_vpn(vpn())
    with open_tunnel(world) as tunnel:
        assert not tunnel.can_switch(suite("weak"))


def test_steps_that_read_secrets_get_them_again(world: World) -> None:
    def with_stdin(end: EndpointPlan, chosen: Suite) -> EndpointPlan:
        command = replace(end.steps[1].command, stdin=f"secret of {chosen.name}\n".encode())
        kept = Command(shell_step_argv('cat > "$1/given"', RUN_DIR), stdin=command.stdin, is_root=True)
        given = PlanStep("Take it", kept, Command(("rm", "-f", f"{RUN_DIR}/given")), depends_on_suite=True)
        return replace(end, steps=(*end.steps, given))

    world.request = world.with_vpn(SwitchableVpn(change=with_stdin))
    with open_tunnel(world) as tunnel:
        switch(world, tunnel, suite("weak"))
        assert world.a.path(f"{RUN_DIR}/given").read_text() == "secret of weak\n"
        assert not list(world.a.path(RUN_DIR).glob(".stdin*"))
