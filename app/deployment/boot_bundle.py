"""Boot bundle of one host: scripts and files that start a deployment at boot, made from the steps that built it.

It is rendered from the plan alone, so that it can be shown and exported without a host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.deployment.lan.clamp import clamp_words
from app.deployment.lan.guard import guard_table, probed_address
from app.deployment.messages import NEEDS_FOREIGN_PATH
from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan
from app.domain.commands import Command, FileToWrite
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side, ToolFlavour
from app.domain.keepalive import PROBE_S, Keepalive
from app.domain.script_files import host_script
from app.host.remote_host import whole_seconds
from app.host.scripts import call, one_line
from app.ssh.remote_line import shell_line
from app.tunnel.apply import is_inside, ping_once, stdin_path
from app.tunnel.audit import STEP_NUMBER, numbered
from app.tunnel.preflight import used_interfaces
from app.tunnel.request import DeployRequest

PATIENCE_S: Mapping[Side, int] = MappingProxyType({Side.A: 20, Side.B: 32})
"""Seconds that a host waits for its peer, at first, before it starts its daemons again."""

_PAUSES: Mapping[Side, Mapping[str, str]] = MappingProxyType(
    {
        Side.A: MappingProxyType({"growth": "2", "longest": "120", "after_peer": ""}),
        Side.B: MappingProxyType({"growth": "3", "longest": "300", "after_peer": "28"}),
    }
)
"""For `silence.sh`: by how much pauses grow, and up to how many seconds. A goes first: its first pause as B may see it,
in seconds, because A may have heard B's last answer 4 s later, and checks every 3 s while it hears none."""

_ANSWER_S = 2.0
"""So long a host waits for an answer through the tunnel, which takes 0.5 to 0.9 s over a geostationary satellite."""


@dataclass(frozen=True, slots=True)
class BootBundleRequest:
    """Inputs of a boot bundle.

    Attributes:
        request: What was asked for.
        plan: The plan with both public identities.
        side: A or B.
        deployment_id: The deployment.
        slot: Its slot.
        mark: What its processes carry in their environment.
    """

    request: DeployRequest
    plan: TunnelPlan
    side: Side
    deployment_id: str
    slot: str
    mark: str


def boot_bundle_dir(state_dir: str) -> str:
    """Return the folder on a host that holds a boot bundle until it is confirmed."""
    return f"{state_dir}/kit"


def boot_bundle_files(bundle: BootBundleRequest, folder: str) -> tuple[FileToWrite, ...]:
    """Return the files of a boot bundle, except `kept/`, which holds keys and is made by the host itself.

    Args:
        bundle: What it is made from.
        folder: Where the files go.

    Raises:
        InvalidPlan: The plan has files in places that do not outlive a restart together with it.
    """
    own = bundle.plan.on(bundle.side)
    outside = [file.path for file in own.files if not is_inside(file.path, bundle.request.link.run_dir)]
    if outside:
        raise InvalidPlan(NEEDS_FOREIGN_PATH(solution=bundle.plan.solution, path=outside[0]))
    texts = {
        "about.sh": about_text(bundle),
        "steps.sh": steps_text(bundle),
        "lasting.sh": host_script("lasting.sh"),
        "start.sh": host_script("start.sh"),
        "uninstall.sh": host_script("uninstall.sh"),
    }
    return tuple(FileToWrite(f"{folder}/{name}", text.encode(), 0o600) for name, text in texts.items())


def about_text(bundle: BootBundleRequest) -> str:
    """Return what `lasting.sh` has to know of its tunnel, as shell assignments."""
    request, own = bundle.request, bundle.plan.on(bundle.side)
    peer = bundle.plan.probe_address(bundle.side.other)
    values = {
        "id": bundle.deployment_id,
        "slot": bundle.slot,
        "mark": bundle.mark,
        "run_dir": request.link.run_dir,
        "interface": own.interface,
        "interfaces": " ".join(dict.fromkeys([*used_interfaces(request, own), own.interface])),
        "counted": request.link.names.ethernet_interface,
        "ping": shell_line(ping_once(request, bundle.side, own.interface, peer, _ANSWER_S)),
        "ping_many": shell_line(_ping_many(request, bundle.side, own.interface, peer)),
        "handshake": shell_line(own.last_handshake.argv) if own.last_handshake is not None else ":",
        "certificates": " ".join(own.certificates),
        "underlay": request.link.underlay(bundle.side.other),
        **supervisor_values(bundle.side, request.keepalive),
        **_idle_values(own),
        "logs": " ".join(own.log_paths),
        **_guard_values(request, own),
        **_clamp_values(request, own),
    }
    comments = [
        f"# {one_line(line)}" for line in (*request.header, f"Pair {request.pair.name}, {request.suite.title}.")
    ]
    lines = [f"{name}={shell_line(['-', value]).removeprefix('- ')}" for name, value in values.items()]
    return "".join(f"{line}\n" for line in [*comments, *lines])


def supervisor_values(side: Side, keepalive: Keepalive) -> Mapping[str, str]:
    """Return how long the supervisor of a host waits for its peer, as variables of `silence.sh`."""
    idle = keepalive.pick(wired={}, metered={"idle_s": str(PROBE_S)})
    return {"patience": str(PATIENCE_S[side]), **_PAUSES[side], **idle}


def _idle_values(own: EndpointPlan) -> dict[str, str]:
    return {} if own.when_idle is None else {"when_idle": shell_line(own.when_idle.argv)}


def _guard_values(request: DeployRequest, own: EndpointPlan) -> dict[str, str]:
    table = guard_table(request.link)
    if not any(table in step.command.argv for step in own.steps):
        return {}
    return {"guard_table": table, "nobody": probed_address(request.link)}


def _clamp_values(request: DeployRequest, own: EndpointPlan) -> dict[str, str]:
    words = clamp_words(own, request.link)
    return {"clamp": " ".join(words)} if words else {}


def _ping_many(request: DeployRequest, side: Side, interface: str, address: str) -> tuple[str, ...]:
    tool = request.facts(side).tools.get("ping")
    is_iputils = tool is not None and tool.flavour is ToolFlavour.IPUTILS
    often = ("-n", "-i", "0.2", "-W", "1") if is_iputils else ("-W", "1")
    return ("ping", "-c", "5", *often, "-I", interface, address)


def steps_text(bundle: BootBundleRequest) -> str:
    """Return the steps and their undos as shell functions."""
    own, run_dir = bundle.plan.on(bundle.side), bundle.request.link.run_dir
    up = [f"{line} || return 1" for line in _up_lines(own, run_dir)]
    return "".join(
        [
            _function("up_steps", up),
            "\n",
            _function("down_steps", [*_down_lines(own), "down_complete=yes"]),
            "\n",
            _function("standing_steps", [f"{line} || return 1" for line in _health_lines(own)]),
            "\n",
            _function("mend_steps", [f"{line} || return 1" for line in _mend_lines(own, run_dir)]),
        ]
    )


def bundle_steps(own: EndpointPlan) -> list[tuple[int, PlanStep]]:
    """Return the steps of every start, with their places in the plan."""
    return [(index, step) for index, step in enumerate(own.steps) if not step.is_at_deployment_only]


def _function(name: str, lines: list[str]) -> str:
    body = "".join(f"    {line}\n" for line in [*lines, "return 0"])
    return f"{name}() {{\n{body}}}\n"


def _up_lines(own: EndpointPlan, run_dir: str) -> Iterator[str]:
    for index, step in bundle_steps(own):
        yield call("up_step", *_forward(index, step, run_dir))


def _forward(index: int, step: PlanStep, run_dir: str) -> tuple[str, ...]:
    source = "/dev/null" if step.command.stdin is None else stdin_path(run_dir, index)
    limit, retry = whole_seconds(step.command.timeout_s), step.forward_retry_s
    words = (one_line(step.title), limit, whole_seconds(retry) if retry else "0", source)
    return (numbered(STEP_NUMBER + index), *words, *step.command.argv)


def _down_lines(own: EndpointPlan) -> Iterator[str]:
    for index, step in reversed(bundle_steps(own)):
        if step.undo is not None:
            limit = whole_seconds(step.undo.timeout_s)
            yield call("down_step", numbered(STEP_NUMBER + index), one_line(step.title), limit, *step.undo.argv)


def _health_lines(own: EndpointPlan) -> Iterator[str]:
    for _, step in bundle_steps(own):
        if step.health_check is not None:
            yield _health_call(step.health_check)


def _health_call(check: Command) -> str:
    # The shell has `test` itself: what is asked every 2 s should start no program.
    return shell_line(check.argv) if check.argv[0] == "test" else call("stands", *check.argv)


def _mend_lines(own: EndpointPlan, run_dir: str) -> Iterator[str]:
    for index, step in bundle_steps(own):
        if step.health_check is not None and step.is_repeatable:
            yield f"{_health_call(step.health_check)} || {call('mend_step', *_forward(index, step, run_dir))}"
