"""Pytest plugin: tests that need virtual machines are marked, those of `make test-full` are left out by default."""

from __future__ import annotations

import os
from typing import Any

import pytest

from suite.plan import BEGUN_FIRST, UNIT_FOLDERS

QEMU_FIXTURE = "has_qemu"
"""The fixture on which everything that starts a virtual machine depends."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that selects the tests marked `full` as well."""
    parser.getgroup("suite").addoption("--full", action="store_true", help="run the tests marked `full` as well")


@pytest.hookimpl(tryfirst=True)  # marks come before -m selects by them
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that need machines, begin with the longest files, and leave out `full` unless it is asked for."""
    for item in items:
        if needs_machines(item):
            item.add_marker(pytest.mark.machines)
            if item.nodeid.startswith(tuple(f"{folder}/" for folder in UNIT_FOLDERS)):
                raise pytest.UsageError(f"{item.nodeid} needs virtual machines: it belongs into tests/lab or tests/e2e")
    places = {file: place for place, file in enumerate(BEGUN_FIRST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))
    if config.getoption("--full"):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        without = set(left_out)
        items[:] = [item for item in items if item not in without]


def needs_machines(item: pytest.Item) -> bool:
    """Return whether a test asks for virtual machines, by itself or through its fixtures."""
    return QEMU_FIXTURE in getattr(item, "fixturenames", ())


def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> None:
    """Fail a test that gets a virtual machine past its marker, by `getfixturevalue` alone.

    The lane without machines would start some otherwise. There the first test that does so is always caught, because
    the fixture has not been set up for a marked one before.
    """
    if fixturedef.argname == QEMU_FIXTURE and request._pyfuncitem.get_closest_marker("machines") is None:
        pytest.fail(f"needs virtual machines without being marked: add {QEMU_FIXTURE} to its fixture's parameters")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail the run for skipped tests where TUNNELMARK_NO_SKIPS allows none."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("TUNNELMARK_NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line(f"{len(reporter.stats['skipped'])} tests were skipped, and none may be here", red=True)
        session.exitstatus = max(int(exitstatus), 1)
