"""Gateways that lose their power while and after something is deployed on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.deployment.events import Decision, DeploymentApplied, DeploymentEvent
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.errors import TunnelmarkError
from app.domain.hosts import Side
from app.host.snapshots import SnapshotDepth
from app.lab import Lab
from support.gateway_attack import attacked
from support.lab_deploy import inspect, wait_until_as_before
from support.lab_deployment import Desk, desk_for
from support.lab_pairs import UNDERLAY
from support.lab_power import LabPower
from support.lab_sessions import sh
from support.waiting import wait_until

pytestmark = pytest.mark.lab


TOGETHER = "openvpn-udp"
"""Both gateways boot at the same time. With the others B boots first, and attacks A while that boots."""


ALSO = "wireguard", "macsec", "wireguard-vxlan"
"""Further solutions booted under attack, in `make test-full`; IPsec's policies hold without `ipsec-gretap`'s table."""


class Silence:
    """A user who says nothing."""

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        token.sleep(timeout_s)
        return None


def reconnected(desk: Desk) -> None:
    for host in (desk.sessions.a, desk.sessions.b):
        if not host.is_connected:
            host.reconnect(token=CancelToken())


def power_cycle(powered: LabPower, *sides: Side) -> None:
    powered.off(*sides)
    powered.on(*sides)


def boot_under_attack(desk: Desk, powered: LabPower, guard_table: str) -> None:
    """Boot both gateways, B first, which attacks A meanwhile: no frame gets in until the guard is deleted."""
    with attacked(desk.sessions.b, desk.sessions.a, UNDERLAY[::-1]) as attack:
        powered.off(*Side)
        powered.on(Side.B)
        attack.attacker.reconnect(token=CancelToken())
        attack.send()
        wait_until(lambda: attack.sent()[1] == 1, "the session of B")
        powered.on(Side.A)
        attack.victim.reconnect(token=CancelToken())
        desk.wait_until_healthy()
        attack.wait_for_more()
        assert attack.let_in() == {}, "while A booted, before and while its tunnel came up"
        sh(desk.host(Side.A), f"nft delete table inet {guard_table}")
        wait_until(lambda: attack.let_in() != {}, "a forged packet that gets in without the table")
        if any(kind.startswith("l2tp") for kind in attack.let_in()):
            wait_until(lambda: "l2tp over ipv6" in attack.let_in(), "one over IPv6")
        desk.wait_until_healthy()


@pytest.mark.parametrize(
    "solution",
    ["ipsec", *(pytest.param(name, marks=pytest.mark.full) for name in (*ALSO, TOGETHER))],
)
def test_what_is_confirmed_survives_the_power(solution: str, lab: Lab, powered: LabPower, tmp_path: Path) -> None:
    with desk_for(lab, tmp_path / "desk") as desk:
        reason = "no packet gets in while it boots" if solution == "macsec" else ""
        deployment = desk.deploy(solution, DeploymentOptions(legacy_reason=reason))
        assert deployment.state is DeploymentState.CONFIRMED
        if solution == TOGETHER:
            power_cycle(powered, *Side)
            reconnected(desk)
            desk.wait_until_healthy()
        else:
            boot_under_attack(desk, powered, deployment.link.names.guard_table)
        desk.undeploy()


@pytest.mark.full
def test_what_is_not_confirmed_does_not_survive_the_power(lab: Lab, powered: LabPower, tmp_path: Path) -> None:
    with desk_for(lab, tmp_path / "desk") as desk:
        # Cards of a restored gateway have names that come from the hardware address they were saved with; below they
        # are compared with those of a gateway that has booted.
        power_cycle(powered, *Side)
        reconnected(desk)
        before = inspect(desk.sessions, SnapshotDepth.QUICK)

        # B loses its power while the user is asked: both roll back.
        def emit(event: DeploymentEvent) -> None:
            if isinstance(event, DeploymentApplied):
                power_cycle(powered, Side.B)

        with pytest.raises(TunnelmarkError):
            desk.services.deploy(
                desk.found,
                ("wireguard", ""),
                DeploymentOptions(confirm_within_s=30.0),
                token=CancelToken(),
                emit=emit,
                confirmation=Silence(),
            )
        reconnected(desk)
        wait_until_as_before(desk.sessions, before)
        for host in (desk.sessions.a, desk.sessions.b):
            assert sh(host, "ls -d /run/tunnelmark* /etc/tunnelmark 2> /dev/null || true") == ""
        assert desk.status().state is None
