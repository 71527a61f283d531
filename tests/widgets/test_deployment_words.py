"""The window and the terminal have the same word for each state of a deployment."""

from __future__ import annotations

import pytest

from app.domain.deployment import DeploymentState
from app.wording.deployment_sentences import state_word
from ui.common.deployment_states import state_appearance


@pytest.mark.parametrize("state", DeploymentState)
def test_states_have_one_word(state: DeploymentState) -> None:
    assert state_appearance(state).word == state_word(state)
