"""Several tunnels in one transaction: all are up, one fails alone, and both hosts are as before in the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from app.domain.adapters import UpCheck, shell_step_argv
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    CommandFailed,
    DeadlineExceeded,
    EnvironmentFault,
    PreflightRefused,
    TunnelDown,
)
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.host.parallel import deadline_token
from app.tunnel import active_tunnel, group_member, transaction
from app.tunnel.messages import (
    GROUP_ROLLED_BACK,
    INTERFACE_PRESENT,
    MAKE_RUN_DIR,
    MEMBER_LEFT,
    PORT_OF_TWO,
    PROGRAM_ENDED,
    UNDO_OF,
)
from app.tunnel.request import DeployRequest
from app.tunnel.temporary_group import ActiveGroup, FirstTunnels, temporary_group
from support.deploy_world import (
    DASH_IN_EVERY_RUN,
    World,
    assert_untouched,
    let_leases_end,
    running_world,
    wait_until_untouched,
)
from support.instance_vpn import InstanceVpn, failing_vpn
from support.made_up_vpn import MadeUpVpn, step
from support.message_checks import has_message
from support.tunnel_state import still_up
from support.waiting import wait_until

LATE_S = 240.0
"""When it is noticed at the latest that a tunnel is not up, in seconds; what is noticed at once takes a few."""


@pytest.fixture(params=DASH_IN_EVERY_RUN)
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, request.param) as made:
        yield made


class Bare(MadeUpVpn):
    """Changes nothing."""

    def __init__(self) -> None:
        super().__init__(interface="", has_identity=False)


def _requests(world: World, *vpns: MadeUpVpn) -> list[DeployRequest]:
    return [world.with_vpn(vpn) for vpn in vpns]


def _open(
    world: World,
    *vpns: MadeUpVpn,
    token: CancelToken | None = None,
    stages: list[tuple[int, Stage]] | None = None,
    audit: list[AuditEntry] | None = None,
    first: FirstTunnels | None = None,
    busy_s: float = 0.0,
) -> AbstractContextManager[ActiveGroup]:
    def on_stage(position: int, stage: Stage, _detail: str) -> None:
        if stages is not None:
            stages.append((position, stage))

    return temporary_group(
        world.sessions,
        _requests(world, *vpns),
        token=token or CancelToken(),
        on_stage=on_stage,
        audit=audit.append if audit is not None else None,
        lease_s=60,
        busy_s=busy_s,
        first=first,
    )


def _entries(world: World, side: Side) -> dict[str, bool]:
    """Return the journal's entries and whether each has been undone."""
    journal = world.host(side).state_dir / "journal"
    return {path.name: "# done" in path.read_text() for path in sorted(journal.iterdir())}


def test_tunnels_are_up_side_by_side_and_all_are_undone(world: World) -> None:
    stages: list[tuple[int, Stage]] = []
    with _open(world, InstanceVpn(), InstanceVpn(), InstanceVpn(), stages=stages) as group:
        assert list(group.tunnels) == [0, 1, 2]
        assert not group.failures
        assert not group.lost
        assert world.a.links == world.b.links == {"eth1", "tmk0", "tmk1", "tmk2"}
        for tunnel in group.tunnels.values():
            assert still_up(tunnel)
            assert tunnel.setup_s > 0
            assert (world.a.path(f"{tunnel.link.run_dir}/config")).read_text() == "peer public-b\n"
        pids = [pid for tunnel in group.tunnels.values() for pid in tunnel.daemon_pids(Side.A)]
        own = [int(world.a.path(f"{tunnel.link.run_dir}/pid").read_text()) for tunnel in group.tunnels.values()]
        assert pids == own
        assert len({tunnel.link.names.l2tp_session_id for tunnel in group.tunnels.values()}) == 3
    assert_untouched(world)
    assert all(tunnel.cleanup_s > 0 and not tunnel.differences for tunnel in group.tunnels.values())
    for position in range(3):
        own_stages = [stage for number, stage in stages if number == position]
        order = [Stage.PREFLIGHT, Stage.ARM, Stage.IDENTITY, Stage.APPLY, Stage.VERIFY, Stage.CLEANUP]
        assert list(dict.fromkeys(own_stages)) == order


def test_a_host_that_is_kept_busy_has_more_time_for_lease_and_rollback(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def deadline(limit_s: float) -> AbstractContextManager[CancelToken]:
        limits.append(limit_s)
        return deadline_token(limit_s)

    for module in (group_member, transaction):
        monkeypatch.setattr(module, "deadline_token", deadline)
    with _open(world, failing_vpn(), busy_s=200.0) as group:
        assert list(group.failures) == [0]
        assert group.work.lease_s == 60 + 200
    assert_untouched(world)
    assert limits == [group_member.ROLLBACK_S + 200, transaction.CLEANUP_S + 200]


def test_one_that_fails_is_undone_alone_newest_first(world: World) -> None:
    audit: list[AuditEntry] = []
    with _open(world, InstanceVpn(), failing_vpn(), InstanceVpn(), audit=audit) as group:
        assert list(group.tunnels) == [0, 2]
        assert isinstance(group.failures[1], CommandFailed)
        assert "went wrong" in group.failures[1].context["output"]
        assert all(still_up(tunnel) for tunnel in group.tunnels.values())
        for host in world.hosts:
            assert host.links == {"eth1", "tmk0", "tmk2"}
            assert not host.path(f"{STATE_DIR}/tunnel-1").exists()
            for number, is_done in _entries(world, host.side).items():
                assert is_done == number.startswith("1"), (host.side, number)
        undone = [entry.what for entry in audit if entry.side is Side.B and has_message(UNDO_OF)(entry.what)]
        made = ("Fail", "Start the daemon", "Make tmk1", "Make a key", MAKE_RUN_DIR())
        assert undone == [UNDO_OF(title=one) for one in made]
    assert_untouched(world)


def test_first_tunnels_are_up_before_the_others_are_built(world: World) -> None:
    seen: list[tuple[list[int], set[str]]] = []
    first = FirstTunnels((1,), lambda group: seen.append((list(group.tunnels), set(world.a.links))))
    with _open(world, InstanceVpn(), InstanceVpn(), InstanceVpn(), first=first) as group:
        assert seen == [([1], {"eth1", "tmk1"})]
        assert list(group.tunnels) == [0, 1, 2]
        assert all(still_up(tunnel) for tunnel in group.tunnels.values())
    assert_untouched(world)


def test_a_first_tunnel_that_fails_is_built_once_only(world: World) -> None:
    seen: list[list[int]] = []
    first = FirstTunnels((0,), lambda group: seen.append(list(group.failures)))
    with _open(world, failing_vpn(), InstanceVpn(), first=first) as group:
        assert seen == [[0]]
        assert (list(group.failures), list(group.tunnels)) == ([0], [1])
    assert_untouched(world)


def test_one_of_several_is_up_before_the_others_are_built(world: World) -> None:
    seen: list[tuple[list[int], list[int]]] = []
    first = FirstTunnels((), lambda group: seen.append((list(group.failures), list(group.tunnels))), one_of=(0, 1, 2))
    with _open(world, failing_vpn(), InstanceVpn(), InstanceVpn(), first=first) as group:
        assert seen == [([0], [1])]
        assert (list(group.failures), list(group.tunnels)) == ([0], [1, 2])
    assert_untouched(world)


def test_an_error_while_the_first_ones_are_measured_undoes_them(world: World) -> None:
    def fail(_group: ActiveGroup) -> None:
        raise EnvironmentFault("No echo reply.")

    with (
        pytest.raises(EnvironmentFault, match="No echo reply"),
        _open(world, InstanceVpn(), InstanceVpn(), first=FirstTunnels((0,), fail)),
    ):
        pytest.fail("it must not be up")
    assert_untouched(world)


def test_the_first_one_can_fail_too(world: World) -> None:
    with _open(world, failing_vpn(), InstanceVpn()) as group:
        assert list(group.failures) == [0]
        assert world.a.links == world.b.links == {"eth1", "tmk1"}
        assert still_up(group.tunnels[1])
    assert_untouched(world)


def test_all_can_fail(world: World) -> None:
    with _open(world, failing_vpn(), failing_vpn()) as group:
        assert not group.tunnels
        assert sorted(group.failures) == [0, 1]
        assert world.a.links == world.b.links == {"eth1"}
    assert_untouched(world)


def test_a_daemon_that_died_is_noticed_though_others_run(world: World) -> None:
    kill = shell_step_argv('kill "$(cat "$1/pid")"; false', f"{STATE_DIR}/tunnel-1")
    dying = InstanceVpn(up_checks=(UpCheck("never", Command(kill, timeout_s=5.0)),), up_timeout_s=LATE_S)
    with _open(world, InstanceVpn(), dying) as group:
        assert isinstance(group.failures[1], TunnelDown)
        assert has_message(PROGRAM_ENDED)(group.failures[1])
        assert still_up(group.tunnels[0])
    assert_untouched(world)


def test_the_death_of_a_daemon_that_detached_late_is_noticed_at_once(world: World) -> None:
    """Its parent, which hides its environment, ends after the first search: then only has it detached.

    Both count polls, not seconds: the parent lives for three, the daemon for 12 more. Every tenth is a search.
    """
    start = """
cd /; own=$TUNNELMARK_MEMBER
wait_for='until [ "$(cat "$1/polls" 2> /dev/null | wc -l)" -ge "$polls" ]; do sleep 0.05; done'
daemon='while [ "$(cut -d " " -f 4 "/proc/$$/stat")" = "$2" ]; do sleep 0.05; done'
daemon=$daemon'; polls=$(($(wc -l < "$1/polls") + 12)); '$wait_for
env -i PATH="$PATH" sh -c '
    TUNNELMARK_MEMBER=$2 sh -c "$3" sh "$1" $$ & echo $! > "$1/pid"
    polls=3; eval "$4"
' sh "$1" "$own" "$daemon" "$wait_for" &
"""
    poll = Command(shell_step_argv('echo >> "$1/polls"; false', f"{STATE_DIR}/tunnel"), timeout_s=5.0)
    began_s = time.monotonic()
    with _open(world, InstanceVpn(start=start, up_checks=(UpCheck("never", poll),), up_timeout_s=LATE_S)) as group:
        assert has_message(PROGRAM_ENDED)(group.failures[0])
    assert time.monotonic() - began_s < LATE_S
    assert_untouched(world)


def be_too_slow(command: Command) -> None:
    """Have a command be late that gets no time to answer."""
    if command.timeout_s == active_tunnel.PIDS_S:
        raise DeadlineExceeded(f"{command.argv[0]} took too long.")


def test_a_host_too_slow_to_name_its_daemons_ends_no_measurement(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with _open(world, InstanceVpn()) as group:
        assert group.tunnels[0].daemon_pids(Side.A)
        monkeypatch.setattr(active_tunnel, "PIDS_S", 1e-6)
        world.a.on_run = be_too_slow
        assert group.tunnels[0].daemon_pids(Side.A) == ()


def test_a_daemon_that_hides_its_environment_outlives_its_helpers(world: World) -> None:
    """Like sshd, whose helper for a login is all that can be found while the tunnel comes up, and then ends."""
    start = """
cd /; own=$TUNNELMARK_MEMBER
env -i PATH="$PATH" sh -c 'TUNNELMARK_MEMBER=$2 sleep 1 & sleep 3; : > "$1/up"; sleep 600' sh "$1" "$own" &
echo $! > "$1/pid"
"""
    check = UpCheck("up", Command(shell_step_argv('test -e "$1/up"', f"{STATE_DIR}/tunnel"), timeout_s=5.0))
    with _open(world, InstanceVpn(start=start, up_checks=(check,), up_timeout_s=LATE_S)) as group:
        assert group.failures == {}
    assert_untouched(world)


def test_what_is_in_the_way_of_one_is_not_in_that_of_the_others(world: World) -> None:
    (world.b.net / "links" / "tmk1").touch()
    with _open(world, InstanceVpn(), InstanceVpn(), InstanceVpn()) as group:
        assert list(group.tunnels) == [0, 2]
        assert isinstance(group.failures[1], PreflightRefused)
        assert has_message(INTERFACE_PRESENT, interface="tmk1")(group.failures[1].message)
        assert world.a.links == {"eth1", "tmk0", "tmk2"}
    assert world.b.links == {"eth1", "tmk1"}
    (world.b.net / "links" / "tmk1").unlink()
    assert_untouched(world)


def test_two_that_listen_on_one_port_are_not_up_together(world: World) -> None:
    with _open(world, InstanceVpn(port=500), InstanceVpn(port=500)) as group:
        assert list(group.tunnels) == [0]
        assert has_message(PORT_OF_TWO, port="500", protocol="udp")(group.failures[1])
    assert_untouched(world)


def test_the_bare_link_costs_no_command(world: World) -> None:
    def commands(*vpns: MadeUpVpn) -> int:
        before = len(world.a.commands) + len(world.b.commands)
        with _open(world, *vpns) as group:
            assert len(group.tunnels) == len(vpns)
            assert all(world.a.path(tunnel.link.run_dir).is_dir() for tunnel in group.tunnels.values())
        wait_until_untouched(world)
        return len(world.a.commands) + len(world.b.commands) - before

    assert commands(Bare(), InstanceVpn()) == commands(InstanceVpn())


def test_a_host_that_lets_no_one_in_any_more_ends_all(world: World) -> None:
    world.b.can_connect_anew = False
    with pytest.raises(EnvironmentFault), _open(world, InstanceVpn(), InstanceVpn()):
        pytest.fail("it must not be up")
    assert_untouched(world)


def test_cancelling_ends_all(world: World) -> None:
    token = CancelToken()

    def on_stage(position: int, stage: Stage, _detail: str) -> None:
        if (position, stage) == (1, Stage.APPLY):
            token.cancel()

    with (
        pytest.raises(Cancelled),
        temporary_group(world.sessions, _requests(world, InstanceVpn(), InstanceVpn()), token=token, on_stage=on_stage),
    ):
        pytest.fail("it must not be up")
    assert_untouched(world)


def test_one_that_cannot_be_undone_alone_ends_all(world: World) -> None:
    once = step("Fail", "exit 1", 'if mkdir "$1"; then exit 1; fi', str(world.b.root / "once"))
    with (
        pytest.raises(CleanupFailed, check=has_message(MEMBER_LEFT, host="gateway-b")),
        _open(world, InstanceVpn(), InstanceVpn(last=once)),
    ):
        pytest.fail("it must not be up")
    assert_untouched(world)


def test_without_a_renewal_the_hosts_undo_all(world: World) -> None:
    opened = _open(world, *(InstanceVpn() for _ in range(4)))
    group = opened.__enter__()
    group.work.pause_lease()
    assert world.a.links == {"eth1", "tmk0", "tmk1", "tmk2", "tmk3"}
    let_leases_end(world)
    wait_until_untouched(world)


def test_the_undo_at_the_console_stops_all_that_is_built(world: World) -> None:
    slow = step("Be slow", ': > "$1/begun"; sleep 500', "true", str(world.b.net))

    def on_line(line: str) -> None:
        if line.endswith(" built"):
            wait_until((world.b.net / "begun").exists, "the slow step")
            world.b.shell_run("sh", f"{STATE_DIR}/undo.sh")

    world.a.on_line = on_line
    with (
        pytest.raises(CleanupFailed, check=has_message(GROUP_ROLLED_BACK, host="gateway-b")),
        _open(world, InstanceVpn(), InstanceVpn(last=slow)),
    ):
        pytest.fail("it must not be up")
    wait_until_untouched(world)
