"""The program as a subprocess, with a home of its own and a lab that lasts as long as these tests."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from program import PROGRAM, Run


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "TUNNELMARK_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "COLUMNS": "160"}


@pytest.fixture(scope="session")
def tunnelmark(environment: dict[str, str]) -> Run:
    def run(*words: str, timeout_s: float = 300, status: int | None = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [PROGRAM, *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        if status is not None:
            assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture(scope="session")
def lab_name(tunnelmark: Run) -> Iterator[str]:
    name = f"e2e-{os.getpid()}"
    tunnelmark("lab", "up", "--name", name, timeout_s=900)
    yield name
    tunnelmark("lab", "down", "--name", name)
    left = json.loads(tunnelmark("lab", "status", "--json").stdout)
    assert left["labs"] == []


@pytest.fixture
def on_host(tunnelmark: Run, lab_name: str) -> Callable[[str, str], str]:
    """Run a shell line on a host of the lab, the way a user would, and return what it prints."""

    def run(side: str, line: str) -> str:
        return tunnelmark("lab", "ssh", side, "--name", lab_name, "--", line).stdout

    return run
