"""Names of the files of studies' results."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.storage.study_results import results_file


def test_no_two_pairs_share_a_file() -> None:
    pairs = ("plant", "plant-", "plant-1", "plant_1", "plant 1", "lab:four", "lab-four", "Werk Süd", "Werk Nord")
    assert len({results_file(Path(), "satcom-2021", one) for one in pairs}) == len(pairs)


@pytest.mark.parametrize(("pair", "name"), [("lab:four", "lab-four"), ("plant-north", "plant-north")])
def test_results_of_earlier_versions_are_found(pair: str, name: str) -> None:
    assert results_file(Path(), "satcom-2021", pair) == Path(f"satcom-2021-{name}.json")
