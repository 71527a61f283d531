"""Parsers of hosts' output. Texts marked as synthetic were written for the test, in their sources' form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.discovery.parse_network import parse_addresses, parse_l2tp, parse_nics, parse_ports, parse_routes
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
from app.discovery.text import MAX_ENTRIES, MAX_NAME, clean
from app.domain.commands import CommandResult
from app.domain.hosts import InitSystem, Nic, PackageManager, Tool, ToolFlavour

# --- system -----------------------------------------------------------------------------------------------------------

_OPENWRT_OS = 'NAME="OpenWrt"\nVERSION="23.05.3"\nID="openwrt"\nID_LIKE="lede openwrt"\nPRETTY_NAME="OpenWrt 23.05.3"\n'
_ARCH_OS = "NAME='Arch Linux'\nPRETTY_NAME='Arch Linux'\nID=arch\nBUILD_ID=rolling\n"
# Synthetic: fields and their order as Linux' arch/arm64/kernel/cpuinfo.c and the Raspberry Pi kernel print them.
_PI_64 = (
    "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd evtstrm crc32 cpuid\nCPU implementer\t: 0x41\n"
    "CPU part\t: 0xd08\n\nprocessor\t: 1\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd evtstrm crc32 cpuid\n\n"
    "Revision\t: c03114\nSerial\t\t: 0000000000000000\nModel\t\t: Raspberry Pi 4 Model B Rev 1.4\n"
)
_PI_32 = (
    "processor\t: 0\nmodel name\t: ARMv7 Processor rev 4 (v7l)\nBogoMIPS\t: 38.40\n"
    "Features\t: half thumb fastmult vfp edsp neon vfpv3 tls vfpv4 idiva idivt vfpd32 lpae evtstrm crc32\n\n"
    "Hardware\t: BCM2835\nModel\t\t: Raspberry Pi 3 Model B Plus Rev 1.3\n"
)
_ARM_CRYPTO = "processor\t: 0\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32\n"
_MIPS = "system type\t\t: MediaTek MT7621 ver:1 eco:3\nprocessor\t\t: 0\ncpu model\t\t: MIPS 1004Kc V2.15\n"
_X86 = "processor\t: 0\nmodel name\t: Intel(R) Atom(TM) CPU E3845\nflags\t\t: fpu sse2 aes lm pclmulqdq\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (_OPENWRT_OS, ("openwrt", "OpenWrt 23.05.3")),
        (_ARCH_OS, ("arch", "Arch Linux")),
        ("ID=yocto\nNAME=Poky\n", ("yocto", "Poky")),
        ("", ("", "")),
        ("ID=\x1b[31mred\x00\n", ("[31mred", "")),
    ],
)
def test_os_release(text: str, expected: tuple[str, str]) -> None:
    assert parse_os_release(text) == expected


@pytest.mark.parametrize(
    ("cpuinfo", "names", "model", "count", "flags"),
    [
        (_X86, "\n4\n", "Intel(R) Atom(TM) CPU E3845", 4, ("aes", "pclmulqdq")),
        (_X86, "", "Intel(R) Atom(TM) CPU E3845", 1, ("aes", "pclmulqdq")),
        (_PI_64, "Raspberry Pi 4 Model B Rev 1.4\n\n", "Raspberry Pi 4 Model B Rev 1.4", 2, ("asimd",)),
        (_PI_32, "\n4\n", "Raspberry Pi 3 Model B Plus Rev 1.3", 4, ("neon",)),
        (_ARM_CRYPTO, "Some board\n8\n", "Some board", 8, ("aes", "asimd", "pmull")),
        (_MIPS, "\n2\n", "MIPS 1004Kc V2.15", 2, ()),
        ("", "", "", 1, ()),
        ("model name\t: \n", "\n-3\n", "", 1, ()),
    ],
)
def test_cpu(cpuinfo: str, names: str, model: str, count: int, flags: tuple[str, ...]) -> None:
    cpu = parse_cpu(cpuinfo, names)
    assert (cpu.model, cpu.count, cpu.flags) == (model, count, flags)


def test_a_flag_is_a_whole_word() -> None:
    assert parse_cpu("flags\t: vaes avx512_bf16 sha_ni2\n", "").flags == ()


def test_memory_with_and_without_the_kernels_estimate() -> None:
    new = "MemTotal:         603072 kB\nMemFree:          492060 kB\nMemAvailable:     478300 kB\n"
    old = "MemTotal:   126976 kB\nMemFree:    2048 kB\nBuffers:    1024 kB\nCached:     3072 kB\n"
    assert parse_memory_mib(new) == (588, 467)
    assert parse_memory_mib(old) == (124, 6)
    assert parse_memory_mib("MemTotal: -5 kB\nMemFree: x\n") == (0, 0)


@pytest.mark.parametrize(
    ("text", "cpuinfo", "expected"),
    [
        ("qemu\nQEMU\n", "", True),
        ("none\nDell Inc.\n", "flags: fpu", False),
        ("", "flags\t: fpu hypervisor\n", True),
        ("innotek GmbH\n", "", True),
        ("Xenon Systems\n", "", False),
        ("", "", False),
    ],
)
def test_virtual(text: str, cpuinfo: str, expected: bool) -> None:
    assert parse_is_virtual(text, cpuinfo) is expected


def test_load_and_steal() -> None:
    assert parse_load("1.29 2.72 1.93 1/77 3893\n") == 1.29
    assert parse_load("rubbish") == 0.0
    before = "cpu  100 0 100 700 0 0 0 100 0 0"
    after = "cpu  150 0 150 750 0 0 0 150 30 0"
    assert parse_steal_pct(before, after) == 25.0
    assert parse_steal_pct(after, before) == 0.0
    assert parse_steal_pct("cpu 1 2", after) == 0.0
    assert parse_steal_pct("", "") == 0.0


@pytest.mark.parametrize(
    ("printed", "offset_ms", "error_ms"),
    [
        ("1000.500000000\n", 400.0, 100.0),
        ("1000.5\n", 400.0, 100.0),
        ("1000.%N\n", 400.0, 600.0),  # BusyBox without nanoseconds: some time within the second
        ("1000\n", 400.0, 600.0),
    ],
)
def test_clock_offset_is_bracketed(printed: str, offset_ms: float, error_ms: float) -> None:
    found = parse_clock_offset_ms(printed, 1000.0, 1000.2)
    assert found is not None
    assert found == pytest.approx((offset_ms, error_ms))


@pytest.mark.parametrize("printed", ["", "date: invalid option", "-5", "１２３", "99999999999999999999"])
def test_a_clock_that_says_no_time_is_unknown(printed: str) -> None:
    assert parse_clock_offset_ms(printed, 1.0, 2.0) is None


def test_our_own_clock_stepping_back_meanwhile_makes_the_offset_unknown() -> None:
    assert parse_clock_offset_ms("1000.5", 1000.0, 999.0) is None


@given(st.floats(0, 3e9), st.floats(-1e6, 1e6), st.floats(0, 30), st.floats(0, 1))
def test_the_true_offset_lies_within_the_error(start_s: float, offset_s: float, trip_s: float, when: float) -> None:
    host_s = start_s + trip_s * when + offset_s
    if host_s < 0:
        return
    found = parse_clock_offset_ms(f"{host_s:.9f}", start_s, start_s + trip_s)
    assert found is not None
    assert abs(found[0] - offset_s * 1000) <= found[1] + 0.01
    whole = parse_clock_offset_ms(f"{int(host_s)}.%N", start_s, start_s + trip_s)
    assert whole is not None
    assert abs(whole[0] - offset_s * 1000) <= whole[1] + 0.01


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("systemd\n", InitSystem.SYSTEMD),
        ("procd\ncomm procd\ninit /sbin/procd\ninit.d\n", InitSystem.PROCD),
        ("openrc\ncomm init\ninit /sbin/openrc-init\ninit.d\n", InitSystem.OPENRC),
        ("comm init\ninit /bin/busybox\ninit.d\n", InitSystem.BUSYBOX),
        ("comm init\ninit /sbin/init\ninit.d\n", InitSystem.SYSV),
        ("comm bash\ninit \n", InitSystem.UNKNOWN),
        ("", InitSystem.UNKNOWN),
    ],
)
def test_init(text: str, expected: InitSystem) -> None:
    assert parse_init(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apt-get\n", PackageManager.APT),
        ("apt-get\ndnf\n", PackageManager.APT),
        ("dnf\n", PackageManager.DNF),
        ("opkg\n", PackageManager.OPKG),
        ("pacman\n", PackageManager.PACMAN),
        ("", PackageManager.NONE),
        ("apt-get: not found\n", PackageManager.NONE),
    ],
)
def test_package_manager(text: str, expected: PackageManager) -> None:
    assert parse_package_manager(text) is expected


def test_free_space_is_that_of_the_file_system_a_path_lies_on() -> None:
    text = (
        "Filesystem     1024-blocks   Used Available Capacity Mounted on\n"
        "/dev/vda           1992552 270908   1600404      15% /\n"
        "tmpfs                60308   4416     55892       8% /run\n"
    )
    assert parse_disk_mib(text, ("/", "/run", "/tmp")) == {"/": 1562, "/run": 54, "/tmp": 1562}
    assert parse_disk_mib("", ("/",)) == {}
    assert parse_disk_mib("Filesystem\noverlay -5 x x 9% /\n", ("/",)) == {"/": 0}


def test_apparmor_profiles_of_vpn_programs() -> None:
    kernel = "/usr/sbin/openvpn (enforce)\nlsb_release (enforce)\n/usr/lib/ipsec/charon (complain)\n"
    words = ("openvpn", "charon")
    assert parse_apparmor(kernel, words) == ("/usr/sbin/openvpn", "/usr/lib/ipsec/charon")
    assert parse_apparmor("local\nopenvpn\n", words) == ("openvpn",)


def test_firewall() -> None:
    assert parse_firewall("ufw\nnftables\nsomething\n") == ("nftables", "ufw")


# --- network ----------------------------------------------------------------------------------------------------------

_IP_O = (
    "1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever\n"
    "2: eth0    inet 192.0.2.2/24 brd 192.0.2.255 scope global eth0\\       valid_lft forever\n"
    "2: eth0    inet6 fe80::fc:ff:fe00:1/64 scope link \\       valid_lft forever preferred_lft forever\n"
    "3: eth0.5@eth0    inet 10.5.0.1/16 scope global eth0.5\\       valid_lft forever\n"
    "4: ppp0    inet 10.64.64.64 peer 10.112.112.112/32 scope global ppp0\\       valid_lft forever\n"
)
# As BusyBox 1.35 printed it.
_BUSYBOX_IFCONFIG = """eth0      Link encap:Ethernet  HWaddr 02:FC:00:00:00:01
          inet addr:192.0.2.2  Bcast:192.0.2.255  Mask:255.255.255.0
          inet6 addr: fe80::fc:ff:fe00:1/64 Scope:Link
          UP BROADCAST RUNNING MULTICAST  MTU:1400  Metric:1

lo        Link encap:Local Loopback
          inet addr:127.0.0.1  Mask:255.0.0.0
          inet6 addr: ::1/128 Scope:Host
"""
# Synthetic: net-tools 2's form.
_NET_TOOLS_IFCONFIG = """eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500
        inet 192.0.2.2  netmask 255.255.255.0  broadcast 192.0.2.255
        inet6 fe80::fc:ff:fe00:1  prefixlen 64  scopeid 0x20<link>
"""


def test_addresses_from_ip_and_from_ifconfig() -> None:
    found = parse_addresses(_IP_O)
    assert found == {
        "lo": ["127.0.0.1/8"],
        "eth0": ["192.0.2.2/24", "fe80::fc:ff:fe00:1/64"],
        "eth0.5": ["10.5.0.1/16"],
        "ppp0": ["10.64.64.64/32"],
    }
    assert parse_addresses(_BUSYBOX_IFCONFIG) == {"eth0": found["eth0"], "lo": ["127.0.0.1/8", "::1/128"]}
    assert parse_addresses(_NET_TOOLS_IFCONFIG) == {"eth0": found["eth0"]}


def test_nics() -> None:
    text = (
        "eth0|52:54:00:54:4d:a0|1500|0x1003|1000\neth0.5|52:54:00:54:4d:a0|1500|0x1002|-1\n"
        "lo|00:00:00:00:00:00|65536|0x9|\nbroken\n|||\nx|y|-5|0xzz|99999999999999999999\n"
    )
    assert parse_nics(text, _IP_O) == (
        Nic("eth0", "52:54:00:54:4d:a0", 1500, 1000, is_up=True, addresses=("192.0.2.2/24", "fe80::fc:ff:fe00:1/64")),
        Nic("eth0.5", "52:54:00:54:4d:a0", 1500, None, is_up=False, addresses=("10.5.0.1/16",)),
        Nic("lo", "", 65536, None, is_up=True, addresses=("127.0.0.1/8",)),
        Nic("x", "y", 0, None, is_up=False),
    )


def test_routes_from_ip_and_from_the_kernels_table() -> None:
    text = (
        "default via 192.0.2.1 dev eth0 \n192.0.2.0/24 dev eth0 scope link\nunreachable 198.18.0.0/16 metric 5\n"
        "local 127.0.0.0/8 dev lo table local\n10.9.0.1 dev tun0\nrubbish in a line\n"
    )
    assert parse_routes(text) == ("192.0.2.0/24", "198.18.0.0/16", "127.0.0.0/8", "10.9.0.1/32")
    kernel = (
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
    )
    assert parse_routes(kernel) == ("192.0.2.0/24",)


def test_ports_in_use() -> None:
    text = (
        "udp|local_address|st\nudp|00000000:52CA|07\nudp|0100007F:1234|01\nudp6|00000000000000000000000000000000:0222|07\n"
        "tcp|0100007F:0016|0A\ntcp|0F02000A:0016|01\ntcp6|00000000000000000000000000000000:0016|0A\nrubbish|x|y\n"
    )
    assert parse_ports(text) == ("tcp/22", "udp/546", "udp/21194")


def test_l2tp_tunnels() -> None:
    text = "Tunnel 7301, encap IP\n  From 192.0.2.1 to 192.0.2.2\n  Peer tunnel 7301\nTunnel 5, encap UDP\n"
    assert parse_l2tp(text) == (5, 7301)


# --- tools, modules ---------------------------------------------------------------------------------------------------


def _reported(stdout: str, exit_status: int | None = 0) -> CommandResult:
    return CommandResult(("x",), exit_status, stdout, "", 0.0)


_BUSYBOX_PING = "ping: invalid option -- 'V'\nBusyBox v1.35.0 (Debian 1:1.35.0-4) multi-call binary.\n\nUsage: ping\n"


@pytest.mark.parametrize(
    ("name", "paths", "reported", "flavour", "version"),
    [
        ("ping", "/bin/ping\n/bin/ping\n", "ping from iputils 20240905\n", ToolFlavour.IPUTILS, "20240905"),
        ("ping", "/bin/ping\n/bin/ping\n", "ping utility, iputils-s20161105\n", ToolFlavour.IPUTILS, "s20161105"),
        ("ping", "/bin/ping\n/bin/busybox\n", _BUSYBOX_PING, ToolFlavour.BUSYBOX, "1.35.0"),
        ("ping", "/bin/ping\n/bin/busybox\n", "", ToolFlavour.BUSYBOX, ""),
        ("ping", "ping\nping\n", _BUSYBOX_PING, ToolFlavour.BUSYBOX, "1.35.0"),
        ("ping", "/bin/ping\n/bin/ping\n", "ping (GNU inetutils) 2.4\n", ToolFlavour.UNKNOWN, ""),
        ("iperf3", "/bin/iperf3\n/bin/iperf3\n", "iperf 3.18 (cJSON 1.7.15)\n", ToolFlavour.STANDARD, "3.18"),
        ("ip", "/sbin/ip\n/bin/ip\n", "ip utility, iproute2-ss200127\n", ToolFlavour.STANDARD, "200127"),
        ("tcpdump", "", "", ToolFlavour.MISSING, ""),
    ],
)
def test_tools(name: str, paths: str, reported: str, flavour: ToolFlavour, version: str) -> None:
    path = paths.split("\n", maxsplit=1)[0] if paths.startswith("/") else ""
    assert parse_tool(name, _reported(paths + reported)) == Tool(name, flavour, version, path)


def test_a_tool_that_was_not_reached_is_missing() -> None:
    assert parse_tool("ping", _reported("/bin/ping\n", None)).flavour is ToolFlavour.MISSING


def test_modules_under_either_spelling_in_our_order() -> None:
    assert parse_modules("l2tp-eth\ntun\nl2tp_eth\nother\n", ("tun", "wireguard", "l2tp_eth")) == ("tun", "l2tp_eth")


# --- whatever a host prints -------------------------------------------------------------------------------------------

_WORDS = (
    *("1: ", "eth0", " inet ", "inet6 addr: ", "::1/", "/", "300.1.2.3/99", "|", "0x", "flags: ", "processor: ", "\n"),
    *("cpu ", "9" * 40, "-", ".", "\x00", "２", "default ", "BusyBox v", "Mask:", "peer ", "0A", ":", "=", "0" * 8),
)
_noise = st.text(st.characters(codec="utf-8"), max_size=300) | st.lists(st.sampled_from(_WORDS)).map("".join)


@given(_noise, _noise)
def test_parsers_take_anything(one: str, other: str) -> None:
    parse_os_release(one)
    parse_cpu(one, other)
    total, available = parse_memory_mib(one)
    assert total >= 0
    assert available >= 0
    parse_is_virtual(one, other)
    assert parse_load(one) >= 0
    assert 0 <= parse_steal_pct(one, other) <= 100
    parse_clock_offset_ms(one, 0.0, 1.0)
    parse_init(one)
    parse_package_manager(one)
    parse_disk_mib(one, ("/", "/run"))
    parse_firewall(one)
    for nic in parse_nics(one, other):
        assert 0 <= nic.mtu_bytes < 2**31
    parse_addresses(one)
    parse_routes(one)
    parse_ports(one)
    parse_l2tp(one)
    parse_tool("ping", _reported(one))
    parse_modules(one, ("tun",))
    assert all(len(name) <= MAX_NAME for name in parse_apparmor(one, ("",)))


@given(_noise)
def test_cleaned_text_is_short_and_on_one_line(text: str) -> None:
    found = clean(text)
    assert len(found) <= MAX_NAME
    assert found.isprintable()


def test_a_host_that_prints_without_end_gives_bounded_values() -> None:
    many = 20_000
    assert len(parse_nics("".join(f"n{i}|x|1500|0x1|\n" for i in range(many)), "")) <= MAX_ENTRIES
    assert len(parse_routes("".join(f"10.{i // 256}.{i % 256}.0/24 dev x\n" for i in range(many)))) <= MAX_ENTRIES
    lines = "".join(f"1: eth0    inet 10.{i // 256}.{i % 256}.1/8\n" for i in range(many))
    assert len(parse_addresses(lines)["eth0"]) <= 64
    assert len(parse_ports("".join(f"udp|00000000:{i:04X}|07\n" for i in range(many)))) <= MAX_ENTRIES
    assert len(parse_apparmor("openvpn (enforce)\n" * many, ("openvpn",))) == 1
    assert len(parse_cpu("model name: " + "x" * 10**6, "").model) <= MAX_NAME
