"""Deployments between the two gateways of a lab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.deployment.events import Decision, DeploymentApplied
from app.domain.cancel import CancelToken
from app.domain.capture import BreakVerdict, LeakVerdict, Property
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict
from app.host.snapshots import SnapshotDepth
from app.lab import Lab
from support.gateway_attack import GatewayAttack, attacked
from support.lab_deploy import inspect, wait_until_as_before
from support.lab_deployment import Desk, desk_for, lans, ping_from_lan
from support.lab_pairs import UNDERLAY
from support.lab_sessions import sh
from support.waiting import wait_until

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def desk(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_for(lab, tmp_path_factory.mktemp("desk")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def unchanged(desk: Desk) -> Iterator[None]:
    """Every test leaves both gateways as they were: files, modes, owners, services, interfaces, processes."""
    before = inspect(desk.sessions, SnapshotDepth.THOROUGH)
    yield
    if desk.status().state is not None:
        desk.undeploy()
    wait_until_as_before(desk.sessions, before)
    for host in (desk.sessions.a, desk.sessions.b):
        assert sh(host, "ls -d /run/tunnelmark* /etc/tunnelmark 2> /dev/null || true") == ""


def test_two_lans_are_joined_by_one_vpn_and_then_by_another_and_parted_again(desk: Desk) -> None:
    with lans(desk):
        # No user can be asked: another Tunnelmark confirms.
        options = DeploymentOptions(bridge_a="lan0", bridge_b="lan0", confirm_within_s=300.0)
        deployment = desk.deploy("wireguard", options)
        assert deployment.state is DeploymentState.APPLIED
        waiting = desk.status()
        assert waiting.state is DeploymentState.APPLIED
        assert waiting.a.left_s is not None
        confirmed = desk.services.confirm(desk.pair, token=CancelToken(), emit=desk.events.append)
        assert (confirmed.id, confirmed.state) == (deployment.id, DeploymentState.CONFIRMED)
        applied = next(event for event in desk.events if isinstance(event, DeploymentApplied))
        assert applied.leak is not None
        assert applied.leak.verdict is LeakVerdict.PROTECTED
        assert {one.verdict for one in applied.leak.broken} == {BreakVerdict.FAILS_CLOSED}
        assert {result.verdict for result in confirmed.properties.values()} == {PropertyVerdict.HOLDS}
        assert len(confirmed.properties) == len(Property)

        for side in Side:
            assert ping_from_lan(desk, side)
            # 1514 bytes on the cable without FCS, and nothing may cut it; with the tag of a VLAN 4 more.
            assert ping_from_lan(desk, side, "-M do -s 1472")
            assert ping_from_lan(desk, side, "-M do -s 1472", is_tagged=True)
        theirs = sh(desk.host(Side.B), "ip netns exec plant cat /sys/class/net/port/address").strip()
        learnt = sh(desk.host(Side.A), f"bridge fdb show br {confirmed.a.bridge}")
        assert any(theirs in line and f"dev {confirmed.a.interface} " in line for line in learnt.splitlines())

        desk.wait_until_healthy()
        with attacked(desk.host(Side.B), desk.host(Side.A), UNDERLAY[::-1]) as attack:
            check_recovers(desk, confirmed)
            check_replaced_by_ipsec(desk, confirmed, attack)
        assert desk.undeploy().state is DeploymentState.REMOVED
        assert not ping_from_lan(desk, Side.A, tries=3)


def check_recovers(desk: Desk, deployment: Deployment) -> None:
    """Delete WireGuard's interface, and change the address of B: the tunnel comes back."""
    sh(desk.host(Side.A), f"ip link del {deployment.link.names.wireguard_interface}")
    desk.wait_until_healthy()
    assert ping_from_lan(desk, Side.A)
    # WireGuard follows a peer whose address has changed.
    sh(desk.host(Side.B), "ip addr add 192.0.2.9/24 dev eth1 && ip addr del 192.0.2.2/24 dev eth1")
    try:
        desk.wait_until_healthy()
        assert ping_from_lan(desk, Side.B)
    finally:
        sh(desk.host(Side.B), "ip addr add 192.0.2.2/24 brd + dev eth1 && ip addr del 192.0.2.9/24 dev eth1")


def check_replaced_by_ipsec(desk: Desk, first: Deployment, attack: GatewayAttack) -> None:
    """Let IPsec replace the deployment, still with the LANs.

    Nothing forged gets in while WireGuard recovers and is replaced.
    """
    second = desk.deploy("ipsec", DeploymentOptions(bridge_a="lan0", bridge_b="lan0"))
    assert second.replaces == first.id
    desk.wait_until_healthy()
    states = {one.id: one.state for one in desk.services.deployments(desk.pair.name)}
    assert states[first.id] is DeploymentState.REPLACED
    assert desk.status().a.last_handshake_s is not None
    for side in Side:
        assert ping_from_lan(desk, side)
    attack.wait_for_more()
    wait_until(lambda: attack.sent()[1] == 2, "an attack on the sessions of both tunnels")
    attack.wait_for_more()
    assert attack.let_in() == {}


@pytest.mark.full
def test_ipsec_recovers_from_a_reloaded_firewall_and_a_long_interruption(desk: Desk) -> None:
    with lans(desk), attacked(desk.host(Side.B), desk.host(Side.A), UNDERLAY[::-1]) as attack:
        deployment = desk.deploy("ipsec", DeploymentOptions(bridge_a="lan0", bridge_b="lan0"))
        desk.wait_until_healthy()
        check_recovers_of_breaks(desk, deployment, attack)
        assert desk.undeploy().state is DeploymentState.REMOVED


def check_recovers_of_breaks(desk: Desk, second: Deployment, attack: GatewayAttack) -> None:
    """Break IPsec in two ways: the tunnel comes back.

    An attacker who reads the cookies on a gateway gets in where the firewall's table is deleted there, until it comes
    back: so the attack is known to be one.
    """
    attack.wait_for_more()
    assert attack.let_in() == {}
    # A user reloads the firewall: what drops unprotected frames is restored.
    sh(desk.host(Side.A), f"nft delete table inet {second.link.names.guard_table}")
    desk.wait_until_healthy()
    assert second.link.names.guard_table in sh(desk.host(Side.A), "nft list tables")
    let_in = attack.let_in()
    over_ipv6 = {"l2tp over ipv6", "l2tp over ipv6 behind options"}
    # Which of them, is a matter of the moment in which the table is back.
    assert set(let_in) & {"l2tp of stranger, 8", "l2tp of stranger with options, 8"}
    assert set(let_in) <= {"l2tp of stranger, 8", "l2tp of stranger with options, 8", *over_ipv6}
    attack.wait_for_more()
    assert attack.let_in() == let_in
    # The way between the hosts is interrupted for longer than strongSwan tries by itself.
    sh(desk.host(Side.A), "ip link set eth1 down; sleep 25; ip link set eth1 up")
    desk.wait_until_healthy()


class Unasked:
    """A user who is not asked, because no time for a confirmation was set."""

    def wait(self, _timeout_s: float, *, token: CancelToken) -> Decision | None:
        raise AssertionError(token)


@pytest.mark.full
def test_keys_of_wireguard_are_rotated_while_its_guard_route_is_there(desk: Desk) -> None:
    first = desk.deploy("wireguard")
    shown = "wg show {name} public-key; wg show {name} preshared-keys"
    ask = shown.format(name=first.link.names.wireguard_interface)
    former = [sh(host, ask) for host in (desk.sessions.a, desk.sessions.b)]
    second = desk.services.rotate_keys(desk.pair, token=CancelToken(), emit=desk.events.append, confirmation=Unasked())
    assert (second.state, second.replaces) == (DeploymentState.CONFIRMED, first.id)
    desk.wait_until_healthy()
    ask = shown.format(name=second.link.names.wireguard_interface)
    for host, keys in zip((desk.sessions.a, desk.sessions.b), former, strict=True):
        own_before, _, psk_before = keys.split()
        own, _, psk = sh(host, ask).split()
        assert own != own_before
        assert psk != psk_before, "the suite's pre-shared key is a new one as well"


def test_what_is_not_fit_to_remain_is_refused(desk: Desk) -> None:
    options = DeploymentOptions()
    for solution, suite, words in (
        ("baseline", "", "unprotected"),
        ("l2tp", "", "unprotected"),
        ("macsec", "gcm-aes-256", "static key"),
        ("openvpn-udp", "no-such-suite", "Not offered"),
    ):
        with pytest.raises(InvalidPlan) as caught:
            desk.deploy(solution, options, suite)
        assert words in caught.value.sentence()
    for port in ("eth0", "eth1", "nothing"):
        with pytest.raises(InvalidOption):
            desk.deploy("wireguard", replace(options, bridge_a=port))
