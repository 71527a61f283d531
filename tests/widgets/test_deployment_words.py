"""The window and the terminal have the same word for each state of a deployment."""

from __future__ import annotations

from pathlib import Path

import pytest

import ui
from app.domain.deployment import DeploymentState
from app.wording.deployment_sentences import state_word
from ui.common.deployment_states import state_appearance


@pytest.mark.parametrize("state", DeploymentState)
def test_states_have_one_word(state: DeploymentState) -> None:
    assert state_appearance(state).word == state_word(state)


@pytest.mark.parametrize("word", ["refused", "rolled back"])
def test_words_for_the_end_of_a_deployment_have_one_home(word: str) -> None:
    folder = Path(ui.__file__).parent
    found = [str(file) for file in folder.rglob("*.py") if f'tr("{word}")' in file.read_text(encoding="utf-8")]
    assert found == [], "use state_word"
