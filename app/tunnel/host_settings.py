"""Settings of a whole host that a measurement needs, under the lease: congestion control and slow start."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan, shell_step_argv
from app.domain.commands import Command
from app.domain.link import Link
from app.domain.script_files import bare_script
from app.tunnel.messages import HYSTART_OFF, HYSTART_ON, SET_CONGESTION

HYSTART_FILE = "/sys/module/tcp_cubic/parameters/hystart"
"""Whether CUBIC leaves slow start early. Source: Linux 6.12, net/ipv4/tcp_cubic.c, module_param(hystart)."""

CONGESTION_FILE = "/proc/sys/net/ipv4/tcp_congestion_control"
"""Congestion control of new connections. Source: Linux 6.12, Documentation/networking/ip-sysctl.rst."""

_ON = bare_script("nodes/setting-on.sh")
_OFF = bare_script("nodes/setting-off.sh")
_STEP_S = 60.0
_BUILT_IN = ("cubic", "reno")
"""Congestion controls that need no module. Source: CONFIG_TCP_CONG_CUBIC=y of Debian's kernels."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """Implements `PlanExtension`: settings of both gateways, made before the VPN's first step.

    Tunnels side by side share them: they are restored once the last one that needs them has gone.

    Attributes:
        congestion: Congestion control, as the kernel names it, of what gateways themselves send; empty to leave it and
            to need no other.
        has_hystart: Whether CUBIC may leave slow start early; None to leave it.
        also: Congestion control that is to be there as well, for sockets that choose it themselves; empty for none.
    """

    congestion: str = ""
    has_hystart: bool | None = None
    also: str = ""

    def extend(self, plan: TunnelPlan, link: Link) -> TunnelPlan:
        """Return a plan with them."""
        steps: list[PlanStep] = []
        if self.congestion:
            title = SET_CONGESTION(congestion=self.congestion)
            module = next((f"tcp_{one}" for one in (self.congestion, self.also) if one and one not in _BUILT_IN), "")
            steps.append(setting_step(title, link, CONGESTION_FILE, self.congestion, module))
        if self.has_hystart is not None:
            title = HYSTART_ON() if self.has_hystart else HYSTART_OFF()
            steps.append(setting_step(title, link, HYSTART_FILE, str(int(self.has_hystart))))
        return replace(plan, a=_with(plan.a, steps), b=_with(plan.b, steps))


def _with(own: EndpointPlan, steps: list[PlanStep]) -> EndpointPlan:
    return replace(own, steps=(*steps, *own.steps))


def settings_folder(link: Link) -> tuple[str, str]:
    """Return the folder of what tunnels of a group share on a host, and the name of this one in it."""
    state_dir, _, user = link.run_dir.rpartition("/")
    return f"{state_dir}/settings", user


def setting_step(title: str, link: Link, file: str, value: str, module: str = "") -> PlanStep:
    """Return the step that changes a setting of a host for as long as a tunnel of a group needs it.

    Args:
        file: Where it is, below /proc/sys or /sys/module.
        module: Kernel module that is loaded first; empty for none.
    """
    folder, user = settings_folder(link)
    return PlanStep(
        title=title,
        command=Command(shell_step_argv(_ON, folder, user, file, value, module), timeout_s=_STEP_S, is_root=True),
        undo=Command(shell_step_argv(_OFF, folder, user, file, module), timeout_s=_STEP_S, is_root=True),
    )
