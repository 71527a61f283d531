"""The settings dialog: each setting takes effect where it says, and is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog
from window_driver import Driver

from app.domain.errors import InvalidFile
from app.domain.preferences import Preferences
from app.domain.profiles import ADAPTIVE_PROFILE, ProfileName
from app.measurement.wizard import Step
from ui.common.guidelines import GuidelinesDialog
from ui.common.theme import Theme
from ui.shell.settings_dialog import SettingsDialog


def _open(driver: Driver) -> SettingsDialog:
    driver.window.desk.show_settings()
    driver.idle()
    found = driver.window.findChildren(SettingsDialog)
    return next(one for one in found if one.isVisible())


def _choose(dialog: SettingsDialog, profile: ProfileName, seconds: int) -> None:
    dialog.profile.setCurrentIndex(dialog.profile.findData(profile.value))
    dialog.confirm.setValue(seconds)


def test_ctrl_comma_opens_the_settings_and_esc_closes_them(driver: Driver) -> None:
    driver.window.desk.settings.trigger()
    dialog = _open(driver)
    assert driver.window.desk.settings.shortcut().toString() == "Ctrl+,"
    driver.press(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    driver.idle()
    assert "save_preferences" not in driver.services.calls


def test_the_theme_applies_at_once_and_is_kept(driver: Driver, tmp_path: Path) -> None:
    theme = driver.window.context.theme
    memory = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    try:
        theme.restore(memory)
        dialog = _open(driver)
        dialog.theme.setCurrentIndex(dialog.theme.findData("dark"))
        assert theme.is_dark
        again = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
        assert again.value("window/theme") == "dark"
        dialog.theme.setCurrentIndex(dialog.theme.findData("light"))
        assert not theme.is_dark
        dialog.theme.setCurrentIndex(dialog.theme.findData("dark"))
        theme.force(None)
        theme.restore(again)
        assert (theme.choice, theme.is_dark) == ("dark", True)
        dialog.close()
        assert _open(driver).theme.currentData() == "dark"
    finally:
        theme._memory = None
        theme.choose("system")


@pytest.mark.parametrize("stored", ["purple", "", 3])
def test_a_theme_that_is_unknown_follows_the_system(theme: Theme, tmp_path: Path, stored: object) -> None:
    memory = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    memory.setValue("window/theme", stored)
    theme.restore(memory)
    theme._memory = None
    assert theme.choice == "system"


def test_the_profile_is_preselected_on_plan_until_another_is_chosen_there(driver: Driver) -> None:
    dialog = _open(driver)
    _choose(dialog, ProfileName.STANDARD, 120)
    dialog.close()
    driver.idle()
    assert driver.services.kept == Preferences(ProfileName.STANDARD)
    driver.go_to(Step.PLAN)
    driver.idle()
    form = driver.window.step_page(Step.PLAN).form  # type: ignore[attr-defined]
    assert "Standard" in form.current().text().replace("&", "")
    dialog = _open(driver)
    _choose(dialog, ProfileName.PAPER, 120)
    dialog.close()
    driver.idle()
    assert "Paper" in form.current().text().replace("&", "")
    form._radios[ProfileName.QUICK].click()
    driver.idle()
    dialog = _open(driver)
    _choose(dialog, ProfileName.STANDARD, 120)
    dialog.close()
    driver.idle()
    assert "Quick" in form.current().text().replace("&", "")


def test_without_settings_the_plan_is_adaptive(open_window: object) -> None:
    driver = open_window(kept=Preferences())  # type: ignore[operator]
    driver.go_to(Step.PLAN)
    driver.idle()
    page = driver.window.step_page(Step.PLAN)
    assert "Adaptive" in page.form.current().text().replace("&", "")
    driver.until(lambda: page._plan is not None)
    assert page._plan.profile == ADAPTIVE_PROFILE
    assert page.facts.text().partition(" or earlier. ")[2] == (
        "At most 8 rounds and 5 min of measuring; it ends as soon as the order is known."
    )


def test_the_settings_are_read_at_the_start(open_window: object) -> None:
    driver = open_window(kept=Preferences(ProfileName.PAPER, 300.0))  # type: ignore[operator]
    assert driver.window.context.preferences == Preferences(ProfileName.PAPER, 300.0)
    dialog = _open(driver)
    assert (dialog.profile.currentData(), dialog.confirm.value()) == ("paper", 300)
    dialog.close()
    driver.idle()
    assert "save_preferences" not in driver.services.calls


def test_the_time_to_confirm_is_preselected_on_deployment_until_another_is_entered(driver: Driver) -> None:
    driver.window.show_deploy()
    driver.idle()
    form = driver.window.deploy.form
    assert form.within.value() == 120
    for seconds, expected in ((300, 300), (400, 400)):
        dialog = _open(driver)
        _choose(dialog, ProfileName.QUICK, seconds)
        dialog.close()
        driver.idle()
        assert form.within.value() == expected
    form.within.setValue(60)
    dialog = _open(driver)
    _choose(dialog, ProfileName.QUICK, 500)
    dialog.close()
    driver.idle()
    assert form.within.value() == 60


def _pick_none(driver: Driver) -> None:
    dialog = _open(driver)
    dialog.guidelines.open.click()
    driver.idle()
    picking = next(one for one in driver.window.findChildren(QDialog) if isinstance(one, GuidelinesDialog))
    picking.nothing.click()
    picking.yes.click()
    driver.idle()
    assert driver.services.chosen_guidelines == ()
    dialog.close()
    driver.idle()


@pytest.mark.parametrize("step", [Step.CHOOSE, Step.PLAN])
def test_guidelines_that_are_picked_in_the_settings_judge_the_choice_anew(driver: Driver, step: Step) -> None:
    driver.go_to(step)
    driver.idle()
    _pick_none(driver)
    assert driver.services.calls.count("judge_again") == (step is Step.CHOOSE)
    for _ in range(2):
        driver.window.go(Step.CHOOSE)
        driver.idle()
        assert driver.services.calls.count("judge_again") == 1
    choice = driver.window.step_page(Step.CHOOSE)
    assert choice.guidelines.summary.text() == "No guideline applies."  # type: ignore[attr-defined]


def test_closing_the_settings_without_a_change_keeps_the_plan(driver: Driver) -> None:
    driver.go_to(Step.PLAN)
    driver.idle()
    driver.window.go_next()
    driver.until(lambda: driver.window.wizard.current is Step.RUN)
    driver.until(lambda: not driver.window.is_measuring)
    driver.idle()
    plan = driver.window.wizard.state.plan
    assert plan is not None
    for step in (Step.CHOOSE, Step.PLAN):
        driver.window.go(step)
        driver.idle()
        _open(driver).close()
        driver.idle()
        assert driver.window.wizard.state.plan is plan
        assert driver.window.wizard.state.campaign_id is not None


def test_settings_that_cannot_be_stored_are_reported_and_hold_until_the_end(driver: Driver) -> None:
    driver.services.faults["save_preferences"] = InvalidFile("settings.toml cannot be written: No space left.")
    dialog = _open(driver)
    _choose(dialog, ProfileName.PAPER, 200)
    dialog.close()
    driver.idle()
    assert "No space left" in driver.window.current.notice.text  # type: ignore[union-attr]
    assert driver.window.context.preferences == Preferences(ProfileName.PAPER, 200.0)


def test_the_data_folder_is_opened(driver: Driver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path / "home"))
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or len(opened) == 1)
    dialog = _open(driver)
    dialog.open_folder.click()
    assert opened == [str(tmp_path / "home")]
    assert not dialog.notice.text
    dialog.open_folder.click()
    assert str(tmp_path / "home") in dialog.notice.text
