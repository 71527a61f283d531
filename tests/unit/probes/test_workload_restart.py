"""The workload restart: what is counted as an outage, and in which state the tunnel is left."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import Cancelled, CommandFailed, InvalidPlan, ProbeFailed
from app.domain.hosts import Side
from app.domain.script_files import host_script
from app.probes import restart_pings
from app.probes.bare_link import Echo, read_echoes
from app.probes.messages import (
    BARE_LINK_RUNS_NO_VPN,
    CLOCK_WAS_SET,
    NO_REPLY,
    NOT_BACK,
    PINGS_ENDED,
    PINGS_UNEVEN,
    RESTART_FAILED,
)
from app.probes.restart_pings import clock_drift_s, longest_silence_s, ping_argv
from app.probes.workloads import WORKLOADS, WorkloadPath, restart
from support.fake_hosts import Answer, FakeHost
from support.message_checks import has_message

WORKLOAD = WORKLOADS["restart"]
SHELLS = pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh"), ("bash", "--posix")], ids=lambda one: one[0])


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("BACK_S", 0.2),
        ("BEFORE_S", 0.05),
        ("_POLL_S", 0.005),
        ("_FIRST_S", 5.0),
        ("INTERVAL_S", 0.05),
    ):
        monkeypatch.setattr(restart_pings, name, value)
    monkeypatch.setattr(restart, "LIMIT_S", 3.0)


def reply(seq: int, at_s: float, more: str = "") -> str:
    return f"[{at_s:.6f}] 64 bytes from 198.18.0.2: icmp_seq={seq} ttl=64 time=1.00 ms{more}"


class World:
    """Two hosts, a path between them, and echo requests that are answered except after a restart.

    Attributes:
        silent: Requests without a reply after the restart of a host; None for all.
        faults: What the restart of a host raises.
        did: What was done to the tunnel.
        clock_s: By how much A's clock is set meanwhile.
        early: Requests without a reply whatever is restarted.
        on_restart: Called in the middle of a restart.
    """

    def __init__(self) -> None:
        self.silent: dict[Side, int | None] = {Side.B: 24, Side.A: 60}
        self.faults: dict[Side, BaseException] = {}
        self.did: list[str] = []
        self.clock_s = 0
        self.answers = True
        self.ends_early = False
        self.on_restart: Callable[[], None] = lambda: None
        self.early = range(0)
        self.token = CancelToken()
        self._hole: range | None = None
        self._sent = 0
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self.a, self.b = FakeHost("gateway-a", self._answer), FakeHost("gateway-b", self._quiet)
        self.path = WorkloadPath(
            *(SessionPair(self.a, self.b), "198.18.0.1", "198.18.0.2", ("192.0.2.1", "192.0.2.2"), "", 5201, 0.0),
            self.token,
            restart=self.restart,
            restart_both=self.restart_both,
        )

    def _quiet(self, _command: Command, _token: CancelToken) -> Answer:
        while not self._stopped.wait(0.005):
            yield "@alive"

    def _answer(self, command: Command, _token: CancelToken) -> Answer:
        if command.argv[0] == "kill":
            assert command.argv == ("kill", "-INT", "77")
            self._stopped.set()
            return
        self._stopped.clear()
        self._sent, self._hole = 0, None
        answered: list[int] = []
        yield "@ping 77"
        yield "@clock 1700000000 100"
        while not self._stopped.wait(0.001) and not self.ends_early:
            with self._lock:
                self._sent += 1
                if self._sent not in self.early and (self._hole is None or self._sent not in self._hole):
                    answered.append(self._sent)
            yield f"@replies {len(answered) if self.answers else 0}"
        yield f"@clock {1700000012 + self.clock_s} 112"
        yield from (reply(seq, 1000 + 0.05 * seq) for seq in answered)
        yield "ping: sendmsg: Network is unreachable"

    def restart(self, side: Side) -> None:
        self.did.append(f"restart {side}")
        self.on_restart()
        if fault := self.faults.get(side):
            raise fault
        silent = self.silent[side]
        with self._lock:
            first = self._sent + 1
            self._hole = range(first, first + (silent if silent is not None else 10**6))

    def restart_both(self) -> None:
        self.did.append("both")
        self._hole = None

    def answered(self) -> tuple[Echo, ...]:
        with restart_pings.restart_pings(self.path.sessions, ("198.18.0.1", "198.18.0.2")) as pings:
            pings.wait_until_answered(CancelToken())
            return pings.end(CancelToken())


def test_the_longest_time_without_an_answered_request_is_the_outage_of_a_host() -> None:
    world = World()
    result = WORKLOAD.measure(world.path)
    assert world.did == ["restart b", "restart a"]
    assert result.message == ""
    assert result.figures == pytest.approx({"outage": 3.05, "outage-b": 1.25, "outage-a": 3.05})
    assert set(result.figures) == {kind.name for kind in WORKLOAD.figures}
    for host, peer in ((world.a, "198.18.0.2"), (world.b, "198.18.0.1")):
        pings = [command for command in host.commands if "ping" in command.argv]
        assert len(pings) == 2, "B sends some as well: else a VPN may not learn where its hardware address is now"
        assert all(peer in one.argv and one.is_root for one in pings)


def test_a_host_after_whose_restart_no_frame_crosses_has_no_figure_and_the_tunnel_is_brought_back() -> None:
    world = World()
    world.silent[Side.B] = None
    result = WORKLOAD.measure(world.path)
    assert world.did == ["restart b", "both", "restart a"]
    assert set(result.figures) == {"outage-a"}
    assert result.message == NOT_BACK(seconds=3.0, host="gateway-b")


def test_an_outage_before_the_restart_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    monkeypatch.setattr(restart_pings, "_FIRST_REPLIES", 5)
    monkeypatch.setattr(restart_pings, "BEFORE_S", 3.0)
    world.early = range(10, 80)
    assert WORKLOAD.measure(world.path).figures == pytest.approx({"outage": 3.05, "outage-b": 1.25, "outage-a": 3.05})


def test_a_restart_that_fails_says_why_and_the_tunnel_is_brought_back() -> None:
    world = World()
    world.faults[Side.A] = CommandFailed("The client ended.", hint="Read its log.")
    result = WORKLOAD.measure(world.path)
    assert world.did == ["restart b", "restart a", "both"]
    assert set(result.figures) == {"outage-b"}
    assert result.message == RESTART_FAILED(host="gateway-a", why="The client ended. Read its log.")


def test_what_cannot_be_restarted_alone_is_not_measured_and_left_alone() -> None:
    world = World()
    world.faults[Side.B] = InvalidPlan("Static keys are changed together.")
    with pytest.raises(ProbeFailed, match="Static keys"):
        WORKLOAD.measure(world.path)
    assert world.did == ["restart b"]
    bare = WorkloadPath(world.path.sessions, "", "", ("", ""), "", 5201, 0.0, CancelToken())
    with pytest.raises(ProbeFailed, check=has_message(BARE_LINK_RUNS_NO_VPN)):
        WORKLOAD.measure(bare)


def test_work_that_is_cancelled_after_a_restart_leaves_a_tunnel() -> None:
    """A busy host ends the workload alone: packet tests follow."""
    world = World()
    world.on_restart = world.token.cancel
    with pytest.raises(Cancelled):
        WORKLOAD.measure(world.path)
    assert world.did == ["restart b", "both"]


@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (lambda world: setattr(world, "answers", False), has_message(NO_REPLY, peer="198.18.0.2", host="gateway-a")),
        (lambda world: setattr(world, "ends_early", True), has_message(PINGS_ENDED, host="gateway-a")),
        (lambda world: setattr(world, "clock_s", 3), has_message(CLOCK_WAS_SET)),
    ],
)
def test_no_figure_is_made_of_what_was_not_seen(
    spoil: Callable[[World], None], check: Callable[[BaseException], bool]
) -> None:
    world = World()
    spoil(world)
    with pytest.raises(ProbeFailed, check=check):
        world.answered()


def test_the_longest_silence_is_between_the_requests_that_were_answered() -> None:
    text = "\n".join(
        (
            "PING 198.18.0.2 (198.18.0.2) 56(84) bytes of data.",
            reply(1, 1000.001),
            reply(2, 1000.051),
            "[1000.2] From 198.18.0.1 icmp_seq=3 Destination Host Unreachable",
            "ping: sendmsg: Network is unreachable",
            reply(30, 1001.451),
            reply(30, 1001.452, " (DUP!)"),
            reply(32, 1001.552),
            reply(31, 1001.561),
        )
    )
    assert longest_silence_s(read_echoes(text), "gateway-a") == pytest.approx(1.4)


def test_a_host_that_sent_nothing_itself_shows_no_outage() -> None:
    slow = [Echo(1000 + 0.07 * number, 1.0, number) for number in range(1, 4)]
    drawn_out = [*slow, Echo(slow[-1].sent_s + 40 * 0.07, 1.0, 43)]
    assert longest_silence_s(drawn_out, "gateway-a") == pytest.approx(2.8)
    held_up = [*slow, Echo(slow[-1].sent_s + 2.8, 1.0, 5)]
    with pytest.raises(ProbeFailed, check=has_message(PINGS_UNEVEN, host="gateway-a")):
        longest_silence_s(held_up, "gateway-a")


@pytest.mark.parametrize(
    ("lines", "drift_s"),
    [
        (("@clock 1700000000 50", "@clock 1700000031 81"), 0.0),
        (("@clock 1700000000 50", "@clock 1700000021 81"), -10.0),
        (("@clock 1700000000 50",), None),
        (("@clock never 50", "@clock 1 2"), None),
    ],
)
def test_a_clock_that_is_set_is_noticed_by_the_uptime(lines: tuple[str, ...], drift_s: float | None) -> None:
    assert clock_drift_s("\n".join(lines)) == drift_s


def test_ping_outlives_its_interface_and_is_answered_through_the_tunnel_alone() -> None:
    argv = ping_argv()
    assert argv[argv.index("-t") + 1] == "1"
    assert not {"-I", "-w", "-c"} & set(argv)


def test_it_comes_after_the_other_workloads_of_a_tunnel() -> None:
    names = [name for name, one in WORKLOADS.items() if not one.hub_clients]
    assert names[-1] == "restart"
    assert len(names) > 5
    assert "ping" in WORKLOAD.beyond_busybox
    assert all("ping" in WORKLOAD.needs[side] for side in Side)


_PING = """#!/bin/sh
# Answers every request, however far away the peer is, until it is ended.
trap 'echo "3 packets transmitted, 3 received"; exit 0' TERM
seq=0
while :; do
    seq=$((seq + 1))
    echo "[1000.$seq] 64 bytes from 198.18.0.2: icmp_seq=$seq ttl=64 time=1.00 ms"
    sleep 0.05
done
"""


def started(shell: tuple[str, ...], folder: Path) -> subprocess.Popen[str]:
    """Start the script with a ping that answers each request."""
    ping = folder / "ping"
    ping.write_text(_PING, "ascii")
    ping.chmod(0o755)
    argv = [*shell, "-c", host_script("probes/restart.sh"), "tunnelmark", "300", "198.18.0.2", str(ping)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


@SHELLS
def test_the_script_prints_the_output_of_ping_once_ping_has_ended(shell: tuple[str, ...], tmp_path: Path) -> None:
    with started(shell, tmp_path) as running:
        assert running.stdout is not None
        seen = []
        for line in running.stdout:
            seen.append(line.rstrip())
            if line.startswith("@replies ") and int(line.split()[1]) >= 3:
                break
        pid = next(line.split()[1] for line in seen if line.startswith("@ping "))
        # In the background a shell ignores SIGINT, which ping does not.
        subprocess.run(["kill", "-TERM", pid], check=True)
        rest = running.stdout.read().splitlines()
        assert running.wait(60) == 0
    assert not [line for line in seen if " bytes from " in line]
    assert rest[-1] == "@end"
    assert len(read_echoes("\n".join(rest))) >= 3
    assert clock_drift_s("\n".join((*seen, *rest))) is not None


@SHELLS
def test_the_script_ends_with_its_channel(shell: tuple[str, ...], tmp_path: Path) -> None:
    running = started(shell, tmp_path)
    assert running.stdout is not None
    pid = next(line.split()[1] for line in running.stdout if line.startswith("@ping "))
    running.stdout.close()
    running.wait(60)
    until_s = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < until_s, "ping goes on"
        time.sleep(0.05)
