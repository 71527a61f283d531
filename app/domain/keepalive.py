"""Keepalive of a deployment: how often an idle tunnel sends something, so that a dead peer is noticed."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")

PROBE_S = 55
"""Seconds from the peer's last answer to a supervisor's next probe while a metered tunnel is idle.

A supervisor wakes up every 2 s, so that each host sends and receives something at least once in 60 s. Until then a NAT
or firewall on the way remembers the tunnel: for 2 minutes at least (RFC 4787 section 4.3, REQ-5, of UDP; RFC 5382
section 5, REQ-5, of TCP: 2 hours 4 minutes), on Linux for 120 s once packets went both ways for 2 s
(nf_conntrack_udp_timeout_stream), and for 30 s and another 30 s where a flow table had taken the connection over
(commit 975c57504da1 of Linux).
"""
INTERVAL_S = 60
"""A VPN's own keepalive of a metered deployment, in seconds: it is left out while there are the supervisors' probes."""
LOST_INTERVALS = 3
"""Intervals without an answer after which a VPN gives its peer up by itself."""


class Keepalive(StrEnum):
    """Pace of an idle tunnel. Measurements always have the first."""

    WIRED = "wired"  # every few seconds: a dead peer is noticed within seconds
    METERED = "metered"  # every minute, for links that are paid for by volume, once the tunnel is confirmed and healthy

    def pick(self, *, wired: T, metered: T) -> T:
        """Return the one of two values that is this keepalive's."""
        return metered if self is Keepalive.METERED else wired
