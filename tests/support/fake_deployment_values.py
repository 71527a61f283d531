"""Made-up dry runs, ports and states that the fake deployments report."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from app.deployment.messages import LEFT_FILES, UNREACHABLE
from app.discovery.pair_discovery import Discovery
from app.domain.deployment import (
    DeployedEndpoint,
    DeployedFile,
    Deployment,
    DeploymentObstacle,
    DeploymentOptions,
    DryRun,
    EndpointDryRun,
    FileDiff,
    LanPort,
    PlannedCommand,
)
from app.domain.deployment_status import EndpointStatus, FileDrift, KeyAge, PairStatus
from app.domain.hosts import PairSpec, Side
from app.domain.results import Candidate, PlannedItem
from app.domain.verdicts import Finding, Verdict

INSPECTED_AT = datetime(2026, 3, 6, 8, 15, tzinfo=UTC)
UNIT = "/etc/systemd/system/tunnelmark-1f2e.service"
CONF = "/etc/tunnelmark/1f2e/wg0.conf"

NEW_UNIT = f"""\
--- /dev/null
+++ {UNIT}
@@ -0,0 +1,6 @@
+[Unit]
+Description=Tunnelmark: WireGuard to the peer
+After=network-online.target
+[Service]
+Type=oneshot
+ExecStart=/etc/tunnelmark/1f2e/lasting.sh start
"""

CHANGED_CONF = f"""\
--- {CONF}
+++ {CONF}
@@ -1,4 +1,4 @@
 [Interface]
-ListenPort = 21820
+ListenPort = 22820
 [Peer]
-AllowedIPs = 198.18.1.0/24
+AllowedIPs = 198.18.3.2/32
"""

DRIFT = FileDrift(
    CONF,
    "The file was changed on 2026-03-05 at 18:40.",
    f"--- {CONF} (deployed)\n+++ {CONF} (now)\n@@ -1,2 +1,3 @@\n [Interface]\n ListenPort = 22820\n+MTU = 1280\n",
)


def ports_of(discovery: Discovery) -> tuple[LanPort, ...]:
    label = {side: discovery.pair.host(side).label for side in Side}
    ports = []
    for side in Side:
        ports += [
            LanPort(side, "eth0", "up, 192.0.2.10/24", f"The SSH connection to {label[side]} runs over it."),
            LanPort(
                side, "eth1", "up, 1000 Mbit/s", f"It carries the underlay between {' and '.join(label.values())}."
            ),
            LanPort(side, "eth2", "up, 100 Mbit/s, 10.20.0.1/24"),
        ]
    return (*ports, LanPort(Side.B, "br-plant", "a bridge with eth3 and eth4"))


def end_of(side: Side, options: DeploymentOptions, solution: str) -> DeployedEndpoint:
    text = "[Interface]\nListenPort = 22820\n"
    items = (
        PlannedItem(side.value, "file", CONF, text),
        PlannedItem(side.value, "command", "Make the interface", f"ip link add tml0 type {solution}"),
        PlannedItem(side.value, "undo", "Remove the interface", "ip link delete tml0"),
    )
    port = options.bridge(side)
    return DeployedEndpoint(
        items=items,
        files=(DeployedFile(CONF, 0o600, "0" * 64, text),),
        interface="tml0",
        bridge="tmlbr0" if port else "",
        lan_port=port,
        ports=(("udp", 22820),),
        services=("tunnelmark-1f2e.service",),
    )


def _dry_end(discovery: Discovery, side: Side, options: DeploymentOptions) -> EndpointDryRun:
    port = options.bridge(side)
    commands = [
        PlannedCommand("Make the interface", "ip link add tml0 type l2tp tunnel_id 7401", "ip link delete tml0"),
        PlannedCommand("Bring it up", "ip link set dev tml0 mtu 1500 up", "ip link set dev tml0 down"),
    ]
    if port:
        join = f"ip link set dev {port} master tmlbr0"
        commands.append(PlannedCommand(f"Join {port} with the tunnel", join, f"ip link set dev {port} nomaster"))
    commands.append(PlannedCommand("Look whether the peer answers", "ping -c 3 198.18.3.2"))
    return EndpointDryRun(
        side=side,
        label=discovery.pair.host(side).label,
        files=(
            FileDiff(UNIT, 0o644, NEW_UNIT, is_new=True),
            FileDiff(CONF, 0o600, CHANGED_CONF, is_new=False),
            FileDiff(
                "/etc/tunnelmark/1f2e/private.key", 0o600, "", is_new=True, note="A key made on the host; never shown."
            ),
            FileDiff("/etc/tunnelmark/1f2e/lasting.sh", 0o700, "", is_new=False),
        ),
        commands=tuple(commands),
        services=("tunnelmark-1f2e.service",),
        firewall=("Frames that would leave the tunnel unprotected are dropped (nftables table tunnelmark_lasting_0).",),
        ports=(("udp", 22820), ("l2tp", 0)),
        interface="tml0",
        bridge="tmlbr0" if port else "",
        lan_port=port,
        mtu_bytes=1500,
        largest_unfragmented_frame_bytes=1402,
    )


def dry_run_of(
    discovery: Discovery, candidate: Candidate, options: DeploymentOptions, *, is_blocked: bool, replaces: str
) -> DryRun:
    obstacles = [
        DeploymentObstacle(
            Side.B,
            "NetworkManager looks after eth2.",
            "Tell it to leave eth2 alone: nmcli device set eth2 managed no.",
        ),
        DeploymentObstacle(
            None, "Frames above 1402 bytes cross in two packets.", "An MTU of 1388 in the plant's devices avoids that."
        ),
    ]
    if is_blocked:
        blocking = DeploymentObstacle(Side.A, "Port udp/22820 is taken by dnsmasq.", "Stop dnsmasq.", is_blocking=True)
        obstacles.insert(0, blocking)
    return DryRun(
        pair=discovery.pair.name,
        solution=candidate.solution,
        suite=candidate.suite,
        title=candidate.title,
        verdict=candidate.verdict,
        findings=candidate.findings,
        a=_dry_end(discovery, Side.A, options),
        b=_dry_end(discovery, Side.B, options),
        obstacles=tuple(obstacles),
        replaces=replaces,
        keepalive=options.keepalive,
    )


def healthy_end(pair: PairSpec, side: Side, deployment: Deployment) -> EndpointStatus:
    return EndpointStatus(
        side=side,
        label=pair.host(side).label,
        is_reachable=True,
        deployment_id=deployment.id,
        is_confirmed=True,
        is_enabled=True,
        is_up=True,
        is_watched=True,
        interface="tml0",
        rx_bytes=48_200_113,
        tx_bytes=51_900_771,
        last_handshake_s=74.0,
        rtt_ms=1.42 if side is Side.A else 1.47,
        loss_pct=0.0,
        keys=(KeyAge("WireGuard key", 16.3, 348.7), KeyAge("Pre-shared key", 16.3)),
    )


def status_of(pair: PairSpec, deployment: Deployment | None) -> PairStatus:
    if deployment is None:
        gone = [EndpointStatus(side, pair.host(side).label, is_reachable=True) for side in Side]
        return PairStatus(pair.name, INSPECTED_AT, None, None, gone[0], gone[1])
    finding = Finding(deployment.suite, Verdict.RECOMMENDED, "Nothing speaks against it.", "RFC 8439")
    return PairStatus(
        pair.name,
        INSPECTED_AT,
        deployment,
        deployment.state,
        healthy_end(pair, Side.A, deployment),
        healthy_end(pair, Side.B, deployment),
        Verdict.RECOMMENDED,
        (finding,),
    )


def seen_of(
    pair: PairSpec,
    active: Deployment | None,
    *,
    silent: Collection[Side] = (),
    undone: Collection[Side] = (),
    unfinished: Collection[Side] = (),
) -> PairStatus:
    """Return the status where hosts cannot be asked, have been rolled back alone, or were interrupted."""
    status = status_of(pair, active)
    sentences = []
    for side in Side:
        gone = EndpointStatus(side, pair.host(side).label, is_reachable=side not in silent)
        if side in silent:
            sentences.append(UNREACHABLE(host=gone.label))
        elif side in unfinished:
            sentences.append(LEFT_FILES(host=gone.label, pair=pair.name))
            status = with_end(status, side, is_unfinished=True)
        if side in silent or side in undone:
            status = replace(status, a=gone) if side is Side.A else replace(status, b=gone)
    return replace(status, sentences=tuple(sentences))


def with_end(status: PairStatus, side: Side, sentences: Sequence[str] = (), **changes: object) -> PairStatus:
    """Return a status in which one end is different."""
    end = replace(status.a if side is Side.A else status.b, **changes)  # type: ignore[arg-type]
    status = replace(status, sentences=tuple(sentences))
    return replace(status, a=end) if side is Side.A else replace(status, b=end)
