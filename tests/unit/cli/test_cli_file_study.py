"""Study of 2011 at the command line: what goes on, and what is refused before anything is done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import sample_records as sample

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.results import CampaignPlan
from app.measurement.comparison import plan_campaign
from app.measurement.planned_study import unfinished_study
from app.ranking.comparison_study import comparison_studies
from app.ranking.file_study import IPSEC_TLS, PROFILES, predicted_s, study_candidates
from app.ranking.repeated_study import study_runs
from app.services.wiring import Services
from app.storage import Store

_SEED = comparison_studies()[IPSEC_TLS].seed


def plan(*, part: str = "quick", seed: int = _SEED) -> CampaignPlan:
    candidates = sample.sample_record(rounds=1).plan.candidates
    made = plan_campaign(sample.pair(), candidates, PROFILES[part], seed=seed)
    return replace(made, workloads=("transactions",))


def services(begun: CampaignPlan | None) -> Services:
    number = None if begun is None else 4
    fake = SimpleNamespace(unfinished=lambda _pair: number, record=lambda _number: SimpleNamespace(plan=begun))
    return cast("Services", fake)


def test_an_interrupted_run_of_the_same_part_is_known_again() -> None:
    assert unfinished_study(services(plan()), plan()) == 4
    assert unfinished_study(services(None), plan()) is None
    for other in (plan(part="all"), replace(plan(), workloads=()), replace(plan(), attempts=plan().attempts[1:])):
        assert unfinished_study(services(other), plan()) is None


def test_a_stored_plan_is_the_same_as_one_made_anew(tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.db") as store:
        number = store.create_campaign(plan(), sample.sample_record(rounds=1).facts, "0.1.0")
        assert unfinished_study(services(store.load_campaign(number).plan), plan()) == 4


def test_parts_are_predicted_by_candidates_and_rounds() -> None:
    assert predicted_s("all", len(study_candidates())) == 3 * predicted_s("quick", len(study_candidates()))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("ipsec-tls-2011 lab:x --part loss", "ipsec-tls-2011 has no part named loss."),
        ("ipsec-tls-2012 lab:x", "There is no study named ipsec-tls-2012."),
    ],
)
def test_what_is_not_there_is_refused(words: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "run", *words.split()]) not in (ExitCode.OK, 70)
    assert text in " ".join(capsys.readouterr().err.split())


def test_stored_comparisons_of_the_study_are_known_by_their_plan(tmp_path: Path) -> None:
    study = comparison_studies()[IPSEC_TLS]
    some = plan().candidates[0]
    candidates = tuple(replace(some, solution=one.solution, suite=one.suite) for one in study.candidate)
    facts = sample.sample_record(rounds=1).facts
    with Store.open(tmp_path / "t.db") as store:
        store.create_campaign(plan(), facts, "0.1.0")  # other candidates
        number = store.create_campaign(replace(plan(part="all"), candidates=candidates), facts, "0.1.0")
        store.create_campaign(replace(plan(), candidates=candidates, workloads=()), facts, "0.1.0")
        found = study_runs(store)
    assert {name: [(one.campaign_id, one.part) for one in runs] for name, runs in found.items()} == {
        IPSEC_TLS: [(number, "all")]
    }
