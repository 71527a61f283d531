"""The sentences of `compare` about its plan."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from sample_records import sample_record

from app.cli import compare
from app.cli.context import CommandContext
from app.cli.parser import parse
from app.domain.condition_files import presets
from app.domain.preferences import Preferences


class Wizard:
    """Steps in which everything is in order."""

    state = SimpleNamespace(chosen=())

    def set_discovery(self, _found: object) -> None:
        return

    def confirm_link(self, _link: object, _pair: object) -> None:
        return

    def choose(self, _chosen: object) -> None:
        return

    def risky_choices(self) -> tuple[()]:
        return ()


@pytest.mark.parametrize(("words", "is_named"), [((), True), (("--profile", "quick"), False)])
def test_fixed_rounds_in_place_of_adaptive_are_named(
    words: tuple[str, ...], is_named: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare, "ComparisonWizard", Wizard)
    monkeypatch.setattr(compare, "chosen_candidates", lambda *_: ())
    plan = replace(sample_record().plan, condition=presets()["geo"])
    services: Any = SimpleNamespace(preferences=Preferences, plan=lambda *_: plan)
    found: Any = SimpleNamespace(link=None, pair=plan.pair)
    context = CommandContext.of(parse(("compare", "lab:default", *words)))
    compare._make_plan(context, services, found, None, may_shape=False)
    printed = " ".join(capsys.readouterr().err.split())
    assert "under the condition geo" in printed
    assert ("Fixed rounds replace Adaptive" in printed) is is_named
