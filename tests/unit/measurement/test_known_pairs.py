"""A pair by its name: stored ones, and labs that run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_records import pair

from app.domain.cancel import CancelToken
from app.domain.errors import NotFound
from app.measurement.messages import RUNNING_LABS
from app.services.wiring import Services
from app.storage.messages import KNOWN_PAIRS, UNKNOWN_PAIR
from support.message_checks import has_message


def test_a_name_that_no_pair_has_is_answered_with_the_labs_that_run(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services.lab_service, "pairs", lambda: (replace(pair(), name="lab:default"),))
    with pytest.raises(NotFound, check=has_message(UNKNOWN_PAIR, name="nosuch")) as caught:
        services.known_pair("nosuch")
    assert has_message(RUNNING_LABS, pairs=("lab:default",))(caught.value.hint)
    with pytest.raises(NotFound) as caught:
        services.resolve_pair("nosuch", token=CancelToken(), on_progress=lambda *_: None)
    assert has_message(RUNNING_LABS, pairs=("lab:default",))(caught.value.hint)


def test_without_a_lab_only_stored_pairs_are_named(services: Services) -> None:
    services.store.save_pair(pair(is_lab=False))
    with pytest.raises(NotFound) as caught:
        services.known_pair("nosuch")
    assert caught.value.hint == KNOWN_PAIRS(pairs=("plant-north",))
    assert services.known_pair("plant-north") == pair(is_lab=False)
