"""Transfers of a study's table: tunnels side by side, conditions of the link in turn, one transfer at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.condition_files import presets
from app.domain.conditions import Condition
from app.domain.errors import ProbeFailed, TunnelmarkError
from app.domain.link import Link
from app.domain.solutions import Suite
from app.domain.transfers import TransferCell, TransferResult
from app.measurement.interfaces import Tunnel, TunnelGroup, Tunnels
from app.probes.iperf_server import IperfServer
from app.probes.transfer import (
    Transferred,
    TransferRequest,
    forget_paths,
    load_congestion,
    transfer,
    unload_congestion,
)

LIMIT_S = 900
"""A transfer that takes longer is given up. Source: our choice; the study's longest took 530 s."""

CONGESTION = {"cubic-hystart": "cubic", "bbr2": "bbr"}
"""Congestion control of the kernel by the study's name. BBRv2, which the study used, is in no Debian kernel."""

_SERVER_SLACK_S = 30
_PINGS = 10
_PING_S = 20.0
_LEAST_RTT = re.compile(r"= (?P<least>[\d.]+)/")


@dataclass(frozen=True, slots=True)
class TransferPlan:
    """Cells to be measured.

    Attributes:
        cells: In any order.
        choices: Adapter and suite by the study's name of a VPN; `none` is the bare link.
        size_bytes: Bytes of a transfer.
        can_end_early: As `TransferRequest.can_end_early`.
    """

    cells: tuple[TransferCell, ...]
    choices: Mapping[str, tuple[Adapter, Suite]]
    size_bytes: int
    can_end_early: bool = True


@dataclass(frozen=True, slots=True)
class TransferReports:
    """Receivers of what happens.

    Attributes:
        say: Gets each step as a sentence.
        keep: Gets each result as soon as there is one.
        measured_rtt: Gets condition and round-trip time of the bare link in ms, as it was measured.
    """

    say: Callable[[str], None]
    keep: Callable[[TransferResult], None]
    measured_rtt: Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class TransferRun:
    """Measures the cells of a plan.

    Attributes:
        plan: What is measured.
        sessions: Connections to both hosts.
        link: What tunnels are built on.
        tunnels: Builds them.
        set_condition: Changes the link; None makes it as it was found.
        reports: Gets what happens.
        token: Ends it; results so far were kept.
    """

    plan: TransferPlan
    sessions: SessionPair
    link: Link
    tunnels: Tunnels
    set_condition: Callable[[Condition | None], None]
    reports: TransferReports
    token: CancelToken

    def run(self) -> None:
        """Measure all cells. Both hosts and the link are as before when this returns.

        A VPN that does not come up, or a transfer that fails, is a result; the others go on.

        Raises:
            ConnectionLost, DeadlineExceeded, HostUnreachable: A host was lost.
            CleanupFailed: A host could not be rolled back.
            Cancelled: The token was cancelled.
        """
        plan, say = self.plan, self.reports.say
        names = sorted({cell.solution for cell in plan.cells})
        self.set_condition(None)
        with (
            _congestion_controls(self.sessions, plan.cells, token=self.token),
            self.tunnels.open_group(
                [plan.choices[name] for name in names],
                token=self.token,
                on_stage=lambda index, stage, text: say(f"{names[index]}: {text or stage.value}"),
            ) as group,
        ):
            up = self._up(names, group)
            try:
                wanted = sorted((cell for cell in plan.cells if cell.solution in up), key=_condition_of)
                for condition, cells in groupby(wanted, key=_condition_of):
                    self._under(presets()[condition], list(cells), up)
            finally:
                self.set_condition(None)

    def _up(self, names: Sequence[str], group: TunnelGroup) -> Mapping[str, Tunnel]:
        """Return the tunnels that are up, by name; what did not come up is a result of each of its cells."""
        for index, error in group.failures.items():
            for cell in self.plan.cells:
                if cell.solution == names[index]:
                    self.reports.keep(TransferResult(cell, None, 0, message=_sentence(error)))
        return {names[index]: tunnel for index, tunnel in group.tunnels.items()}

    def _under(self, condition: Condition, cells: Sequence[TransferCell], up: Mapping[str, Tunnel]) -> None:
        self.set_condition(condition)
        self.reports.measured_rtt(condition.name, _least_rtt_ms(self.sessions, self.link, token=self.token))
        for solution, group in groupby(sorted(cells, key=_solution_of), key=_solution_of):
            pending = list(group)
            while pending:
                pair, pending = pending[:2], pending[2:]  # a server has two ports, one transfer for each
                self._on_server(pair, up[solution])

    def _on_server(self, cells: Sequence[TransferCell], tunnel: Tunnel) -> None:
        address, port = tunnel.plan.probe_address_b, tunnel.link.names.iperf_port
        limit_s = (LIMIT_S + _SERVER_SLACK_S) * len(cells)
        with IperfServer(self.sessions.b, address, port, limit_s=limit_s, token=self.token) as server:
            server.wait_until_listening()
            for cell, each in zip(cells, server.ports, strict=False):
                self.reports.say(f"{cell.condition}: {cell.solution}, {CONGESTION[cell.congestion]}")
                request = TransferRequest(
                    client_address=tunnel.plan.probe_address_a,
                    server_address=address,
                    port=each,
                    size_bytes=self.plan.size_bytes,
                    congestion=CONGESTION[cell.congestion],
                    limit_s=LIMIT_S,
                    can_end_early=self.plan.can_end_early,
                )
                self.reports.keep(self._one(cell, request))

    def _one(self, cell: TransferCell, request: TransferRequest) -> TransferResult:
        forget_paths(self.sessions, token=self.token)
        try:
            done: Transferred = transfer(self.sessions.a, request, token=self.token)
        except ProbeFailed as error:
            return TransferResult(cell, None, 0, message=_sentence(error))
        message = "" if done.seconds is not None else f"It did not end within {request.limit_s} s."
        return TransferResult(cell, done.seconds, done.received_bytes, done.retransmits, done.congestion, message)


def _condition_of(cell: TransferCell) -> str:
    return cell.condition


def _solution_of(cell: TransferCell) -> str:
    return cell.solution


@contextmanager
def _congestion_controls(sessions: SessionPair, cells: Sequence[TransferCell], *, token: CancelToken) -> Iterator[None]:
    """Load what the sender needs; unload afterwards what was not there before."""
    wanted = sorted({CONGESTION[cell.congestion] for cell in cells})
    loaded = [name for name in wanted if load_congestion(sessions.b, name, token=token)]
    try:
        yield
    finally:
        for name in loaded:
            unload_congestion(sessions.b, name, token=CancelToken())


def _sentence(error: TunnelmarkError) -> str:
    return " ".join(error.sentence().split())


def _least_rtt_ms(sessions: SessionPair, link: Link, *, token: CancelToken) -> float:
    """Return the shortest round trip over the bare link, in ms.

    Raises:
        ProbeFailed: No request was answered.
    """
    argv = ("ping", "-q", "-n", "-i", "0.2", "-c", str(_PINGS), "-W", "5", link.underlay_b)
    done = sessions.a.run(Command(argv, timeout_s=_PING_S), token=token)
    found = _LEAST_RTT.search(done.stdout)
    if found is None:
        raise ProbeFailed(
            f"{link.underlay_b} does not answer {sessions.a.spec.label} under this condition.",
            hint="Set the link as found (tunnelmark lab condition as-found), then try again.",
        )
    return float(found["least"])
