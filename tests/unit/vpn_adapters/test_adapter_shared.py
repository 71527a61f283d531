from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import PublicIdentity
from app.domain.commands import CommandResult
from app.domain.hosts import MissingPart, PackageManager, Side
from app.domain.link import Link
from app.domain.packages import PACKAGE_NAMES, package_for
from support.adapter_cases import facts, request
from vpn_adapters import baseline, l2tp
from vpn_adapters.shared import l2tpv3
from vpn_adapters.shared.discovering import missing_modules, modules_query
from vpn_adapters.shared.interfaces import mac_address
from vpn_adapters.shared.messages import KERNEL_MODULE_PART
from vpn_adapters.shared.rendering import one_line, public_value, render_file

LINK = Link("192.0.2.1", "192.0.2.2")


def test_hardware_addresses_are_local_unicast_and_differ() -> None:
    others = [
        LINK,
        replace(LINK, underlay_a="192.0.2.9"),
        replace(LINK, underlay_a="192.0.2.2", underlay_b="192.0.2.1"),
    ]
    addresses = [mac_address(link, side) for link in others for side in Side]
    assert len(set(addresses)) == len(addresses)
    assert all(re.fullmatch(r"02(:[0-9a-f]{2}){5}", address) for address in addresses)
    assert addresses == [mac_address(link, side) for link in others for side in Side]


def test_one_line_has_no_line_breaks() -> None:
    assert one_line("a\nb\r\x0bc\u2028d\x85e\x00f\tg") == "a b c d e f g"


def test_file_begins_with_its_header() -> None:
    assert render_file(("x\ny", ""), ["key value"]) == b"# x y\n#\nkey value\n"


def test_missing_identity_is_shown_as_such() -> None:
    assert public_value(PublicIdentity(), "public-key", Side.B) == "<public-key-of-b>"
    assert public_value(PublicIdentity({"public-key": "K"}), "public-key", Side.B) == "K"


def test_modules_of_this_machine_are_distinguished() -> None:
    module = next(iter(sorted(Path("/sys/module").iterdir()))).name
    argv = modules_query("tunnelmark_no_such_module", module).argv
    lines = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines()
    assert lines == ["tunnelmark_no_such_module missing", f"{module} loaded"]


class OtherKernel:
    """Files that `modules_query` reads, below a folder of its own.

    The kernel's own files are as they are in Linux 6.1: an empty /sys/module, and /proc/misc as recorded.
    """

    MISC = "235 autofs\n234 btrfs-control\n144 nvram\n 58 loop-control\n"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = root / "lib/modules" / os.uname().release
        for folder in ("sys/module", "proc", "dev/net"):
            (root / folder).mkdir(parents=True)
        (root / "proc/misc").write_text(self.MISC)

    def ask(self, shell: tuple[str, ...], *modules: str) -> CommandResult:
        _, flag, script, *rest = modules_query(*modules).argv
        for place in ("/sys/module/", "/lib/modules/", "/proc/misc", "/dev/net/tun"):
            assert place in script
            script = script.replace(place, f"{self.root}{place}")
        made = subprocess.run(
            [*shell, flag, script, *rest], check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}
        )
        assert made.stderr == ""
        return CommandResult(("sh",), 0, made.stdout, "", 0.1)


SHELLS = [pytest.param(("dash",), id="dash"), pytest.param(("busybox", "sh"), id="busybox")]


@pytest.fixture
def kernel(tmp_path: Path) -> OtherKernel:
    return OtherKernel(tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
class TestModulesOfOtherKernels:
    def test_without_module_files_a_driver_at_work_is_there(self, shell: tuple[str, ...], kernel: OtherKernel) -> None:
        assert [part.what for part in self.missing(kernel, shell)] == [
            KERNEL_MODULE_PART(module=one) for one in ("tun", "wireguard")
        ]
        (kernel.root / "proc/misc").write_text(f"200 tun\n{kernel.MISC}")
        (kernel.root / "sys/module/wireguard").mkdir()
        assert kernel.ask(shell, "tun", "wireguard").stdout == "tun working\nwireguard loaded\n"
        assert self.missing(kernel, shell) == ()

    def test_a_device_of_another_name_is_another(self, shell: tuple[str, ...], kernel: OtherKernel) -> None:
        (kernel.root / "proc/misc").write_text("200 vtun\n 10 tunnel\n")
        assert kernel.ask(shell, "tun").stdout == "tun missing\n"

    def test_a_container_has_no_more_than_the_device(self, shell: tuple[str, ...], kernel: OtherKernel) -> None:
        (kernel.root / "proc/misc").unlink()
        device = kernel.root / "dev/net/tun"
        device.touch()
        assert kernel.ask(shell, "tun").stdout == "tun missing\n"
        device.unlink()
        device.symlink_to("/dev/null")  # any character device
        assert kernel.ask(shell, "tun").stdout == "tun working\n"

    def test_files_of_modules(self, shell: tuple[str, ...], kernel: OtherKernel) -> None:
        kernel.modules.mkdir(parents=True)
        (kernel.modules / "modules.builtin").write_text("kernel/drivers/net/tun.ko\n")
        (kernel.modules / "modules.dep").write_text("kernel/net/l2tp/l2tp_eth.ko.xz: kernel/net/l2tp/l2tp_core.ko.xz\n")
        (kernel.modules / "wireguard.ko").touch()
        assert kernel.ask(shell, "tun", "l2tp_eth", "wireguard", "macsec").stdout.splitlines() == [
            "tun built-in",
            "l2tp_eth loadable",
            "wireguard loadable",
            "macsec missing",
        ]

    def missing(self, kernel: OtherKernel, shell: tuple[str, ...]) -> tuple[MissingPart, ...]:
        modules = ("tun", "wireguard")
        return missing_modules(kernel.ask(shell, *modules), modules, "x")


def test_l2tp_overhead_as_measured() -> None:
    assert l2tpv3.overhead_bytes(cookie_bytes=0) == 42
    assert l2tpv3.overhead_bytes() == 50
    made = l2tp.adapter.plan(request(l2tp.adapter, l2tp.adapter.suites(facts(), facts())[0]))
    assert made.largest_unfragmented_frame_bytes == 1472


def test_baseline_probes_the_underlay() -> None:
    made = baseline.adapter.plan(request(baseline.adapter, baseline.adapter.suites(facts(), facts())[0]))
    assert (made.probe_address_a, made.probe_address_b) == ("192.0.2.1", "192.0.2.2")
    assert made.a.steps == made.b.steps == ()
    assert made.largest_unfragmented_frame_bytes == 1514


@pytest.mark.parametrize("what", PACKAGE_NAMES)
def test_package_names_cover_every_manager(what: str) -> None:
    known = set(PackageManager) - {PackageManager.NONE}
    assert set(PACKAGE_NAMES[what]) == known
    assert package_for(what, PackageManager.NONE) == ""


def test_package_of_something_unknown_is_empty() -> None:
    assert package_for("no such thing", PackageManager.APT) == ""
    assert package_for("iproute2", PackageManager.OPKG) == "ip-full"
