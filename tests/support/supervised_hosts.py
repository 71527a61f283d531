"""Two supervisors with a made-up tunnel between them, on a made-up clock: minutes of theirs pass in moments.

The script is the one that runs on hosts. Its steps, `ping` and `sleep` are shell functions that ask this module, which
answers them in the order of the made-up time. So every run with the same values is the same.
"""

from __future__ import annotations

import heapq
import select
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from app.deployment.boot_bundle import supervisor_values
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive
from app.domain.script_files import host_script

ASKS_FOR_S = 12.0
"""Time for which a side that asks tries at its start, as the step of IPsec does, in seconds."""
STEADY_S = 15.0
"""For how long frames have to cross before a tunnel counts as up again, in seconds."""
_PING_S = 2.0
_ANSWER_S = 120.0
_IDS = {Side.A: "1f3a5c7e9b2d4f60", Side.B: "8d2c6b0a4e9f1375"}

_STEPS = """\
ask() {
    printf '%s\\n' "$*" >&8
    read -r reply <&9
    return "$reply"
}
sleep() { ask sleep "$1"; }
timeout() { shift; "$@"; }
ping() { case $1 in inside) ask ping inside ;; *) ask ping underlay ;; esac; }
logger() { :; }
date() { read -r at _ < UPTIME; echo "$at"; }
processes_of() { :; }
up_steps() { ask up; }
down_steps() { ask down; }
standing_steps() { ask standing; }
mend_steps() { return 1; }
"""


@dataclass(frozen=True, slots=True)
class MadeUpTunnel:
    """Behaviour of a tunnel.

    Attributes:
        start_s: How long each end's steps take, in seconds.
        connect_s: Time that both sides need to find each other then, in seconds.
        stop_s: How long taking an end down takes, in seconds.
        busy_s: How much longer everything takes that a supervisor does, in seconds.
        asker: The side that asks for the connection, at its own start only, and gives up without an answer, as A does
            with IPsec; None where both sides, or the one that calls, try for ever.
        keepalive: How often its supervisors ask while it is idle.
    """

    start_s: tuple[float, float] = (6.0, 6.0)
    connect_s: float = 2.0
    stop_s: float = 2.0
    busy_s: float = 0.0
    asker: Side | None = None
    keepalive: Keepalive = Keepalive.WIRED


@dataclass
class _End:
    side: Side
    process: subprocess.Popen[bytes]
    uptime: Path
    log: Path
    is_listening: bool = False
    is_hung: bool = False
    is_broken: bool = False
    is_next_lost: bool = False
    starts_s: list[float] = field(default_factory=list)
    asked_s: list[float] = field(default_factory=list)
    slowed_s: list[float] = field(default_factory=list)


class SupervisedHosts:
    """Both sides; see `supervised_hosts`.

    Attributes:
        now_s: The made-up time, in seconds since both hosts were started.
        up_since_s: Since when frames cross; None while they do not.
        can_connect: Whether the sides can find each other at all.
    """

    def __init__(self, tunnel: MadeUpTunnel) -> None:
        self.now_s = 0.0
        self.up_since_s: float | None = None
        self.can_connect = True
        self._tunnel = tunnel
        self._ends: dict[Side, _End] = {}
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._session = 0

    def add(self, end: _End) -> None:
        """Take an end whose script has just been started."""
        self._ends[end.side] = end
        self._set_clock()
        self._serve(end)

    def starts_s(self, side: Side) -> list[float]:
        """Return when an end's start began, each time, in made-up seconds."""
        return list(self._ends[side].starts_s)

    def asked_s(self, side: Side) -> list[float]:
        """Return when an end asked its peer through the tunnel, each time, in made-up seconds."""
        return list(self._ends[side].asked_s)

    def slowed_s(self, side: Side) -> list[float]:
        """Return when an end had its VPN send less, each time, in made-up seconds."""
        return list(self._ends[side].slowed_s)

    def lose_next(self, side: Side) -> None:
        """Lose the answer to an end's next question, and no other."""
        self._ends[side].is_next_lost = True

    def log(self, side: Side) -> str:
        """Return the log of one side's supervisor."""
        return self._ends[side].log.read_text()

    def at(self, after_s: float, action: Callable[[], None]) -> None:
        """Have something happen later, in made-up seconds from now."""
        self._count += 1
        heapq.heappush(self._events, (self.now_s + after_s, self._count, action))

    def lose(self) -> None:
        """End the connection; both sides' daemons go on."""
        self._session += 1
        self.up_since_s = None

    def break_end(self, side: Side) -> None:
        """Have something of an end be gone that only a restart brings back."""
        self._ends[side].is_broken = True

    def hang(self, side: Side) -> None:
        """Silence a side's daemon until it is started again."""
        self._ends[side].is_hung = True
        self.lose()

    def run_until(self, condition: Callable[[], bool], limit_s: float) -> float:
        """Let time pass until a condition holds; return how long that took, in made-up seconds.

        Raises:
            AssertionError: It did not hold within so many made-up seconds.
        """
        began_s = self.now_s
        while not condition():
            at_s, _, action = heapq.heappop(self._events)
            assert at_s - began_s <= limit_s, self.story()
            self.now_s = at_s
            self._set_clock()
            action()
        return self.now_s - began_s

    def run_until_steady(self, limit_s: float) -> float:
        """Let time pass until frames cross and have done so for `STEADY_S`; return how long it took until they did.

        Raises:
            AssertionError: That was not within so many made-up seconds.
        """
        began_s = self.now_s

        def is_steady() -> bool:
            return self.up_since_s is not None and self.now_s - self.up_since_s >= STEADY_S

        self.run_until(is_steady, limit_s + STEADY_S)
        assert self.up_since_s is not None
        return self.up_since_s - began_s

    def run_for(self, seconds: float) -> None:
        """Let some time pass."""
        until_s = self.now_s + seconds
        self.at(seconds, lambda: None)
        self.run_until(lambda: self.now_s >= until_s, seconds)

    def is_up(self) -> bool:
        """Whether frames cross."""
        return self.up_since_s is not None

    def story(self) -> str:
        """Return the logs of both supervisors, for a failed test."""
        return "".join(f"{side}:\n{self.log(side)}" for side in Side)

    def _set_clock(self) -> None:
        for end in self._ends.values():
            end.uptime.write_text(f"{self.now_s:.2f} 0.00\n")

    def _serve(self, end: _End) -> None:
        """Read what an end asks next, and see to it that it is answered."""
        assert end.process.stdout is not None
        ready, _, _ = select.select([end.process.stdout], [], [], _ANSWER_S)
        line = end.process.stdout.readline() if ready else b""
        assert line, f"the supervisor of {end.side} has ended or hangs\n{self.story()}"
        word, _, rest = line.decode().strip().partition(" ")
        match word:
            case "sleep":
                self._answer(end, 0, float(rest) + self._tunnel.busy_s)
            case "ping":
                is_fine = rest == "underlay" or (self.is_up() and not end.is_next_lost)
                if rest == "inside":
                    end.asked_s.append(self.now_s)
                    end.is_next_lost = False
                self._answer(end, 0 if is_fine else 1, self._tunnel.busy_s + (0.0 if is_fine else _PING_S))
            case "slow":
                end.slowed_s.append(self.now_s)
                self._answer(end, 0, 0.0)
            case "standing":
                self._answer(end, 1 if end.is_broken else 0, 0.0)
            case "down":
                end.is_listening = False
                self.lose()
                self._answer(end, 0, self._tunnel.stop_s)
            case "up":
                end.starts_s.append(self.now_s)
                start_s = self._tunnel.start_s[0 if end.side is Side.A else 1]
                self.at(start_s, lambda: self._has_started(end))
            case _:
                raise AssertionError(line)

    def _answer(self, end: _End, status: int, after_s: float) -> None:
        def reply() -> None:
            assert end.process.stdin is not None
            end.process.stdin.write(f"{status}\n".encode())
            end.process.stdin.flush()
            self._serve(end)

        self.at(after_s, reply)

    def _has_started(self, end: _End) -> None:
        end.is_listening, end.is_hung, end.is_broken = True, False, False
        if self._tunnel.asker is end.side:
            self._ask(end, self.now_s + ASKS_FOR_S)
            return
        self._answer(end, 0, self._tunnel.busy_s)
        if self._tunnel.asker is None:
            self._connect()

    def _ask(self, end: _End, until_s: float) -> None:
        peer = self._ends[end.side.other]
        if self.is_up():
            self._answer(end, 0, self._tunnel.busy_s)
        elif self.now_s >= until_s:
            self._answer(end, 1, 0.0)
        elif peer.is_listening and not peer.is_hung:
            self._connect()
            # Not for ever: the peer may be taken down meanwhile.
            self.at(self._tunnel.connect_s, lambda: self._ask(end, until_s))
        else:
            self.at(0.5, lambda: self._ask(end, until_s))

    def _connect(self) -> None:
        """Have the tunnel be up after its time, unless an end is taken down meanwhile."""
        if not self.can_connect or not all(end.is_listening and not end.is_hung for end in self._ends.values()):
            return
        session = self._session

        def come_up() -> None:
            if session == self._session and self.up_since_s is None:
                self.up_since_s = self.now_s

        self.at(self._tunnel.connect_s, come_up)


@contextmanager
def supervised_hosts(folder: Path, tunnel: MadeUpTunnel, shell: Sequence[str] = ("dash",)) -> Iterator[SupervisedHosts]:
    """Give both sides of a tunnel, started at the same moment with their hosts.

    Args:
        folder: An empty folder.
        tunnel: How the tunnel behaves.
        shell: What runs the supervisors.
    """
    ends = SupervisedHosts(tunnel)
    started: list[subprocess.Popen[bytes]] = []
    try:
        for side in Side:
            end = _started(side, folder / side.value, shell, tunnel.keepalive)
            started.append(end.process)
            ends.add(end)
        yield ends
    finally:
        for process in started:
            process.kill()
            process.communicate()


def _started(side: Side, root: Path, shell: Sequence[str], keepalive: Keepalive) -> _End:
    deployment, slot = "0123456789abcdef", "01234567"
    home = root / "etc" / slot / deployment
    (home / "kept").mkdir(parents=True)
    (root / "run").mkdir()
    (home.parent / "current").write_text(f"{deployment}\n")
    uptime = root / "uptime"
    uptime.write_text("0.00 0.00\n")
    run_dir = f"{root}/run/tunnelmark-{deployment}"
    values = {
        "id": deployment,
        "slot": slot,
        "mark": _IDS[side],
        "run_dir": run_dir,
        "ping": "ping inside",
        "underlay": "192.0.2.1",
        **supervisor_values(side, keepalive),
        "when_idle": "ask slow",
    }
    (home / "about.sh").write_text("".join(f"{name}='{value}'\n" for name, value in values.items()))
    (home / "steps.sh").write_text(_STEPS.replace("UPTIME", str(uptime)))
    # Nothing is installed yet where this file is: no checksums are asked for.
    (home / "uninstall.sh").touch()
    script = host_script("lasting.sh").replace("/proc/uptime", str(uptime)).replace("/run/", f"{root}/run/")
    (home / "lasting.sh").write_text(script)
    process = subprocess.Popen(
        ["sh", "-c", 'exec 8>&1 9<&0 "$@" > /dev/null < /dev/null', "start", *shell, str(home / "lasting.sh"), "run"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    return _End(side, process, uptime, Path(run_dir) / ".lasting" / "log")
