"""One fault in one stage of a deployment, and what became of the hosts."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from app.deployment.boot_bundle import PATIENCE_S
from app.domain.hosts import Side
from app.host.snapshots import HostSnapshot
from faults.fields import FaultDesk, Field, Intruder, NoIntruder
from faults.leftovers import Difference, difference
from faults.stages import StageReader
from faults.strikes import FAULTS, POWERLESS, TWO, Healer, Scene
from support.underlay_attack import Outcome

LEASE_S = 30.0
"""Lease: for how long a host waits for a renewal before it rolls back, in seconds."""
UNDO_S = 20.0
"""Time limit for the rollback then, in seconds."""
WATCHER_S = float(max(PATIENCE_S.values()))
"""For how long a deployment's supervisor may wait for the peer before it starts the tunnel again, in seconds."""
HEALTHY_S = LEASE_S + UNDO_S + WATCHER_S
"""Time until a deployment is healthy, in seconds from the end of Tunnelmark or of the fault, whichever is later."""
INSPECTION_S = 5.0
"""Time limit until hosts are as before once nothing happens to them any more, in seconds."""
PAUSE_S = 1.5
"""Pause between inspections of hosts, in seconds: inspecting takes more of the computer than the hosts do."""
INERT_S = 20.0
"""Time for which nothing but files that nothing runs may be different until they count as left, in seconds."""
RESENT_S = 60.0
"""After an outage of 45 s TCP sends what was on its way again after up to 51 s."""
AS_BEFORE, CLEANED, EXCEPTION = "as before", "as before, cleaned at contact", "EXCEPTION"
"""Outcomes: nothing is left; nothing but what the next contact removed, after a loss of power; something went wrong."""
EARLIER = "openvpn-tcp"
"""Deployment that one under a fault replaces."""
STAGE_S, END_S = 120.0, 240.0
_REFUSALS = ("working on", "been removing", "just locking", "has meanwhile changed")
_STATE = """
cat /etc/tunnelmark/*/current 2> /dev/null || :
if [ -e /run/tunnelmark ]; then echo locked; fi
"""


class Unsettled(Exception):
    """The hosts are in a state in which they must not be."""


@dataclass(frozen=True)
class CellPlan:
    """Plan of one trial.

    Attributes:
        fault: Its name.
        stage: In which stage of the deployment; `any` for a moment that has nothing to do with stages.
        seed: Where random choices come from.
        has_bridge: Whether the networks behind the hosts are joined.
        share: For `any`: after which share of the time from the first inspection of the hosts to the end.
        is_replacing: Whether another deployment is active on the hosts, which is replaced.
    """

    fault: str
    stage: str
    seed: str
    has_bridge: bool
    share: float = 0.0
    is_replacing: bool = False

    @property
    def column(self) -> str:
        """Its cell in the table."""
        return f"{self.stage}, replacing" if self.is_replacing else self.stage

    @property
    def key(self) -> str:
        """Its name in the progress file."""
        return f"{self.fault} / {self.column} / {self.seed}"


@dataclass
class CellResult:
    """Outcome of one trial.

    Attributes:
        plan: What was done.
        outcome: `as before` (where another deployment was active, that one is), `confirmed`, `half, repaired`, or
            `EXCEPTION`; `too late` where the deployment had ended before its random moment. `as before, cleaned at
            contact`: but for files that a loss of power left and that nothing runs; the next contact removed them.
        settled_s: How long the hosts took, in seconds from the end of Tunnelmark.
        healthy_s: When the deployment was healthy, in seconds from the end of Tunnelmark or of the fault, whichever is
            later; None where there is none.
        what: What went wrong, or details.
        status: The exit status of the deployment.
        reported: The last lines that it printed.
        forged: Packets that an attacker forged or altered, from the fault to the end; none may get into a tunnel.
        replayed: Packets that he sent again.
    """

    plan: CellPlan
    outcome: str = ""
    settled_s: float = 0.0
    healthy_s: float | None = None
    what: str = ""
    status: int | None = None
    reported: list[str] = field(default_factory=list)
    forged: int = 0
    replayed: int = 0

    @property
    def is_well(self) -> bool:
        """Whether everything is as it should be."""
        return self.outcome != EXCEPTION

    def note(self, attack: Outcome) -> None:
        """Note an attack; raise Unsettled where something got in, or nothing is shown."""
        self.forged, self.replayed = attack.forged, attack.replayed
        if attack.problem:
            raise Unsettled(attack.problem)

    def as_data(self) -> dict[str, object]:
        """Return it for the progress file."""
        return {"key": self.plan.key, **asdict(self)}


def words_of(field_: Field, plan: CellPlan, solution: str = "openvpn-udp") -> tuple[str, ...]:
    """Return what Tunnelmark is started with."""
    bridge = ("--bridge", "A=lan0", "--bridge", "B=lan0") if plan.has_bridge else ()
    return ("deploy", field_.pair, solution, *bridge)


def timeline_of(field_: Field, folder: Path, *, has_bridge: bool) -> tuple[float, ...]:
    """Deploy and remove without any fault.

    Returns:
        When Tunnelmark began to inspect the hosts; when it printed something; when it ended: in seconds
        from its beginning.

    Raises:
        AssertionError: It did not work.
    """
    desk = field_.desk(folder)
    began_s = time.monotonic()
    process = desk.start(*words_of(field_, CellPlan("", "", "", has_bridge)))
    reader = StageReader(process)
    process.wait(END_S)
    end_s = time.monotonic() - began_s
    reader.close()
    ended = desk.tunnelmark("undeploy", field_.pair)
    assert (process.returncode, ended.status) == (0, 0), "\n".join(reader.lines) + ended.err
    return (reader.first_s("prepare"), *reader.at_s, end_s)


class Cell:
    """One cell of the matrix.

    Args:
        field_: The hosts; they are as they were before if all goes well.
        plan: What is to be done.
        folder: An empty folder.
        timeline_s: Of a deployment that nothing happens to, see `timeline_of`.
        patience: How many times as long as on a computer that does nothing else everything may take; the lease
            lasts as long as ever.
    """

    def __init__(
        self,
        field_: Field,
        plan: CellPlan,
        folder: Path,
        timeline_s: tuple[float, ...] = (),
        *,
        patience: float = 1.0,
    ) -> None:
        self._timeline_s = timeline_s
        self._patience = patience
        self._field = field_
        self._plan = plan
        self._folder = folder
        self._desks: list[FaultDesk] = [field_.desk(folder / "desk")]
        self._before: Mapping[Side, HostSnapshot] = {side: field_.host(side).inspect() for side in Side}
        self._intruder: Intruder = NoIntruder()
        self._earlier = ""
        self._without_time: Side | None = None
        self._ended_s = self._timers_until_s = 0.0

    def run(self) -> CellResult:
        """Do it."""
        with self._field.intruder() as self._intruder:
            return self._run()

    def _run(self) -> CellResult:
        result = CellResult(self._plan)
        if self._plan.is_replacing:
            self._deploy_earlier()
        second = self._start_second() if self._plan.fault == TWO else None
        rng = random.Random(self._plan.key)  # noqa: S311 - nothing secret
        process = self._desks[0].start(*words_of(self._field, self._plan))
        reader = StageReader(process)
        try:
            self._strike_and_judge(process, reader, second, rng, result)
        except (Unsettled, AssertionError, subprocess.TimeoutExpired) as error:
            result.outcome, result.what = EXCEPTION, f"{result.what} {error}".strip()
        finally:
            process.kill()
            process.wait(20)
            reader.close()
            if second is not None:
                second.process.kill()
                second.close()
            result.reported = [*reader.lines[-12:], reader.out[-500:]]
        return result

    def _strike_and_judge(
        self,
        process: subprocess.Popen[str],
        reader: StageReader,
        second: StageReader | None,
        rng: random.Random,
        result: CellResult,
    ) -> None:
        plan, is_too_late = self._plan, False
        if plan.stage == "any":
            begin_s, end_s = self._timeline_s[0], self._timeline_s[-1]
            moment_s = begin_s + plan.share * (end_s - begin_s)
            is_too_late = not reader.wait_until(moment_s, self._timeline_s[1:])
            delay_s: float | None = moment_s
        else:
            delay_s = reader.strike_in(
                plan.stage, rng, STAGE_S * self._patience, lambda: self._state(Side.A)[0] not in ("", self._earlier)
            )
        if delay_s is None:
            raise Unsettled("the stage was never reached")
        scene = Scene(self._field, process, rng, second.process if second is not None else None)
        self._intruder.stream()
        struck = FAULTS[plan.fault](scene)
        result.what = f"{delay_s:.2f} s after it began; {struck.note}".rstrip("; ")
        healer = Healer(struck)
        try:
            process.wait(END_S * self._patience)
            result.status = process.returncode
            self._end_second(second, result)
            self._ended_s = time.monotonic()
            ids = self._settle()
            result.settled_s = time.monotonic() - self._ended_s
            self._intruder.end_stream()
        finally:
            healed_s = healer.end()
        undone_s = self._ended_s + LEASE_S + UNDO_S * self._patience
        self._timers_until_s = max(undone_s, healed_s + RESENT_S * self._patience)
        self._ended_s = max(self._ended_s, healed_s)
        self._judge(ids, result)
        if is_too_late:
            result.outcome = "too late"

    def _deploy_earlier(self) -> None:
        """Deploy what is to be replaced."""
        done = self._desks[0].tunnelmark(*words_of(self._field, self._plan, EARLIER))
        assert done.status == 0, done.err
        self._earlier = self._state(Side.A)[0]
        assert self._earlier == self._state(Side.B)[0] != ""

    def _start_second(self) -> StageReader:
        """Start another Tunnelmark on another computer; it is stopped once it is about to inspect the hosts."""
        desk = self._field.desk(self._folder / "other")
        self._desks.append(desk)
        second = StageReader(desk.start(*words_of(self._field, self._plan)))
        assert second.wait_for("prepare", STAGE_S * self._patience), "the second one did not begin"
        second.process.send_signal(signal.SIGSTOP)
        return second

    def _end_second(self, second: StageReader | None, result: CellResult) -> None:
        if second is None:
            return
        second.process.wait(END_S * self._patience)
        second.close()
        err = " ".join(" ".join(second.lines).split())
        is_reported = any(one in err for one in _REFUSALS)
        # A command's time limit goes on while it is stopped.
        is_late, status = "did not end in time" in err, second.process.returncode
        if status != 0 and not is_reported and not is_late:
            raise Unsettled(f"the second one ended with {status}: {err[-2000:]} {second.out[-500:]}")
        result.what += f"; the second one {'had to wait' if is_reported else 'was late' if is_late else 'came later'}"
        if 0 not in (second.process.returncode, result.status):
            raise Unsettled(f"neither got through: {err[-300:]}")

    def _state(self, side: Side) -> tuple[str, bool]:
        """Return what a host has confirmed, and whether it is locked."""
        found = self._field.host(side).run(_STATE).split()
        return next((word for word in found if word != "locked"), ""), "locked" in found

    def _settle(self) -> Mapping[Side, str]:
        """Wait until both hosts are in a final state; return what each has confirmed."""
        until = time.monotonic() + LEASE_S + UNDO_S * self._patience
        previous: Mapping[Side, tuple[str, bool]] = {}
        while True:
            states = {side: self._state(side) for side in Side}
            if states == previous and not any(is_locked for _, is_locked in states.values()):
                return {side: one for side, (one, _) in states.items()}
            if time.monotonic() > until:
                raise Unsettled(f"not settled in time: {states}")
            previous = states
            time.sleep(1.0)

    def _judge(self, ids: Mapping[Side, str], result: CellResult) -> None:
        is_half = ids[Side.A] != ids[Side.B]
        is_confirmed = ids[Side.A] not in ("", self._earlier) and not is_half
        result.outcome = "half, repaired" if is_half else "confirmed" if is_confirmed else AS_BEFORE
        if result.status == 70:
            raise Unsettled("the program says that it is at fault itself")
        if result.status == 0 and not is_confirmed:
            raise Unsettled("the program says that it was confirmed")
        if self._plan.fault == TWO and not is_confirmed:
            raise Unsettled("nobody got through")
        is_expected_up = any(ids.values())
        if self._earlier and not is_expected_up:
            raise Unsettled("the earlier deployment is gone")
        if not is_expected_up:
            self._judge_before_contact(result)
            result.note(self._intruder.forge())
        desk = self._wait_until_well(result, is_expected=is_expected_up)
        if is_expected_up:
            after = {self._state(side)[0] for side in Side}
            if len(after) != 1 or not after.isdisjoint({""}):
                raise Unsettled(f"status says that all is well, and the hosts have {after}")
            if self._plan.has_bridge and not self._field.crosses():
                raise Unsettled("the networks behind the hosts do not reach each other")
            result.note(self._intruder.forge_and_replay())
            ended = desk.tunnelmark("undeploy", self._field.pair)
            if ended.status != 0:
                raise Unsettled(f"undeploy: {ended.err[-400:]}")
        self._compare(time.monotonic() + INSPECTION_S * self._patience)

    def _judge_before_contact(self, result: CellResult) -> None:
        """Check that both hosts rolled back by themselves, before any Tunnelmark can have mended what they did not."""
        powerless = POWERLESS.get(self._plan.fault)
        broken_off = self._compare(self._timers_until_s, powerless)
        if powerless is not None and broken_off:
            result.outcome = CLEANED
            if not any(path.endswith(".before") for path in broken_off):
                self._without_time = powerless
            result.what += f"; left on {powerless.upper()} until contact: {', '.join(broken_off)}"

    def _wait_until_well(self, result: CellResult, *, is_expected: bool) -> FaultDesk:
        """Wait until a Tunnelmark says that all is well: healthy, or nothing there; it repairs what is half."""
        while True:
            reported, took_s = "", 0.0
            for desk in self._desks:
                status = desk.tunnelmark("status", self._field.pair, "--repair")
                reported = f"{status.out[-900:]} {status.err[-900:]}"
                took_s = time.monotonic() - self._ended_s
                if status.status == 0 and ("nothing is deployed" in status.out) is not is_expected:
                    result.healthy_s = took_s if is_expected else None
                    if is_expected and took_s > HEALTHY_S * self._patience:
                        raise Unsettled(f"healthy only after {took_s:.0f} s")
                    return desk
            if took_s > HEALTHY_S * self._patience:
                raise Unsettled(f"status after {took_s:.0f} s: {reported}")
            time.sleep(PAUSE_S)

    def _compare(self, until_s: float, powerless: Side | None = None) -> tuple[str, ...]:
        """Wait until both hosts are as they were before.

        Args:
            until_s: For how long, on the monotonic clock.
            powerless: Which host lost its power, so that files of an installing may be there that nothing runs.

        Returns:
            Those files, where they are all that is different in the end.
        """
        inert_since_s: float | None = None
        while True:
            found = {side: self._inspect(side, is_powerless=side is powerless) for side in Side}
            broken_off = tuple(path for one in found.values() for path in one.broken_off)
            reported = [f"{side.upper()}: {text}" for side, one in found.items() for text in one.sentences]
            if not reported and not broken_off:
                return ()
            # Timers do not come back with the power: what is left then is removed at the host's start, or at contact.
            inert_since_s = None if reported else inert_since_s or time.monotonic()
            if inert_since_s is not None and time.monotonic() > inert_since_s + INERT_S:
                return broken_off
            if time.monotonic() > until_s:
                if reported:
                    raise Unsettled(f"not as before: {' '.join((*reported, *broken_off))[:1500]}")
                return broken_off
            time.sleep(PAUSE_S)

    def _inspect(self, side: Side, *, is_powerless: bool) -> Difference:
        host = self._field.host(side)
        return difference(
            self._before[side],
            host.inspect(),
            host.left(),
            may_be_broken_off=is_powerless,
            is_time_lost=side is self._without_time,
        )
