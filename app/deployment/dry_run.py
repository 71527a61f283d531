"""Dry run of a deployment, and its record: files, commands and ports on each host."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from app.deployment.boot_bundle import BootBundleRequest, boot_bundle_files
from app.deployment.file_diffs import FileDiffs
from app.deployment.lan.clamp import clamp_table
from app.deployment.lan.guard import guard_table
from app.deployment.lan.tunnel_mtu import fit_title
from app.deployment.messages import (
    CROSS_IN_TWO,
    CROSS_IN_TWO_HINT,
    KEYS_LATER,
    LATER_KEEP,
    LATER_KEEP_UNDO,
    LATER_START,
    LATER_START_UNDO,
)
from app.deployment.planning import Prepared
from app.deployment.slots import service_name, slot_dir
from app.deployment.status import read_file
from app.domain.adapters import EndpointPlan, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.concurrency import run_sides
from app.domain.deployment import (
    DeployedEndpoint,
    DeployedFile,
    DeploymentObstacle,
    DryRun,
    EndpointDryRun,
    FileDiff,
    PlannedCommand,
)
from app.domain.errors import InvalidPlan
from app.domain.hosts import InitSystem, Side
from app.domain.link import STATE_DIR
from app.domain.results import PlannedItem
from app.domain.solutions import Carrier
from app.host.remote_host import RemoteHost
from app.tunnel.plan import plan_of
from app.tunnel.preflight import preflight, remote_hosts
from app.tunnel.preview import configuration_of

_PROTOCOLS = {Carrier.ESP: ("esp", 0), Carrier.IP: ("l2tp", 0), Carrier.ETHERNET: ("l2tp", 0)}
"""Protocols that a firewall must let through besides ports. Source: IANA protocol numbers 50 (ESP), 115 (L2TP)."""


def deployed_endpoint(prepared: Prepared, plan: TunnelPlan, side: Side) -> DeployedEndpoint:
    """Return what a deployment is on one host.

    Args:
        plan: Made with both public identities.
    """
    own = plan.on(side)
    bridging = prepared.bridging.get(side)
    items = configuration_of(prepared.request, plan)
    return DeployedEndpoint(
        items=(*(item for item in items if item.side == side.value), *_boot_items(prepared, side)),
        files=tuple(
            DeployedFile(file.path, file.mode, hashlib.sha256(file.content).hexdigest(), _text(file.content))
            for file in own.files
        ),
        interface=prepared.request.link.names.ethernet_interface,
        bridge=bridging.bridge if bridging else "",
        lan_port=bridging.lan_port if bridging else "",
        ports=_ports(prepared, own),
        services=(_service(prepared, side),),
        clamped=fit_title(own, prepared.request.link),
    )


def _ports(prepared: Prepared, own: EndpointPlan) -> tuple[tuple[str, int], ...]:
    protocol = _PROTOCOLS.get(prepared.request.adapter.info.carrier)
    return (*own.listens, *((protocol,) if protocol else ()))


def _service(prepared: Prepared, side: Side) -> str:
    name = service_name(prepared.target.slot)
    return f"{name}.service" if prepared.request.facts(side).init_system is InitSystem.SYSTEMD else name


def _boot_items(prepared: Prepared, side: Side) -> Iterator[PlannedItem]:
    """Yield the commands that run after the confirmation."""
    folder = slot_dir(prepared.target.slot)
    kept = f"{folder}/{prepared.target.deployment_id}"
    service = _service(prepared, side)
    yield PlannedItem(side.value, "command", LATER_KEEP(), f"cp -pR {STATE_DIR}/kit {kept}")
    yield PlannedItem(side.value, "undo", LATER_KEEP_UNDO(), f"rm -rf {folder}")
    enable, disable = (
        (f"systemctl enable --now {service}", f"systemctl disable --now {service}")
        if prepared.request.facts(side).init_system is InitSystem.SYSTEMD
        else (f"sh {folder}/start.sh boot", f"sh {folder}/start.sh aside")
    )
    yield PlannedItem(side.value, "command", LATER_START(), enable)
    yield PlannedItem(side.value, "undo", LATER_START_UNDO(), disable)


def dry_run(prepared: Prepared, *, diffs: FileDiffs, token: CancelToken) -> DryRun:
    """Return what a deployment would do, without changing anything.

    Args:
        prepared: What would be built.
        diffs: Shows what would change in files.
    """
    choice, request = prepared.choice, prepared.request
    plan = plan_of(request)
    hosts = remote_hosts(prepared.sessions, STATE_DIR)
    ends = run_sides(lambda side: _endpoint_dry_run(hosts[side], prepared, plan, diffs, token=token))
    found = [
        DeploymentObstacle(one.side, one.what, one.hint, one.is_blocking)
        for one in preflight(prepared.sessions, request, token=token)
    ]
    return DryRun(
        pair=request.pair.name,
        solution=choice.adapter.info.name,
        suite=choice.suite.name,
        title=choice.title,
        verdict=choice.verdict,
        findings=choice.findings,
        a=ends[Side.A],
        b=ends[Side.B],
        obstacles=(*found, *prepared.warnings, *_fragments(plan)),
        replaces=next(iter(prepared.target.replaced.values()), ""),
        keepalive=request.keepalive,
    )


def _fragments(plan: TunnelPlan) -> Iterator[DeploymentObstacle]:
    largest = plan.largest_unfragmented_frame_bytes
    if largest is not None and largest < plan.inner_mtu_bytes + 14:
        yield DeploymentObstacle(
            None,
            CROSS_IN_TWO(largest=largest),
            CROSS_IN_TWO_HINT(),
        )


def _endpoint_dry_run(
    host: RemoteHost, prepared: Prepared, plan: TunnelPlan, diffs: FileDiffs, *, token: CancelToken
) -> EndpointDryRun:
    side, own, link = host.side, plan.on(host.side), prepared.request.link
    deployed = deployed_endpoint(prepared, plan, side)
    tables = {link.names.guard_table, guard_table(link), clamp_table(link)}
    return EndpointDryRun(
        side=side,
        label=host.label,
        files=tuple(_file_diffs(host, prepared, plan, diffs, token=token)),
        commands=_commands(deployed.items),
        services=deployed.services,
        firewall=(
            *(step.title for step in own.steps if step.is_repeatable and tables & set(step.command.argv)),
            *(one.words for one in (prepared.bridging[side].rules if side in prepared.bridging else ())),
        ),
        ports=deployed.ports,
        interface=deployed.interface,
        bridge=deployed.bridge,
        lan_port=deployed.lan_port,
        mtu_bytes=plan.inner_mtu_bytes,
        largest_unfragmented_frame_bytes=plan.largest_unfragmented_frame_bytes,
    )


def _commands(items: tuple[PlannedItem, ...]) -> tuple[PlannedCommand, ...]:
    """Return the commands, each with the undo that follows it."""
    found: list[PlannedCommand] = []
    for item in items:
        if item.kind == "command":
            found.append(PlannedCommand(item.title, item.text))
        elif item.kind == "undo" and found:
            found[-1] = replace(found[-1], undo=item.text)
    return tuple(found)


def _file_diffs(
    host: RemoteHost, prepared: Prepared, plan: TunnelPlan, diffs: FileDiffs, *, token: CancelToken
) -> Iterator[FileDiff]:
    """Every file against the same file of the deployment that it would replace, where there is one."""
    folder = slot_dir(prepared.target.slot)
    new = f"{folder}/{prepared.target.deployment_id}"
    replaced = prepared.target.replaced.get(host.side, "")
    wanted: dict[str, tuple[int, str]] = {}
    for file in plan.on(host.side).files:
        wanted[f"{new}/kept/{file.path.removeprefix(prepared.request.link.run_dir + '/')}"] = (
            file.mode,
            _text(file.content),
        )
    wanted |= _boot_bundle_texts(prepared, plan, host.side, new)
    old = _old_texts(host, {path: path.replace(new, f"{folder}/{replaced}") for path in wanted}, replaced, token=token)
    for path, (mode, text) in wanted.items():
        before = old.get(path)
        note = KEYS_LATER() if "/kept/" in path else ""
        yield FileDiff(path, mode, diffs.would_change(before, text, path), before is None, note)


def _boot_bundle_texts(prepared: Prepared, plan: TunnelPlan, side: Side, folder: str) -> Mapping[str, tuple[int, str]]:
    bundle = BootBundleRequest(
        prepared.request, plan, side, prepared.target.deployment_id, prepared.target.slot, "0" * 16
    )
    try:
        files = boot_bundle_files(bundle, folder)
    except InvalidPlan:
        return {}
    return {file.path: (file.mode, _text(file.content)) for file in files if not file.path.endswith("/uninstall.sh")}


def _old_texts(host: RemoteHost, there: Mapping[str, str], replaced: str, *, token: CancelToken) -> Mapping[str, str]:
    if not replaced:
        return {}
    found = {path: read_file(host, file, token=token) for path, file in there.items()}
    return {path: text for path, text in found.items() if text is not None}


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")
