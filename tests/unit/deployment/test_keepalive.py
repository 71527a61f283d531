"""Keepalive of a deployment: what is stored, what goes on the hosts, what is exported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import adapter_cases
import pytest
from plain_data import from_data
from sample_records import pair

from app.cli.fleet import _deployment_options, read_fleet
from app.cli.messages import FLEET_KEEPALIVE, FLEET_KEY_WANTED
from app.deployment.choice import DeploymentChoice
from app.deployment.deployment_steps import DeploymentSteps
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard import LanGuard
from app.deployment.metered import metered_warnings
from app.deployment.slots import persistent_link
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidFile
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive
from app.domain.link import Link
from app.domain.messages import code_of
from app.domain.verdicts import Verdict
from app.export.bundle import Bundle, make_bundle
from app.export.request import _chosen_words
from app.storage.codec import to_data
from app.tunnel.request import DeployRequest
from support.export_cases import export_request
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS

METERED = DeploymentOptions(keepalive=Keepalive.METERED)


def test_a_deployment_of_an_earlier_version_is_wired() -> None:
    data = to_data(METERED)
    assert from_data(DeploymentOptions, data) == METERED
    del data["keepalive"]
    assert from_data(DeploymentOptions, data).keepalive is Keepalive.WIRED


def exported(solution: str, options: DeploymentOptions) -> Bundle:
    request = export_request(solution)
    return make_bundle(replace(request, options=options))


def file_of(bundle: Bundle, side: Side, name: str) -> str:
    return next(file.text for file in bundle.on(side).files if file.path.endswith(f"/{name}"))


@pytest.mark.parametrize("side", list(Side))
@pytest.mark.parametrize(("solution", "when_idle"), [("openvpn-udp", []), ("wireguard", ["wg set tmlwg0 peer "])])
def test_the_supervisor_gets_a_pace_only_where_it_is_metered(solution: str, when_idle: list[str], side: Side) -> None:
    metered = file_of(exported(solution, METERED), side, "about.sh").splitlines()
    assert "idle_s=55" in metered
    commands = [
        line.removeprefix("when_idle='")[: len("wg set tmlwg0 peer ")]
        for line in metered
        if line.startswith("when_idle=")
    ]
    assert commands == when_idle
    wired = file_of(exported(solution, DeploymentOptions()), side, "about.sh")
    assert "idle" not in wired


def test_the_vpn_s_own_files_are_exported_with_it() -> None:
    assert "keepalive 60 180" in file_of(exported("openvpn-udp", METERED), Side.A, "openvpn.conf")
    assert "keepalive 2 10" in file_of(exported("openvpn-udp", DeploymentOptions()), Side.A, "openvpn.conf")


def test_an_export_as_before_keeps_its_name_and_a_metered_one_has_another() -> None:
    assert _chosen_words(DeploymentOptions()) == []
    request = export_request("wireguard")
    assert replace(request, options=METERED).deployment_id != request.deployment_id


def test_a_file_of_pairs_may_ask_for_it(tmp_path: Path) -> None:
    path = tmp_path / "pairs.toml"
    rows = '[[pair]]\nname = "one"\n[[pair]]\nname = "two"\nkeepalive = "wired"\n'
    path.write_text(f'[defaults]\nsolution = "wireguard"\nkeepalive = "metered"\n{rows}')
    one, two = (_deployment_options(row) for row in read_fleet(path))
    assert (one.keepalive, two.keepalive) == (Keepalive.METERED, Keepalive.WIRED)
    path.write_text('[[pair]]\nname = "one"\nsolution = "wireguard"\nkeepalive = "rarely"\n')
    with pytest.raises(InvalidFile, check=has_message(FLEET_KEY_WANTED, key="keepalive", wanted=FLEET_KEEPALIVE())):
        read_fleet(path)


@pytest.mark.parametrize(
    ("solution", "has_guard", "codes"),
    [
        ("openvpn-udp", False, []),
        ("wireguard", True, ["deploy.loop-guard-sends"]),
        ("macsec", False, ["deploy.vpn-sends-often"]),
        ("fastd", True, ["deploy.vpn-sends-often", "deploy.loop-guard-sends"]),
    ],
)
def test_what_sends_often_all_the_same_is_a_warning(solution: str, has_guard: bool, codes: list[str]) -> None:
    adapter = ADAPTERS[solution]
    facts = adapter_cases.facts(adapter_cases.home(adapter))
    suite = next(one for one in adapter.suites(facts, facts) if one.is_default)
    bridging = {side: Bridging("tmlbr0", "eth2", guard=LanGuard.of(METERED)) for side in Side} if has_guard else {}
    link = persistent_link(Link("192.0.2.1", "192.0.2.2"), "00112233aabbccdd", 0)
    request = DeployRequest(
        *(pair(), adapter, suite, link, facts, facts),
        keepalive=Keepalive.METERED,
        extension=DeploymentSteps("/run/kept", bridging),
    )
    choice = DeploymentChoice(adapter, suite, adapter.info.title, Verdict.RECOMMENDED, ())
    found = list(metered_warnings(choice, request))
    assert [code_of(one.what) for one in found] == codes
    assert not any(one.is_blocking for one in found)
    assert not list(metered_warnings(choice, replace(request, keepalive=Keepalive.WIRED)))
