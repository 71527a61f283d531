"""The language: the environment's, else that of the settings, else the system's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.preferences import Preferences
from app.policy.settings_file import Settings, write_settings
from app.wording import language
from app.wording.language import VARIABLE, current_language
from app.wording.language_choice import choose_language


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(VARIABLE, raising=False)
    yield
    language._CHOSEN.clear()


@pytest.mark.parametrize(
    ("stored", "system", "code"),
    [
        ("", ["de-DE", "en-US"], "de"),
        ("", ["de-AT"], "de"),
        ("", ["fr-FR", "de-DE"], "en"),
        ("", ["C"], "en"),
        ("", [], "en"),
        ("en", ["de-DE"], "en"),
        ("de", ["en-US"], "de"),
    ],
)
def test_setting_comes_before_the_system(tmp_path: Path, stored: str, system: list[str], code: str) -> None:
    path = tmp_path / "settings.toml"
    write_settings(path, Settings(preferences=Preferences(language=stored)))
    assert choose_language(path, system) == code
    assert current_language() == code


def test_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.toml"
    write_settings(path, Settings(preferences=Preferences(language="de")))
    monkeypatch.setenv(VARIABLE, "en")
    assert choose_language(path, ["de-DE"]) == "en"


@pytest.mark.parametrize("content", [None, b"language = [\n", b"\xff", b"language = 3\n", b"language = 'xx'\n"])
def test_without_a_usable_setting_something_is_chosen(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "settings.toml"
    if content is not None:
        path.write_bytes(content)
    assert choose_language(path, ["de-DE"]) == ("en" if content == b"language = 'xx'\n" else "de")
