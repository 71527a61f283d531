"""The form of the profile: time for measuring, and what belongs to the chosen profile alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot
from window_driver import WAIT_MS

from app.domain.profiles import PROFILES, ProfileName
from app.measurement.options import RunOptions
from ui.comparison.profile_form import ProfileForm

ADAPTIVE = RunOptions(PROFILES[ProfileName.ADAPTIVE])


@pytest.fixture
def form(qtbot: QtBot) -> ProfileForm:
    form = ProfileForm()
    qtbot.addWidget(form)
    form.show()
    return form


def test_time_for_measuring_is_that_of_the_profile_until_it_is_edited(form: ProfileForm) -> None:
    assert form.budget.value() == 5
    assert form.options(ADAPTIVE).profile == PROFILES[ProfileName.ADAPTIVE]
    form.budget.setValue(12.5)
    assert form.options(ADAPTIVE).profile == replace(PROFILES[ProfileName.ADAPTIVE], budget_s=750)
    assert form.options(RunOptions(PROFILES[ProfileName.QUICK])).profile.budget_s == 750


def test_editing_it_is_reported(form: ProfileForm, qtbot: QtBot) -> None:
    with qtbot.waitSignal(form.edited, timeout=WAIT_MS):
        form.budget.setValue(8)


def test_time_that_the_field_shows_rounded_remains_as_it_is(form: ProfileForm) -> None:
    options = RunOptions(replace(PROFILES[ProfileName.ADAPTIVE], budget_s=457.0))
    form.show_options(options)
    assert form.budget.value() == pytest.approx(7.6)
    assert form.options(options).profile.budget_s == 457.0


@pytest.mark.parametrize("name", [ProfileName.QUICK, ProfileName.STANDARD, ProfileName.PAPER, ProfileName.CUSTOM])
def test_other_profiles_have_no_time_limit(form: ProfileForm, name: ProfileName) -> None:
    assert form.budget.isVisible()
    form.choose(name)
    assert not form.budget.isVisible()
    assert form.options(ADAPTIVE).profile.budget_s is None
    assert form.pings.isVisible() is (name is ProfileName.CUSTOM)
