"""Parsers for a host's system, processor, memory, load, clock, init and packages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.discovery.text import MAX_ENTRIES, clean, fields_of, line_at, lines_of, to_int
from app.domain.hosts import InitSystem, PackageManager

CPU_FLAGS: tuple[str, ...] = (
    "aes",
    "pclmulqdq",
    "avx",
    "avx2",
    "avx512f",
    "sha_ni",
    "neon",
    "asimd",
    "pmull",
)
"""Flags that make ciphers fast. Source: Linux arch/x86/include/asm/cpufeatures.h, arch/arm64/kernel/cpuinfo.c."""

_VIRTUAL_WORDS = frozenset(
    (
        *("qemu", "kvm", "vmware", "virtualbox", "innotek", "xen", "bochs", "parallels", "microsoft", "amazon"),
        *("docker", "lxc", "podman", "nspawn", "openvz"),
    )
)
"""Source: systemd-detect-virt(1), and the firmware's vendor names that it knows itself."""

_MIB_KIB = 1024
_WHOLE_SECOND_ERROR_MS = 500.0
_STEAL_FIELD = 8  # "cpu user nice system idle iowait irq softirq steal": proc_stat(5)


@dataclass(frozen=True, slots=True)
class Cpu:
    """A host's processor."""

    model: str
    count: int
    flags: tuple[str, ...]


def parse_os_release(text: str) -> tuple[str, str]:
    """Return `ID` and `PRETTY_NAME`. Source: os-release(5)."""
    fields = {name: value.strip("\"'") for name, value in fields_of(text, "=").items()}
    return clean(fields.get("ID", ""), 64), clean(fields.get("PRETTY_NAME", "") or fields.get("NAME", ""))


def parse_cpu(cpuinfo: str, names: str) -> Cpu:
    """Return the processor.

    Args:
        cpuinfo: /proc/cpuinfo; x86 says `model name` and `flags`, ARM `Model`, `Hardware` and `Features`.
        names: The device tree's model on the first line, the number of processors on the next.
    """
    fields = fields_of(cpuinfo)
    boards = (fields.get("Model"), line_at(names, 0))  # a board's name says more than "ARMv7 Processor rev 4"
    others = (fields.get(name) for name in ("model name", "Hardware", "cpu model", "system type", "Processor"))
    model = next((clean(name) for name in (*boards, *others) if name and name.strip()), "")
    flags = set(f"{fields.get('flags', '')} {fields.get('Features', '')}".split())
    counted = sum(1 for line in lines_of(cpuinfo) if re.match(r"processor\s*:", line))
    counted_by_host = to_int(line_at(names, 1))
    return Cpu(model, max(1, counted_by_host or counted), tuple(flag for flag in CPU_FLAGS if flag in flags))


def parse_memory_mib(meminfo: str) -> tuple[int, int]:
    """Return total and available memory in MiB. Source: proc_meminfo(5); old kernels lack MemAvailable."""
    fields = fields_of(meminfo)

    def mib(name: str) -> int:
        return max(0, to_int(fields.get(name, "").removesuffix("kB"))) // _MIB_KIB

    available = mib("MemAvailable") or mib("MemFree") + mib("Buffers") + mib("Cached")
    return mib("MemTotal"), available


def parse_is_virtual(text: str, cpuinfo: str) -> bool:
    """Whether any of systemd-detect-virt, the firmware's vendor or the processor's flags says so."""
    words = set(re.findall(r"[a-z0-9]+", text[:4096].lower()))
    return bool(words & _VIRTUAL_WORDS) or "hypervisor" in fields_of(cpuinfo).get("flags", "").split()


def parse_load(loadavg: str) -> float:
    """Return the load average over one minute."""
    match = re.match(r"(\d{1,6}\.\d{1,4})\s", loadavg, re.ASCII)
    return float(match[1]) if match else 0.0


def parse_steal_pct(before: str, after: str) -> float:
    """Return how much of the time between two first lines of /proc/stat was stolen by a hypervisor, in percent."""
    first, last = _ticks(before), _ticks(after)
    if len(first) < _STEAL_FIELD or len(last) < _STEAL_FIELD:
        return 0.0
    # guest times are contained in user and nice already: proc_stat(5)
    total = sum(last[:_STEAL_FIELD]) - sum(first[:_STEAL_FIELD])
    stolen = last[_STEAL_FIELD - 1] - first[_STEAL_FIELD - 1]
    return round(100.0 * stolen / total, 2) if total > 0 and 0 <= stolen <= total else 0.0


def _ticks(line: str) -> list[int]:
    words = line[:512].split()
    return [max(0, to_int(word)) for word in words[1:]] if words[:1] == ["cpu"] else []


def parse_clock_offset_ms(printed: str, started_s: float, arrived_s: float) -> tuple[float, float] | None:
    """Return the host's clock minus this computer's, and how far that may be wrong, both in ms.

    Args:
        printed: What `date +%s.%N` printed; BusyBox may not know %N and gives whole seconds.
        started_s: This computer's clock before the command was sent, in seconds.
        arrived_s: The same when its output arrived.
    """
    match = re.match(r"(\d{1,12})(?:\.(\d{1,9}))?(?!\d)", printed.strip(), re.ASCII)
    if not match or arrived_s < started_s:
        return None
    error_ms = (arrived_s - started_s) * 500.0
    host_s = float(f"{match[1]}.{match[2]}") if match[2] else float(match[1]) + 0.5
    if not match[2]:
        error_ms += _WHOLE_SECOND_ERROR_MS
    return (host_s - (started_s + arrived_s) / 2) * 1000.0, error_ms


def parse_init(text: str) -> InitSystem:
    """Return what starts services."""
    lines = {line.strip() for line in lines_of(text)}
    for word in ("systemd", "procd", "openrc"):
        if word in lines:
            return InitSystem(word)
    if any(line.startswith("init ") and line.endswith("/busybox") for line in lines):
        return InitSystem.BUSYBOX
    return InitSystem.SYSV if "comm init" in lines and "init.d" in lines else InitSystem.UNKNOWN


def parse_package_manager(text: str) -> PackageManager:
    """Return what installs packages."""
    lines = {line.strip() for line in lines_of(text)}
    if "apt-get" in lines:
        return PackageManager.APT
    others = (PackageManager.DNF, PackageManager.OPKG, PackageManager.PACMAN)
    return next((manager for manager in others if manager.value in lines), PackageManager.NONE)


def parse_disk_mib(text: str, paths: tuple[str, ...]) -> dict[str, int]:
    """Return free space in MiB by path.

    Args:
        text: What `df -P -k PATHS` printed; a path that does not exist has no line.
        paths: The paths, in the order they were asked.
    """
    rows = [line.split() for line in lines_of(text)[1:MAX_ENTRIES] if len(line.split()) >= 6]
    free: dict[str, int] = {}
    for path in paths:
        # the line whose mount point is the longest one that contains the path
        mounts = [row for row in rows if path == row[5] or path.startswith(row[5].rstrip("/") + "/")]
        if mounts:
            free[path] = max(0, to_int(max(mounts, key=lambda row: len(row[5]))[3])) // _MIB_KIB
    return free


def parse_apparmor(text: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of profiles that concern VPN programs.

    Args:
        text: Lines `name (mode)` of the kernel, or file names below /etc/apparmor.d.
        words: Any of them in a name makes it one that concerns us.
    """
    names = [clean(line.rpartition(" (")[0] or line) for line in lines_of(text)[:MAX_ENTRIES]]
    return tuple(dict.fromkeys(name for name in names if any(word in name.lower() for word in words)))


def parse_firewall(text: str) -> tuple[str, ...]:
    """Return what filters packets."""
    lines = {line.strip() for line in lines_of(text)}
    return tuple(name for name in ("nftables", "iptables", "firewalld", "ufw") if name in lines)
