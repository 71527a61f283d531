"""Alike in both IKE daemons of our own: ports, the connection's step, and what marks their entries in the kernel.

An adapter's folder has a script for each step. Must not know which daemon it is.
"""

from __future__ import annotations

from app.domain.adapters import PlanStep
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import LOAD_AND_NEGOTIATE

IKE_PORTS = (("udp", 500), ("udp", 4500))
"""An IKE daemon of the host's own has these open; then nothing is touched. Source: RFC 7296 section 2."""

OUTER_FILTER = "ip proto 50"
CONTROL_FILTER = " or ".join(f"{protocol} port {port}" for protocol, port in IKE_PORTS)
"""IKE keeps a tunnel of ESP up. Source: RFC 7296 section 2, RFC 3948."""


def connection_step(folder: str, link: Link, side: Side, *, initiate_s: int) -> PlanStep:
    """Return the step that loads the connection and negotiates.

    Args:
        folder: Below `vpn_adapters`, where `initiate.sh`, `load.sh` and `terminate.sh` are.
        initiate_s: For how many seconds A asks.
    """
    # A asks and B answers: with both asking at the same time there would be two of everything.
    if side is Side.A:
        title: str = LOAD_AND_NEGOTIATE(peer=link.underlay(side.other))
        command = root_script(folder, "initiate.sh", link.run_dir, str(initiate_s), timeout_s=initiate_s + 10.0)
    else:
        title = mark("Load the connection, and wait to be asked")
        command = root_script(folder, "load.sh", link.run_dir, timeout_s=10.0)
    undo = root_script(folder, "terminate.sh", link.run_dir, timeout_s=10.0)
    return PlanStep(title=title, command=command, undo=undo, depends_on_suite=True)


def kernel_arguments(link: Link, side: Side, *, reqid: int, ip_protocol: int) -> tuple[str, ...]:
    """Return a script's words by which it knows the daemon's policies and states: FOLDER REQID OWN PEER PROTOCOL."""
    return link.run_dir, str(reqid), link.underlay(side), link.underlay(side.other), str(ip_protocol)
