"""Cells of the satellite study: tunnels side by side, conditions of the link in turn, one cell at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar

from app.domain.adapters import Adapter, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.condition_files import presets
from app.domain.conditions import Condition, MeasuredCondition
from app.domain.errors import ConditionNotMet, ProbeFailed, TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.side_by_side import builds
from app.domain.solutions import BASELINE, Suite
from app.domain.topology import ProxyPlace, Topology, node_addresses
from app.domain.transfers import CONGESTION, NO_VPN, TransferCell
from app.measurement.host_shaping import HostShaping, Networks, ShapedLink
from app.measurement.interfaces import Tunnel, TunnelGroup, Tunnels
from app.measurement.link_conditions import LinkMeasurement, measure_held, why_not_met
from app.measurement.messages import BUILDING_TUNNEL
from app.measurement.messages.studies import (
    CELL_OF_STUDY,
    NO_CONNECTION_SPLIT,
    PROXY_OTHER_CONGESTION,
    SOLUTION_WITH_PEP,
)
from app.measurement.node_machines import NodeMachines, lans_of, node_sessions
from app.tunnel.host_settings import HostSettings
from app.tunnel.nodes import NodeSteps
from app.tunnel.proxy import PROXY_SIDE, ProxySteps, proxy_log
from app.tunnel.request import Extended, PlanExtension
from app.tunnel.temporary_group import FirstTunnels

_ASK_S = 10.0
_SPLIT_WORDS, _NEAR, _FAR = 5, 3, 4
_condition_of = attrgetter("condition")

Way: TypeAlias = tuple[str, str]
"""The study's name of a VPN, and the place of a proxy."""

R = TypeVar("R", bound=Any)
"""Result of a cell: a dataclass with `measured_condition` and `is_condition_missed`."""


@dataclass(frozen=True, slots=True)
class CellPlan:
    """Cells to be measured.

    Attributes:
        cells: In any order.
        choices: Adapter and suite by the study's name of a VPN; `none` is the bare link.
        guests: Process ids of a practice lab's virtual machines on this computer; empty for other pairs.
        topology: Between the hosts, or between nodes behind them; a proxy needs routed nodes.
        is_lab: Whether the hosts are a practice lab's; load on others ends where their connections suffer.
    """

    cells: tuple[TransferCell, ...]
    choices: Mapping[str, tuple[Adapter, Suite]]
    guests: tuple[int, ...] = ()
    topology: Topology = Topology.ROUTED_NODES
    is_lab: bool = True


@dataclass(frozen=True, slots=True)
class CellReports(Generic[R]):
    """Receivers of what happens.

    Attributes:
        report: Gets each step as a sentence.
        keep: Gets each result as soon as there is one.
        measured: Gets each condition as it was measured on the bare link.
    """

    report: Callable[[str], None]
    keep: Callable[[R], None]
    measured: Callable[[MeasuredCondition], None] = lambda _found: None


@dataclass(frozen=True, slots=True)
class CellRun(ABC, Generic[R]):
    """Measures the cells of a plan.

    Attributes:
        plan: What is measured.
        sessions: Connections to both hosts.
        link: What tunnels are built on.
        tunnels: Builds them.
        set_condition: Changes the link; None makes it as it was found.
        deviation: Returns why the link is not under a condition that was set, as a sentence; empty where it is.
        reports: Gets what happens.
        token: Ends it; results so far were kept.
        machines: Nodes that are hosts of their own; None for namespaces on the gateways.
        shaping: Makes conditions on hosts of the user's own, in place of `set_condition` and `deviation`; None in a
            lab.
    """

    plan: CellPlan
    sessions: SessionPair
    link: Link
    tunnels: Tunnels
    set_condition: Callable[[Condition | None], None]
    deviation: Callable[[Condition], str]
    reports: CellReports[R]
    token: CancelToken
    machines: NodeMachines | None = None
    shaping: HostShaping | None = None

    @abstractmethod
    def measured(self, cell: TransferCell, tunnel: Tunnel) -> R:
        """Return the result of a cell under its condition; where it failed, why."""

    @abstractmethod
    def failed(self, cell: TransferCell, why: str) -> R:
        """Return the result of a cell without figures."""

    def run(self) -> None:
        """Measure all cells, one congestion control after the other. Afterwards, hosts and link are as before.

        Where tunnels cannot all be up side by side, there is a further group of them with the same congestion control.
        A VPN that does not come up, a cell that fails, and a condition that is not met are results; others go on.

        Raises:
            ConnectionLost, DeadlineExceeded, HostUnreachable: A host was lost.
            CleanupFailed: A host could not be rolled back.
            Cancelled: The token was cancelled.
        """
        self.set_condition(None)
        try:
            for cells in builds(self.plan.cells, is_shaped=self.shaping is not None):
                self._measure_group(cells)
        finally:
            self.set_condition(None)

    def _measure_group(self, cells: tuple[TransferCell, ...]) -> None:
        """Measure cells that need the same settings of the hosts, with all their tunnels up side by side.

        Where the hosts make conditions themselves, the cells have one condition as well.
        """
        direct_ms: float | None = None
        if self.shaping is not None:
            try:
                direct_ms = self._link_measurement().direct_ms()
            except ProbeFailed as error:
                self._leave(cells, None, error.sentence())
                return
            except TunnelmarkError as error:
                error.is_before_changes = True  # tunnels of an earlier group are rolled back
                raise
        kind = CONGESTION[cells[0].congestion]
        ways = sorted({_way_of(cell) for cell in cells})
        with self._opened(ways, cells) as group:
            up = self._up(ways, cells, group)
            shaped = ShapedLink(direct_ms, group.tunnels[len(ways)]) if up and direct_ms is not None else None
            wanted = sorted((cell for cell in cells if _way_of(cell) in up), key=_condition_of)
            with self._joined(tuple(up.values()), HostSettings(kind.sender, has_hystart=kind.has_hystart)):
                for condition, some in groupby(wanted, key=_condition_of):
                    self._under(presets()[condition], sorted(some, key=_way_of), up, shaped)
                self.set_condition(None)  # before the tunnels go: rolling back must not wait for a satellite

    def _opened(self, ways: Sequence[Way], cells: Sequence[TransferCell]) -> AbstractContextManager[TunnelGroup]:
        """Return a context in which the tunnels of cells are up, and behind them the member that shapes the link."""
        kind, report = CONGESTION[cells[0].congestion], self.reports.report
        settings = HostSettings(kind.gateways, has_hystart=kind.has_hystart, also=kind.proxy)
        topology, lans = self.plan.topology, lans_of(self.machines)
        choices = [self.plan.choices[solution] for solution, _ in ways]
        networks: Networks = {} if self.shaping is None else self._bare_networks(ways)
        nodes = NodeSteps(topology, lans, is_gro_off=bool(networks))
        extensions: list[PlanExtension] = [
            Extended((nodes, ProxySteps(topology, ProxyPlace(proxy), kind.proxy), settings)) for _, proxy in ways
        ]
        tunnels = self.tunnels
        first: FirstTunnels | None = None
        if self.shaping is not None:
            tunnels = self.shaping.under(presets()[cells[0].condition], networks)
            choices.append(self.shaping.bare)
            extensions.append(Extended(()))
            first = FirstTunnels(tuple(range(len(ways))), lambda _group: None)

        def on_stage(index: int, stage: Stage, _text: str) -> None:
            if stage is Stage.APPLY and index < len(ways):
                report(BUILDING_TUNNEL(title=_title(*ways[index])))

        return tunnels.open_group(choices, extensions=extensions, token=self.token, on_stage=on_stage, first=first)

    def _bare_networks(self, ways: Sequence[Way]) -> Networks:
        """Return the nodes' networks whose packets no VPN carries: they cross the link with the nodes' addresses.

        Which tunnel of the group has which of them is known once it is built: those of all are named. Packets of other
        tunnels to them do not leave by the underlay's interface.
        """
        if self.plan.topology is not Topology.ROUTED_NODES or not any(map(self._is_bare, ways)):
            return {}
        links = [self.link.instance(number) for number in range(len(ways))]
        return {side: tuple(node_addresses(one, self.plan.topology, side).network for one in links) for side in Side}

    def _is_bare(self, way: Way) -> bool:
        adapter, _ = self.plan.choices[way[0]]
        return adapter.info.name == BASELINE

    def _joined(self, tunnels: Sequence[Tunnel], settings: HostSettings) -> AbstractContextManager[None]:
        """Return a context in which machines are nodes of tunnels that are up; for namespaces nothing is left to do."""
        if self.machines is None or not tunnels:
            return nullcontext()
        return self.machines.joined(tunnels, settings, token=self.token)

    def _up(self, ways: Sequence[Way], cells: Sequence[TransferCell], group: TunnelGroup) -> Mapping[Way, Tunnel]:
        """Return the tunnels that are up; what did not come up is a result of each of its cells."""
        unshaped = group.failures.get(len(ways))
        if unshaped is not None:
            self._leave(cells, None, unshaped.sentence())
            return {}
        for index, error in group.failures.items():
            for cell in cells:
                if _way_of(cell) == ways[index]:
                    self._keep(self.failed(cell, error.sentence()))
        return {ways[index]: tunnel for index, tunnel in group.tunnels.items() if index < len(ways)}

    def _under(
        self,
        condition: Condition,
        cells: Sequence[TransferCell],
        up: Mapping[Way, Tunnel],
        shaped: ShapedLink | None,
    ) -> None:
        """Measure cells under a condition, which is proven before, and checked again after each of them."""
        found, why = self._proven(condition, shaped)
        for nth, cell in enumerate(cells):
            if why:
                self._leave(cells[nth:], found, why)
                return
            if unmet := self._deviation_of_nodes(condition, cell, up[_way_of(cell)], shaped):
                self._leave((cell,), found, unmet)
                continue
            way, congestion = _title(*_way_of(cell)), CONGESTION[cell.congestion].title
            self.reports.report(CELL_OF_STUDY(condition=cell.condition, way=way, congestion=congestion))
            result: R = replace(self.measured(cell, up[_way_of(cell)]), measured_condition=found)
            why = self._deviation(condition, shaped)
            self._keep(self._not_measured(cell, found, why) if why else result)

    def _proven(self, condition: Condition, shaped: ShapedLink | None) -> tuple[MeasuredCondition | None, str]:
        """Set a condition and measure the bare link; return what was found, and why nothing is measured under it."""
        measurement = self._link_measurement()
        try:
            if shaped is None:
                found = measure_held(measurement, self.set_condition, condition)
            else:
                # The firewalls are open for the ports of the member that makes the condition.
                found = replace(measurement, link=shaped.member.link).measure(condition, shaped.direct_ms)
        except ProbeFailed as error:
            return None, error.sentence()
        self.reports.measured(found)
        why = why_not_met(found)
        return found, ConditionNotMet(why).sentence() if why else ""

    def _deviation(self, condition: Condition, shaped: ShapedLink | None) -> str:
        """Return why the link is not under a condition that was set, as a sentence; empty where it is."""
        if shaped is None:
            return self.deviation(condition)
        return shaped.deviation(condition, self.sessions, token=self.token)

    def _deviation_of_nodes(
        self, condition: Condition, cell: TransferCell, tunnel: Tunnel, shaped: ShapedLink | None
    ) -> str:
        """Return why packets between nodes are not under a condition, as a sentence; a VPN's are those of the hosts."""
        if shaped is None or self.plan.topology is not Topology.ROUTED_NODES or not self._is_bare(_way_of(cell)):
            return ""
        nodes, (_, peer) = self.ends(tunnel)
        try:
            return shaped.deviation_of_nodes(condition, nodes.a, peer, token=self.token)
        except ProbeFailed as error:
            return error.sentence()

    def _link_measurement(self) -> LinkMeasurement:
        return LinkMeasurement(self.sessions, self.link, self.token, self.reports.report)

    def _leave(self, cells: Sequence[TransferCell], found: MeasuredCondition | None, why: str) -> None:
        """Keep that cells are not measured, because the link is not under their condition."""
        for cell in cells:
            self._keep(self._not_measured(cell, found, why))

    def _keep(self, result: R) -> None:
        """Keep a result with the suite that it is of."""
        solution = result.cell.solution
        suite = "" if solution == NO_VPN else self.plan.choices[solution][1].title
        self.reports.keep(replace(result, suite=suite))

    def _not_measured(self, cell: TransferCell, found: MeasuredCondition | None, why: str) -> R:
        missed: R = replace(self.failed(cell, why), measured_condition=found, is_condition_missed=True)
        return missed

    def ends(self, tunnel: Tunnel) -> tuple[SessionPair, tuple[str, str]]:
        """Return sessions and addresses of receiver and sender."""
        if self.plan.topology is Topology.PAIR:
            plan: TunnelPlan = tunnel.plan
            return self.sessions, (plan.probe_address_a, plan.probe_address_b)
        a, b = (node_addresses(tunnel.link, self.plan.topology, side) for side in Side)
        nodes = node_sessions(self.sessions, tunnel.link, self.plan.topology, self.machines)
        return nodes, (a.node_ip, b.node_ip)

    def splits(self, cell: TransferCell, tunnel: Tunnel) -> list[list[str]]:
        """Return the words of each connection that the proxy of a cell has split so far."""
        if cell.proxy == ProxyPlace.NONE:
            return []
        host = self.sessions.on(PROXY_SIDE)
        command = Command(("cat", proxy_log(tunnel.link)), timeout_s=_ASK_S, is_root=True)
        lines = host.run(command, token=self.token).stdout.splitlines()
        return [words for line in lines if (words := line.split())[:1] == ["split"] and len(words) == _SPLIT_WORDS]

    def split_with(self, cell: TransferCell, tunnel: Tunnel, before: Sequence[Sequence[str]]) -> str:
        """Return the congestion control of the half on the link; empty without a proxy.

        Args:
            before: What `splits` had before the cell was measured.

        Raises:
            ProbeFailed: The proxy split no connection, or not with the congestion control that it should have, so that
                the cell shows nothing of it.
        """
        if cell.proxy == ProxyPlace.NONE:
            return ""
        splits = self.splits(cell, tunnel)
        is_inside = cell.proxy == ProxyPlace.INSIDE
        found = splits[len(before) :] if is_inside else splits
        if not found:
            raise ProbeFailed(NO_CONNECTION_SPLIT())
        # Inside, the client comes over the link; outside, the tunnel's server is reached over it.
        half, kind = found[-1][_NEAR if is_inside else _FAR], CONGESTION[cell.congestion]
        wanted = kind.proxy or kind.gateways
        if half != wanted:
            raise ProbeFailed(PROXY_OTHER_CONGESTION(wanted=wanted, found=half))
        return half


def _way_of(cell: TransferCell) -> Way:
    return cell.solution, cell.proxy


def _title(solution: str, proxy: str) -> str:
    return solution if proxy == ProxyPlace.NONE else SOLUTION_WITH_PEP(solution=solution, proxy=proxy)
