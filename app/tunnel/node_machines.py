"""Nodes that are machines of their own: their addresses, routes and settings, under a lease.

They are hosts like gateways. So the same `Transaction` holds the two of them, A's node as its side A: a lock, a lease,
a journal, an undo script and a rollback timer on each, renewed as those of the gateways are. It begins once the
tunnels are up, because MTU and routes follow from their plans, and ends before they go. Where Tunnelmark dies, each of
the four machines rolls back by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from app.domain.adapters import EndpointPlan, IdentityRecipe, PlanStep, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.node_protection import MachineProtection
from app.domain.script_files import bare_script
from app.domain.topology import NodeAddresses, Topology, node_addresses, node_mac
from app.host.parallel import on_both
from app.host.remote_host import RemoteHost
from app.host.script_events import find
from app.host.scripts import filled_script
from app.tunnel.acquire import AcquireRequest, begin_error, planned_step, step_line
from app.tunnel.audit import STEP_NUMBER, AuditSink, numbered
from app.tunnel.host_settings import HostSettings
from app.tunnel.messages import ADDRESS_NODE_MACHINE, LOCK_AND_ARM
from app.tunnel.nodes import lan_step, machine_step, node_mtu_bytes, notes_dir
from app.tunnel.preflight import remote_hosts
from app.tunnel.psk_transfer import read_secret
from app.tunnel.transaction import Transaction

_ROUTED = bare_script("nodes/routed-machine.sh")
_BRIDGED = bare_script("nodes/bridged-machine.sh")
_MARGIN_S = 30.0
_NO_ENDPOINT = EndpointPlan((), (), "")


@dataclass(frozen=True, slots=True)
class BridgedNodes:
    """Protection of bridged nodes that are machines.

    Attributes:
        gateways: Connections to the gateways, which have the nodes' secrets.
        parts: The nodes' own part, by side.
    """

    gateways: SessionPair
    parts: Mapping[Side, MachineProtection]


@dataclass(frozen=True, slots=True)
class NodesRequest:
    """Machines behind both gateways, and the tunnels that they are reached through.

    Attributes:
        interfaces: The machines' interfaces towards their gateways, by side.
        tunnels: Plan and link of each tunnel; at least one.
        settings: Settings of both machines.
        pair: The pair's name, for hints.
        bridged: What bridged nodes need, which have one tunnel; None for routed ones.
    """

    interfaces: Mapping[Side, str]
    tunnels: Sequence[tuple[TunnelPlan, Link]]
    settings: HostSettings = field(default_factory=HostSettings)
    pair: str = ""
    bridged: BridgedNodes | None = None

    def steps(self, side: Side) -> tuple[PlanStep, ...]:
        """Return the steps on one machine. The first one refuses an interface that the machine itself needs."""
        plan, link = self.tunnels[0]
        settings = self.settings.extend(replace(plan, a=_NO_ENDPOINT, b=_NO_ENDPOINT), link)
        own = (step for plan, link in self.tunnels for step in self._steps(plan, link, side))
        protection = self.bridged.parts[side].steps if self.bridged is not None else ()
        return (*own, *settings.on(side).steps, *protection)

    def _steps(self, plan: TunnelPlan, link: Link, side: Side) -> tuple[PlanStep, ...]:
        node, peer = (self._addresses(link, one) for one in (side, side.other))
        interface, notes = self.interfaces[side], notes_dir(link, node.namespace)
        title = ADDRESS_NODE_MACHINE(interface=interface, node=node.node_ip)
        if self.bridged is not None:
            words = interface, node.node, str(plan.inner_mtu_bytes), node_mac(side)
            return lan_step(link, interface, 0), machine_step(title, _BRIDGED, words, notes)
        mtu_bytes = node_mtu_bytes(plan)
        arguments = interface, node.node, node.gateway, str(mtu_bytes), peer.network
        return lan_step(link, interface, mtu_bytes), machine_step(title, _ROUTED, arguments, notes)

    def words(self, side: Side) -> tuple[str, ...]:
        """Return the addresses and networks by which this work is known on one machine."""
        own = [self._addresses(link, side) for _, link in self.tunnels]
        peers = [self._addresses(link, side.other) for _, link in self.tunnels]
        return (*(one.node_ip for one in own), *(one.network for one in (*own, *peers)))

    def _addresses(self, link: Link, side: Side) -> NodeAddresses:
        topology = Topology.ROUTED_NODES if self.bridged is None else Topology.BRIDGED_NODES
        return node_addresses(link, topology, side)


@contextmanager
def node_machines(
    sessions: SessionPair, request: NodesRequest, *, token: CancelToken, audit: AuditSink | None, lease_s: float
) -> Iterator[None]:
    """Make machines nodes of tunnels that are up, for the time of a `with` block; both are rolled back at its end.

    Args:
        sessions: Connections to the machines.
        token: Cancels it; rolling back then runs on a token of its own.
        audit: Gets every command that changed a machine, from any thread.
        lease_s: For how long a machine waits to hear of us before it rolls back, in seconds.

    Raises:
        PairLocked: Another Tunnelmark works on a machine.
        CommandFailed, DiskFull: A step failed.
        CleanupFailed: A machine is not as it was before.
        ConnectionLost: A connection broke and could not be made again, so that a machine is left to its timer.
        Cancelled: The token was cancelled.
    """
    run_dir = request.tunnels[0][1].run_dir
    hosts = remote_hosts(sessions, run_dir.rpartition("/")[0], request.pair)
    work = Transaction(hosts, on_stage=lambda *_: None, audit=audit, lease_s=lease_s)
    with work.rolled_back_at_end(request.words):
        for ledger in work.ledgers.values():
            # Before the first change: where this program is killed right after it, the audit log knows this machine.
            ledger.write(LOCK_AND_ARM(), f"mkdir {ledger.host.state_dir}", None)
        work.acquire({side: AcquireRequest(run_dir, IdentityRecipe(), "") for side in Side}, token=token)
        if request.bridged is not None:
            give_secrets(work.hosts, request.bridged, token=token)
        on_both(lambda side, child: _apply(work, request.steps(side), side, child), token=token)
        on_both(work.check_connection, token=token)
        yield


def give_secrets(machines: Mapping[Side, RemoteHost], bridged: BridgedNodes, *, token: CancelToken) -> None:
    """Give each machine what its gateway made for both, into the folder that goes with the rollback.

    Raises:
        CommandFailed: A gateway did not print its secret. Nothing that it did print is in the error.
    """
    for side, gateway in remote_hosts(bridged.gateways, machines[Side.A].state_dir).items():
        files = tuple(read_secret(gateway, one, token=token) for one in bridged.parts[side].secrets)
        if files:
            machines[side].session.write_files(files, token=token)


def _apply(work: Transaction, steps: Sequence[PlanStep], side: Side, token: CancelToken) -> None:
    """Run the steps of one machine; each is in the machine's journal, with its undo, before it runs."""
    host, ledger = work.hosts[side], work.ledgers[side]
    lines: list[str] = []
    limit_s = _MARGIN_S
    for index, step in enumerate(steps):
        planned = planned_step(numbered(STEP_NUMBER + index), step)
        ledger.plan(planned)
        lines.append(step_line(planned, step))
        limit_s += step.command.timeout_s
    events, result = host.run_with_events(
        filled_script("apply.sh", files=[], steps=lines, checks=[]),
        (host.state_dir, work.ids[side]),
        word=work.ids[side],
        token=token,
        timeout_s=limit_s,
        on_event=ledger.take_event,
    )
    if find(events, "finished") is None:
        raise begin_error(host, events, result, ledger)
