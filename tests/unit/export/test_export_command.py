"""`tunnelmark export-config`, without any host."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import INNER_ADDRESSES, OPTION_FOR_SIDE, UNKNOWN_SOLUTION_NAME
from app.cli.sides import by_side
from app.deployment.messages import REASON_MISSING, SUITE_NOT_OFFERED, VERDICT_FORBIDS
from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.paths import find_paths
from app.export.messages import FACTS_STORED, FOLDER_HOLDS_EXPORT, PORT_CARRIES_UNDERLAY
from app.storage import Store
from support.export_cases import UNDERLAY, host_facts, pair
from support.message_checks import shows
from support.pseudo_language import LiteralBrackets, brackets, words_outside

PLATFORM = "debian-13"


@pytest.fixture(autouse=True)
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One inspected pair, and one that was never inspected."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "400")
    store = Store.open(find_paths().database)
    store.save_pair(pair())
    store.save_pair(replace(pair(), name="unseen", a=replace(pair().a, address="127.0.0.1", port=1)))
    for side, underlay in zip(Side, UNDERLAY, strict=True):
        store.save_snapshot("works", side, host_facts(PLATFORM, underlay))
    store.close()


def test_it_works_from_what_is_stored_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["export-config", "works", "openvpn-udp", "--out", str(out)]) == ExitCode.OK
    readme = (out / "README.txt").read_text(encoding="utf-8")
    for shown in (capsys.readouterr().out, readme):
        assert shows(shown, FACTS_STORED.text, day="2026-03-04", time="00:00")
    for words in (
        "sh tunnel.sh keys",
        "sh tunnel.sh undo",
        "UDP port 22194",
        "public-of-b",
        "ansible-playbook undo.yml",
    ):
        assert words in readme
    assert sorted(path.name for path in out.iterdir()) == [".tunnelmark-export", "README.txt", "ansible", "files"]
    assert "PRIVATE KEY" not in "".join(path.read_text() for path in out.rglob("*") if path.is_file())
    config = next(out.rglob("host-a/**/openvpn.conf"))
    assert "peer-fingerprint @fingerprint-of-b@\n" in config.read_text(encoding="utf-8")
    assert config.stat().st_mode & 0o777 == 0o600
    assert main(["export-config", "works", "wireguard", "--out", str(out)]) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, FOLDER_HOLDS_EXPORT.hint)
    assert main(["export-config", "works", "wireguard", "--out", str(out), "--force"]) == ExitCode.OK
    assert list(out.rglob("openvpn.conf*")) == []


def test_what_to_do_is_in_the_users_language(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with brackets(LiteralBrackets):
        assert main(["export-config", "works", "openvpn-udp", "--out", str(out)]) == ExitCode.OK
    readme = (out / "README.txt").read_text(encoding="utf-8")
    assert words_outside(readme) & {"and", "are", "by", "for", "from", "in", "is", "it", "on", "over", "the"} == set()
    assert max(map(len, readme.splitlines())) < 200
    assert "⟦" not in "".join(path.read_text() for path in (out / "ansible").rglob("*.yml"))


@pytest.mark.parametrize("kind", ["files", "ansible"])
def test_one_sub_folder_alone(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    assert main(["export-config", "works", "wireguard", "--out", str(out), "--format", kind]) == ExitCode.OK
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == [kind]
    other = {"files": "ansible-playbook site.yml", "ansible": "sh tunnel.sh keys"}[kind]
    assert other not in (out / "README.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["l2tp"], VERDICT_FORBIDS.text),
        (["macsec"], REASON_MISSING.text),
        (["openvpn-udp", "--suite", "nothing"], SUITE_NOT_OFFERED.text),
        (["rot13"], UNKNOWN_SOLUTION_NAME.text),
        (["wireguard", "--bridge", "A=eth1"], PORT_CARRIES_UNDERLAY.text),
        (["wireguard", "--bridge", "eth2"], OPTION_FOR_SIDE.text),
        (["wireguard", "--inner", "10.0.0.1/24"], INNER_ADDRESSES.text),
    ],
)
def test_refusals_write_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], refusal: str
) -> None:
    out = tmp_path / "out"
    assert main(["export-config", "works", *words, "--out", str(out)]) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, refusal)
    assert not out.exists()


def test_without_anything_stored_the_hosts_are_inspected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["export-config", "unseen", "wireguard", "--out", str(out)]) == ExitCode.FAILED
    assert "127.0.0.1" in capsys.readouterr().err
    assert not out.exists()


def test_values_by_side() -> None:
    assert by_side(["b=eth2", "A=eth1"], "--bridge") == ("eth1", "eth2")
    assert by_side(None, "--bridge") == ("", "")
    for wrong in (["C=x"], ["A="], ["A=x", "a=y"]):
        with pytest.raises(InvalidOption):
            by_side(wrong, "--bridge")
