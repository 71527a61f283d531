"""A condition of the link on hosts of the user's own: what each sends to its peer is shaped, and nothing else.

Packets that no VPN carries between nodes do not have the peer's address: their networks are named besides.

The interface hands no long segments to the card meanwhile, to any destination.

The step comes before all steps of the VPN, so that it ends with the tunnel: by the same undo, lease and rollback timer.
"""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan, shell_step_argv
from app.domain.commands import Command
from app.domain.conditions import Condition, LinkDirection
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.script_files import bare_script
from app.probes.counters import underlay_device
from app.tunnel.messages import DELAY_CHANGES, SHAPE_WAY, UNDERLAY_NOT_FOUND
from app.tunnel.request import DeployRequest

_TIMEOUT_S = 15.0
_SCRIPT = bare_script("tunnel/shape.sh")
_FRAME_BITS = 8 * 1_514
_LONGEST_QUEUE = 100_000
"""Packets that netem holds where the condition limits no queue. Source: our choice."""


def refuse_unshaped(condition: Condition) -> None:
    """Refuse a condition with a trace: netem would change the order of frames, and has no rate or loss over time.

    Raises:
        InvalidPlan: A value changes over time.
    """
    if not is_fixed(condition):
        raise InvalidPlan(DELAY_CHANGES(condition=condition.name))


def is_fixed(condition: Condition) -> bool:
    """Return whether all values of a condition remain as they are."""
    return not condition.a_to_b.trace_s and not condition.b_to_a.trace_s


def netem_options(way: LinkDirection) -> tuple[str, ...]:
    """Return what the netem takes that delays and limits frames. Source: tc-netem(8); its limit counts the delay."""
    options: list[str] = []
    if way.delay_ms:
        options += ["delay", f"{round(1_000 * way.delay_ms)}us"]
    if way.rate_mbit_s is not None:
        options += ["rate", f"{round(1_000 * way.rate_mbit_s)}kbit"]
    return (*options, "limit", str(_limit(way)))


def loss_options(way: LinkDirection) -> tuple[str, ...]:
    """Return what the netem behind the line takes, which loses frames; none where none are lost."""
    if not way.loss_pct:
        return ()
    if way.burst_frames > 1:
        share = way.loss_pct / 100
        begins = 100 * share / (way.burst_frames * (1 - share))
        losses = ["gemodel", f"{begins:.4f}%", f"{100 / way.burst_frames:.4f}%"]
    else:
        losses = ["random", f"{way.loss_pct:g}%"]
    # It gets all frames at once that arrived while the card was busy.
    return ("loss", *losses, "limit", str(_LONGEST_QUEUE))


def _limit(way: LinkDirection) -> int:
    if way.rate_mbit_s is None or way.queue_ms is None:
        return _LONGEST_QUEUE
    return max(10, round((way.delay_ms + way.queue_ms) / 1_000 * way.rate_mbit_s * 1e6 / _FRAME_BITS))


def can_shape(device: str) -> Command:
    """Return a command that fails, with the reason on stderr, where an interface cannot be shaped."""
    return Command(shell_step_argv(_SCRIPT, "can", device, "", "", ""), timeout_s=_TIMEOUT_S, is_root=True)


def shaped(request: DeployRequest, plan: TunnelPlan) -> TunnelPlan:
    """Return a plan whose first step shapes what each host sends to the other one."""
    condition = request.shaping
    if condition is None:
        return plan
    return replace(
        plan, a=_shaped(request, plan.a, Side.A, condition.a_to_b), b=_shaped(request, plan.b, Side.B, condition.b_to_a)
    )


def _shaped(request: DeployRequest, own: EndpointPlan, side: Side, way: LinkDirection) -> EndpointPlan:
    device = underlay_device(request.facts(side), request.link.underlay(side))
    if not device:
        raise InvalidPlan(UNDERLAY_NOT_FOUND(host=request.label(side), address=request.link.underlay(side)))
    peer = request.link.underlay(side.other)
    destinations = " ".join((f"{peer}/32", *request.shaped_networks.get(side.other, ())))
    kept = f"{request.link.run_dir.rpartition('/')[0]}/shaped-{device}"

    def command(action: str) -> Command:
        losses = " ".join(loss_options(way))
        argv = shell_step_argv(_SCRIPT, action, device, destinations, kept, losses, *netem_options(way))
        return Command(argv, timeout_s=_TIMEOUT_S, is_root=True)

    step = PlanStep(
        title=SHAPE_WAY(device=device, peer=peer),
        command=command("set"),
        undo=command("unset"),
        health_check=command("check"),
    )
    return replace(own, steps=(step, *own.steps))
