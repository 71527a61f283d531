"""Which lab a name means: one that runs, one that is started, or none."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.compose.labs import Labs
from app.compose.paths import Paths
from app.domain.cancel import CancelToken
from app.domain.errors import InvalidOption, NotFound
from app.domain.hosts import PairSpec, Side
from app.lab import CpuKind, Lab, LabManager, LabSpec


class FakeManager:
    """Remembers what was started; everything that was started runs."""

    def __init__(self) -> None:
        self.labs: dict[str, Lab] = {}

    def up(self, spec: LabSpec, *, is_owned: bool, **_: object) -> Lab:
        spec.check()
        assert is_owned
        return self.add(spec)

    def add(self, spec: LabSpec) -> Lab:
        lab = Lab(spec, Path("/nowhere"), dict.fromkeys(Side, 1), datetime.now(UTC), owner_pid=None)
        self.labs[spec.name] = lab
        return lab

    def find(self, name: str) -> Lab | None:
        return self.labs.get(name)

    def down(self, name: str) -> None:
        del self.labs[name]


@pytest.fixture
def manager() -> FakeManager:
    return FakeManager()


@pytest.fixture
def labs(tmp_path: Path, manager: FakeManager, monkeypatch: pytest.MonkeyPatch) -> Labs:
    service = Labs(Paths(data_dir=tmp_path, cache_dir=tmp_path, labs_dir=tmp_path))
    assert isinstance(service.manager, LabManager)
    monkeypatch.setattr(service, "manager", manager)
    monkeypatch.setattr(service, "running", lambda: tuple(manager.labs.values()))
    return service


def pair(labs: Labs, name: str) -> PairSpec:
    return labs.pair(name, token=CancelToken(), on_progress=lambda *_: None)


@pytest.mark.parametrize(
    ("name", "platforms", "stored_as"),
    [
        ("debian-11", ("debian-11", "debian-11"), "lab:debian-11"),
        ("A=debian-11,B=debian-13", ("debian-11", "debian-13"), "lab:A=debian-11,B=debian-13"),
        ("B=debian-11,A=debian-13", ("debian-13", "debian-11"), "lab:A=debian-13,B=debian-11"),
        ("A=debian-13,B=debian-13", ("debian-13", "debian-13"), "lab:debian-13"),
    ],
)
def test_a_platform_is_a_lab_that_is_started_once_and_ended(
    labs: Labs, manager: FakeManager, name: str, platforms: tuple[str, str], stored_as: str
) -> None:
    assert pair(labs, name).name == stored_as
    assert pair(labs, name).name == stored_as
    assert [(lab.spec.platform_a, lab.spec.platform_b) for lab in manager.labs.values()] == [platforms]
    labs.close()
    assert manager.labs == {}


def test_several_kinds_can_be_started_by_one_process(labs: Labs, manager: FakeManager) -> None:
    for name in ("debian-11", "debian-13", "A=debian-11,B=debian-13", "A=debian-13,B=debian-11"):
        pair(labs, name)
    assert len(manager.labs) == 4


def test_a_lab_of_that_kind_that_is_up_is_taken(labs: Labs, manager: FakeManager) -> None:
    manager.add(LabSpec("mixed", "debian-11", "debian-13"))
    manager.add(LabSpec("slow", "debian-11", "debian-11", CpuKind.NO_AES))
    assert pair(labs, "A=debian-11,B=debian-13").name == "lab:A=debian-11,B=debian-13"
    assert set(manager.labs) == {"mixed", "slow"}
    pair(labs, "debian-11")
    assert len(manager.labs) == 3, "without AES instructions it is another kind"


def test_a_name_means_the_lab_of_that_name(labs: Labs, manager: FakeManager) -> None:
    manager.add(LabSpec("mine"))
    assert pair(labs, "mine").name == "lab:mine"
    with pytest.raises(NotFound) as caught:
        pair(labs, "yours")
    assert "debian-11" in caught.value.hint


@pytest.mark.parametrize("name", ["A=debian-11", "A=debian-11,B=amiga-500"])
def test_what_cannot_be_read_starts_nothing(labs: Labs, manager: FakeManager, name: str) -> None:
    with pytest.raises(InvalidOption):
        pair(labs, name)
    assert manager.labs == {}
