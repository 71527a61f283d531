"""Needs of a study of nodes that are machines, checked before a tunnel is built: programs, and free interfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import CommandFailed, PackageMissing, PreflightRefused
from app.domain.hosts import HostFacts, NodeHost, PairSpec, Side, ToolFlavour
from app.domain.messages import Message, MessageForm
from app.domain.messages.lists import joined
from app.domain.packages import package_for
from app.domain.script_files import bare_script
from app.host.parallel import on_both
from app.host.remote_host import printable
from app.measurement.messages.studies import (
    GATEWAY_DEFAULT_ROUTE,
    GATEWAY_SSH_RUNS_OVER,
    NODE_DEFAULT_ROUTE,
    NODE_LACKS_PROGRAM,
    NODE_NEEDS_FULL,
    NODE_NOT_ASKED,
    NODE_SSH_RUNS_OVER,
    NODES_LACK,
)
from app.probes.workloads import WORKLOADS

_PACKAGES = {"ip": "iproute2", "nft": "nftables"}
"""Key in the table of packages, by program, where it is another word."""

_NEEDED_FOR = bare_script("nodes/needed-for.sh")
_NODE_REFUSALS = {"ssh": NODE_SSH_RUNS_OVER, "route": NODE_DEFAULT_ROUTE}
_GATEWAY_REFUSALS = {"ssh": GATEWAY_SSH_RUNS_OVER, "route": GATEWAY_DEFAULT_ROUTE}
_ASK_S = 15.0


@dataclass(frozen=True, slots=True)
class NodeNeeds:
    """Programs that a study runs on nodes.

    Attributes:
        programs: By side.
        beyond_busybox: Those of which BusyBox's own does not do.
    """

    programs: Mapping[Side, tuple[str, ...]]
    beyond_busybox: tuple[str, ...] = ()

    @classmethod
    def of_workloads(cls, workloads: Sequence[str], others: tuple[str, ...]) -> Self:
        """Return the needs of workloads, and of other programs that both nodes run."""
        wanted = [WORKLOADS[name] for name in workloads]
        programs = {side: (*others, *(name for one in wanted for name in one.needs.get(side, ()))) for side in Side}
        return cls(
            {side: tuple(dict.fromkeys(names)) for side, names in programs.items()},
            tuple(dict.fromkeys(name for one in wanted for name in one.beyond_busybox)),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Every program, which both nodes are asked about."""
        return tuple(dict.fromkeys(name for side in Side for name in self.programs[side]))

    def check(self, nodes: Mapping[Side, NodeHost], facts: Mapping[Side, HostFacts]) -> None:
        """Refuse nodes that lack programs, all of them in one message.

        Args:
            facts: What was found on the nodes, with these programs.

        Raises:
            PackageMissing: A node lacks a program, or has one that does not do.
        """
        lacks: list[Message] = []
        packages: list[str] = []
        for side in Side:
            for program in self.programs[side]:
                tool = facts[side].tools.get(program)
                flavour = ToolFlavour.MISSING if tool is None else tool.flavour
                if flavour is ToolFlavour.MISSING:
                    lack = NODE_LACKS_PROGRAM
                elif flavour is ToolFlavour.BUSYBOX and program in self.beyond_busybox:
                    lack = NODE_NEEDS_FULL
                else:
                    continue
                lacks.append(lack(host=nodes[side].host.label, program=program))
                what = _PACKAGES.get(program, program)
                packages.append(package_for(what, facts[side].package_manager) or what)
        if lacks:
            raise PackageMissing(NODES_LACK(lacks=joined(lacks), packages=tuple(dict.fromkeys(packages))))


def refuse_needed_by_nodes(nodes: Mapping[Side, NodeHost], sessions: SessionPair, *, token: CancelToken) -> None:
    """Refuse an interface of a node that its SSH connection or its default route runs over. Changes nothing.

    The steps on the node refuse it once more: they are made minutes later.

    Args:
        sessions: Connections to the nodes.

    Raises:
        PreflightRefused: It is needed.
        CommandFailed: A node could not be asked, or does not show what the interface is needed for.
    """
    wanted = {side: (node.host.label, node.interface) for side, node in nodes.items()}
    _refuse_needed(wanted, _NODE_REFUSALS, sessions, token=token)


def refuse_needed_by_gateways(pair: PairSpec, sessions: SessionPair, *, token: CancelToken) -> None:
    """Refuse a gateway's interface towards a node that its SSH connection or its default route runs over, as above.

    Args:
        pair: The pair, with nodes.
        sessions: Connections to its gateways.
    """
    wanted = {side: (pair.host(side).label, node.gateway_interface) for side, node in pair.nodes.items()}
    _refuse_needed(wanted, _GATEWAY_REFUSALS, sessions, token=token)


def _refuse_needed(
    wanted: Mapping[Side, tuple[str, str]],
    refusals: Mapping[str, MessageForm],
    sessions: SessionPair,
    *,
    token: CancelToken,
) -> None:
    """Refuse interfaces that hosts need.

    Args:
        wanted: Label of the host and name of the interface, by side.
        refusals: Message by what the host says.
    """

    def ask(side: Side, child: CancelToken) -> None:
        host, interface = wanted[side]
        # As the user that logged in, whose environment names the connection.
        command = Command(shell_step_argv(_NEEDED_FOR, interface), timeout_s=_ASK_S)
        result = sessions.on(side).run(command, token=child)
        found = result.stdout.strip()
        if found in refusals:
            raise PreflightRefused(refusals[found](host=host, interface=interface))
        if found or not result.is_ok:
            output = printable(result.stderr.strip() or found, limit=200)
            raise CommandFailed(NODE_NOT_ASKED(host=host, interface=interface, output=output))

    on_both(ask, token=token)
