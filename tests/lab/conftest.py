"""Practice labs for tests: one that all share, and others for tests that break theirs.

Where QEMU is missing the tests are skipped, unless TUNNELMARK_REQUIRE_LAB=1 says that it has to be there. With
TUNNELMARK_TEST_LAB=NAME a lab that is already up is taken as the shared one, which saves its start.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from platformdirs import user_cache_path, user_state_path

from app.domain.cancel import CancelToken
from app.lab import CpuKind, Lab, LabManager, LabSpec
from app.lab.machine import QEMU

FreshLab = Callable[..., Lab]


@pytest.fixture(scope="session")
def has_qemu() -> None:
    missing = [name for name in (QEMU, "qemu-img") if shutil.which(name) is None]
    if not missing:
        return
    reason = f"{' and '.join(missing)} missing: install qemu-system-x86 and qemu-utils"
    if os.environ.get("TUNNELMARK_REQUIRE_LAB") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def lab_manager(has_qemu: None, tmp_path_factory: pytest.TempPathFactory) -> LabManager:
    """Labs of this test run, made from the images in the user's ordinary cache."""
    state_dir = tmp_path_factory.mktemp("labs")
    if os.environ.get("TUNNELMARK_TEST_LAB"):
        state_dir = user_state_path("tunnelmark") / "labs"
    return LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=state_dir)


@pytest.fixture(scope="session")
def lab(lab_manager: LabManager) -> Iterator[Lab]:
    """The lab that tests share; they leave its gateways as they found them."""
    wanted = os.environ.get("TUNNELMARK_TEST_LAB")
    if wanted:
        found = lab_manager.find(wanted)
        assert found is not None, f"no lab {wanted} is up"
        yield found
        return
    name = f"tests-{os.getpid()}"
    yield lab_manager.up(LabSpec(name), token=CancelToken(), on_progress=lambda _: None, is_owned=True)
    lab_manager.down(name)


@pytest.fixture
def fresh_manager(has_qemu: None, tmp_path: Path) -> LabManager:
    """Labs in a folder of this test's own."""
    return LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=tmp_path / "labs")


@pytest.fixture
def fresh_lab(fresh_manager: LabManager) -> Iterator[FreshLab]:
    """Starts labs that the test may break; `fresh_manager` switches their gateways off and on."""
    started: list[str] = []

    def start(name: str = "fresh", cpu: CpuKind = CpuKind.AES) -> Lab:
        started.append(name)
        spec = LabSpec(name, cpu=cpu)
        return fresh_manager.up(spec, token=CancelToken(), on_progress=lambda _: None, is_owned=True)

    yield start
    for name in started:
        fresh_manager.down(name)
