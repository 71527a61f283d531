"""Values of options and names of pairs that are refused before any login, and lists with nothing in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.main import main

SITE = Path(__file__).parents[3] / "docs/examples/old-site.ovpn"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a pair that refuses every login."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    words = ["pair", "add", "north", "--a", "127.0.0.1:1", "--b", "127.0.0.1:2", "--underlay", "192.0.2.1,192.0.2.2"]
    assert main(words) == 0
    return tmp_path


def _refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    try:
        status = main(words)
    except SystemExit as error:  # argparse
        status = int(str(error.code))
    reported = capsys.readouterr()
    assert status == 2
    assert reported.out == ""
    assert "Connecting" not in reported.err
    return " ".join(reported.err.split())


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("compare north --pings 0", "--pings 0 is out of range. Choose 10 to"),
        ("compare north --pings -5", "--pings -5 is out of range"),
        ("compare north --seconds 99999", "--seconds 99999 is out of range. Choose 1 to 3600"),
        ("compare north --rounds 0", "--rounds 0 is out of range"),
        ("compare north --solutions ,", "--solutions ',' names nothing"),
        ("compare north --pings x", "argument --pings: x is not a whole number"),
        ("compare north --load-cap x", "argument --load-cap: x is not a number above 0"),
        ("compare north --resume", "There is no interrupted comparison of north"),
        ("compare lab:debian-13 --resume", "There is no interrupted comparison of lab:debian-13"),
        ("compare nope --resume", "There is no pair named nope. Known pairs: north."),
        ("demo --pings 0", "--pings 0 is out of range"),
        ("census north --pings 0", "--pings 0 is out of range"),
        ("census north --solutions ,", "--solutions ',' names nothing"),
        ("census north --options ,", "--options ',' names nothing"),
        ("discover north --solution ,", "--solutions ',' names nothing"),
        (
            "discover lab:debian-99",
            "There is no platform “debian-99”. Known platforms: debian-11, debian-12-legacy, debian-13.",
        ),
        ("compare lab:debian-9x", "There is no platform “debian-9x”"),
        ("discover lab:north", "There is no running lab named north"),
        ("deploy north wireguard --inner 10.0.0.1/24", "--inner takes two addresses"),
        ("deploy north wireguard --bridge C=x", "is not A=VALUE or B=VALUE"),
        ("deploy north wireguard --inner 10.0.0.1/24,x", "x is no address for a host in the tunnel"),
        ("deploy north wireguard --broadcast-limit -1", "A limit of -1 broadcasts per second is out of range"),
        ("deploy north wireguard --block-dhcp", "no LAN port is joined"),
        ("deploy north wireguard --confirm-within 1", "1 s to confirm is out of range"),
        ("deploy north --again 11 --confirm-within 1", "1 s to confirm is out of range"),
        ("export-config north wireguard --out out --broadcast-limit -1", "A limit of -1 broadcasts"),
        ("status north --watch --max-loss-pct x", "x is not from 0 to 100"),
        ("rank nope", "There is no pair named nope. Known pairs: north."),
        ("report nope", "There is no pair named nope"),
        ("deployments nope", "There is no pair named nope"),
        ("rank north", "There is no comparison of north yet. Measure with: tunnelmark compare north"),
        ("lab ssh", "the following arguments are required: side (one of A, B)"),
        ("lab", "COMMAND (one of up, down, condition, status, ssh)"),
        ("pair import-ssh-config", "--file"),
        ("history --json --delete 1", "not allowed with"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_login(capsys: pytest.CaptureFixture[str], line: str, why: str) -> None:
    assert why in _refused(line.split(), capsys)


def test_solutions_that_are_an_empty_text_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--solutions '' names nothing" in _refused(["compare", "north", "--solutions", ""], capsys)


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("audit", "The audit log is empty: Tunnelmark has changed nothing on any host yet."),
        ("audit north", "changed nothing on the hosts of north yet."),
        ("deployments", "Nothing was deployed yet. Deploy with: tunnelmark deploy PAIR SOLUTION"),
        ("deployments north", "Nothing was deployed on north yet. Deploy with: tunnelmark deploy north SOLUTION"),
    ],
)
def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str], line: str, reported: str) -> None:
    assert main(line.split()) == 0
    assert reported in capsys.readouterr().out


@pytest.mark.parametrize(("columns", "widest"), [("60", 60), ("80", 80), ("120", 120), (None, 100), ("x", 100)])
def test_findings_are_wrapped_at_the_width_that_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str | None, widest: int
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    capsys.readouterr()
    assert main(["lint", str(SITE)]) == 1
    lengths = [len(line) for line in capsys.readouterr().out.splitlines()[1:]]
    assert widest - 12 <= max(lengths) <= widest


def test_no_column_is_left_out_in_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor"])
    whole = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "40")
    main(["doctor"])
    assert capsys.readouterr().out == whole
