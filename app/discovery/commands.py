"""What a host is asked: read-only commands that need nothing but POSIX sh, or BusyBox.

Each may fail or be unknown on a host; what it prints is then empty, and the parsers make do without.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command
from app.domain.declared import declared

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
    "vxlan",
    "gre",
    "ip_gre",
    *dict.fromkeys(name for one in declared().values() for name in one.kernel_modules),
    "sch_netem",
    "sch_tbf",
    "tcp_bbr",
)
"""Modules that VPNs, probes and shaping use."""

DISK_PATHS = ("/", "/run", "/tmp")  # noqa: S108 - looked at, not written to

_TIMEOUT_S = 10.0
_MAX_BYTES = 262_144

# Users who are not root do not have these folders on their path, but the programs in them still tell their versions.
_PATH = (
    'PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"; export PATH; LC_ALL=C; export LC_ALL; '
)

# Built-in commands of the shell are used where they do: starting a program costs a small gateway tens of milliseconds.

_IDENTITY = 'uname -n; uname -r; uname -m; echo "${SUDO_USER:-${DOAS_USER:-$(id -un)}}"'

_OS_RELEASE = "cat /etc/os-release 2>/dev/null || cat /usr/lib/os-release"

# One line per interface: name|MAC|MTU|flags|speed. Source: Documentation/ABI/testing/sysfs-class-net.
_NICS = (
    "cd /sys/class/net || exit 1; "
    'get() { value=; { read -r value <"$1"; } 2>/dev/null; }; '
    'for n in *; do [ -d "$n" ] || continue; line=$n; '
    'for f in address mtu flags speed; do get "$n/$f"; line="$line|$value"; done; echo "$line"; done'
)

_ADDRESSES = "ip -o addr show 2>/dev/null || ifconfig -a"

_ROUTES = "ip -4 route show table all 2>/dev/null || cat /proc/net/route"

# protocol|hexadecimal local address:port|state. Source: proc_net(5); 0A is LISTEN, 07 an unconnected UDP socket.
_PORTS = (
    "for p in udp udp6 tcp tcp6; do [ -r /proc/net/$p ] || continue; "
    'while read -r _ local _ state _; do echo "$p|$local|$state"; done </proc/net/$p; done'
)

# Asking loads the module of that name, which would be a change: so only where it is there already.
_L2TP = "[ -d /sys/module/l2tp_netlink ] && ip l2tp show tunnel"

_VIRTUAL = (
    "systemd-detect-virt 2>/dev/null; [ ! -r /sys/class/dmi/id/sys_vendor ] || cat /sys/class/dmi/id/sys_vendor; "
    "[ ! -e /.dockerenv ] || echo docker"
)

_CPU_NAME = "f=/proc/device-tree/model; if [ -r $f ]; then tr -d '\\000' <$f; fi; echo; nproc 2>/dev/null; true"

_INIT = (
    "[ ! -d /run/systemd/system ] || { echo systemd; exit 0; }; [ ! -x /sbin/procd ] || echo procd; "
    '[ ! -d /run/openrc ] || echo openrc; { read -r comm </proc/1/comm; } 2>/dev/null && echo "comm $comm"; '
    'echo "init $(readlink -f /sbin/init 2>/dev/null)"; [ ! -d /etc/init.d ] || echo init.d'
)

_PACKAGE_MANAGER = "for m in apt-get dnf opkg pacman; do command -v $m >/dev/null 2>&1 && echo $m; done"

# First line: where it is; second: what that really is; then what it says of its version.
_TOOL = (
    'p=$(command -v "$1") || exit 127; echo "$p"; if [ -L "$p" ]; then readlink -f "$p"; else echo "$p"; fi; '
    '"$@" </dev/null 2>&1'
)

# One line per module that is there, in whatever way: loaded, built in, in a device's list, or to be loaded.
# Source: modules.dep(5), modprobe(8), Kbuild (modules.builtin). OpenWrt has no modules.dep, but a flat folder.
_MODULES = r"""
dir=/lib/modules/$(uname -r)
files=
for f in /proc/modules /proc/misc "$dir/modules.builtin" "$dir/modules.dep"; do [ ! -r "$f" ] || files="$files $f"; done
awk -v names="$*" '
  BEGIN { n = split(names, list, " "); for (i = 1; i <= n; i++) wanted[list[i]] = 1 }
  { name = FILENAME == "/proc/misc" ? $2 : $1
    sub(/:.*/, "", name); sub(/.*\//, "", name); sub(/\.ko.*/, "", name); gsub(/-/, "_", name) }
  name in wanted { print name }' $files
for n in "$@"; do
  if [ -d "/sys/module/$n" ] || [ -e "$dir/$n.ko" ] || [ -e "$dir/$n.ko.gz" ]; then echo "$n"; continue; fi
  [ -r "$dir/modules.dep" ] || ! modprobe -n -q "$n" >/dev/null 2>&1 || echo "$n"
done
true
"""

_APPARMOR = "cat /sys/kernel/security/apparmor/profiles 2>/dev/null || ls /etc/apparmor.d 2>/dev/null"

# /proc/net/ip_tables_names lists tables in use; nft would load its module, so it is asked only where that is there.
_FIREWALL = (
    '[ ! -d /sys/module/nf_tables ] || [ -z "$(nft list tables 2>/dev/null)" ] || echo nftables; '
    "for f in /proc/net/ip_tables_names /proc/net/ip6_tables_names; do "
    "{ read -r table <$f; } 2>/dev/null && echo iptables && break; done; "
    "for d in /sys/fs/cgroup /sys/fs/cgroup/systemd; do "
    "[ ! -d $d/system.slice/firewalld.service ] || echo firewalld; done; "
    "[ ! -r /etc/ufw/ufw.conf ] || ! grep -qi '^ENABLED=yes' /etc/ufw/ufw.conf || echo ufw; true"
)


def host_commands(*, as_root: bool) -> dict[str, Command]:
    """Return what every host is asked, by name and in order: the clock first, the processor's times first and last.

    Args:
        as_root: Whether root's rights are to be had: some things are hidden from others.
    """
    scripts = {
        "stat-before": "head -n 1 /proc/stat",
        "identity": _IDENTITY,
        "os-release": _OS_RELEASE,
        "cpuinfo": "cat /proc/cpuinfo",
        "cpu-name": _CPU_NAME,
        "meminfo": "cat /proc/meminfo",
        "loadavg": "cat /proc/loadavg",
        "virtual": _VIRTUAL,
        "nics": _NICS,
        "addresses": _ADDRESSES,
        "routes": _ROUTES,
        "ports": _PORTS,
        "l2tp": _L2TP,
        "init": _INIT,
        "package-manager": _PACKAGE_MANAGER,
        "apparmor": _APPARMOR,
        "firewall": _FIREWALL,
    }
    commands = {"clock": _command(("date", "-u", "+%s.%N"), as_root=as_root)}
    commands |= {name: _command(shell_step_argv(_PATH + text), as_root=as_root) for name, text in scripts.items()}
    commands["modules"] = _command(shell_step_argv(_PATH + _MODULES, *KERNEL_MODULES), as_root=as_root)
    commands["disk"] = _command(("df", "-P", "-k", *DISK_PATHS), as_root=as_root)
    for name, arguments in TOOL_VERSION_ARGUMENTS.items():
        commands[f"tool-{name}"] = _command(shell_step_argv(_PATH + _TOOL, name, *arguments), as_root=as_root)
    return commands


def last_commands(*, as_root: bool) -> dict[str, Command]:
    """Return what is asked when everything else has been."""
    return {"stat-after": _command(("head", "-n", "1", "/proc/stat"), as_root=as_root)}


def _command(argv: tuple[str, ...], *, as_root: bool) -> Command:
    return Command(argv, timeout_s=_TIMEOUT_S, is_root=as_root, max_output_bytes=_MAX_BYTES)
