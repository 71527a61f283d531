"""The published figures are as their heads say."""

from __future__ import annotations

import csv
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

FOLDER = Path(str(files("resources") / "reference"))
FOR_TESTS = Path(__file__).parents[2] / "support" / "published"


def table(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@pytest.mark.parametrize(
    "path",
    [one for folder in (FOLDER, FOR_TESTS) for one in sorted(folder.iterdir()) if one.suffix != ".md"],
    ids=lambda path: path.name,
)
def test_every_file_names_its_study_and_is_in_its_folders_list(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert f"| {path.name} |" in (path.parent / "README.md").read_text(encoding="utf-8")


def test_response_times_and_rates_of_2011_are_numbers() -> None:
    rows = table(FOLDER / "ipsec_tls_2011.csv")
    assert {row["direction"] for row in rows} == {"A->B", "B->A"}
    assert all(float(row["response_avg_s"]) <= float(row["response_max_s"]) for row in rows)
    assert all(float(row["throughput_mbit_s"]) > 0 for row in rows)


def test_satellite_transfers_are_numbers() -> None:
    assert all(float(row["seconds"]) > 0 for row in table(FOR_TESTS / "satcom_transfer_s.csv"))


def test_options_of_2019_add_up() -> None:
    platforms = tomllib.loads((FOLDER / "platforms.toml").read_text(encoding="utf-8"))["platform"]
    for platform in platforms:
        for worked, failed, tried in platform["options"].values():
            assert worked + failed == tried
    assert len({platform["id"] for platform in platforms}) == 5
