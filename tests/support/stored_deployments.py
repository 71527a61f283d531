"""Deployments as they are stored, made up for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.domain.deployment import DeployedEndpoint, DeployedFile, Deployment, DeploymentOptions, DeploymentState
from app.domain.hosts import HostSpec, PairSpec
from app.domain.link import Link
from app.domain.results import PlannedItem
from app.domain.verdicts import Verdict

AT = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)
PAIR = PairSpec("north", HostSpec("alpha", "10.0.0.1"), HostSpec("beta", "10.0.0.2"), "192.0.2.1", "192.0.2.2")
END = DeployedEndpoint(interface="tml0", lan_port="eth2", bridge="tmlbr0", ports=(("udp", 22820), ("esp", 0)))
DEPLOYMENT = Deployment(
    id="0011223344556677",
    pair=PAIR,
    solution="wireguard",
    suite="chacha20-poly1305",
    title="WireGuard",
    verdict=Verdict.RECOMMENDED,
    options=DeploymentOptions(),
    slot="58fca5ac",
    link=Link("192.0.2.1", "192.0.2.2"),
    by="eve on laptop",
    prepared_at=AT,
    state=DeploymentState.CONFIRMED,
    state_at=AT,
    a=END,
    b=END,
)
"""Confirmed, on both hosts."""


def deployment(identity: str, *, minutes: int = 0, pair: str = "north") -> Deployment:
    """Return a deployment that has not been applied yet."""
    spec = PairSpec(pair, HostSpec("a", "10.0.0.1"), HostSpec("b", "10.0.0.2"), "192.0.2.1", "192.0.2.2")
    end = DeployedEndpoint(
        items=(PlannedItem("a", "command", "Make it", "ip link add"),),
        files=(DeployedFile("/run/x/openvpn.conf", 0o600, "00" * 32, "port 1"),),
        interface="tml0",
        ports=(("udp", 22194),),
    )
    return Deployment(
        id=identity,
        pair=spec,
        solution="openvpn-udp",
        suite="aes-256-gcm",
        title="OpenVPN",
        verdict=Verdict.RECOMMENDED,
        options=DeploymentOptions(bridge_a="lan0", moves_lan_rules=True),
        slot="58fca5ac",
        link=Link("192.0.2.1", "192.0.2.2"),
        by="eve on laptop",
        prepared_at=AT + timedelta(minutes=minutes),
        state=DeploymentState.PREPARED,
        state_at=AT,
        a=end,
    )
