"""Comparisons leave both hosts as they were, which is looked up; a census asserts nothing of the kind."""

from __future__ import annotations

from typing import Any, cast

import pytest
from fake_pair import FakePair

from app.domain.events import LogLine
from app.domain.messages import MessageForm
from app.domain.profiles import ADAPTIVE_PROFILE, PROFILES, ProfileName
from app.domain.results import CampaignPlan
from app.host.snapshots import HostSnapshot, SnapshotDepth
from app.measurement import clean_host_check
from app.measurement.adaptive import AdaptiveComparison, comparison_kind
from app.measurement.census import Census
from app.measurement.clean_host_check import run_checked
from app.measurement.comparison import Comparison
from app.measurement.control import CampaignControl
from app.measurement.engine import CampaignHosts
from app.measurement.messages import HOST_NOT_AS_BEFORE, HOSTS_AS_BEFORE
from support.message_checks import has_message

NOTHING: Any = None


def hosts() -> CampaignHosts:
    return cast("CampaignHosts", type("Hosts", (), {"sessions": FakePair().sessions()})())


@pytest.mark.parametrize(
    ("links", "form"), [(("eth1", "eth1"), HOSTS_AS_BEFORE), (("eth1", "eth1 tmk0"), HOST_NOT_AS_BEFORE)]
)
def test_what_a_comparison_leaves_on_a_host_is_logged(
    monkeypatch: pytest.MonkeyPatch, links: tuple[str, str], form: MessageForm
) -> None:
    done: list[object] = []
    snapshots = iter((snapshot(text), snapshot("eth1")) for text in links)
    monkeypatch.setattr(clean_host_check, "take_snapshots", lambda *_, **__: done.append("inspect") or next(snapshots))
    monkeypatch.setattr(clean_host_check, "run_campaign", lambda *_, **__: done.append("run") or "the record")
    record = run_checked(
        *(Comparison, NOTHING, hosts()), store=NOTHING, control=CampaignControl(), emit=done.append, version="1"
    )
    assert record == "the record"
    assert done[:3] == ["inspect", "run", "inspect"]
    assert [has_message(form)(line.text) for line in done[3:] if isinstance(line, LogLine)] == [True]


def snapshot(text: str) -> HostSnapshot:
    return HostSnapshot(SnapshotDepth.THOROUGH, {"interface": {name: name for name in text.split()}})


def test_a_census_is_not_inspected_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(clean_host_check, "take_snapshots", lambda *_, **__: done.append("inspect"))
    monkeypatch.setattr(clean_host_check, "run_campaign", lambda *_, **__: done.append("run"))
    run_checked(Census, NOTHING, hosts(), store=NOTHING, control=CampaignControl(), emit=NOTHING, version="1")
    assert done == ["run"]


def test_the_profile_decides_how_candidates_are_compared() -> None:
    def kind(profile: object) -> type[Comparison]:
        return comparison_kind(cast("CampaignPlan", type("Plan", (), {"profile": profile})()))

    assert kind(ADAPTIVE_PROFILE) is AdaptiveComparison
    assert kind(PROFILES[ProfileName.STANDARD]) is Comparison
