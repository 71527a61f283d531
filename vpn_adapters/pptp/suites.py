"""PPTP's only suite: MPPE with 128 bits, the best that pppd has."""

from __future__ import annotations

from app.domain.hosts import HostFacts
from app.domain.solutions import Suite
from vpn_adapters.pptp.info import NAME
from vpn_adapters.shared.discovering import are_both_able

SUITE = Suite(
    name="mppe-128",
    title="MPPE-128, MS-CHAPv2",
    algorithms=("MPPE-128", "MS-CHAPv2"),
    is_default=True,
)
"""Source: pppd(8) of ppp 2.4.9, require-mppe-128."""


def offered(facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do; it is insecure."""
    return (SUITE,) if are_both_able(NAME, facts_a, facts_b) else ()
