"""A condition of the link on hosts of the user's own: what each sends to its peer is shaped, and nothing else.

Packets that no VPN carries between nodes do not have the peer's address: their networks are named besides.

The interface hands no long segments to the card meanwhile, to any destination.

A program on the host changes values over time, and ends with the shaping.

The step comes before all steps of the VPN, so that it ends with the tunnel: by the same undo, lease and rollback timer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan, shell_step_argv
from app.domain.commands import Command, FileToWrite
from app.domain.conditions import Condition, LinkDirection
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.script_files import bare_script
from app.probes.counters import underlay_device
from app.tunnel.messages import CHANGES_NOT_MADE, SHAPE_WAY, UNDERLAY_NOT_FOUND
from app.tunnel.request import DeployRequest

_TIMEOUT_S = 15.0
_SCRIPT = bare_script("tunnel/shape.sh")
_PROGRAM = bare_script("tunnel/changes.pl")
_FRAME_BITS = 8 * 1_514
_LONGEST_QUEUE = 100_000
"""Packets that netem holds where the condition limits no queue. Source: our choice."""
_NO_LIMIT_MBIT_S = 10_000.0
"""Rate in place of none: netem keeps the order of packets, whatever becomes of their delay, only if it has a rate.

Source: netem_enqueue in net/sched/sch_netem.c.
"""
LEAST_STEP_S = 0.05
"""Shortest time for which hosts make a value that changes. Changes are some milliseconds early or late. Our choice."""


def refuse_unshaped(condition: Condition) -> None:
    """Refuse a condition that hosts cannot make.

    Netem delays frames before it loses them: where both change in one direction, another share of them is lost than
    the condition says.

    Raises:
        InvalidPlan: Values change faster than every LEAST_STEP_S, or delay and loss change in one direction.
    """
    for way in (condition.a_to_b, condition.b_to_a):
        if way.trace_s and (way.trace_step_s < LEAST_STEP_S or (way.trace_ms and way.trace_loss_pct)):
            raise InvalidPlan(CHANGES_NOT_MADE(condition=condition.name, least_s=LEAST_STEP_S))


def netem_options(way: LinkDirection, *, most_ms: float = 0.0) -> tuple[str, ...]:
    """Return the options of the netem that delays and limits frames, of a direction with fixed values.

    Args:
        most_ms: Longest delay of frames that are on their way at once, where that was longer before.

    Source: tc-netem(8).
    """
    options: list[str] = []
    if way.delay_ms:
        options += ["delay", f"{round(1_000 * way.delay_ms)}us"]
    if way.rate_mbit_s is not None:
        options += ["rate", f"{round(1_000 * way.rate_mbit_s)}kbit"]
    return (*options, "limit", str(_limit(way, max(way.delay_ms, most_ms))))


def loss_options(way: LinkDirection, *, is_any: bool = False) -> tuple[str, ...]:
    """Return the options of the netem behind the line, which loses frames, of a direction with fixed values.

    Args:
        is_any: Whether there is one where no frames are lost, because they are at other times.
    """
    if not way.loss_pct and not is_any:
        return ()
    if way.burst_frames > 1:
        share = way.loss_pct / 100
        begins = 100 * share / (way.burst_frames * (1 - share))
        losses = ["gemodel", f"{begins:.4f}%", f"{100 / way.burst_frames:.4f}%"]
    else:
        losses = ["random", f"{way.loss_pct:g}%"]
    # It gets all frames at once that arrived while the card was busy.
    return ("loss", *losses, "limit", str(_LONGEST_QUEUE))


@dataclass(frozen=True, slots=True)
class _Values:
    """Options of both netems that hold at one time, the second ones empty without loss."""

    netem: tuple[str, ...]
    losses: tuple[str, ...]

    def commands(self, device: str, *, are_losses_fixed: bool) -> str:
        """Return the commands of tc that set them; netem begins fixed losses in bursts anew whenever it gets them."""
        lines = [f"qdisc change dev {device} parent 7e57:4 handle 7e58: netem {' '.join(self.netem)}"]
        if not are_losses_fixed:
            lines.append(f"qdisc change dev {device} parent 7e58:1 handle 7e59: netem {' '.join(self.losses)}")
        return "".join(f"{line}\n" for line in lines)


def _over_time(way: LinkDirection) -> Sequence[_Values]:
    """Return what holds in turn; one where all values are fixed."""
    if not way.trace_s:
        return (_Values(netem_options(way), loss_options(way)),)
    count = max(len(way.trace_ms), len(way.trace_mbit_s), len(way.trace_loss_pct))
    delays_ms, rates, losses = way.trace_ms or (0.0,) * count, way.trace_mbit_s, way.trace_loss_pct
    most_ms, is_any = way.delay_ms + max(delays_ms), any(losses)
    fixed = replace(way, trace_ms=(), trace_mbit_s=(), trace_loss_pct=())
    steps = [
        replace(
            fixed,
            delay_ms=way.delay_ms + delays_ms[number],
            rate_mbit_s=rates[number] if rates else way.rate_mbit_s or _NO_LIMIT_MBIT_S,
            loss_pct=losses[number] if losses else way.loss_pct,
        )
        for number in range(count)
    ]
    return [_Values(netem_options(step, most_ms=most_ms), loss_options(step, is_any=is_any)) for step in steps]


def _limit(way: LinkDirection, most_ms: float) -> int:
    """Return the most frames that netem holds; they are in its queue during their delay as well."""
    if way.rate_mbit_s is None or way.queue_ms is None:
        return _LONGEST_QUEUE
    return max(10, round((most_ms + way.queue_ms) / 1_000 * way.rate_mbit_s * 1e6 / _FRAME_BITS))


def can_shape(device: str) -> Command:
    """Return a command that fails, with the reason on stderr, where an interface cannot be shaped."""
    return Command(shell_step_argv(_SCRIPT, "can", device, "", "", "", "", ""), timeout_s=_TIMEOUT_S, is_root=True)


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
    values = _over_time(way)
    changes = f"{request.link.run_dir}/changes" if len(values) > 1 else ""

    def command(action: str) -> Command:
        losses = " ".join(values[0].losses)
        words = (device, destinations, kept, losses, changes, f"{way.trace_step_s:g}", *values[0].netem)
        return Command(shell_step_argv(_SCRIPT, action, *words), timeout_s=_TIMEOUT_S, is_root=True)

    step = PlanStep(
        title=SHAPE_WAY(device=device, peer=peer),
        command=command("set"),
        undo=command("unset"),
        health_check=command("check"),
    )
    return replace(own, files=(*own.files, *_files(changes, values, device)), steps=(step, *own.steps))


def _files(changes: str, values: Sequence[_Values], device: str) -> tuple[FileToWrite, ...]:
    """Return the values that change and the program that changes them; none where all are fixed."""
    if not changes:
        return ()
    are_losses_fixed = len({one.losses for one in values}) == 1
    text = "\n".join(one.commands(device, are_losses_fixed=are_losses_fixed) for one in values)
    return (FileToWrite(changes, text.encode(), 0o600), FileToWrite(f"{changes}.pl", _PROGRAM.encode(), 0o600))
