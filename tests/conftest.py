"""What holds for every test: nothing leaks, and nobody logs a warning that the test did not ask for."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator

import hypothesis
import pytest

# How long an example takes says how busy the computer is, not whether the program is right.
hypothesis.settings.register_profile(
    "tunnelmark", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tunnelmark")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

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
        thread.join(timeout=3.0)
    left = {thread for thread in left if thread.is_alive()}
    assert not left, f"left running: {_describe(left)}"


@pytest.fixture(autouse=True)
def no_unexpected_logs(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which our own code (or paramiko) logged a warning or worse without the test saying so.

    A test that expects it carries `@pytest.mark.allow_logs("app.ssh", ...)`: these loggers and theirs below may speak.
    """
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whatever lies below tests/lab, so that nobody forgets it."""
    for item in items:
        if item.path.parent.name == "lab":
            item.add_marker(pytest.mark.lab)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where nothing may be skipped, a skipped test fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("TUNNELMARK_NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line(f"{len(reporter.stats['skipped'])} tests were skipped, and none may be here", red=True)
        session.exitstatus = max(int(exitstatus), 1)
