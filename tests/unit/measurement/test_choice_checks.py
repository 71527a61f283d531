"""Options that do not go together: one check for the window and the command line."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sample_records as sample

from app.domain.condition_files import presets
from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.profiles import PROFILES, ProfileName
from app.measurement.choice_checks import check_chosen
from app.measurement.messages import CONDITION_NOT_ADAPTIVE, SHAPING_NOT_ALLOWED, WORKLOAD_NOT_ADAPTIVE
from app.measurement.options import RunOptions
from app.tunnel.messages import CHANGES_NOT_MADE
from support.message_checks import has_message

GEO, LTE = presets()["geo"], presets()["lte"]
ADAPTIVE, QUICK = (RunOptions(PROFILES[name]) for name in (ProfileName.ADAPTIVE, ProfileName.QUICK))
LAB, OWN = (sample.pair(is_lab=is_lab) for is_lab in (True, False))


def test_adaptive_goes_with_neither_condition_nor_workloads() -> None:
    check_chosen(LAB, ADAPTIVE)
    with pytest.raises(InvalidOption, check=has_message(CONDITION_NOT_ADAPTIVE)):
        check_chosen(LAB, replace(ADAPTIVE, condition=GEO, workloads=("voice",)))
    with pytest.raises(InvalidOption, check=has_message(WORKLOAD_NOT_ADAPTIVE)):
        check_chosen(LAB, replace(ADAPTIVE, workloads=("voice",)))
    check_chosen(LAB, replace(QUICK, condition=LTE, workloads=("voice",)))


def test_own_hosts_are_asked_for_consent_only_where_they_can_make_the_condition() -> None:
    check_chosen(OWN, replace(QUICK, workloads=("voice",)))
    with pytest.raises(InvalidPlan, check=has_message(SHAPING_NOT_ALLOWED)):
        check_chosen(OWN, replace(QUICK, condition=GEO))
    check_chosen(OWN, replace(QUICK, condition=GEO, may_shape=True))
    check_chosen(OWN, replace(QUICK, condition=LTE, may_shape=True))
    fast = replace(LTE, b_to_a=replace(LTE.b_to_a, trace_step_s=0.005))
    for may_shape in (False, True):
        with pytest.raises(InvalidPlan, check=has_message(CHANGES_NOT_MADE)):
            check_chosen(OWN, replace(QUICK, condition=fast, may_shape=may_shape))
