"""Inspection of a host: recorded, on this computer, and on one that has nothing but BusyBox."""

from __future__ import annotations

import json
import os
import platform
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.discovery import discover_host, discover_pair
from app.discovery.commands import KERNEL_MODULES, host_commands, last_commands
from app.discovery.messages import NO_LINUX_HOST
from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, SessionPair, Stream
from app.domain.errors import Cancelled, CommandFailed, PrivilegeMissing
from app.domain.hosts import (
    HostFacts,
    InitSystem,
    MissingPart,
    PackageManager,
    Privilege,
    SolutionSupport,
    ToolFlavour,
)
from app.storage.codec import from_json, to_json
from support.busybox_root import chroot_shell, make_busybox_root, needs_busybox
from support.local_session import LocalSession
from support.message_checks import has_message

_RECORDED = Path(__file__).parents[1] / "recorded"


class RecordedSession(LocalSession):
    """Answers with a host's recorded output, whatever the order of the questions."""

    def __init__(self, name: str, privilege: Privilege = Privilege.ROOT, **changed: str) -> None:
        super().__init__(privilege=privilege)
        reported = json.loads((_RECORDED / f"{name}.json").read_text(encoding="utf-8"))
        reported |= {key.replace("_", "-"): {"exit_status": 0, "stdout": text} for key, text in changed.items()}
        self.batches: list[tuple[Command, ...]] = []
        self.clock_s = 1_000_000.0
        self._answers: dict[tuple[str, ...], dict[str, object]] = {}
        for as_root in (True, False):
            asked = host_commands(as_root=as_root) | last_commands(as_root=as_root)
            self._answers |= {asked[key].argv: answer for key, answer in reported.items()}

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock_s, UTC)

    def run_batch(
        self,
        commands: Sequence[Command],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        token.raise_if_cancelled()
        self.batches.append(tuple(commands))
        if self.privilege is not Privilege.ROOT and any(command.is_root for command in commands):
            raise PrivilegeMissing("sudo refused the password 3 times.")
        results = []
        for index, command in enumerate(commands):
            answer = self._answers.get(command.argv, {"exit_status": 0, "stdout": f"answer {index}\n"})
            self.clock_s += 0.25
            for line in str(answer["stdout"]).splitlines():
                if on_line is not None:
                    on_line(index, Stream.STDOUT, line)
            status = answer["exit_status"]
            assert isinstance(status, int)
            results.append(CommandResult(command.argv, status, str(answer["stdout"]), "", 0.25))
        return tuple(results)


class AskingAdapter:
    """An adapter of which only discovery is used."""

    def __init__(self, name: str, commands: Mapping[str, Command], missing: tuple[MissingPart, ...] = ()) -> None:
        self.name = name
        self.commands = commands
        self.missing = missing
        self.got: Mapping[str, CommandResult] = {}

    def discovery(self) -> Mapping[str, Command]:
        return self.commands

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        self.got = outputs
        return SolutionSupport(self.name, is_available=not self.missing, missing=self.missing)


def _discover(session: LocalSession, *adapters: AskingAdapter) -> HostFacts:
    asked: dict[str, Adapter] = {adapter.name: adapter for adapter in adapters}  # type: ignore[dict-item, misc]
    now = session.now if isinstance(session, RecordedSession) else lambda: datetime.now(UTC)
    return discover_host(session, asked, token=CancelToken(), now=now)


# --- recorded ---------------------------------------------------------------------------------------------------------


def test_debian_13_as_recorded() -> None:
    facts = _discover(RecordedSession("discovery-debian-13"))
    assert (facts.hostname, facts.os_id, facts.os_name) == ("gateway-a", "debian", "Debian GNU/Linux 13 (trixie)")
    assert (facts.kernel, facts.architecture) == ("6.12.107+deb13-cloud-amd64", "x86_64")
    assert facts.cpu_model == "QEMU TCG CPU version 2.5+"
    assert facts.cpu_count == 1
    assert facts.has_aes_instructions
    assert facts.is_virtual
    assert facts.memory_total_mib == 588
    assert {nic.name: nic.addresses for nic in facts.nics} == {
        "eth0": ("10.0.2.15/24",),
        "eth1": ("192.0.2.1/24",),
        "lo": ("127.0.0.1/8", "::1/128"),
    }
    assert facts.init_system is InitSystem.SYSTEMD
    assert facts.privilege is Privilege.ROOT
    assert facts.user == "root"
    assert facts.package_manager is PackageManager.APT
    assert {name: (tool.flavour, tool.version) for name, tool in facts.tools.items()} == {
        "ping": (ToolFlavour.IPUTILS, "20240905"),
        "iperf3": (ToolFlavour.STANDARD, "3.18"),
        "tcpdump": (ToolFlavour.STANDARD, "4.99.5"),
        "ip": (ToolFlavour.STANDARD, "6.15.0"),
        "ethtool": (ToolFlavour.STANDARD, "6.14.2"),
        "openssl": (ToolFlavour.STANDARD, "3.5.7"),
        "nft": (ToolFlavour.STANDARD, "1.1.3"),
    }
    assert set(KERNEL_MODULES) - set(facts.kernel_modules) == {"ppp_generic", "ovpn", "ovpn_dco_v2"}
    assert facts.disk_free_mib == {"/": 1562, "/run": 54, "/tmp": 294}
    assert facts.load_1min == 1.29
    assert facts.steal_pct == 0.0
    assert facts.routes[:2] == ("10.0.2.0/24", "192.0.2.0/24")
    assert facts.ports_in_use == ("tcp/22",)
    assert facts.missing == ()
    assert from_json(HostFacts, to_json(facts)) == facts


def test_the_clock_is_bracketed_by_the_first_answer() -> None:
    session = RecordedSession("discovery-debian-13", clock="1000010.125000000\n")
    facts = _discover(session)
    assert facts.clock_offset_ms == pytest.approx(10_000.0)
    assert facts.clock_error_ms == pytest.approx(125.0)
    assert facts.collected_at == datetime.fromtimestamp(1_000_000.25, UTC)


def test_a_host_without_a_clock_has_an_unknown_one() -> None:
    facts = _discover(RecordedSession("discovery-debian-13", clock="date: not found\n"))
    assert facts.clock_error_ms > 1e6


def test_everything_is_asked_in_one_batch_and_nothing_is_asked_twice() -> None:
    shared = Command(("program", "--version"), is_root=True)
    udp = AskingAdapter("openvpn-udp", {"version": shared, "own": Command(("a",))})
    tcp = AskingAdapter("openvpn-tcp", {"version": shared})
    session = RecordedSession("discovery-debian-13")
    facts = _discover(session, udp, tcp)
    (batch,) = session.batches
    assert batch.count(shared) == 1
    assert set(udp.got) == {"version", "own"}
    assert set(tcp.got) == {"version"}
    assert udp.got["version"].argv == shared.argv
    assert tcp.got["version"] == udp.got["version"]
    assert udp.got["own"].stdout != udp.got["version"].stdout
    assert set(facts.solutions) == {"openvpn-udp", "openvpn-tcp"}


def test_further_programs_are_asked_about_in_the_same_batch_and_are_not_missed() -> None:
    session = RecordedSession("discovery-debian-13")
    facts = discover_host(session, {}, token=CancelToken(), now=session.now, programs=("python3", "ping"))
    assert len(session.batches) == 1
    asked = host_commands(as_root=True, programs=("python3",))["tool-python3"]
    assert asked in session.batches[0]
    assert asked.argv[-2:] == ("python3", "--version")
    assert facts.tools["ping"].version == "20240905", "it is asked as always"
    assert "python3" in facts.tools
    assert "python3" not in discover_host(session, {}, token=CancelToken(), now=session.now).tools
    assert "python3" not in {part.what for part in facts.missing}


def test_missing_parts_get_the_package_of_this_hosts_package_manager() -> None:
    parts = (MissingPart("openvpn", "openvpn-udp"), MissingPart("magic", "openvpn-udp"), MissingPart("x", "y", "given"))
    adapter = AskingAdapter("openvpn-udp", {}, parts)
    session = RecordedSession("discovery-debian-13", tool_iperf3="", tool_ip="", tool_nft="", package_manager="opkg\n")
    facts = _discover(session, adapter)
    assert facts.missing == (
        MissingPart("iperf3", "throughput", "iperf3"),
        MissingPart("ip", "every solution", "ip-full"),
        MissingPart("openvpn", "openvpn-udp", "openvpn-openssl"),
        MissingPart("magic", "openvpn-udp", ""),
        MissingPart("x", "y", "given"),
    )
    assert facts.solutions["openvpn-udp"].missing == facts.missing[2:]


@pytest.mark.parametrize("privilege", [Privilege.SUDO_PASSWORD, Privilege.NONE])
def test_without_roots_rights_it_inspects_at_what_it_may(privilege: Privilege) -> None:
    adapter = AskingAdapter("x", {"secret": Command(("cat", "/etc/x"), is_root=True)})
    facts = _discover(RecordedSession("discovery-debian-13", privilege), adapter)
    assert facts.privilege is Privilege.NONE
    assert facts.os_id == "debian"
    assert adapter.got["secret"].is_ok


@pytest.mark.parametrize("reported", ["", "Welcome to RouterOS\n", "bad command name uname\n"])
def test_what_does_not_answer_as_linux_does_is_reported(reported: str) -> None:
    with pytest.raises(CommandFailed, check=has_message(NO_LINUX_HOST)) as caught:
        _discover(RecordedSession("discovery-debian-13", identity=reported))
    assert caught.value.hint


def test_both_hosts_are_inspected_and_cancelling_stops_it() -> None:
    pair = SessionPair(
        RecordedSession("discovery-debian-13"),
        RecordedSession("discovery-debian-13", identity="gateway-b\n6.12\nx86_64\nroot\n"),
    )
    a, b = discover_pair(pair, {}, token=CancelToken())
    assert (a.hostname, b.hostname) == ("gateway-a", "gateway-b")
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        discover_pair(pair, {}, token=token)


# --- this computer ----------------------------------------------------------------------------------------------------


def _is_this_computer(facts: HostFacts) -> None:
    assert facts.hostname == platform.node()
    assert facts.kernel == platform.release()
    assert facts.architecture == platform.machine()
    assert facts.cpu_count == len(os.sched_getaffinity(0))
    cpuinfo = Path("/proc/cpuinfo").read_text()
    assert facts.has_aes_instructions == (" aes " in cpuinfo)
    assert facts.cpu_model in cpuinfo
    total_mib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    assert abs(facts.memory_total_mib - total_mib) <= 1
    nics = {nic.name: nic for nic in facts.nics}
    assert set(nics) == {name for _, name in socket.if_nameindex()}
    for name, nic in nics.items():
        assert nic.mtu_bytes == int(Path(f"/sys/class/net/{name}/mtu").read_text())
    assert nics["lo"].is_up
    assert "127.0.0.1/8" in nics["lo"].addresses
    assert abs(facts.clock_offset_ms) <= facts.clock_error_ms + 1
    assert 0 <= facts.steal_pct <= 100
    assert facts.load_1min < 1000


def test_this_computer_is_found_as_it_is() -> None:
    before = time.time()
    facts = _discover(LocalSession())
    _is_this_computer(facts)
    assert abs(facts.collected_at.timestamp() - before) < 60
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    assert facts.os_name == release["PRETTY_NAME"].strip('"')
    stat = os.statvfs("/")
    assert facts.disk_free_mib["/"] == pytest.approx(stat.f_bavail * stat.f_frsize / 2**20, rel=0.05)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert f"tcp/{port}" in _discover(LocalSession()).ports_in_use
    assert f"tcp/{port}" not in _discover(LocalSession()).ports_in_use


def test_nothing_is_changed_by_inspecting() -> None:
    """No file of the system is written or made: the folders that commands could reach are as they were."""

    def state() -> dict[str, int]:
        paths = [*Path("/etc").iterdir(), *Path("/usr/sbin").iterdir(), *Path("/etc/apparmor.d").glob("*")]
        return {str(path): path.lstat().st_mtime_ns for path in paths if path.name != "mtab"}

    modules = Path("/proc/modules").read_text() if Path("/proc/modules").exists() else ""
    before = state()
    _discover(LocalSession())
    assert state() == before
    if modules:
        now = Path("/proc/modules").read_text()
        assert {line.split()[0] for line in now.splitlines()} <= {line.split()[0] for line in modules.splitlines()}


# --- nothing but BusyBox ----------------------------------------------------------------------------------------------


@pytest.fixture
def busybox(tmp_path: Path) -> LocalSession:
    return LocalSession(chroot_shell(make_busybox_root(tmp_path / "root")))


@needs_busybox
def test_a_host_with_nothing_but_busybox_is_found_as_it_is(busybox: LocalSession, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "etc" / "os-release").write_text('ID="openwrt"\nPRETTY_NAME="OpenWrt 23.05.3"\n')
    (root / "etc" / "init.d").mkdir()
    opkg = root / "bin" / "opkg"
    opkg.write_text("#!/bin/sh\nexit 1\n")
    opkg.chmod(0o755)
    modules = root / "lib" / "modules" / platform.release()
    modules.mkdir(parents=True)
    (modules / "l2tp_eth.ko").touch()
    facts = _discover(busybox)
    _is_this_computer(facts)
    assert (facts.os_id, facts.package_manager) == ("openwrt", PackageManager.OPKG)
    assert facts.tools["ping"].flavour is ToolFlavour.BUSYBOX
    assert facts.tools["ping"].version
    assert facts.tools["ip"].flavour is ToolFlavour.BUSYBOX
    assert facts.tools["iperf3"].flavour is ToolFlavour.MISSING
    assert "l2tp_eth" in facts.kernel_modules
    assert "wireguard" not in facts.kernel_modules
    assert facts.clock_error_ms > 500  # BusyBox' date gives whole seconds
    assert MissingPart("iperf3", "throughput", "iperf3") in facts.missing
    assert "/" in facts.disk_free_mib
    assert any("/" in route for route in facts.routes)


@needs_busybox
def test_without_ip_the_addresses_come_from_ifconfig(busybox: LocalSession, tmp_path: Path) -> None:
    with_ip = _discover(busybox)
    for folder in ("bin", "sbin"):
        (tmp_path / "root" / folder / "ip").unlink(missing_ok=True)
    facts = _discover(busybox)
    assert facts.tools["ip"].flavour is ToolFlavour.MISSING
    by_name = {nic.name: set(nic.addresses) for nic in facts.nics}
    assert by_name == {nic.name: set(nic.addresses) for nic in with_ip.nics}
    assert set(facts.routes) <= set(with_ip.routes)
    assert MissingPart("ip", "every solution", "") in facts.missing


@needs_busybox
def test_modules_are_found_wherever_the_kernel_lists_them(busybox: LocalSession, tmp_path: Path) -> None:
    folder = tmp_path / "root" / "lib" / "modules" / platform.release()
    folder.mkdir(parents=True)
    (folder / "modules.dep").write_text("kernel/drivers/net/wireguard.ko.xz: kernel/x.ko\nkernel/macsec2.ko:\n")
    (folder / "modules.builtin").write_text("kernel/net/sched/sch-netem.ko\n")
    found = _discover(busybox).kernel_modules
    assert {"wireguard", "sch_netem"} <= set(found)
    assert "macsec" not in found


def test_results_do_not_depend_on_when_they_are_made() -> None:
    one = _discover(RecordedSession("discovery-debian-13"))
    two = _discover(RecordedSession("discovery-debian-13"))
    assert one == two
    assert replace(one, collected_at=one.collected_at + timedelta(seconds=1)) != one
