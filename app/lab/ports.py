"""Picks TCP ports on this computer that a lab's gateways can be reached on."""

from __future__ import annotations

import random
import socket

from app.domain.errors import LabFault
from app.lab.messages import PORTS_TAKEN

# Below the ports that Linux gives to outgoing connections (32768 and up): no program can take a port by chance while a
# gateway is switched off. Source: ip(7), ip_local_port_range.
_FIRST, _LAST = 20_000, 29_999
_ATTEMPTS = 200


def free_ports(count: int) -> list[int]:
    """Return ports on 127.0.0.1 that no program listens on just now.

    Args:
        count: How many.

    Returns:
        Different port numbers.

    Raises:
        LabFault: None could be found.
    """
    found: list[int] = []
    for port in random.sample(range(_FIRST, _LAST + 1), _ATTEMPTS):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise LabFault(PORTS_TAKEN(first=str(_FIRST), last=str(_LAST)))
