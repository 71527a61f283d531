"""Steps of a deployment besides those of its VPN: keys kept, LAN port joined, predecessor suspended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.clamp import MssClamp
from app.deployment.lan.rules import moving_step
from app.deployment.lan.tunnel_mtu import fitted_mtu_bytes, mtu_step
from app.deployment.messages import STEP_KEEP, STEP_SUSPEND
from app.domain.adapters import (
    EndpointPlan,
    PlanStep,
    TunnelPlan,
    root_command,
)
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import bare_script

_KEEP_SCRIPT = bare_script("deployment/keep.sh")

SUSPEND_S = 60.0


@dataclass(frozen=True, slots=True)
class DeploymentSteps:
    """Implements `PlanExtension`.

    Attributes:
        boot_bundle_dir: Where keys and files are kept on the host until the deployment is confirmed.
        bridging: What the tunnel is joined with, by side.
        fits_path_mtu: Whether TCP's MSS is clamped where segments would be fragmented, and the MTU set where no LAN is
            joined.
    """

    boot_bundle_dir: str
    bridging: Mapping[Side, Bridging] = field(default_factory=dict)
    fits_path_mtu: bool = False

    def extend(self, plan: TunnelPlan, link: Link) -> TunnelPlan:
        """Return a plan that keeps keys and files before its first step, and joins the LAN after its last."""
        mtu_bytes = fitted_mtu_bytes(plan, self.bridging) if self.fits_path_mtu else None
        ends = {side: self._end(plan, link, side, mtu_bytes) for side in Side}
        return replace(plan, a=ends[Side.A], b=ends[Side.B], inner_mtu_bytes=mtu_bytes or plan.inner_mtu_bytes)

    def _end(self, plan: TunnelPlan, link: Link, side: Side, mtu_bytes: int | None) -> EndpointPlan:
        own, bridging = plan.on(side), self.bridging.get(side)
        clamp = MssClamp.of(plan, is_bridged=bridging is not None) if self.fits_path_mtu else None
        clamps = () if clamp is None else (clamp.step(own.interface, link),)
        steps = (_keep_step(link.run_dir, self.boot_bundle_dir), *clamps, *own.steps)
        if bridging is None:
            sets_mtu = () if mtu_bytes is None else (mtu_step(own.interface, mtu_bytes),)
            return replace(own, steps=(*steps, *sets_mtu))
        # Early: a firewall is opened behind the last step like it, and before any program of the VPN is started.
        steps = (steps[0], *bridging.guard_steps(own.interface, link, side), *steps[1:])
        joins = bridging.steps(own.interface, link.inner(side))
        probe = bridging.probe_steps(own.interface, link, side)
        if bridging.rules or bridging.noted:
            # From before the port is joined until after it has been parted; behind what guards the tunnel, which is the
            # first to come and the last to go.
            tag = link.run_dir.rpartition("/")[2]
            moving = moving_step(bridging.rules, bridging.lan_port, bridging.bridge, tag, noted=bridging.noted)
            place = max((number for number, step in enumerate(steps, start=1) if step.is_repeatable), default=1)
            steps = (*steps[:place], moving, *steps[place:])
        return replace(own, steps=(*steps, *joins, *probe), interface=bridging.bridge)


def _keep_step(run_dir: str, boot_bundle_dir: str) -> PlanStep:
    return PlanStep(
        title=STEP_KEEP(),
        command=root_command(_KEEP_SCRIPT, run_dir, boot_bundle_dir, timeout_s=10.0),
        undo=Command(("rm", "-rf", boot_bundle_dir), timeout_s=10.0, is_root=True),
        is_at_deployment_only=True,
    )


def suspend_step(folder: str) -> PlanStep:
    """Return the step that suspends a deployment for its replacement.

    Args:
        folder: Its slot's folder on the host.
    """
    return PlanStep(
        title=STEP_SUSPEND(),
        command=Command(("sh", f"{folder}/start.sh", "aside"), timeout_s=SUSPEND_S, is_root=True),
        undo=Command(("sh", f"{folder}/start.sh", "return"), timeout_s=SUSPEND_S, is_root=True),
    )
