"""Choice of workloads on the plan page."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.domain.preferences import Preferences
from app.domain.profiles import PROFILES
from app.measurement.options import RunOptions
from app.probes.workloads import TUNNEL_WORKLOADS, WORKLOADS
from support import sample_records as sample
from ui.comparison.workload_form import WorkloadForm

OPTIONS = RunOptions(PROFILES[Preferences().profile])


def test_a_workload_that_floods_a_host_is_offered_on_practice_labs_only(qtbot: QtBot) -> None:
    form = WorkloadForm()
    qtbot.addWidget(form)
    box = form.boxes["key-exchanges"]
    form.show_pair(sample.pair(is_lab=True))
    form.show_options(replace(OPTIONS, workloads=("key-exchanges", "voice")))
    assert box.isEnabledTo(form)
    assert form.chosen() == ("voice", "key-exchanges")
    form.show_pair(sample.pair(is_lab=False))
    assert not box.isEnabledTo(form)
    assert form.chosen() == ("voice",)
    form.show_options(replace(OPTIONS, workloads=tuple(WORKLOADS)))
    assert form.chosen() == TUNNEL_WORKLOADS
    assert all(one.isEnabledTo(form) for name, one in form.boxes.items() if name in TUNNEL_WORKLOADS)
    assert "practice labs" in box.toolTip()
