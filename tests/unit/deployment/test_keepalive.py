"""Keepalive of a deployment: what is stored, what goes on the hosts, what is exported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from plain_data import from_data

from app.cli.fleet import _deployment_options, read_fleet
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidFile
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive
from app.export.bundle import Bundle, make_bundle
from app.export.request import _chosen_words
from app.storage.codec import to_data
from support.export_cases import export_request

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
@pytest.mark.parametrize(
    ("solution", "when_idle"),
    [("openvpn-udp", "when_idle=:"), ("wireguard", "when_idle='wg set tmlwg0 peer ")],
)
def test_the_supervisor_gets_a_pace_only_where_it_is_metered(solution: str, when_idle: str, side: Side) -> None:
    metered = file_of(exported(solution, METERED), side, "about.sh").splitlines()
    assert "idle_s=55" in metered
    assert [line for line in metered if line.startswith(when_idle)]
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
    with pytest.raises(InvalidFile, match='keepalive is "wired" or "metered"'):
        read_fleet(path)
