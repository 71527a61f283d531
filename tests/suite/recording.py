"""Pytest plugin: a record of what a process of tests does, while it does it, for a runner of several of them.

One JSON object per line, so that the record of a process that dies says what it was at. With xdist, the controlling
process writes it, for all its workers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import TextIO

import pytest

QUARANTINED = "quarantined"
"""Name of the user property that carries the reason of a quarantine."""
PHASES = ("setup", "call", "teardown")
CONTEXT = "context of the error"
"""Title of an error's facts beside its message: output of hosts, for example."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the file."""
    parser.getgroup("suite").addoption("--record", type=Path, help="write what happens to this file, as JSON lines")


def pytest_configure(config: pytest.Config) -> None:
    """Start recording if asked to; the workers of xdist report to the process that controls them."""
    path: Path | None = config.getoption("--record")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(path), "suite-recorder")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the error knows to the report of a failure: a busy computer does not fail the same way twice."""
    report = yield
    error = call.excinfo.value if call.excinfo is not None and report.failed else None
    known: object = getattr(error, "context", None)
    if isinstance(known, Mapping) and known:
        report.sections.append((CONTEXT, "\n".join(f"{name}: {text}" for name, text in known.items())))
    return report


class Recorder:
    """Writer of the record.

    Args:
        path: The file; it is made anew.
    """

    def __init__(self, path: Path) -> None:
        self._file: TextIO = path.open("w", encoding="utf-8")
        self._reports: dict[str, list[pytest.TestReport]] = {}
        self._is_collected = False

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record how many tests each file has."""
        self._collected(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Record the same for the workers of xdist, which all collect the same tests."""
        self._collected(ids)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a file that could not be collected, or that skips itself."""
        if not report.passed:
            self._write(
                event="test", id=report.nodeid, outcome=report.outcome, seconds=0.0, detail=str(report.longreprtext)
            )

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Record that a test begins."""
        self._write(event="start", id=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the report of a phase; that of a worker that crashed is the only one of its test."""
        self._reports.setdefault(report.nodeid, []).append(report)
        if report.when not in PHASES:
            self._finish(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Record a test's outcome."""
        self._finish(nodeid)

    def pytest_internalerror(self, excrepr: object) -> None:
        """Record a fault of pytest or of a plugin."""
        self._write(event="trouble", detail=str(excrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Record the exit status."""
        self._write(event="end", status=int(session.exitstatus))

    def pytest_unconfigure(self) -> None:
        """Close the file."""
        self._file.close()

    def _collected(self, ids: Iterable[str]) -> None:
        if not self._is_collected:
            self._is_collected = True
            self._write(event="collected", files=Counter(one.partition("::")[0] for one in ids))

    def _finish(self, nodeid: str) -> None:
        reports = self._reports.pop(nodeid, [])
        if not reports:
            return
        outcome = outcome_of(reports)
        self._write(
            event="test",
            id=nodeid,
            outcome=outcome,
            seconds=sum(report.duration for report in reports),
            detail="" if outcome == "passed" else "\n".join(_detail(report) for report in reports if not report.passed),
            quarantined=next((text for name, text in reports[0].user_properties if name == QUARANTINED), ""),
        )

    def _write(self, **fields: object) -> None:
        self._file.write(json.dumps(fields) + "\n")
        self._file.flush()


def outcome_of(reports: Iterable[pytest.TestReport]) -> str:
    """Return a test's outcome: `passed`, `failed`, `skipped` or `xfailed` (it failed, as its mark says it may)."""
    outcomes = {"xfailed" if report.skipped and hasattr(report, "wasxfail") else report.outcome for report in reports}
    return next((one for one in ("failed", "xfailed", "skipped") if one in outcomes), "passed")


def _detail(report: pytest.TestReport) -> str:
    sections = [f"---- {title} ----\n{text}" for title, text in report.sections]
    return "\n".join([f"in {report.when}:", report.longreprtext, *sections])
