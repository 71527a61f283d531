"""Studies of comparisons at the command line: what goes on, and what is refused before anything is done."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import sample_records as sample

from app.cli import file_study as file_study_command
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.condition_files import presets
from app.domain.hosts import PairSpec
from app.domain.results import CampaignPlan, CampaignRecord
from app.measurement.comparison import plan_campaign
from app.measurement.planned_study import unfinished_studies
from app.ranking.comparison_study import comparison_studies
from app.ranking.published import IPSEC_TLS
from app.ranking.repeated_study import study_runs
from app.services.wiring import Services
from app.storage import Store

STUDY = comparison_studies()[IPSEC_TLS]


def plan(*, part: str = "quick", seed: int = STUDY.seed) -> CampaignPlan:
    candidates = sample.sample_record(rounds=1).plan.candidates
    made = plan_campaign(sample.pair(), candidates, STUDY.parts[part].amounts, seed=seed)
    return replace(made, workloads=("transactions",))


def services(begun: CampaignPlan | None) -> Services:
    numbers = () if begun is None else (4,)
    record = SimpleNamespace(plan=begun, campaign_id=4)
    fake = SimpleNamespace(unfinished_like=lambda _plan: numbers, record=lambda _number: record)
    return cast("Services", fake)


def numbers_of(begun: CampaignPlan | None) -> list[int]:
    return [one.campaign_id for one in unfinished_studies(services(begun), plan())]


def test_an_interrupted_run_of_the_same_part_is_known_again() -> None:
    assert numbers_of(plan()) == [4]
    assert numbers_of(None) == []
    for other in (plan(part="all"), replace(plan(), workloads=()), replace(plan(), attempts=plan().attempts[1:])):
        assert numbers_of(other) == []


def test_a_stored_plan_is_the_same_as_one_made_anew(tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.db") as store:
        number = store.create_campaign(plan(), sample.sample_record(rounds=1).facts, "0.1.0")
        assert numbers_of(store.load_campaign(number).plan) == [4]


def test_parts_are_predicted_by_candidates_and_rounds() -> None:
    assert STUDY.parts["all"].predicted_s(7) == 3 * STUDY.parts["quick"].predicted_s(7)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("ipsec-tls-2011 lab:x --part loss", "ipsec-tls-2011 has no part named loss."),
        ("satcom-2021 lab:x --part paper", "satcom-2021 has no part named paper."),
        ("industrial-2019 lab:x --part loss", "industrial-2019 has no part named loss."),
        ("ipsec-tls-2012 lab:x", "There is no study named ipsec-tls-2012."),
        ("satcom-2021 lab:x --json /nowhere/x.json", "The folder /nowhere is not there."),
        ("satcom-2021 lab:x --report x.pdf", "x.pdf does not end in .html."),
        ("ipsec-tls-2011 lab:x --report x.pdf", "x.pdf does not end in .html."),
        ("iiot-hub lab:x --report x.pdf", "x.pdf does not end in .html."),
    ],
)
def test_what_is_not_there_is_refused(words: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "run", *words.split()]) not in (ExitCode.OK, 70)
    assert text in " ".join(capsys.readouterr().err.split())


def test_stored_comparisons_of_the_study_are_known_by_their_plan(tmp_path: Path) -> None:
    some = plan().candidates[0]
    candidates = tuple(replace(some, solution=one.solution, suite=one.suite) for one in STUDY.candidate)
    facts = sample.sample_record(rounds=1).facts
    with Store.open(tmp_path / "t.db") as store:
        store.create_campaign(plan(), facts, "0.1.0")  # other candidates
        number = store.create_campaign(replace(plan(part="all"), candidates=candidates), facts, "0.1.0")
        store.create_campaign(replace(plan(), candidates=candidates, workloads=()), facts, "0.1.0")
        store.create_campaign(
            replace(plan(), candidates=candidates, condition=presets()["geo"]), facts, "0.1.0"
        )  # the study had no condition
        found = study_runs(store)
    assert {name: [(one.campaign_id, one.part) for one in runs] for name, runs in found.items()} == {
        IPSEC_TLS: [(number, "all")]
    }


class PretendedLab:
    """Services of a practice lab whose hosts have these candidates, and on which nothing is measured."""

    def __init__(self, candidates: Sequence[tuple[str, str]]) -> None:
        found = [SimpleNamespace(solution=solution, suite=suite) for solution, suite in candidates]
        self.found = SimpleNamespace(candidates=found, pair=sample.pair())
        self.interrupted: tuple[CampaignRecord, ...] = ()

    def refuse_if_in_use(self, pair: PairSpec) -> None:
        """Nothing else uses it."""

    def discover(self, *_: object, **__: object) -> object:
        """Return what the hosts have."""
        return self.found

    def plan(self, *_: object) -> CampaignPlan:
        """Return any plan: it is not carried out."""
        return plan()

    def unfinished_like(self, _: CampaignPlan) -> tuple[int, ...]:
        """Return those of the test."""
        return tuple(one.campaign_id for one in self.interrupted)

    def record(self, number: int) -> CampaignRecord:
        """Return one of them."""
        return next(one for one in self.interrupted if one.campaign_id == number)

    def is_lab_gone(self, _: CampaignRecord) -> bool:
        """Its lab has ended."""
        return True


def run_on(lab: PretendedLab, monkeypatch: pytest.MonkeyPatch, record: CampaignRecord, *words: str) -> int:
    """Run the study of 2019 on hosts that are pretended, with a comparison that was made before."""

    @contextmanager
    def pretended(_: CommandContext) -> Iterator[PretendedLab]:
        yield lab

    monkeypatch.setattr(CommandContext, "services", pretended)
    monkeypatch.setattr(file_study_command, "find_pair", lambda *_: sample.pair())
    monkeypatch.setattr(file_study_command, "_measure", lambda *_: record)
    return main(["study", "run", "industrial-2019", "lab:practice", *words])


def test_a_candidate_that_the_hosts_do_not_have_is_named_and_the_others_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = comparison_studies()["industrial-2019"]
    keys = [(one.solution, one.suite) for one in study.candidate if one.solution != "freelan"]
    models = [
        replace(
            sample.MODELS[2], candidate=replace(sample.WIREGUARD, solution=solution, suite=suite), base_ms=1.0 + nth
        )
        for nth, (solution, suite) in enumerate(keys)
    ]
    record = sample.sample_record(rounds=1, pings=20, models=models)
    monkeypatch.setenv("COLUMNS", "160")
    assert run_on(PretendedLab(keys), monkeypatch, record) == ExitCode.OK
    out, err = capsys.readouterr()
    assert "Freelan AES-256-GCM is left out: these hosts do not have it." in err
    assert "11 candidates, about 5 minutes." in err
    assert "Not measured, since these hosts do not have it: Freelan AES-256-GCM." in out
    # WireGuard is the last one in the made-up order, and the first one in the study's of throughput alone.
    assert "Other order (Weighted latency, Xeon Server):" in out
    assert re.search(r"Freelan AES-256-GCM +– +– +–", out)
    fewer = replace(record, attempts=record.attempts[1:-1])
    assert run_on(PretendedLab(keys), monkeypatch, fewer, "--json", "-") == ExitCode.INCOMPLETE
    data = json.loads(capsys.readouterr().out)
    assert data["left_out"] == [["freelan", "aes-256-gcm-secp384r1"]]
    assert [row["study_name"] for row in data["rows"] if row["own"] is None] == ["Baseline", "Freelan AES-256-GCM"]


def test_a_run_in_a_lab_that_has_ended_is_named_and_measured_anew(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lab = PretendedLab([(one.solution, one.suite) for one in comparison_studies()["industrial-2019"].candidate])
    record = sample.sample_record(rounds=1, pings=20)
    lab.interrupted = (replace(record, campaign_id=7, plan=plan()),)
    assert run_on(lab, monkeypatch, record, "--json", "-") == ExitCode.INCOMPLETE
    err = capsys.readouterr().err
    assert "The lab of comparison 7, which was interrupted, has ended. A new comparison begins." in err
    assert run_on(lab, monkeypatch, record, "--fresh", "--json", "-") == ExitCode.INCOMPLETE
    assert "has ended" not in capsys.readouterr().err
