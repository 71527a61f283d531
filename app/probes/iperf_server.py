"""An iperf3 server on a host for the length of a context; proven to be gone afterwards."""

from __future__ import annotations

import re

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, HostSession
from app.domain.errors import ProbeFailed, ProgramMissing, TunnelmarkError
from app.domain.script_files import bare_script
from app.probes.guard import GuardMark, parse_guard_line
from app.probes.host_program import HostProgram
from app.probes.messages import ADDRESS_GONE, IPERF_MISSING, IPERF_PRINTED, PORT_TAKEN, SERVER_NOT_LISTENING

START_TIMEOUT_S = 10.0
GONE_TIMEOUT_S = 10.0

NOT_STARTED = frozenset({126, 127})
"""Exit statuses for a program that cannot be started. Source: POSIX.1-2017, XCU 2.8.2; timeout(1) of coreutils."""

_SERVER_SCRIPT = bare_script("probes/iperf-server.sh")

_GONE_SCRIPT = bare_script("probes/iperf-gone.sh")

_LISTENING = re.compile(r"^Server listening on (\d{1,5})")
_NOISE = re.compile(r"^(-+|Server listening on .*|\[.*|Accepted connection from .*|- - .*|iperf Done\..*)?$")


class IperfServer(HostProgram):
    """Two servers on neighbouring ports in one channel, one test for each: so the second test need not wait.

    Args:
        host: Where they run.
        address: What they are bound to.
        port: TCP port of the first; the second has the next one.
        limit_s: They end by themselves after so many seconds.
    """

    def __init__(self, host: HostSession, address: str, port: int, *, limit_s: int, token: CancelToken) -> None:
        words = (str(limit_s), str(port), str(port + 1))
        argv = ("iperf3", "-s", "-1", "-B", address, "-i", "0", "--forceflush")
        command = Command(
            shell_step_argv(_SERVER_SCRIPT, *words, *argv), timeout_s=limit_s + 15.0, max_output_bytes=65_536
        )
        super().__init__(host, command, "iperf-server", token=token)
        self._address = address
        self._ports = (port, port + 1)
        self._listening: set[int] = set()
        self._pids: list[int] = []
        self._exits: list[int] = []

    @property
    def ports(self) -> tuple[int, int]:
        """TCP ports of the first and the second test."""
        return self._ports

    @property
    def words(self) -> str:
        """Complaints of the server."""
        with self._condition:
            return "; ".join(self._words[:3])

    def __exit__(self, *error: object) -> None:
        self._unregister()
        is_orderly = not any(error) and self._wait_for_end()
        if not is_orderly:
            self._inner.cancel()
        self._thread.join()
        if not is_orderly:
            self._make_sure_it_is_gone()

    def wait_until_listening(self) -> None:
        """Wait until both servers accept their test.

        Raises:
            ProgramMissing: The host cannot start iperf3.
            ProbeFailed: They do not come up.
            ConnectionLost, DeadlineExceeded: As `HostSession.run`.
            Cancelled: The token was cancelled.
        """
        with self._condition:
            self._condition.wait_for(
                lambda: len(self._listening) == 2 or self._exits or self._has_ended or self._inner.is_cancelled,
                START_TIMEOUT_S,
            )
            missing = [port for port in self._ports if port not in self._listening]
            is_up = not missing and not self._exits and not self._has_ended
            error = self._error
        self._outer.raise_if_cancelled()
        if isinstance(error, Exception):
            raise error
        if NOT_STARTED.intersection(self._exits):
            raise iperf_missing(self._host)
        if not is_up:
            port = (missing or self._ports)[0]
            raise ProbeFailed(
                SERVER_NOT_LISTENING(host=self._host.spec.label, address=self._address, port=str(port)),
                hint=_explain(self.words),
                context={"host": self._host.spec.label, "server": self.words},
            )

    def stop(self) -> None:
        """End servers that are not used any more, so that leaving the context does not wait for them."""
        self._cancel()

    def _take(self, line: str) -> None:
        mark = parse_guard_line(line)
        if mark is not None:
            if mark.mark is GuardMark.START:
                self._pids.append(mark.number)
            elif mark.mark is GuardMark.EXIT:
                self._exits.append(mark.number)
        elif (listening := _LISTENING.match(line)) is not None:
            self._listening.add(int(listening[1]))
        elif not _NOISE.match(line.strip()) and len(self._words) < 10:
            self._words.append(" ".join(line.split())[:200])

    def _wait_for_end(self) -> bool:
        """Wait until both took their test and ended by themselves; return whether they did."""
        with self._condition:
            self._condition.wait_for(lambda: self._has_ended or self._inner.is_cancelled, GONE_TIMEOUT_S)
            return self._has_ended and self._error is None and len(self._exits) == len(self._pids)

    def _make_sure_it_is_gone(self) -> None:
        """End what is left on the host. A host that cannot be reached ends it itself: its frame sees to that."""
        with self._condition:
            pids = [str(pid) for pid in self._pids]
        if not pids:
            return
        command = Command(("sh", "-c", _GONE_SCRIPT, "tunnelmark", *pids), timeout_s=GONE_TIMEOUT_S)
        try:
            self._host.run(command, token=CancelToken())
        except TunnelmarkError:
            pass  # what brought us here is the better message


def iperf_missing(host: HostSession) -> ProgramMissing:
    """Return the error of a host that cannot start iperf3."""
    return ProgramMissing(IPERF_MISSING(host=host.spec.label), context={"host": host.spec.label})


def check_started(host: HostSession, done: CommandResult) -> None:
    """Refuse the result of iperf3 on a host that cannot start it.

    Raises:
        ProgramMissing: It cannot.
    """
    if done.exit_status in NOT_STARTED:
        raise iperf_missing(host)


def _explain(words: str) -> str:
    lowered = words.lower()
    if "address already in use" in lowered:
        return PORT_TAKEN(output=words)
    if "cannot assign requested address" in lowered:
        return ADDRESS_GONE(output=words)
    return IPERF_PRINTED(output=words) if words else ""
