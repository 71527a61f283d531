from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fake_services import FakeServices
from window_driver import Driver

import app.cli
import ui.main
import ui.shell.app
from app.domain.errors import LabFault
from app.domain.profiles import DEMO_PROFILE
from app.domain.results import CampaignStatus
from ui.shell.demo import DEMO_SOLUTIONS, Demo

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


BATCH = 1_000
"""Samples that the window gets at a time, where a demonstration measures: how often it draws is not at issue here."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []

    def run_window(*, is_demo: bool = False) -> int:
        made.append("demo window" if is_demo else "window")
        return 0

    def run_command(arguments: Sequence[str]) -> int:
        made.append("command " + " ".join(arguments))
        return 5

    monkeypatch.setattr(ui.shell.app, "run_window", run_window)
    monkeypatch.setattr(app.cli, "main", run_command)
    return made


@pytest.mark.parametrize("name", DISPLAYS)
def test_without_arguments_the_window_opens(calls: list[str], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for other in DISPLAYS:
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, ":0")
    assert ui.main.main([]) == 0
    assert ui.main.main(["demo"]) == 0
    assert calls == ["window", "demo window"]


def test_without_a_display_a_sentence_and_two(
    calls: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in DISPLAYS:
        monkeypatch.delenv(name, raising=False)
    assert ui.main.main([]) == 2
    assert "no display" in capsys.readouterr().err
    assert ui.main.main(["demo"]) == 5
    assert calls == ["command demo"]


def test_arguments_go_to_the_command_line(calls: list[str]) -> None:
    assert ui.main.main(["rank", "3"]) == 5
    assert ui.main.main(["demo", "--pings", "50"]) == 5
    assert calls == ["command rank 3", "command demo --pings 50"]


def test_a_command_does_not_load_qt() -> None:
    script = (
        "import sys; import ui.main; ui.main.main(['--version']) if False else None; print('PySide6' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_first_page_loads_neither_numpy_nor_pyqtgraph_nor_paramiko() -> None:
    script = (
        "import sys\n"
        "from ui.shell.app import make_application\nfrom ui.common.theme import Theme\n"
        "from ui.shell.window import MainWindow\n"
        "application = make_application()\nwindow = MainWindow(Theme(application), lambda prompts: None)\n"
        "print([name for name in ('numpy', 'pyqtgraph', 'paramiko', 'matplotlib', 'sqlite3') if name in sys.modules])"
    )
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_the_demonstration_measures_shows_and_reports(
    open_window: Callable[..., Driver],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    driver = open_window(is_waiting=False, batch=BATCH)
    demo = Demo(driver.window)
    driver.window.ready.connect(demo.start)
    driver.until(lambda: demo.report is not None)
    assert driver.window.current is driver.window.results
    record = driver.services.records[1]
    assert tuple(c.solution for c in record.plan.candidates) == DEMO_SOLUTIONS
    assert record.plan.profile == DEMO_PROFILE
    out = capsys.readouterr().out
    assert str(demo.report) in out
    assert "WireGuard" in out
    assert demo.exit_code == 0
    driver.idle()
    assert "Report saved" in driver.window.results.notice.text


def test_a_demonstration_that_cannot_start_says_why_on_the_page_and_on_stderr(
    open_window: Callable[..., Driver],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)

    def factory(prompts: object) -> FakeServices:
        fault = LabFault("QEMU is missing.", hint="Install qemu-system-x86.")
        return FakeServices(prompts, faults={"start_lab": fault}, batch=BATCH)  # type: ignore[arg-type]

    driver = open_window(is_waiting=False, factory=factory)
    demo = Demo(driver.window)
    driver.window.ready.connect(demo.start)
    driver.until(lambda: "QEMU is missing" in driver.window.run_page.notice.text)
    assert "Install qemu-system-x86" in capsys.readouterr().err
    assert demo.exit_code == 1
    driver.click(driver.window.run_page.notice.action("Try again"))
    driver.until(lambda: demo.report is not None)
    assert demo.exit_code == 0
    assert driver.window.isVisible()


@pytest.mark.parametrize("faults", [{}, {"start_lab": LabFault("QEMU is missing.")}, {"run": LabFault("It is gone.")}])
def test_a_demonstration_that_no_one_sees_closes_by_itself(
    open_window: Callable[..., Driver], faults: dict[str, LabFault], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    driver = open_window(is_waiting=False, faults=dict(faults), batch=BATCH)
    demo = Demo(driver.window, is_seen=False)
    driver.window.ready.connect(demo.start)
    driver.until(lambda: driver._made != [] and driver.services.is_closed)
    driver.until(lambda: not driver.window.isVisible())
    assert demo.exit_code == (1 if faults else 0)
    assert (demo.report is None) is bool(faults)


def test_cancelling_a_demonstration_while_it_prepares_leaves_it_there(open_window: Callable[..., Driver]) -> None:
    driver = open_window(is_waiting=False, pace_s=60)
    demo = Demo(driver.window)
    driver.window.ready.connect(demo.start)
    driver.until(lambda: "start_lab" in (driver.services.calls if driver._made else ()))
    driver.window.cancel()
    driver.until(lambda: "Cancelled before" in driver.window.run_page.head.text.text())
    driver.idle()
    assert "run" not in driver.services.calls


def test_a_cancelled_demonstration_writes_no_report(open_window: Callable[..., Driver]) -> None:
    driver = open_window(is_waiting=False, holds_after=3)
    demo = Demo(driver.window)
    driver.window.ready.connect(demo.start)
    driver.until(lambda: driver.window.is_measuring)
    driver.window.run_page.cancel_now()
    driver.until(lambda: not driver.window.is_measuring)
    assert driver.services.records[1].status is CampaignStatus.CANCELLED
    assert driver.services.reports == []
    assert demo.exit_code == 130
