from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.paths import Paths
from app.domain.preferences import Preferences
from app.domain.profiles import ProfileName
from app.policy import DEFAULT_GUIDELINES
from app.policy.messages import GUIDELINE_UNKNOWN, SETTINGS_NOT_WRITTEN, SETTINGS_UNREADABLE
from app.policy.settings_file import Settings, read_settings, write_settings
from app.services.settings import SettingsOperations
from support.message_checks import has_message


def test_settings_lie_in_the_data_folder(tmp_path: Path) -> None:
    assert Paths(tmp_path, tmp_path / "labs", tmp_path / "cache").settings == tmp_path / "settings.toml"


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "settings.toml") == Settings(DEFAULT_GUIDELINES)


def test_what_is_written_is_read_in_the_policys_order(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.toml"
    write_settings(path, Settings(("rfc-8221", "bsi-tr-02102-1")))
    assert read_settings(path) == Settings(("bsi-tr-02102-1", "rfc-8221"))
    write_settings(path, Settings(()))
    assert read_settings(path).guidelines == ()
    assert [one.name for one in path.parent.iterdir()] == ["settings.toml"]


def test_guidelines_and_preferences_are_kept_beside_each_other(tmp_path: Path) -> None:
    kept = SettingsOperations(tmp_path / "settings.toml")
    assert kept.preferences() == Preferences()
    kept.save_preferences(Preferences(ProfileName.PAPER, 300.0))
    kept.use_guidelines(("rfc-8221",))
    assert SettingsOperations(tmp_path / "settings.toml").preferences() == Preferences(ProfileName.PAPER, 300.0)
    kept.save_preferences(Preferences(ProfileName.STANDARD, 20.5, "de"))
    assert kept.settings() == Settings(("rfc-8221",), Preferences(ProfileName.STANDARD, 20.5, "de"))


def test_policy_use_keeps_the_preferences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    kept = SettingsOperations(tmp_path / "settings.toml")
    kept.save_preferences(Preferences(ProfileName.PAPER))
    assert main(["policy", "use", "rfc-8221"]) == 0
    assert kept.settings() == Settings(("rfc-8221",), Preferences(ProfileName.PAPER))


def test_unknown_guideline_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, check=has_message(GUIDELINE_UNKNOWN, unknown=("rfc-1",))):
        write_settings(tmp_path / "settings.toml", Settings(("rfc-1",)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"# one\nguidelines = [\n", 3, "not TOML"),
        (b"\nguidelines = [rfc-8221]\n", 2, "not TOML"),
        (b"# one\n\nguidelines = [\n  'rfc-8221',\n  'rfc-1',\n]\n", 5, "no guideline rfc-1"),
        (b"# one\nguidelines = 'rfc-8221'\n", 2, "a list of names"),
        (b"guidelines = [1]\n", 1, "a list of names"),
        (b"guidelines = []\ncolour = 'red'\n", 2, "no setting colour"),
        (b"# one\n# two\n\xff\n", 3, "not UTF-8"),
        (b"# one\nprofile = 'custom'\n", 2, "quick, standard, paper"),
        (b"profile = 3\n", 1, "quick, standard, paper"),
        (b"guidelines = []\nconfirm_within_s = 5\n", 2, "20 to 3600"),
        (b"confirm_within_s = true\n", 1, "a number"),
        (b"confirm_within_s = 'x'\n", 1, "a number"),
        (b"profile = 'quick'\nlanguage = 'xx'\n", 2, "one of en, de"),
    ],
)
def test_malformed_file_is_refused_with_the_line(tmp_path: Path, content: bytes, line: int, words: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidFile) as caught:
        read_settings(path)
    assert f"line {line}:" in caught.value.message
    assert words in caught.value.message
    assert caught.value.hint


def test_folder_in_the_files_place_is_reported(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").mkdir()
    with pytest.raises(InvalidFile, check=has_message(SETTINGS_UNREADABLE)):
        read_settings(tmp_path / "settings.toml")
    with pytest.raises(InvalidFile, check=has_message(SETTINGS_NOT_WRITTEN)):
        write_settings(tmp_path / "settings.toml", Settings())
