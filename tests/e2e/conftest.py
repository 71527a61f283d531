"""The program as a subprocess, on the lab that all tests share and that was started with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from program import Run


@pytest.fixture
def on_host(tunnelmark: Run, lab_name: str) -> Callable[[str, str], str]:
    """Run a shell line on a host of the lab, the way a user would, and return what it prints."""

    def run(side: str, line: str) -> str:
        return tunnelmark("lab", "ssh", side, "--name", lab_name, "--", line).stdout

    return run
