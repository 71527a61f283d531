"""`tunnelmark policy`."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import NO_ALGORITHM, UNKNOWN_ALGORITHM
from app.cli.policy import answer_table
from app.policy import DEFAULT_GUIDELINES, GUIDELINES, POLICY_VERSION
from app.policy.messages import GUIDELINE_UNKNOWN, SETTINGS_WRONG, WANTED_GUIDELINES
from support.message_checks import shows


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    return tmp_path


def words_of(capsys: pytest.CaptureFixture[str]) -> str:
    """Return what was printed, without the tables' borders and line breaks."""
    captured = capsys.readouterr()
    return " ".join((captured.out + captured.err).replace("│", " ").split())


def test_list_prints_every_guideline_and_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "list"]) == ExitCode.OK
    printed = words_of(capsys)
    assert POLICY_VERSION in printed
    assert all(one in printed for one in GUIDELINES)
    assert "3DES" in printed
    assert "HMAC-SHA-1" in printed


def test_list_of_one_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "list", "--kind", "mac"]) == ExitCode.OK
    printed = words_of(capsys)
    assert "HMAC-SHA-256" in printed
    assert "Camellia-256" not in printed


def test_show_answers_all_three_questions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show", "AES-256-CFB8"]) == ExitCode.OK
    printed = words_of(capsys)
    assert printed.startswith("AES-256-CFB8: AES-256 in CFB8, cipher, 256 bit key, 128 bit block Verdict: insecure")
    for question in ("Is it insecure?", "Is it outside BSI TR-02102-1? yes", "Is it slow? yes"):
        assert question in printed
    assert "Is it outside a guideline?" not in printed, "each line names its own"


def test_des_is_slow_by_its_nature_and_guidelines_that_are_not_picked_are_named_so() -> None:
    for name in ("des", "3des"):
        rows = {row[0]: row[1] for row in answer_table(name, ("bsi-tr-02102-1",)).rows}
        assert rows["Is it slow?"] == "yes"
        assert rows["Is it outside NIST SP 800-131A?"] == "yes; a guideline that is not picked"


def test_show_says_that_nothing_is_against_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show", "AES-256-GCM"]) == ExitCode.OK
    assert "Is it outside a guideline? no" in words_of(capsys)


def test_show_adds_what_a_protocols_mac_makes_of_a_cipher(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show", "AES-256-CBC"]) == ExitCode.OK
    printed = words_of(capsys)
    assert "Verdict: depends on the use: legacy by itself, acceptable with some protocols' MAC, see below" in printed
    assert "In ESP, with a MAC: acceptable." in printed
    assert "In SSH 2, with a MAC with -etm in its name: acceptable." in printed
    assert main(["policy", "show", "BF-CBC"]) == ExitCode.OK
    printed = words_of(capsys)
    assert "with a MAC" not in printed
    assert "Verdict: insecure" in printed, "no MAC changes that"
    assert main(["policy", "show", "SM4"]) == ExitCode.OK
    assert "Verdict: depends on the use" in words_of(capsys)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("AES-256-GCM", "no, recommended"),
        ("HMAC-SHA-1", "no, legacy"),
        ("AES-256-CBC", "no, legacy"),
        ("BF-CBC", "yes"),
    ],
)
def test_the_question_whether_it_is_insecure_is_answered(name: str, answer: str) -> None:
    rows = answer_table(name, ()).rows
    assert [row[1] for row in rows if row[0] == "Is it insecure?"] == [answer]


def test_unknown_algorithm_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show", "[bold]rot13"]) == ExitCode.INVALID
    reported = words_of(capsys)
    assert UNKNOWN_ALGORITHM(name="[bold]rot13") in reported
    assert "insecure" not in reported


def test_picking_a_guideline_changes_the_verdict(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["policy", "show", "ChaCha20-Poly1305"])
    assert "Verdict: recommended" in words_of(capsys)
    assert main(["policy", "use", "bsi-tr-02102-1"]) == ExitCode.OK
    assert GUIDELINES["bsi-tr-02102-1"].title in words_of(capsys)
    assert 'guidelines = ["bsi-tr-02102-1"]' in (home / "settings.toml").read_text(encoding="utf-8")
    main(["policy", "show", "ChaCha20-Poly1305"])
    assert "Verdict: acceptable" in words_of(capsys)


def test_none_and_default_can_be_picked(capsys: pytest.CaptureFixture[str]) -> None:
    main(["policy", "use", "none"])
    assert "Guidelines that apply: none" in words_of(capsys)
    main(["policy", "use", "default"])
    assert all(GUIDELINES[one].title in words for words in [words_of(capsys)] for one in DEFAULT_GUIDELINES)


def test_unknown_guideline_changes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "use", "rfc-8221", "rfc-1"]) == ExitCode.INVALID
    assert shows(words_of(capsys), GUIDELINE_UNKNOWN.text, unknown="rfc-1")
    assert not (home / "settings.toml").exists()


def test_malformed_settings_are_reported_with_the_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "settings.toml").write_text("\nguidelines = 3\n", encoding="utf-8")
    assert main(["policy", "list"]) == ExitCode.INVALID
    assert shows(words_of(capsys), SETTINGS_WRONG.text, line=2, what=WANTED_GUIDELINES())


def test_show_refuses_an_empty_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show", " "]) == ExitCode.INVALID
    assert NO_ALGORITHM() in words_of(capsys)
