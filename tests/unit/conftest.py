"""The program's own services with data of a test's own, for tests of what they put together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.domain.paths import Paths

if TYPE_CHECKING:
    from app.services.wiring import Services


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    from app.services.wiring import Services  # every part of the program: only for tests that ask for it

    made = Services(prompts=None, paths=Paths(tmp_path, tmp_path / "labs", tmp_path / "cache"))
    yield made
    made.close()
