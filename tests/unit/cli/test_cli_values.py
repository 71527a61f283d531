"""Values of options and names of pairs that are refused before any login, and lists with nothing in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.main import main
from app.cli.messages import (
    INNER_ADDRESSES,
    LIST_AND_DRY_RUN,
    NAMES_NOTHING,
    NO_PERCENTAGE,
    NO_WHOLE_NUMBER,
    NOT_ABOVE_0,
    NOTHING_TO_RESUME,
    OPTION_FOR_SIDE,
    OUT_OF_RANGE,
    SOLUTION_AND_AGAIN,
    WATCH_OPTIONS,
)
from app.deployment.messages import (
    BROADCAST_LIMIT_OUT_OF_RANGE,
    CONFIRM_TIME_OUT_OF_RANGE,
    GUARD_WITHOUT_LAN_PORT,
    NO_INNER_ADDRESS,
)
from app.domain.messages import MessageForm
from app.domain.messages.inputs import NO_LAN_PORT
from app.lab.messages import LAB_OR_PLATFORM_UNKNOWN, PLATFORM_UNKNOWN
from app.reports.messages import NONE_MEASURED_OF_PAIR
from app.storage.messages import UNKNOWN_PAIR
from support.message_checks import shows

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
    ("line", "form", "data"),
    [
        ("compare north --pings 0", OUT_OF_RANGE, {"option": "--pings", "value": 0}),
        ("compare north --pings -5", OUT_OF_RANGE, {"option": "--pings", "value": -5}),
        ("compare north --seconds 99999", OUT_OF_RANGE, {"option": "--seconds", "value": 99999}),
        ("compare north --rounds 0", OUT_OF_RANGE, {"option": "--rounds", "value": 0}),
        ("compare north --solutions ,", NAMES_NOTHING, {"option": "--solutions", "text": ","}),
        ("compare north --pings x", NO_WHOLE_NUMBER, {"text": "x"}),
        ("compare north --load-cap x", NOT_ABOVE_0, {"text": "x"}),
        ("compare north --resume", NOTHING_TO_RESUME, {"pair": "north"}),
        ("compare lab:debian-13 --resume", NOTHING_TO_RESUME, {"pair": "lab:debian-13"}),
        ("compare nope --resume", UNKNOWN_PAIR, {"name": "nope"}),
        ("demo --pings 0", OUT_OF_RANGE, {"option": "--pings", "value": 0}),
        ("census north --pings 0", OUT_OF_RANGE, {"option": "--pings", "value": 0}),
        ("census north --solutions ,", NAMES_NOTHING, {"option": "--solutions", "text": ","}),
        ("census north --options ,", NAMES_NOTHING, {"option": "--options", "text": ","}),
        ("discover north --solution ,", NAMES_NOTHING, {"option": "--solutions", "text": ","}),
        ("discover lab:debian-99", PLATFORM_UNKNOWN, {"platform": "debian-99"}),
        ("compare lab:debian-9x", PLATFORM_UNKNOWN, {"platform": "debian-9x"}),
        ("discover lab:north", LAB_OR_PLATFORM_UNKNOWN, {"lab": "north"}),
        ("deploy north wireguard --inner 10.0.0.1/24", INNER_ADDRESSES, {}),
        ("deploy north wireguard --bridge C=x", OPTION_FOR_SIDE, {"option": "--bridge"}),
        ("deploy north wireguard --inner 10.0.0.1/24,x", NO_INNER_ADDRESS, {"text": "x"}),
        ("deploy north wireguard --broadcast-limit -1", BROADCAST_LIMIT_OUT_OF_RANGE, {"limit": -1}),
        ("deploy north wireguard --block-dhcp", GUARD_WITHOUT_LAN_PORT, {}),
        ("deploy north wireguard --move-lan-rules", NO_LAN_PORT, {}),
        ("deploy north wireguard --again 12", SOLUTION_AND_AGAIN, {}),
        ("status north --every 3", WATCH_OPTIONS, {}),
        ("compare north --list --dry-run", LIST_AND_DRY_RUN, {}),
        ("deploy north wireguard --confirm-within 1", CONFIRM_TIME_OUT_OF_RANGE, {"within_s": 1}),
        ("deploy north --again 11 --confirm-within 1", CONFIRM_TIME_OUT_OF_RANGE, {"within_s": 1}),
        ("export-config north wireguard --out out --broadcast-limit -1", BROADCAST_LIMIT_OUT_OF_RANGE, {"limit": -1}),
        ("status north --watch --max-loss-pct x", NO_PERCENTAGE, {"text": "x"}),
        ("rank nope", UNKNOWN_PAIR, {"name": "nope"}),
        ("report nope", UNKNOWN_PAIR, {"name": "nope"}),
        ("deployments nope", UNKNOWN_PAIR, {"name": "nope"}),
        ("rank north", NONE_MEASURED_OF_PAIR, {"pair": "north"}),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_login(
    capsys: pytest.CaptureFixture[str], line: str, form: MessageForm, data: dict[str, object]
) -> None:
    assert shows(_refused(line.split(), capsys), form.text, **data)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lab ssh", "side (one of A, B, NODE-A, NODE-B)"),
        ("lab", "COMMAND (one of up, down, condition, status, ssh)"),
        ("pair import-ssh-config", "--file"),
        ("history --json --delete 1", "--json"),
    ],
)
def test_what_argparse_refuses_names_the_words(capsys: pytest.CaptureFixture[str], line: str, words: str) -> None:
    assert words in _refused(line.split(), capsys)


def test_solutions_that_are_an_empty_text_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert NAMES_NOTHING(option="--solutions", text="") in _refused(["compare", "north", "--solutions", ""], capsys)


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
