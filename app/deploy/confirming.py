"""From a tunnel that stands to one that stays: on A first, then on B, each from one moment to the next.

What starts it with the host is put in place on both hosts before any of them counts it. If B then says that it went
back, A is taken back too. If B cannot be reached, nobody can know (two generals): A keeps the tunnel, and the next
contact finds out and repairs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from app.deploy.beginning import begin_error
from app.deploy.both import on_both
from app.deploy.ends import HostEnd, printable
from app.deploy.ledger import Ledger, Planned
from app.deploy.marks import find
from app.deploy.places import place_dir
from app.deploy.scripts import host_script
from app.deploy.undoing import reconnect
from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import CommandFailed, ConnectionLost, DeadlineExceeded, HostUnreachable
from app.domain.hosts import Side

INSTALL_NUMBER = "0800"
COMMIT_TIMEOUT_S = 30.0
REACH_S = 25.0
"""How long a host is tried to be reached whose answer was lost, in seconds; its own timer runs meanwhile."""

REMOVED_S = 20.0
"""How long a host may take to remove what has ended, in seconds."""

# The host is given free once all is removed.
_REMOVED_SCRIPT = """\
n=0
while read -r found 2> /dev/null < "$1/id" && [ "$found" = "$2" ] && [ "$n" -lt 80 ]; do
  n=$((n + 1))
  sleep 0.25 2> /dev/null || { sleep 1; n=$((n + 3)); }
done
[ ! -e "$3" ]
"""

_TIDY_SCRIPT = '[ -n "$2" ] || exit 0; rm -rf "$1/$2"; rm -f "$3/.lasting/replaced"'


class Confirmed(StrEnum):
    """What confirming on one host came to."""

    YES = "yes"
    REFUSED = "refused"  # it went back, or is about to
    UNKNOWN = "unknown"  # it could not be asked
    NOT_TRIED = "not-tried"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What confirming on both hosts came to.

    Attributes:
        hosts: By side.
        reason: Why it is not YES on both, as a sentence; where it is, what has not been removed yet, mostly nothing.
    """

    hosts: Mapping[Side, Confirmed]
    reason: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether both hosts keep it."""
        return all(one is Confirmed.YES for one in self.hosts.values())

    @property
    def may_be_half(self) -> bool:
        """Whether one host may keep it while the other does not."""
        return not self.is_complete and any(one in (Confirmed.YES, Confirmed.UNKNOWN) for one in self.hosts.values())


@dataclass(frozen=True, slots=True)
class Confirmer:
    """What confirming needs; all of it is known after the process that built the tunnel has ended, too.

    Attributes:
        ends: The hosts.
        tunnels: The random id of the work on each host.
        ledgers: Get what was done.
        slot: The place.
        deployment_id: What is to stay; empty where what stands there is to end.
        run_dir: The folder of this work's running parts.
        replaced: What it replaces, by side; empty where nothing was there.
    """

    ends: Mapping[Side, HostEnd]
    tunnels: Mapping[Side, str]
    ledgers: Mapping[Side, Ledger]
    slot: str
    deployment_id: str
    run_dir: str
    replaced: Mapping[Side, str] = field(default_factory=dict)

    def install(self, *, token: CancelToken) -> None:
        """Put in place what starts it with the host, on both; nothing counts yet, and the undo takes it away.

        Raises:
            CommandFailed, DiskFull, ConnectionLost: It did not work; the hosts must be put back.
        """
        if self.deployment_id:
            on_both(self._install, token=token)

    def commit(self, *, token: CancelToken) -> Outcome:
        """Confirm on A, then on B. What was confirmed on one host alone is taken back where that can be known.

        Args:
            token: Cancels it while nothing is confirmed yet.
        """
        token.raise_if_cancelled()
        hosts = dict.fromkeys(Side, Confirmed.NOT_TRIED)
        reasons: list[str] = []
        for side in Side:
            hosts[side], reason = self._commit_on(side)
            if hosts[side] is not Confirmed.YES:
                reasons.append(reason)
                break
        if hosts[Side.A] is Confirmed.YES and hosts[Side.B] is Confirmed.REFUSED and self.deployment_id:
            hosts[Side.A] = self._retire(Side.A, reasons)
        outcome = Outcome(hosts, " ".join(reasons))
        if outcome.is_complete and self.deployment_id:
            self._tidy()
        elif outcome.is_complete:
            left = [text for text in on_both(self._await_removal, token=CancelToken()).values() if text]
            outcome = Outcome(hosts, " ".join(left))
        return outcome

    def _install(self, side: Side, token: CancelToken) -> None:
        end, ledger = self.ends[side], self.ledgers[side]
        command = f"{place_dir(self.slot)}/{self.deployment_id}"
        undo = f"sh {end.state_dir}/kit/uninstall.sh {self.slot} {self.deployment_id}"
        ledger.plan(Planned(INSTALL_NUMBER, "Put in place what starts the tunnel with the host", command, undo, 60.0))
        word = self.tunnels[side]
        marks, result = end.run_marked(
            host_script("install.sh"),
            (end.state_dir, word, self.slot, self.deployment_id),
            word=word,
            token=token,
            timeout_s=COMMIT_TIMEOUT_S,
        )
        if find(marks, "finished") is None:
            ledger.done(INSTALL_NUMBER, 1)
            raise begin_error(end, marks, result, ledger)
        ledger.done(INSTALL_NUMBER, 0)

    def _commit_on(self, side: Side) -> tuple[Confirmed, str]:
        """Ask until there is an answer; where it was lost, the host is asked again: it then says what it said."""
        end = self.ends[side]
        until: float | None = None
        while True:
            must_reconnect = False
            try:
                outcome, reason = self._ask_to_commit(end)
            except (ConnectionLost, DeadlineExceeded, HostUnreachable) as error:
                outcome, must_reconnect = Confirmed.UNKNOWN, True
                reason = f"{end.label} could not be asked whether it keeps it: {error.message}"
            if outcome is not Confirmed.UNKNOWN:
                return outcome, reason
            now = time.monotonic()
            until = now + REACH_S if until is None else until
            if now >= until:
                return outcome, reason
            if must_reconnect:
                # Where it was in vain, asking fails once more.
                with suppress(ConnectionLost, DeadlineExceeded, HostUnreachable):
                    reconnect(end, token=CancelToken(), within_s=until - now)

    def _ask_to_commit(self, end: HostEnd) -> tuple[Confirmed, str]:
        word = self.tunnels[end.side]
        marks, result = end.run_marked(
            host_script("commit.sh"),
            (end.state_dir, word, self.slot, self.deployment_id, self.run_dir),
            word=word,
            token=CancelToken(),
            timeout_s=COMMIT_TIMEOUT_S,
        )
        if find(marks, "busy") is not None:
            return Confirmed.UNKNOWN, f"{end.label} has been confirming it for too long to be waited for."
        is_confirmed = find(marks, "confirmed") is not None
        what = "Confirm the deployment" if self.deployment_id else "Confirm that the deployment has ended"
        text = f"echo {self.deployment_id or '-'} > {place_dir(self.slot)}/current"
        self.ledgers[end.side].write(what, text, 0 if is_confirmed else result.exit_status)
        if is_confirmed:
            return Confirmed.YES, ""
        refused = find(marks, "refused")
        why = " ".join(refused.words[1:]) if refused is not None else printable(result.stderr, limit=300)
        return Confirmed.REFUSED, f"{end.label} did not keep it ({why or 'no answer'})."

    def _retire(self, side: Side, reasons: list[str]) -> Confirmed:
        end = self.ends[side]
        old = self.replaced.get(side, "")
        try:
            result = end.run_script(
                host_script("retire.sh"),
                (self.slot, self.deployment_id, old),
                token=CancelToken(),
                timeout_s=COMMIT_TIMEOUT_S + 60.0,
            )
        except (ConnectionLost, DeadlineExceeded, HostUnreachable) as error:
            reasons.append(f"{end.label} keeps it alone: {error.message}")
            return Confirmed.YES
        self.ledgers[side].write("Take back what the other host did not keep", "sh retire.sh", result.exit_status)
        if not result.is_ok:
            reasons.append(f"{end.label} keeps it alone; it could not be taken back.")
            return Confirmed.YES
        return Confirmed.REFUSED

    def _await_removal(self, side: Side, token: CancelToken) -> str:
        """Wait until a host has removed what has ended; return what a user should know of it, mostly nothing."""
        end, folder = self.ends[side], place_dir(self.slot)
        argv = shell_step_argv(_REMOVED_SCRIPT, end.state_dir, self.tunnels[side], folder)
        try:
            result = end.session.run(Command(argv, timeout_s=REMOVED_S + 10.0, is_root=True), token=token)
        except (ConnectionLost, DeadlineExceeded, HostUnreachable) as error:
            return f"{end.label} could not be asked whether it has removed {folder}: {error.message}"
        return "" if result.is_ok else f"On {end.label}, {folder} is still there; the next contact removes it."

    def _tidy(self) -> None:
        """Remove what was replaced; a host that cannot be reached just now does it when it starts."""
        for side in Side:
            old = self.replaced.get(side, "")
            if not old or old == self.deployment_id:
                continue
            argv = shell_step_argv(_TIDY_SCRIPT, place_dir(self.slot), old, self.run_dir)
            try:
                result = self.ends[side].session.run(
                    Command(argv, timeout_s=COMMIT_TIMEOUT_S, is_root=True), token=CancelToken()
                )
            except (ConnectionLost, DeadlineExceeded, HostUnreachable, CommandFailed):
                continue
            self.ledgers[side].write(
                "Remove the deployment that was replaced", f"rm -rf {place_dir(self.slot)}/{old}", result.exit_status
            )
