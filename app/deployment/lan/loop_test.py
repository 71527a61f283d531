"""Loop test of two LAN ports: where they are joined already, a tunnel would make a loop, and frames would multiply.

A asks the LAN behind its port for an unused address (an ARP request, which every bridge floods); if B's port
sees it, there is another path between the two. Silence counts only where A did ask, and both ports have a link.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from app.deployment.lan.messages import (
    LOOP_PING_FAILED,
    LOOP_TOOLS_MISSING,
    PORT_FAULT,
    PORT_NO_LINK,
    PORT_NOT_THERE,
    PORT_ROUTED,
    TCPDUMP_FAILED,
)
from app.domain.adapters import root_command
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.concurrency import run_both
from app.domain.script_files import bare_script

LISTEN_S = 4
ASKED_TIMES = 3
HEARD, SILENT = 0, 124
NO_PORT, NO_TOOLS, NO_LINK, VIA_ROUTER = 103, 104, 105, 106
NO_ANSWER = 1

_WHY: Mapping[int, str] = {
    NO_PORT: PORT_NOT_THERE(),
    NO_TOOLS: LOOP_TOOLS_MISSING(),
    NO_LINK: PORT_NO_LINK(),
    VIA_ROUTER: PORT_ROUTED(),
}


@dataclass(frozen=True, slots=True)
class LoopTest:
    """Whether a frame from one LAN port reaches the other one without any tunnel.

    Attributes:
        is_joined: None where it could not be found out.
        why: Why not, as part of a sentence.
    """

    is_joined: bool | None
    why: str = ""


def are_joined(sessions: SessionPair, port_a: str, port_b: str, *, token: CancelToken) -> LoopTest:
    """Find out whether a frame from one LAN port reaches the other one without any tunnel. Changes nothing.

    Args:
        port_a: A's LAN port.
        port_b: B's.
    """
    # TEST-NET-3, which is assigned to no network. Source: RFC 5737.
    address = f"203.0.113.{1 + secrets.randbelow(254)}"
    heard, asked = run_both(
        lambda: sessions.b.run(_command("loop-listen.sh", port_b, address, LISTEN_S), token=token),
        lambda: sessions.a.run(_command("loop-ask.sh", port_a, address, ASKED_TIMES), token=token),
    )
    if heard.exit_status == HEARD:
        return LoopTest(is_joined=True)
    if asked.exit_status != NO_ANSWER:
        return _unknown(sessions.a.spec.label, port_a, asked.exit_status, LOOP_PING_FAILED())
    if heard.exit_status != SILENT:
        return _unknown(sessions.b.spec.label, port_b, heard.exit_status, TCPDUMP_FAILED())
    return LoopTest(is_joined=False)


def _command(script: str, port: str, address: str, number: int) -> Command:
    return root_command(bare_script(f"lan/{script}"), port, address, str(number), timeout_s=LISTEN_S + 10.0)


def _unknown(label: str, port: str, status: int | None, otherwise: str) -> LoopTest:
    return LoopTest(None, PORT_FAULT(port=port, host=label, why=_WHY.get(status or 0, otherwise)))
