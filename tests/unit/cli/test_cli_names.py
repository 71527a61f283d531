"""Names that are mistyped are refused before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import DID_YOU_MEAN, UNKNOWN_SOLUTION_NAME
from app.lab.practice_labs import Labs
from app.services.wiring import Services
from support.message_checks import shows

FLEET = '[[pair]]\nname = "north"\nsolution = "wireguad"\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))

    def start(*_: object, **__: object) -> None:
        raise AssertionError("a pair was resolved, which would have started a lab")

    monkeypatch.setattr(Services, "resolve_pair", start)
    monkeypatch.setattr(Labs, "__init__", start)
    (tmp_path / "fleet.toml").write_text(FLEET, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "compare lab:debian-13 --solutions wireguad",
        "compare lab:debian-13 --solutions ipsec,wireguad:chacha20-poly1305",
        "compare lab:debian-13 --list --solutions wireguad",
        "discover lab:debian-13 --solution wireguad",
        "census lab:debian-13 --solutions wireguad",
        "deploy lab:debian-13 wireguad",
        "deploy --all --from fleet.toml",
        "export-config lab:debian-13 wireguad --out there",
    ],
)
def test_mistyped_solution_is_refused_before_a_lab_is_started(
    command: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    assert main(command.split()) == ExitCode.INVALID
    reported = " ".join(capsys.readouterr().err.split())
    guess = DID_YOU_MEAN(name="wireguard")
    assert shows(reported, UNKNOWN_SOLUTION_NAME.text, solution="wireguad", guess=guess)
    assert "baseline (Bare underlay), l2tp (L2TPv3, unencrypted), wireguard (WireGuard with L2TPv3)," in reported


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("comapre north", "compare"),
        ("lab statsu", "status"),
        ("compare north --solutoins wireguard", "--solutions"),
        ("compare north --profile standrad", "standard"),
    ],
)
def test_mistyped_command_or_option_names_the_one_that_was_meant(
    command: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(command.split())
    assert stopped.value.code == ExitCode.INVALID
    assert DID_YOU_MEAN(name=meant) in capsys.readouterr().err


def test_word_that_is_like_no_other_gets_no_guess(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "north", "--solutions", "zzz"]) == ExitCode.INVALID
    assert not shows(capsys.readouterr().err, DID_YOU_MEAN.text)
    with pytest.raises(SystemExit):
        main(["compare", "north", "--bogus"])
    assert not shows(capsys.readouterr().err, DID_YOU_MEAN.text)
