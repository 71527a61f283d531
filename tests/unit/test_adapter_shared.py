from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import PublicIdentity
from app.domain.hosts import PackageManager, Side
from app.domain.link import Link
from app.domain.packages import PACKAGE_NAMES, package_for
from support.adapter_cases import facts, request
from vpn_adapters import baseline, l2tp
from vpn_adapters.shared import l2tpv3
from vpn_adapters.shared.discovering import modules_query
from vpn_adapters.shared.interfaces import mac_address
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


def test_modules_of_this_machine_are_told_apart() -> None:
    module = next(iter(sorted(Path("/sys/module").iterdir()))).name
    argv = modules_query("tunnelmark_no_such_module", module).argv
    lines = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines()
    assert lines == ["tunnelmark_no_such_module missing", f"{module} loaded"]


def test_l2tp_overhead_as_measured() -> None:
    assert l2tpv3.overhead_bytes() == 42
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
