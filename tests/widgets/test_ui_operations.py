from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from app.domain.cancel import CancelToken
from app.domain.errors import Bug, HostUnreachable, TunnelmarkError
from app.domain.progress import ProgressSink
from app.measurement.messages import MEASURING_PATH
from app.wording import language
from ui.common.operations import OperationRunner


@pytest.fixture
def runner(qtbot: QtBot) -> OperationRunner:
    return OperationRunner()


def never(*_arguments: object) -> None:
    pytest.fail("must not be called")


def test_the_job_runs_elsewhere_and_its_result_arrives_here(runner: OperationRunner, qtbot: QtBot) -> None:
    threads: list[object] = []
    results: list[int] = []

    def job(_token: CancelToken, report: object) -> int:
        threads.append(threading.current_thread())
        report("half", 0.5)
        return 7

    progress: list[tuple[str, float | None]] = []

    def here(result: int) -> None:
        assert QThread.currentThread().isMainThread()
        results.append(result)

    runner.run(
        "Counting", job, on_success=here, on_failure=never, on_progress=lambda *reported: progress.append(reported)
    )
    qtbot.waitUntil(lambda: results == [7])
    assert threads[0] is not threading.main_thread()
    assert progress == [("half", 0.5)]
    assert runner.running == ()


def test_progress_is_shown_in_the_language_of_the_window(
    runner: OperationRunner, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    shown: list[str] = []

    def job(_token: CancelToken, report: ProgressSink) -> None:
        report(MEASURING_PATH(), None)

    runner.run(
        "Inspecting",
        job,
        on_success=lambda _result: None,
        on_failure=never,
        on_progress=lambda text, _fraction: shown.append(text),
    )
    qtbot.waitUntil(lambda: shown == ["Der Pfad dazwischen wird vermessen"])


def test_an_error_with_a_sentence_arrives_as_it_is(runner: OperationRunner, qtbot: QtBot) -> None:
    error = HostUnreachable("It does not answer.")
    errors: list[TunnelmarkError] = []

    def job(_token: CancelToken, _report: object) -> None:
        raise error

    runner.run("Trying", job, on_success=never, on_failure=errors.append)
    qtbot.waitUntil(lambda: errors == [error])


@pytest.mark.allow_logs("ui.common.operations")
def test_any_other_error_arrives_as_a_bug(runner: OperationRunner, qtbot: QtBot) -> None:
    errors: list[TunnelmarkError] = []

    def job(_token: CancelToken, _report: object) -> None:
        raise KeyError("nonsense")

    runner.run("Trying", job, on_success=never, on_failure=errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert isinstance(errors[0], Bug)
    assert "KeyError" in errors[0].context["traceback"]


def test_cancelling_reaches_the_job_and_is_reported(runner: OperationRunner, qtbot: QtBot) -> None:
    cancelled: list[bool] = []
    operation = runner.run(
        "Waiting",
        lambda token, _report: token.sleep(60),
        on_success=never,
        on_failure=never,
        on_cancelled=lambda: cancelled.append(True),
    )
    operation.cancel()
    qtbot.waitUntil(lambda: cancelled == [True])
    assert not operation.is_running


def test_what_is_abandoned_reports_nothing(runner: OperationRunner, qtbot: QtBot) -> None:
    operation = runner.run(
        "Waiting", lambda token, _report: token.sleep(60), on_success=never, on_failure=never, on_cancelled=never
    )
    operation.abandon()
    qtbot.waitUntil(lambda: not runner.running)


def test_begin_and_end_are_reported(runner: OperationRunner, qtbot: QtBot) -> None:
    numbers: list[int] = []
    runner.changed.connect(lambda: numbers.append(len(runner.running)))
    runner.run("Quick", lambda _token, _report: None, on_success=lambda _none: None, on_failure=never)
    qtbot.waitUntil(lambda: numbers == [1, 0])
