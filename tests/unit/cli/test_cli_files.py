"""Files that commands write: checked before anything is done, and none is replaced unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sample_records import sample_record

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import FILE_EXISTS, OUTPUT_FOLDER_MISSING, SAME_COMPARISON
from app.cli.parser import parse
from app.domain.results import CampaignStatus
from app.export.messages import NO_SUCH_FOLDER
from app.storage import Store
from support.message_checks import shows

pytestmark = pytest.mark.usefixtures("without_figures")

WRITERS = {
    "report --html {}": "x.html",
    "report --json {}": "x.json",
    "report --csv {}": "x.csv",
    "report --samples {}": "x.csv",
    "rank --json {}": "x.json",
    "audit --out {}": "x.csv",
}
BEFORE_A_LOGIN = {
    "compare north --json {}": "x.json",
    "compare north --report {}": "x.html",
    "demo --pdf {}": "x.pdf",
    "census north --json {}": "x.json",
    "census north --report {}": "x.html",
    "discover north --json {}": "x.json",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with two comparisons, and a pair that refuses every login."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    record = sample_record(rounds=1, pings=5)
    with Store.open(tmp_path / "data" / "tunnelmark.db") as store:
        for _ in range(2):
            number = store.create_campaign(record.plan, record.facts, "0.1.0")
            for attempt in record.attempts:
                store.save_attempt(number, attempt)
            store.finish_campaign(number, CampaignStatus.COMPLETED)
    words = ["pair", "add", "north", "--a", "127.0.0.1:1", "--b", "127.0.0.1:2", "--underlay", "192.0.2.1,192.0.2.2"]
    assert main(words) == ExitCode.OK
    return tmp_path


def _run(line: str, path: Path, *more: str) -> int:
    return main([*line.format(path).split(), *more])


@pytest.mark.parametrize(("line", "name"), WRITERS.items())
def test_a_file_is_replaced_only_where_that_is_asked_for(
    home: Path, capsys: pytest.CaptureFixture[str], line: str, name: str
) -> None:
    path = home / name
    assert _run(line, path) == ExitCode.OK
    assert path.stat().st_size > 0
    path.write_text("kept")
    capsys.readouterr()
    assert _run(line, path) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, FILE_EXISTS.text)
    assert path.read_text() == "kept"
    assert _run(line, path, "--force") == ExitCode.OK
    assert path.read_text() != "kept"


@pytest.mark.parametrize(("line", "name"), (WRITERS | BEFORE_A_LOGIN).items())
def test_no_folder_is_made(home: Path, capsys: pytest.CaptureFixture[str], line: str, name: str) -> None:
    assert _run(line, home / "gone" / name) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, OUTPUT_FOLDER_MISSING.text, folder=str(home / "gone"))
    assert not (home / "gone").exists()


@pytest.mark.parametrize(("line", "name"), BEFORE_A_LOGIN.items())
def test_a_file_that_is_to_remain_is_found_before_a_login(
    home: Path, capsys: pytest.CaptureFixture[str], line: str, name: str
) -> None:
    (home / name).write_text("kept")
    assert _run(line, home / name) == ExitCode.INVALID
    reported = capsys.readouterr().err
    assert shows(reported, FILE_EXISTS.text)
    assert "Connecting" not in reported
    assert (home / name).read_text() == "kept"


@pytest.mark.parametrize(("word", "is_replaced"), [("yes", True), ("y", False), ("no", False), (None, False)])
def test_at_a_terminal_it_is_asked_about(
    home: Path, monkeypatch: pytest.MonkeyPatch, word: str | None, *, is_replaced: bool
) -> None:
    def typed(_prompt: str) -> str:
        if word is None:
            raise EOFError
        return word

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", typed)
    path = home / "x.html"
    path.write_text("kept")
    assert (_run("report --html {}", path) == ExitCode.OK) is is_replaced
    assert (path.read_text() != "kept") is is_replaced


def test_the_place_that_no_one_named_is_made_and_its_report_replaced(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert main(["report"]) == ExitCode.OK
    assert Path(capsys.readouterr().out.split()[-1]).parent == home / "data" / "reports"


def test_an_export_makes_its_own_folder_and_no_other(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export-config", "north", "wireguard", "--out"]
    assert main([*words, str(home / "gone" / "out")]) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, NO_SUCH_FOLDER.text)
    assert not (home / "gone").exists()


def test_a_comparison_is_not_compared_with_itself(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "2", "2"]) == ExitCode.INVALID
    assert SAME_COMPARISON(campaign=2) in capsys.readouterr().err


@pytest.mark.parametrize("command", ["rank", "report", "rank --campaign 1", "diff 1 2"])
@pytest.mark.parametrize("option", ["--json", "--json -"])
def test_json_without_a_file_is_printed_and_nothing_else_is(
    home: Path, capsys: pytest.CaptureFixture[str], command: str, option: str
) -> None:
    capsys.readouterr()
    assert main([*command.split(), *option.split()]) == ExitCode.OK
    assert isinstance(json.loads(capsys.readouterr().out), dict)
    assert not list(home.glob("*.json"))


@pytest.mark.parametrize(
    "line",
    [
        "compare north --solutions wireguard --json",
        "census north --solutions openvpn-udp --json",
        "discover north --solutions wireguard --json",
        "discover north --solution wireguard --json -",
    ],
)
def test_options_of_one_meaning_have_one_spelling(line: str) -> None:
    options = parse(line.split())
    assert options.json == "-"
    assert options.solutions in ("wireguard", "openvpn-udp")


def test_two_comparisons_are_in_the_order_of_time(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for numbers in (("1", "2"), ("2", "1")):
        assert main(["diff", *numbers, "--json", "-"]) == ExitCode.OK
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    assert main(["diff", *((str(found[0]["after"]), str(found[0]["before"])))]) == ExitCode.OK
    assert "in the order of time" in capsys.readouterr().out
