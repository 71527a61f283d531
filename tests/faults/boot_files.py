"""One kind of damaged boot file on a host that restarts, and what becomes of the host."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from pathlib import Path

from app.domain.hosts import Side
from app.host.snapshots import HostSnapshot
from faults.cells import AS_BEFORE, EXCEPTION, CellPlan, CellResult, Unsettled, words_of
from faults.damages import DAMAGES, Damage, Fate
from faults.fields import NetField
from faults.leftovers import difference
from support.net_desk import Desk, left_on
from support.net_hosts import NetHost

STAGES = {Side.A: "restart of A", Side.B: "restart of B"}
"""Columns of the table; A starts services as sysv does, B as BusyBox does."""
SLOTS = "etc/tunnelmark"
QUIET_S, UP_S, GONE_S = 30.0, 120.0, 60.0
"""Time limits of a host, in seconds, until what its start ran has ended, until a tunnel is healthy, and until both
hosts are as before."""
_TIME_OF_FOLDER = re.compile(r"The file /etc\S* was `(?P<kept>d\S+ \S+ \d+) \S+` and is now `(?P=kept) \S+`\.")
"""A difference of nothing but when a folder was changed."""
_VOLATILE = {"root/var/log/sshd.log"}
# The pattern does not match the words of this script itself.
_WORKING = "grep -l '/etc/tunnelmar[k]/' /proc/[0-9]*/cmdline 2> /dev/null || :"
_BOOT = 'sh /etc/tunnelmark/*/start.sh boot < /dev/null 2>&1 || echo "status $?"'


def boot_plans(seed: str) -> list[CellPlan]:
    """Return every kind of damage on each host; every second one with joined networks."""
    return [
        CellPlan(name, stage, seed, (row + column) % 2 == 0)
        for row, name in enumerate(DAMAGES)
        for column, stage in enumerate(STAGES.values())
    ]


def content_of(folder: Path) -> Mapping[str, str]:
    """Return a digest of what each file and link below a folder is, by its path."""
    found = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if name.startswith("work/") or name in _VOLATILE:
            continue
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        elif path.is_dir():
            found[name] = "folder"
    return found


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the paths of what was made, changed or removed."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


class BootCell:
    """One cell of the table of damaged files.

    Args:
        field: The hosts; they are as they were before if all goes well.
        plan: The damage, and which host restarts with it.
        folder: An empty folder.
        patience: How many times as long as on an idle computer everything may take.
    """

    def __init__(self, field: NetField, plan: CellPlan, folder: Path, *, patience: float = 1.0) -> None:
        self._field, self._plan, self._patience = field, plan, patience
        self._damage: Damage = DAMAGES[plan.fault]
        self._side = next(side for side, stage in STAGES.items() if stage == plan.stage)
        self._host: NetHost = field.net_pair.host(self._side)
        self._desk: Desk = field.desk(folder / "desk")
        self._before: Mapping[Side, HostSnapshot] = {side: field.host(side).inspect() for side in Side}

    def run(self) -> CellResult:
        """Do it."""
        result = CellResult(self._plan)
        try:
            self._succeed(result, *words_of(self._field, self._plan))
            self._restart_and_judge(result)
            self._succeed(result, "undeploy", self._field.pair)
            self._wait_until_as_before()
        except (Unsettled, AssertionError) as error:
            result.outcome, result.what = EXCEPTION, f"{result.what} {error}".strip()
        return result

    def _succeed(self, result: CellResult, *words: str) -> None:
        done = self._desk.tunnelmark(*words)
        result.reported = [*done.err.splitlines()[-6:], done.out[-500:]]
        if done.status != 0:
            raise Unsettled(f"{words[0]}: {done.err[:900]} … {done.err[-300:]}")

    def _restart_and_judge(self, result: CellResult) -> None:
        with self._field.intruder() as intruder:
            self._restart(result)
            # Where a deployment is up, what is replayed could get in as well.
            is_up = self._damage.fate in (Fate.STARTED, Fate.REMOVED)
            result.note(intruder.forge_and_replay() if is_up else intruder.forge())

    def _restart(self, result: CellResult) -> None:
        self._host.power_off()
        (slot,) = (self._host.files / SLOTS).iterdir()
        deployment_id = (slot / "current").read_text().strip()
        self._damage.make(slot, deployment_id)
        named = f"/{SLOTS}/{slot.name}/{self._damage.named.replace('ID', deployment_id)}"
        before = content_of(self._host.disk)
        began_s = time.monotonic()
        self._field.net_pair.power_on(self._side)
        if self._damage.fate in (Fate.REFUSED, Fate.SILENT):
            self._judge_refused(named)
        elif self._damage.fate is Fate.FAILING:
            self._judge_failing(named)
        else:
            self._judge_up(deployment_id)
        result.settled_s = time.monotonic() - began_s
        self._judge_files(before, content_of(self._host.disk), slot.name)
        result.outcome = self._damage.fate.value

    def _judge_refused(self, named: str) -> None:
        self._wait_until_quiet()
        if left := [one for one in left_on(self._host) if not one.startswith("/etc/")]:
            raise Unsettled(f"something was started: {left}")
        reported = self._host.run(_BOOT)
        if self._damage.fate is Fate.REFUSED and (
            "status 1" not in reported or f"not started, because {named} is" not in reported
        ):
            raise Unsettled(f"the host's start says: {reported[-500:]}")
        self._wait_until_quiet()
        self._wait_for_status(named)

    def _wait_until_quiet(self) -> None:
        """Wait until nothing runs any more that the host's start ran."""
        until = time.monotonic() + QUIET_S * self._patience
        quiet = 0
        while quiet < 3:
            running = self._host.run(_WORKING).split()
            quiet = 0 if running else quiet + 1
            if running and time.monotonic() > until:
                raise Unsettled(f"still running: {running}")
            time.sleep(0.2)

    def _judge_failing(self, named: str) -> None:
        # The supervisor tries again every 2 s.
        time.sleep(6.0)
        self._wait_for_status(named)

    def _wait_for_status(self, named: str) -> None:
        """See that status is not content, names what is damaged, and reaches both hosts."""
        status = self._desk.tunnelmark("status", self._field.pair)
        reported = "".join(status.out.split()) + "".join(status.err.split())
        if status.status == 0 or named not in reported or "couldnotbeasked" in reported:
            raise Unsettled(f"status ({status.status}) does not name {named}: {status.out[-1500:]} {status.err[-500:]}")

    def _judge_up(self, deployment_id: str) -> None:
        words = ("status", self._field.pair, *(("--repair",) if self._damage.fate is Fate.REMOVED else ()))
        if self._damage.fate is Fate.REMOVED:
            self._wait_until_quiet()
            if left := left_on(self._host):
                raise Unsettled(f"of what was never confirmed is left: {left}")
        until = time.monotonic() + UP_S * self._patience
        while (status := self._desk.tunnelmark(*words)).status != 0 or "nothing is deployed" in status.out:
            if time.monotonic() > until:
                raise Unsettled(f"{deployment_id} is not healthy: {status.out[-900:]} {status.err[-900:]}")
            time.sleep(1.0)

    def _judge_files(self, before: Mapping[str, str], after: Mapping[str, str], slot: str) -> None:
        changed = changes(before, after)
        if self._damage.fate is Fate.REMOVED:
            own = (f"root/{SLOTS}/{slot}", "root/etc/init.d/", "root/etc/rc")
            changed = [path for path in changed if not (path.startswith(own) and slot in path)]
        if changed:
            raise Unsettled(f"files were changed: {changed}")

    def _wait_until_as_before(self) -> None:
        until = time.monotonic() + GONE_S * self._patience
        while True:
            reported = [f"{side.upper()}: {text}" for side in Side for text in self._differences(side)]
            if not reported:
                return
            if time.monotonic() > until:
                raise Unsettled(f"not {AS_BEFORE}: {' '.join(reported)[:1500]}")
            time.sleep(1.5)

    def _differences(self, side: Side) -> tuple[str, ...]:
        host = self._field.host(side)
        found = difference(self._before[side], host.inspect(), host.left(), may_be_broken_off=False).sentences
        is_time_lost = side is self._side and self._damage.costs_times
        return tuple(one for one in found if not (is_time_lost and _TIME_OF_FOLDER.fullmatch(one)))
