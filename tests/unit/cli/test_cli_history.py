"""`tunnelmark history`: listing, notes and deleting at the terminal."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import pair, sample_record

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import COMPARISON_OF_OTHER_PAIR, DELETE_WITHOUT_ANSWER
from app.domain.condition_files import presets
from app.domain.history import EntryId, EntryKind
from app.domain.messages import MessageForm
from app.domain.messages.inputs import ENTRY_NUMBER_WRONG, NOTE_TOO_LONG, NOTE_WITH_CONTROL_CHARACTER
from app.domain.results import CampaignStatus
from app.storage import Store
from app.storage.messages import NO_CENSUS, NO_COMPARISON
from support.message_checks import shows


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with three comparisons; the last one runs in this process."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    with Store.open(tmp_path / "tunnelmark.db") as store:
        for seed in (1, 2, 3):
            record = sample_record(rounds=1, pings=5, seed=seed, pair_spec=replace(pair(), name=f"plant-{seed}"))
            number = store.create_campaign(record.plan, record.facts, "0.1.0")
            for attempt in record.attempts:
                store.save_attempt(number, attempt)
            if seed < 3:
                store.finish_campaign(number, CampaignStatus.COMPLETED)
    return tmp_path


def numbers(home: Path) -> list[int]:
    with Store.open(home / "tunnelmark.db") as store:
        return [one.campaign_id for one in store.list_campaigns()]


def note(home: Path, number: int) -> str:
    with Store.open(home / "tunnelmark.db") as store:
        return store.campaign_summary(number).note


def answer(monkeypatch: pytest.MonkeyPatch, word: str | None) -> None:
    """Let a user at a terminal type a word; None ends the input."""

    def typed(_prompt: str) -> str:
        if word is None:
            raise EOFError
        return word

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", typed)


def test_list_has_failures_winner_and_note(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--note", "2", "after the\nnew firmware"]) == ExitCode.OK
    assert main(["history"]) == ExitCode.OK
    out = capsys.readouterr().out
    assert "The note on comparison 2 is stored." in out
    line = next(line for line in out.splitlines() if "plant-2" in line)
    for words in (
        "1 failed, 4 of 5 VPNs",
        "completed",
        "WireGuard, ChaCha20-Poly1305",
        "after the new firmware",
    ):
        assert words in line
    assert "running" in next(line for line in out.splitlines() if "plant-3" in line)


def test_json_has_every_entry_with_its_winner_and_utc(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--note", "2", "after the firmware"]) == ExitCode.OK
    capsys.readouterr()
    assert main(["history", "--json"]) == ExitCode.OK
    data = json.loads(capsys.readouterr().out)
    assert data["format"] == 1
    running, second, first = data["entries"]
    assert [one["number"] for one in data["entries"]] == ["3", "2", "1"]
    assert (running["status"], running["winner"]) == ("running", None)
    assert (second["planned"], second["measured"], second["failed"]) == (5, 4, 1)
    assert (second["pair"], second["note"]) == ("plant-2", "after the firmware")
    assert "WireGuard" in second["winner"]["text"]
    assert first["started"].endswith("+00:00")


def test_condition_leaves_comparisons_under_it_only(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = sample_record(rounds=1, pings=5, pair_spec=replace(pair(), name="plant-geo"))
    with Store.open(home / "tunnelmark.db") as store:
        planned = replace(record.plan, condition=presets()["geo"])
        number = store.create_campaign(planned, record.facts, "0.1.0")
        store.finish_campaign(number, CampaignStatus.COMPLETED)
    for condition, numbers_listed in (("geo", ["4"]), ("as-found", ["3", "2", "1"]), ("lte", [])):
        assert main(["history", "--json", "--condition", condition]) == ExitCode.OK
        listed = json.loads(capsys.readouterr().out)["entries"]
        assert [one["number"] for one in listed] == numbers_listed


def test_times_have_a_time_zone(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        status = main(["history"])
    time.tzset()
    assert status == ExitCode.OK
    assert all(" JST " in line for line in capsys.readouterr().out.splitlines() if "plant-" in line)


def test_many_comparisons_that_are_ranked_first_are_announced(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.cli.history._MANY", 2)
    assert main(["history"]) == ExitCode.OK
    assert "Ranking 2 comparisons" in capsys.readouterr().err
    assert main(["history"]) == ExitCode.OK
    assert "Ranking" not in capsys.readouterr().err


def test_note_is_shown_by_rank_and_removed_by_an_empty_one(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["history", "--note", "2", "[bold]old[/bold] firmware"])
    main(["rank", "--campaign", "2"])
    assert "Your note: [bold]old[/bold] firmware" in capsys.readouterr().out
    assert main(["history", "--note", "2", ""]) == ExitCode.OK
    assert note(home, 2) == ""


@pytest.mark.parametrize(
    ("number", "text", "form"),
    [
        ("2", "\x1b]0;pwned\x07", NOTE_WITH_CONTROL_CHARACTER),
        ("2", "x" * 1001, NOTE_TOO_LONG),
        ("2", "\udcff", NOTE_WITH_CONTROL_CHARACTER),
        ("c9", "x", NO_CENSUS),
        ("99", "x", NO_COMPARISON),
        ("7\x1b[31m", "x", ENTRY_NUMBER_WRONG),
    ],
)
def test_bad_notes_are_refused_and_reach_no_terminal(
    home: Path, capfd: pytest.CaptureFixture[str], number: str, text: str, form: MessageForm
) -> None:
    main(["history", "--note", "2", "kept"])
    assert main(["history", "--note", number, text]) == ExitCode.INVALID
    reported = capfd.readouterr()
    assert shows(reported.err, form.text)
    assert "\x1b" not in reported.err + reported.out
    assert note(home, 2) == "kept"


def test_note_that_was_put_into_the_database_by_hand_reaches_the_terminal_without_controls(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with Store.open(home / "tunnelmark.db") as store:
        store._database.write(lambda c: c.execute("UPDATE campaign SET note = 'a\x1b[31m\x9bb'"))
    main(["history"])
    main(["rank", "--campaign", "2"])
    reported = capfd.readouterr()
    assert "\x1b" not in reported.out
    assert "\x9b" not in reported.out
    assert "Your note: a[31mb" in reported.out


def test_deleting_without_a_terminal_needs_yes(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--delete", "1"]) == ExitCode.INVALID
    assert DELETE_WITHOUT_ANSWER().hint in capsys.readouterr().err
    assert numbers(home) == [3, 2, 1]
    assert main(["history", "--delete", "1", "2", "1", "--yes"]) == ExitCode.OK
    assert "Deleted: comparison 1, comparison 2." in capsys.readouterr().out
    assert numbers(home) == [3]


@pytest.mark.parametrize(("word", "left"), [("yes", [3, 2]), ("y", [3, 2, 1]), ("no", [3, 2, 1]), (None, [3, 2, 1])])
def test_deleting_asks_with_what_goes(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    word: str | None,
    left: list[int],
) -> None:
    answer(monkeypatch, word)
    assert main(["history", "--delete", "1"]) == (ExitCode.OK if word == "yes" else ExitCode.CANCELLED)
    reported = capsys.readouterr().err
    assert "plant-1" in reported
    assert "plant-2" not in reported
    assert "audit log, deployments and reports in files remain" in reported
    assert ("Nothing was deleted." in reported) is (len(left) == 3)
    assert numbers(home) == left


@pytest.mark.parametrize("wrong", ["3", "99", "c1", "x"])
def test_one_that_cannot_be_deleted_keeps_all(home: Path, capsys: pytest.CaptureFixture[str], wrong: str) -> None:
    assert main(["history", "--delete", "1", wrong, "--yes"]) == ExitCode.INVALID
    assert capsys.readouterr().err.startswith("Error: ")
    assert numbers(home) == [3, 2, 1]


def test_census_has_numbers_of_its_own(home: Path) -> None:
    assert str(EntryId(EntryKind.CENSUS, 1)) == "c1"
    assert main(["history", "--delete", "c1", "--yes"]) == ExitCode.INVALID
    assert numbers(home) == [3, 2, 1]


def test_yes_alone_is_refused(home: Path) -> None:
    assert main(["history", "--yes"]) == ExitCode.INVALID


@pytest.mark.parametrize("words", [("rank",), ("report", "--html", "r.html")])
def test_a_comparison_of_another_pair_is_refused(
    home: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command, *options = words
    options = [str(home / one) if one.endswith(".html") else one for one in options]
    assert main([command, "plant-2", "--campaign", "1", *options]) == ExitCode.INVALID
    assert COMPARISON_OF_OTHER_PAIR(campaign=1, of="plant-1", pair="plant-2") in capsys.readouterr().err
    assert not (home / "r.html").exists()
    assert main([command, "plant-1", "--campaign", "1", *options]) == ExitCode.OK
