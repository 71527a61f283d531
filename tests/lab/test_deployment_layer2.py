"""VXLAN in WireGuard and GRE in IPsec, deployed between systems of two ages: LANs, recovery, new keys, rollback."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.deployment.events import Decision, DeploymentApplied
from app.domain.cancel import CancelToken
from app.domain.capture import BreakVerdict, LeakVerdict
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.errors import TunnelmarkError
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict
from app.host.snapshots import SnapshotDepth
from app.lab import Lab
from support.gateway_attack import attacked
from support.lab_deploy import differences, inspect
from support.lab_deployment import desk_for, lans, ping_from_lan
from support.lab_pairs import UNDERLAY
from support.lab_sessions import sh

pytestmark = [pytest.mark.lab, pytest.mark.full]


class Silence:
    """A user who says nothing until the time is over, or who is not asked."""

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        token.sleep(timeout_s)
        return None


@pytest.mark.parametrize("solution", ["wireguard-vxlan", "ipsec-gretap"])
def test_it_joins_lans_recovers_gets_new_keys_and_goes_without_a_trace(
    solution: str, lab_mixed: Lab, tmp_path: Path
) -> None:
    with desk_for(lab_mixed, tmp_path) as desk:
        before = inspect(desk.sessions, SnapshotDepth.THOROUGH)
        unconfirmed = DeploymentOptions(confirm_within_s=10.0)
        with pytest.raises(TunnelmarkError):
            desk.services.deploy(
                desk.found,
                (solution, ""),
                unconfirmed,
                token=CancelToken(),
                emit=desk.events.append,
                confirmation=Silence(),
            )
        assert differences(before, inspect(desk.sessions, SnapshotDepth.THOROUGH)) == [], "not confirmed: rolled back"
        with lans(desk), attacked(desk.host(Side.B), desk.host(Side.A), UNDERLAY[::-1]) as attack:
            first = desk.deploy(solution, DeploymentOptions(bridge_a="lan0", bridge_b="lan0"))
            assert first.state is DeploymentState.CONFIRMED
            (*_, applied) = (event for event in desk.events if isinstance(event, DeploymentApplied))
            assert applied.leak is not None
            assert applied.leak.verdict is LeakVerdict.PROTECTED
            assert {one.verdict for one in applied.leak.broken} == {BreakVerdict.FAILS_CLOSED}
            assert {result.verdict for result in first.properties.values()} == {PropertyVerdict.HOLDS}
            for side in Side:
                assert ping_from_lan(desk, side, "-M do -s 1472")
                assert ping_from_lan(desk, side, "-M do -s 1472", is_tagged=True)
            # The interface with the frames goes, and the firewall is reloaded: all of it comes back.
            sh(desk.host(Side.A), f"ip link del {first.link.names.ethernet_interface}")
            desk.wait_until_healthy()
            assert attack.let_in() == {}
            second = desk.services.rotate_keys(
                desk.pair, token=CancelToken(), emit=desk.events.append, confirmation=Silence()
            )
            assert (second.state, second.replaces) == (DeploymentState.CONFIRMED, first.id)
            desk.wait_until_healthy()
            assert ping_from_lan(desk, Side.A)
            attack.wait_for_more()
            assert attack.sent()[1] == 2, "what both deployments have is attacked"
            assert attack.let_in() == {}
            sh(desk.host(Side.A), f"nft delete table inet {second.link.names.guard_table}")
            desk.wait_until_healthy()
            assert second.link.names.guard_table in sh(desk.host(Side.A), "nft list tables")
            # GRE that IPsec did not protect is dropped by the kernel's policies, too, while there are some.
            assert (attack.let_in() != {}) is (solution == "wireguard-vxlan"), "what the table keeps out"
            assert desk.undeploy().state is DeploymentState.REMOVED
        assert differences(before, inspect(desk.sessions, SnapshotDepth.THOROUGH)) == []
