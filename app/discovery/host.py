"""Facts about a host, read in one batch of read-only commands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.discovery.commands import DISK_PATHS, KERNEL_MODULES, TOOL_VERSION_ARGUMENTS, host_commands, last_commands
from app.discovery.messages import NO_LINUX_HOST
from app.discovery.parse_network import parse_l2tp, parse_nics, parse_ports, parse_routes
from app.discovery.parse_system import (
    parse_apparmor,
    parse_clock_offset_ms,
    parse_cpu,
    parse_disk_mib,
    parse_firewall,
    parse_init,
    parse_is_virtual,
    parse_load,
    parse_memory_mib,
    parse_os_release,
    parse_package_manager,
    parse_steal_pct,
)
from app.discovery.parse_tools import parse_modules, parse_tool
from app.discovery.text import line_at
from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, HostSession, SessionPair, Stream
from app.domain.concurrency import run_both
from app.domain.declared import declared
from app.domain.errors import CommandFailed, PrivilegeMissing
from app.domain.hosts import HostFacts, MissingPart, PackageManager, Privilege, SolutionSupport, Tool, ToolFlavour
from app.domain.messages import mark
from app.domain.packages import package_for

Now = Callable[[], datetime]

APPARMOR_WORDS = tuple(dict.fromkeys(word for one in declared().values() for word in one.apparmor_words))

_NEEDED_TOOLS: Mapping[str, tuple[str, str]] = {
    "ping": (mark("latency"), "ping"),
    "iperf3": (mark("throughput"), "iperf3"),
    "tcpdump": (mark("leak proof"), "tcpdump"),
    "ip": (mark("every solution"), "iproute2"),
}
"""Program → what it is needed for, and its key in the table of packages."""

_UNKNOWN_CLOCK_ERROR_MS = 1e9
_SEPARATOR = "/"


def _utc_now() -> datetime:
    return datetime.now(UTC)


def discover_pair(
    sessions: SessionPair, adapters: Mapping[str, Adapter], *, token: CancelToken, programs: Collection[str] = ()
) -> tuple[HostFacts, HostFacts]:
    """Find out what both hosts are and can do, at the same time.

    Args:
        adapters: Every VPN that is asked about, by name.
        programs: Further programs that hosts are asked about, besides those that discovery always asks about.

    Returns:
        What was found on A and on B.

    Raises:
        ConnectionLost, DeadlineExceeded, CommandFailed, Cancelled: As for `discover_host`.
    """
    return run_both(
        lambda: discover_host(sessions.a, adapters, token=token, programs=programs),
        lambda: discover_host(sessions.b, adapters, token=token, programs=programs),
    )


def discover_host(
    session: HostSession,
    adapters: Mapping[str, Adapter],
    *,
    token: CancelToken,
    now: Now = _utc_now,
    programs: Collection[str] = (),
) -> HostFacts:
    """Find out what a host is and can do. Nothing is changed on it.

    Args:
        session: A connection to it.
        adapters: Every VPN that is asked about, by name.
        now: This computer's clock, for the host's clock offset.
        programs: Further programs that it is asked about.

    Returns:
        What was found; whatever the host did not say is empty, zero or unknown.

    Raises:
        CommandFailed: It answered nothing that can be understood: no POSIX shell, or no Linux.
        ConnectionLost, DeadlineExceeded, Cancelled: As for `HostSession.run_batch`.
    """
    is_root = session.privilege is not Privilege.NONE
    asked = _ask(session, adapters, token, now, tuple(programs), as_root=is_root)
    if not line_at(asked.outputs["identity"].stdout, 1):
        raise _not_understood(session, asked.outputs["identity"])
    return _facts(session, asked, adapters)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Answers of a host, when its clock was asked for and answered, and further programs that it was asked about."""

    outputs: Mapping[str, CommandResult]
    started_at: datetime
    arrived_at: datetime
    privilege: Privilege
    programs: tuple[str, ...]

    def text(self, name: str) -> str:
        """Return what one of the questions was answered with."""
        return self.outputs[name].stdout


def _ask(
    session: HostSession,
    adapters: Mapping[str, Adapter],
    token: CancelToken,
    now: Now,
    programs: tuple[str, ...],
    *,
    as_root: bool,
) -> _Asked:
    """Ask everything in one batch; without root's rights where they are not to be had after all."""
    commands = host_commands(as_root=as_root, programs=programs) | _adapter_commands(adapters, as_root=as_root)
    commands |= last_commands(as_root=as_root)
    batch = tuple(dict.fromkeys(commands.values()))  # what several adapters want to know is asked once
    clock_index = batch.index(commands["clock"])
    arrivals: list[datetime] = []

    def on_line(index: int, stream: Stream, _: str) -> None:
        if index == clock_index and stream is Stream.STDOUT and not arrivals:
            arrivals.append(now())

    started_at = now()
    try:
        results = dict(zip(batch, session.run_batch(batch, token=token, on_line=on_line), strict=True))
    except PrivilegeMissing:
        if not as_root:
            raise
        return _ask(session, adapters, token, now, programs, as_root=False)
    outputs = {name: results[command] for name, command in commands.items()}
    privilege = session.privilege if as_root else Privilege.NONE
    return _Asked(outputs, started_at, arrivals[0] if arrivals else now(), privilege, programs)


def _adapter_commands(adapters: Mapping[str, Adapter], *, as_root: bool) -> dict[str, Command]:
    """Put every adapter's questions into the batch, under its name."""
    return {
        f"{name}{_SEPARATOR}{key}": command if as_root else replace(command, is_root=False)
        for name, adapter in adapters.items()
        for key, command in adapter.discovery().items()
    }


def _not_understood(session: HostSession, result: CommandResult) -> CommandFailed:
    return CommandFailed(
        NO_LINUX_HOST(host=session.spec.label, address=session.spec.address),
        context={"exit_status": str(result.exit_status), "stderr": result.stderr[-500:]},
    )


def _facts(session: HostSession, asked: _Asked, adapters: Mapping[str, Adapter]) -> HostFacts:
    """Translate everything that was printed."""
    machine = _machine(session, asked)
    names = dict.fromkeys((*TOOL_VERSION_ARGUMENTS, *asked.programs))
    tools = {name: parse_tool(name, asked.outputs[f"tool-{name}"]) for name in names}
    solutions = _solutions(asked.outputs, adapters, machine.package_manager)
    return replace(
        machine,
        tools=tools,
        kernel_modules=parse_modules(asked.text("modules"), KERNEL_MODULES),
        disk_free_mib=parse_disk_mib(asked.text("disk"), DISK_PATHS),
        load_1min=parse_load(asked.text("loadavg")),
        steal_pct=parse_steal_pct(asked.text("stat-before"), asked.text("stat-after")),
        apparmor_profiles=parse_apparmor(asked.text("apparmor"), APPARMOR_WORDS),
        firewall=parse_firewall(asked.text("firewall")),
        solutions=solutions,
        missing=_missing(tools.values(), solutions.values(), machine.package_manager),
        routes=parse_routes(asked.text("routes")),
        ports_in_use=parse_ports(asked.text("ports")),
        l2tp_tunnel_ids=parse_l2tp(asked.text("l2tp")),
    )


def _machine(session: HostSession, asked: _Asked) -> HostFacts:
    """Translate what concerns the machine itself."""
    text = asked.text
    os_id, os_name = parse_os_release(text("os-release"))
    cpu = parse_cpu(text("cpuinfo"), text("cpu-name"))
    memory_total_mib, memory_available_mib = parse_memory_mib(text("meminfo"))
    clock = parse_clock_offset_ms(text("clock"), asked.started_at.timestamp(), asked.arrived_at.timestamp())
    return HostFacts(
        collected_at=asked.arrived_at,
        hostname=line_at(text("identity"), 0),
        os_id=os_id,
        os_name=os_name,
        kernel=line_at(text("identity"), 1),
        architecture=line_at(text("identity"), 2),
        cpu_model=cpu.model,
        cpu_count=cpu.count,
        cpu_flags=cpu.flags,
        is_virtual=parse_is_virtual(text("virtual"), text("cpuinfo")),
        memory_total_mib=memory_total_mib,
        memory_available_mib=memory_available_mib,
        nics=parse_nics(text("nics"), text("addresses")),
        clock_offset_ms=clock[0] if clock else 0.0,
        clock_error_ms=clock[1] if clock else _UNKNOWN_CLOCK_ERROR_MS,
        init_system=parse_init(text("init")),
        privilege=asked.privilege,
        user=line_at(text("identity"), 3) or session.spec.user or "",
        package_manager=parse_package_manager(text("package-manager")),
    )


def _solutions(
    outputs: Mapping[str, CommandResult], adapters: Mapping[str, Adapter], manager: PackageManager
) -> dict[str, SolutionSupport]:
    """Let each adapter read its own answers; name the packages that this host's package manager has."""
    solutions = {}
    for name, adapter in adapters.items():
        prefix = name + _SEPARATOR
        own = {key.removeprefix(prefix): result for key, result in outputs.items() if key.startswith(prefix)}
        support = adapter.parse_discovery(own)
        solutions[name] = replace(support, missing=_with_packages(support.missing, manager))
    return solutions


def _with_packages(parts: Sequence[MissingPart], manager: PackageManager) -> tuple[MissingPart, ...]:
    return tuple(part if part.package else replace(part, package=package_for(part.what, manager)) for part in parts)


def _missing(
    tools: Iterable[Tool], solutions: Iterable[SolutionSupport], manager: PackageManager
) -> tuple[MissingPart, ...]:
    """Return everything that is missing: measuring programs first, each part once for each purpose."""
    own = [
        MissingPart(tool.name, _NEEDED_TOOLS[tool.name][0], package_for(_NEEDED_TOOLS[tool.name][1], manager))
        for tool in tools
        if tool.flavour is ToolFlavour.MISSING and tool.name in _NEEDED_TOOLS
    ]
    theirs = [part for solution in solutions for part in solution.missing]
    return tuple(dict.fromkeys([*own, *theirs]))
