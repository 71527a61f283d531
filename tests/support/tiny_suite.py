"""Tiny folders of tests, run by real pytest processes."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFTEST = """
import pytest

pytest_plugins = ("suite.recording", "suite.quarantine", "suite.selection")


@pytest.fixture(scope="session")
def has_qemu():
    pass
"""
SETTINGS = """
[pytest]
addopts = --strict-markers -p no:cacheprovider
xfail_strict = true
markers =
    machines: needs virtual machines
    full: only in make test-full
    timed: looks at the clock
"""


def environment(**more: str) -> dict[str, str]:
    """Return what a pytest process of a tiny suite gets: our packages, no plugins but named ones, no skip rules."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TUNNELMARK_", "PYTEST_"))}
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    return {**kept, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}


def make_suite(folder: Path, **files: str) -> Path:
    """Write a folder of tests.

    Args:
        folder: Where; it is made.
        files: The content of `tests/test_NAME.py` by NAME.

    Returns:
        The folder.
    """
    (folder / "tests").mkdir(parents=True)
    (folder / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
    (folder / "tests" / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    for name, text in files.items():
        (folder / "tests" / f"test_{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


def run_pytest(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in such a folder, with more of an environment."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
