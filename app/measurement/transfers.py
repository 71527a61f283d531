"""Transfers of the satellite study's table: each cell is one transfer from node B to node A."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.condition_files import presets
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.messages import sentences
from app.domain.solutions import Carrier
from app.domain.transfers import CONGESTION, TransferCell, TransferResult
from app.measurement.cell_run import CellPlan, CellRun
from app.measurement.interfaces import Tunnel
from app.measurement.load_guard import guarded_load
from app.measurement.messages import DID_NOT_END
from app.measurement.messages.studies import SENDER_OTHER_CONGESTION, TRANSFER_DISTURBED, TRANSFER_REPEATED
from app.measurement.node_needs import NodeNeeds
from app.probes.iperf_server import IperfServer
from app.probes.own_load import OwnLoad
from app.probes.transfer import (
    Transferred,
    TransferRequest,
    forget_paths,
    transfer,
)

MOST_TRIES = 3
"""A disturbed transfer is made so often at most."""

LIMIT_S = 900
"""A transfer that takes longer is given up. Source: our choice; the study's longest took 530 s."""

_SERVER_SLACK_S = 30

NODE_NEEDS = NodeNeeds({Side.A: ("ip", "iperf3", "ping"), Side.B: ("ip", "iperf3")}, beyond_busybox=("ping",))
"""Needs of nodes that are machines: their round trip without a VPN is compared with the condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferPlan(CellPlan):
    """Cells to be measured, each by one transfer.

    Attributes:
        size_bytes: Bytes of a transfer.
        can_end_early: As `TransferRequest.can_end_early`.
    """

    size_bytes: int
    can_end_early: bool = True


@dataclass(frozen=True, slots=True)
class TransferRun(CellRun[TransferResult]):
    """Measures one transfer for each cell of a plan.

    Attributes:
        plan: What is measured.
    """

    plan: TransferPlan

    def measured(self, cell: TransferCell, tunnel: Tunnel) -> TransferResult:
        """Return a transfer, repeated while this computer's other work disturbs it; at last the least disturbed one.

        One without a time is not repeated: it took up to `LIMIT_S`, and its reason is in the message.
        """
        tries = [self._tried(cell, tunnel)]
        while len(tries) < MOST_TRIES and tries[-1].is_disturbed and tries[-1].seconds is not None:
            self.reports.report(TRANSFER_REPEATED(cores=tries[-1].own_load_cores))
            tries.append(self._tried(cell, tunnel))
        timed = [one for one in tries if one.seconds is not None]
        best = min(timed or tries, key=lambda one: one.own_load_cores or 0.0)
        if not best.is_disturbed:
            return best
        why = (*(one.message for one in tries), TRANSFER_DISTURBED(cores=best.own_load_cores))
        return replace(best, message=sentences(why))

    def failed(self, cell: TransferCell, why: str) -> TransferResult:
        """Return a transfer without a time."""
        return TransferResult(cell, None, 0, message=why, topology=self.plan.topology)

    def _can_be_silent(self, cell: TransferCell) -> bool:
        """Return whether a transfer may go on after a long silence: inside TCP, on a link that loses frames.

        The carrier's buffer holds half a minute of a slow link then, and a segment that was lost inside waits for it.
        """
        condition = presets()[cell.condition]
        is_lossy = max(condition.a_to_b.loss_pct, condition.b_to_a.loss_pct) > 0
        return is_lossy and self.plan.choices[cell.solution][0].info.carrier is Carrier.TCP

    def _tried(self, cell: TransferCell, tunnel: Tunnel) -> TransferResult:
        """Return a transfer; where it failed, why."""
        try:
            return self._transfer(cell, tunnel)
        except ProbeFailed as error:
            return self.failed(cell, error.sentence())

    def _transfer(self, cell: TransferCell, tunnel: Tunnel) -> TransferResult:
        ends, addresses = self.ends(tunnel)
        for sessions in (self.sessions, ends):
            forget_paths(sessions, token=self.token)
        seen = self.splits(cell, tunnel)
        port = tunnel.link.names.iperf_port
        with IperfServer(ends.b, addresses[1], port, limit_s=LIMIT_S + _SERVER_SLACK_S, token=self.token) as server:
            server.wait_until_listening()
            request = TransferRequest(
                client_address=addresses[0],
                server_address=addresses[1],
                port=server.ports[0],
                size_bytes=self.plan.size_bytes,
                congestion=CONGESTION[cell.congestion].sender,
                limit_s=LIMIT_S,
                can_end_early=self.plan.can_end_early and not self._can_be_silent(cell),
            )
            load = OwnLoad(self.plan.guests)
            load.start()
            with guarded_load(self.sessions, is_lab=self.plan.is_lab, token=self.token) as load_token:
                done: Transferred = transfer(ends.a, request, token=load_token)
            cores = load.cores()
            server.stop()  # the second port is not used
        if done.congestion not in ("", request.congestion):
            words = {"wanted": request.congestion, "found": done.congestion}
            raise ProbeFailed(SENDER_OTHER_CONGESTION(host=ends.b.spec.label, **words))
        message = "" if done.seconds is not None else DID_NOT_END(limit_s=request.limit_s)
        return TransferResult(
            *(cell, done.seconds, done.received_bytes, done.retransmits, done.congestion, message),
            topology=self.plan.topology,
            proxy_congestion=self.split_with(cell, tunnel, seen),
            own_load_cores=cores,
        )
