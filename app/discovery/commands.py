"""Read-only commands of the discovery, which need nothing but POSIX sh, or BusyBox.

Each may fail or be unknown on a host; what it prints is then empty, and the parsers make do without.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command
from app.domain.declared import declared
from app.domain.script_files import bare_script

TOOL_VERSION_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "ping": ("-V",),
    "iperf3": ("--version",),
    "tcpdump": ("--version",),
    "ip": ("-V",),
    "ethtool": ("--version",),
    "openssl": ("version",),
    "nft": ("--version",),
}
"""Measuring programs and others that are used on a host, with what makes each say its version."""

KERNEL_MODULES: tuple[str, ...] = (
    "tun",
    "bridge",
    *dict.fromkeys(name for one in declared().values() for name in one.kernel_modules),
    "sch_netem",
    "sch_tbf",
    "tcp_bbr",
)
"""Modules that VPNs, probes and shaping use."""

DISK_PATHS = ("/", "/run", "/tmp")  # noqa: S108 - read, not written to

_VERSION = ("--version",)
"""Makes any other program say its version, or fail at once. Source: GNU coding standards, section 4.8.1."""

_TIMEOUT_S = 10.0
_MAX_BYTES = 262_144

_SCRIPTS = (
    *("virtual", "nics", "addresses", "routes", "ports", "l2tp", "init", "package-manager", "apparmor", "firewall"),
)
"""Scripts without arguments. Built-in commands of the shell are used where they do: starting a program costs a small
gateway tens of milliseconds."""


def host_commands(*, as_root: bool, programs: Collection[str] = ()) -> dict[str, Command]:
    """Return what every host is asked, by name and in order: the clock first, the processor's times first and last.

    Args:
        as_root: Whether root's rights are to be had: some things are hidden from others.
        programs: Further programs that are asked about.
    """
    tools = {**dict.fromkeys(programs, _VERSION), **TOOL_VERSION_ARGUMENTS}
    argvs: dict[str, tuple[str, ...]] = {
        "clock": ("date", "-u", "+%s.%N"),
        "stat-before": ("head", "-n", "1", "/proc/stat"),
        "identity": _script("identity"),
        "os-release": _script("os-release"),
        "cpuinfo": ("cat", "/proc/cpuinfo"),
        "cpu-name": _script("cpu-name"),
        "meminfo": ("cat", "/proc/meminfo"),
        "loadavg": ("cat", "/proc/loadavg"),
        **{name: _script(name) for name in _SCRIPTS},
        "modules": _script("modules", *KERNEL_MODULES),
        "disk": ("df", "-P", "-k", *DISK_PATHS),
        **{f"tool-{name}": _script("tool", name, *words) for name, words in tools.items()},
    }
    return {name: _command(argv, as_root=as_root) for name, argv in argvs.items()}


def last_commands(*, as_root: bool) -> dict[str, Command]:
    """Return what is asked when everything else has been."""
    return {"stat-after": _command(("head", "-n", "1", "/proc/stat"), as_root=as_root)}


def _script(name: str, *arguments: str) -> tuple[str, ...]:
    return shell_step_argv(bare_script(f"discovery/{name}.sh"), *arguments)


def _command(argv: tuple[str, ...], *, as_root: bool) -> Command:
    return Command(argv, timeout_s=_TIMEOUT_S, is_root=as_root, max_output_bytes=_MAX_BYTES)
