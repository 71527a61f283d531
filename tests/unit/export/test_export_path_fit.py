"""Exports that fit TCP to the path: what is known of the path, what the hosts get, what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.fleet import _deployment_options as _options_of_row
from app.cli.fleet import read_fleet
from app.cli.main import main
from app.cli.messages import FLEET_KEY_WANTED, FLEET_MTU
from app.deployment.lan.messages import HAS_NO_NFT, NO_CLAMP
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidFile
from app.domain.hosts import Side, Tool, ToolFlavour
from app.domain.paths import find_paths
from app.export.messages import PATH_MTU_GIVEN, PATH_MTU_MEASURED, PATH_MTU_RANGE, PATH_MTU_UNKNOWN
from app.export.request import _chosen_words
from app.storage import Store
from support.export_cases import UNDERLAY, export_request, host_facts, pair
from support.message_checks import has_message, shows

MEASURED = dict(zip(Side, ({UNDERLAY[1]: 1400}, {UNDERLAY[0]: 1420}), strict=True))
NONE: dict[Side, dict[str, int]] = {side: {} for side in Side}


def store_pair(path_mtus: dict[Side, dict[str, int]], *, has_nft: bool = True) -> None:
    """Store a pair as it was inspected."""
    store = Store.open(find_paths().database)
    store.save_pair(pair())
    for side, underlay in zip(Side, UNDERLAY, strict=True):
        facts = replace(host_facts("debian-13", underlay), path_mtus=path_mtus[side])
        tools = {name: tool for name, tool in facts.tools.items() if name != "nft"}
        if has_nft:
            tools["nft"] = Tool("nft", ToolFlavour.STANDARD, "1.1.3", "/usr/sbin/nft")
        store.save_snapshot("works", side, replace(facts, tools=tools))
    store.close()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "400")


def export(out: Path, solution: str, *words: str) -> int:
    return main(["export-config", "works", solution, "--out", str(out), *words])


def readme_in(out: Path) -> str:
    return (out / "README.txt").read_text(encoding="utf-8")


def test_without_lans_the_mtu_of_the_tunnel_is_set_and_the_readme_has_it(tmp_path: Path) -> None:
    store_pair(MEASURED)
    out = tmp_path / "out"
    assert export(out, "wireguard", "--mtu", "fit", "--path-mtu", "1492") == ExitCode.OK
    readme = readme_in(out)
    (mtu,) = re.findall(r"MTU inside: (\d+) bytes", readme)
    assert 1280 <= int(mtu) < 1492 - 28
    assert f"interface has an MTU of {mtu} bytes on both hosts" in readme
    assert "are fragmented on the underlay" not in readme
    for side in Side:
        steps = next(out.glob(f"files/host-{side.value}/**/steps.sh")).read_text(encoding="utf-8")
        assert f"Set the MTU of tml0 to {mtu} bytes" in steps


def test_hosts_clamp_to_the_path_that_was_measured_and_the_readme_shows_how_to_check(tmp_path: Path) -> None:
    store_pair(MEASURED)
    out = tmp_path / "out"
    assert export(out, "wireguard", "--mtu", "fit") == ExitCode.OK
    readme = readme_in(out)
    assert shows(readme, PATH_MTU_MEASURED.text, mtu=1400, day="2026-03-04", time="00:00")
    assert "nft list table inet tunnelmark_mss_tml0" in readme
    assert "MTU inside: 1500 bytes" in readme, "what fits is too small for IPv6"
    for side, peer in zip(Side, reversed(UNDERLAY), strict=True):
        assert f"ping -M do -c 1 -W 2 -s 1372 {peer}\n" in readme
        assert f"ping -M do -c 1 -W 2 -s 1373 {peer}\n" in readme
        about = next(out.glob(f"files/host-{side.value}/**/about.sh")).read_text(encoding="utf-8")
        clamp = next(line for line in about.splitlines() if line.startswith("clamp="))
        *_, mss4, mss6 = clamp.strip("'").split()
        assert f"maxseg size set {mss4} for IPv4, {mss6} for IPv6" in readme
        assert int(mss4) - int(mss6) == 20
        assert int(mss4) < 1400 - 40
    steps = next(out.glob("files/host-a/**/steps.sh")).read_text(encoding="utf-8")
    undo = steps[steps.index("remove_table") :]
    assert "tunnelmark_mss_tml0" in undo
    plain = tmp_path / "plain"
    assert export(plain, "wireguard") == ExitCode.OK
    assert "tunnelmark_mss" not in "".join(path.read_text() for path in plain.rglob("*") if path.is_file())
    assert "(MTU 1400)" in readme_in(plain)


@pytest.mark.parametrize("path_mtus", [NONE, {**NONE, Side.A: MEASURED[Side.A]}], ids=["never", "one-way"])
def test_an_unknown_path_is_refused_unless_its_mtu_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path_mtus: dict[Side, dict[str, int]]
) -> None:
    store_pair(path_mtus)
    out = tmp_path / "out"
    assert export(out, "wireguard", "--mtu", "fit") == ExitCode.INVALID
    shown = capsys.readouterr().err
    assert PATH_MTU_UNKNOWN() in shown
    assert PATH_MTU_UNKNOWN().hint in shown
    assert not out.exists()
    assert export(out, "wireguard", "--mtu", "fit", "--path-mtu", "1300") == ExitCode.OK
    assert shows(readme_in(out), PATH_MTU_GIVEN.text, mtu=1300)
    assert "-s 1272 " in readme_in(out)


@pytest.mark.parametrize("mtu_bytes", ["575", "1501"])
def test_an_mtu_that_no_packet_can_have_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mtu_bytes: str
) -> None:
    store_pair(NONE)
    assert export(tmp_path / "out", "wireguard", "--mtu", "fit", "--path-mtu", mtu_bytes) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, PATH_MTU_RANGE.text, least=576, most=1500)


def test_a_host_without_nft_is_refused_and_a_vpn_over_a_stream_needs_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_pair(MEASURED, has_nft=False)
    assert export(tmp_path / "out", "wireguard", "--mtu", "fit") == ExitCode.INVALID
    assert NO_CLAMP(host="press-a", why=HAS_NO_NFT()) in capsys.readouterr().err
    assert export(tmp_path / "stream", "openvpn-tcp", "--mtu", "fit") == ExitCode.OK
    assert "TCP need not be fitted to that path" in readme_in(tmp_path / "stream")


def test_an_export_as_before_keeps_its_name_and_a_fitted_one_has_another() -> None:
    assert _chosen_words(DeploymentOptions()) == []
    request = export_request("wireguard")
    assert replace(request, options=DeploymentOptions(fits_path_mtu=True)).deployment_id != request.deployment_id


def test_a_file_of_pairs_may_ask_for_it(tmp_path: Path) -> None:
    path = tmp_path / "pairs.toml"
    rows = '[[pair]]\nname = "one"\n[[pair]]\nname = "two"\nmtu = 1500\n[[pair]]\nname = "three"\nmtu = "1500"\n'
    path.write_text(f'[defaults]\nsolution = "wireguard"\nmtu = "fit"\n{rows}')
    assert [_options_of_row(row).fits_path_mtu for row in read_fleet(path)] == [True, False, False]
    for wrong in ("1400", '"fits"', "true"):
        path.write_text(f'[[pair]]\nname = "one"\nsolution = "wireguard"\nmtu = {wrong}\n')
        with pytest.raises(InvalidFile, check=has_message(FLEET_KEY_WANTED, key="mtu", wanted=FLEET_MTU())):
            read_fleet(path)
