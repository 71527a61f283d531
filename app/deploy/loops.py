"""Whether two LAN ports are joined already: a tunnel between them would then make a loop, and frames would multiply.

A asks the LAN behind its port for an address that nobody has (an ARP request, which every bridge floods); if B's port
sees it, there is another way between the two.
"""

from __future__ import annotations

import secrets

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.concurrency import run_both

LISTEN_S = 4
ASKED_TIMES = 3

# Exit status 0: seen; 124: not seen in time. Source: tcpdump(8), timeout(1).
_LISTEN_SCRIPT = """\
[ -e "/sys/class/net/$2" ] || exit 3
command -v tcpdump > /dev/null && command -v timeout > /dev/null || exit 4
timeout "$3" tcpdump -n -p -c 1 -i "$2" arp host "$1" > /dev/null 2>&1
"""


def are_joined(sessions: SessionPair, port_a: str, port_b: str, *, token: CancelToken) -> bool | None:
    """Find out whether a frame from one LAN port reaches the other one without any tunnel.

    Args:
        sessions: Connections to both hosts.
        port_a: A's LAN port.
        port_b: B's.
        token: Cancels it.

    Returns:
        None where B cannot listen.
    """
    # TEST-NET-3, which is nobody's. Source: RFC 5737.
    address = f"203.0.113.{1 + secrets.randbelow(254)}"
    listen = Command(
        shell_step_argv(_LISTEN_SCRIPT, address, port_b, str(LISTEN_S)), timeout_s=LISTEN_S + 10.0, is_root=True
    )
    ask = Command(
        ("ping", "-c", str(ASKED_TIMES), "-W", "1", "-I", port_a, address), timeout_s=LISTEN_S + 10.0, is_root=True
    )
    heard, _ = run_both(lambda: sessions.b.run(listen, token=token), lambda: sessions.a.run(ask, token=token))
    if heard.exit_status in (0, 124):
        return heard.exit_status == 0
    return None
