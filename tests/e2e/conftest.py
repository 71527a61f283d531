"""The program as a subprocess, on the lab that most tests share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from program import Run

from app.lab import Lab


@pytest.fixture(scope="session")
def lab_name(newest_lab: Lab) -> str:
    """The name of the lab, which lies in the program's home."""
    return newest_lab.spec.name


@pytest.fixture
def on_host(tunnelmark: Run, lab_name: str) -> Callable[[str, str], str]:
    """Run a shell line on a host of the lab, the way a user would, and return what it prints."""

    def run(side: str, line: str) -> str:
        return tunnelmark("lab", "ssh", side, "--name", lab_name, "--", line).stdout

    return run
