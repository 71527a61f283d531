"""The log of a run: times, stages, levels, copies."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QApplication
from window_driver import Driver

from app.domain.events import LogLevel, LogLine
from app.measurement.wizard import Step
from ui.comparison.log_view import LogView


def test_the_log_has_times_and_every_stage_with_its_duration(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.RUN)
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    lines = window.run_page.log.toPlainText().splitlines()
    assert all(re.match(r"\d\d:\d\d:\d\d  ", line) for line in lines)
    assert any(re.search(r"Bare underlay: setting up tunnel, \d+\.\d s$", line) for line in lines)
    assert any(": latency 512 B, " in line for line in lines)
    assert window.run_page.log.text.horizontalScrollBar().maximum() == 0


def test_levels_hide_lines_and_what_is_shown_can_be_copied_and_saved(driver: Driver, tmp_path: Path) -> None:
    log = LogView()
    driver.qtbot.addWidget(log)
    log.append_lines(
        [LogLine(LogLevel.INFO, "one"), LogLine(LogLevel.WARNING, "two"), LogLine(LogLevel.ERROR, "three")]
    )
    log.level.setCurrentIndex(1)
    assert [line.split()[-1] for line in log.toPlainText().splitlines()] == ["two", "three"]
    log.append_lines([LogLine(LogLevel.INFO, "four")])
    assert "four" not in log.toPlainText()
    log.copy.click()
    assert QApplication.clipboard().text() == log.toPlainText()
    log.write(tmp_path / "run.log")
    assert (tmp_path / "run.log").read_text("utf-8") == log.toPlainText() + "\n"
    log.level.setCurrentIndex(0)
    assert "four" in log.toPlainText()
    log.write(tmp_path / "no folder" / "run.log")
    assert "cannot be written" in log.toPlainText()
