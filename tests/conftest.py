"""Rules for every test: nothing leaks, and nothing logs a warning that the test did not ask for."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from platformdirs import user_cache_path
from program import PROGRAM, Run

from app.domain.cancel import CancelToken
from app.lab import Lab, LabManager, LabSpec
from app.lab.machine import QEMU

# How long an example takes says how busy the computer is, not whether the program is right. Every run tries others.
hypothesis.settings.register_profile(
    "tunnelmark", deadline=None, max_examples=50, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tunnelmark")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["TUNNELMARK_LANGUAGE"] = "en"  # whatever the computer's or the user's is
# At what width text is wrapped and whether it is coloured depends on them; pytest-xdist sets the first, some CI others.
for _name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
    os.environ.pop(_name, None)

pytest.register_assert_rewrite("support")  # so that their assertions say what was compared

pytest_plugins = ("suite.recording", "suite.quarantine", "suite.selection")

_GARBAGE = (gc.get_threshold()[0], gc.get_threshold()[1], 50)
"""Thresholds of garbage collection: the usual ones, but all objects are gone through more rarely; that takes 0.1 s."""
gc.disable()  # while tests are collected: hardly anything is garbage then

ENDS_S = 30.0
"""Time that a thread gets to end after its test, in seconds: a moment, and longer where it gets no processor."""
_OURS = ("app", "ui", "vpn_adapters", "paramiko")


def _describe(threads: set[threading.Thread]) -> str:
    return ", ".join(sorted(f"{thread.name} ({'daemon' if thread.daemon else 'plain'})" for thread in threads))


@pytest.fixture(autouse=True)
def no_leaked_threads() -> Iterator[None]:
    """Fail a test that leaves a thread behind (fixtures of a wider scope start theirs before)."""
    before = set(threading.enumerate())
    yield
    left = {thread for thread in threading.enumerate() if thread not in before and thread.is_alive()}
    for thread in left:
        thread.join(timeout=ENDS_S)
    left = {thread for thread in left if thread.is_alive()}
    assert not left, f"left running: {_describe(left)}"


@pytest.fixture(autouse=True)
def no_unexpected_logs(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which our own code (or paramiko) logged a warning or worse without the test saying so.

    A test that expects it carries `@pytest.mark.allow_logs("app.ssh", ...)`: these loggers and theirs below may speak.
    A command that an earlier test ran has set what is logged; every test begins with all of it.
    """
    logging.getLogger("app").setLevel(logging.NOTSET)
    yield
    marker = request.node.get_closest_marker("allow_logs")
    allowed: tuple[str, ...] = marker.args if marker else ()
    unexpected = [
        f"{record.name}: {record.getMessage()}"
        for phase in ("setup", "call")
        for record in caplog.get_records(phase)  # type: ignore[arg-type]
        if record.levelno >= logging.WARNING
        and record.name.split(".")[0] in _OURS
        and not any(record.name == name or record.name.startswith(f"{name}.") for name in allowed)
    ]
    assert not unexpected, "unexpected log lines:\n" + "\n".join(unexpected)


@pytest.fixture(scope="session")
def has_qemu() -> None:
    missing = [name for name in (QEMU, "qemu-img") if shutil.which(name) is None]
    if not missing:
        return
    reason = f"{' and '.join(missing)} missing: install qemu-system-x86 and qemu-utils"
    if os.environ.get("TUNNELMARK_REQUIRE_LAB") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def garbage_collected() -> Iterator[None]:
    """Collect after each test what a window's collector would collect, where there was one in this process."""
    yield
    if not gc.isenabled():
        from ui.shell.collecting import Collector

        Collector.collect()


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out a report's figures, which take most of its time, where a test is about its words and tables."""
    for kind in ("html", "pdf"):
        monkeypatch.setattr(f"app.reports.{kind}_report.draw_figures", lambda *_: ())
        monkeypatch.setattr(f"app.reports.{kind}_report.draw_histories", lambda *_: {})


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that the program keeps, and the labs of this test run."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def environment(home: Path) -> dict[str, str]:
    """Environment of the program when it is started as a user does."""
    return {**os.environ, "TUNNELMARK_HOME": str(home), "COLUMNS": "160"}


@pytest.fixture(scope="session")
def tunnelmark(environment: dict[str, str]) -> Run:
    """Run the program to its end."""

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
def newest_lab(has_qemu: None, home: Path) -> Iterator[Lab]:
    """The lab of the newest platform that most tests share; the program finds it in its home. It ends with this run."""
    manager = LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=home / "labs")
    spec = LabSpec(f"tests-{os.getpid()}")
    yield manager.up(spec, token=CancelToken(), on_progress=lambda _: None, is_owned=True)
    manager.down(spec.name)


def pytest_collection_finish() -> None:
    """Collect garbage from now on, but not among modules and tests, which last as long as this process."""
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whatever lies below tests/lab, so that it is not forgotten."""
    for item in items:
        if item.path.parent.name == "lab":
            item.add_marker(pytest.mark.lab)
