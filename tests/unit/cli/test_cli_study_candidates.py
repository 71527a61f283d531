"""`study run --solutions`: chosen candidates of a study, and others beside them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import sample_records as sample
from test_cli_file_study import PretendedLab, run_on

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.study_candidates import chosen_cells, wanted_candidates
from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption
from app.domain.results import CampaignPlan, CampaignRecord
from app.domain.transfers import BBR_ON_GATEWAYS, BBR_ON_PROXY, TransferCell
from app.measurement.comparison import plan_campaign
from app.measurement.messages.studies import STUDY_WITHOUT_ITS_OWN
from app.measurement.options import RunOptions
from app.measurement.planned_study import PlannedStudy, plan_study
from app.ranking.comparison_study import ComparisonStudy, comparison_studies, published_figures
from app.ranking.repeated_study import repeated_study
from app.ranking.study_parts import PARTS, cells_of
from support.message_checks import has_message

STUDY = comparison_studies()["industrial-2019"]
KEYS = [(one.solution, one.suite) for one in STUDY.candidate]
FASTD = ("fastd", "salsa2012+umac")
WIREGUARD = next(key for key in KEYS if key[0] == "wireguard")


def discovery(*more: tuple[str, str]) -> Discovery:
    """Return hosts that have the study's candidates and more."""
    keys = (*KEYS, *more)
    candidates = [replace(sample.WIREGUARD, solution=key[0], suite=key[1], title=f"{key[0]} there") for key in keys]
    found = SimpleNamespace(
        candidates=candidates,
        pair=sample.pair(),
        solutions=dict.fromkeys(key[0] for key in keys),
        unavailable={},
        defaults=tuple(more),
    )
    return cast("Discovery", found)


def wanted(text: str | None) -> Sequence[tuple[str, str]] | None:
    return wanted_candidates(discovery(FASTD), STUDY, text)


def test_a_solution_means_its_suites_in_the_study_or_its_default() -> None:
    openvpn = [key for key in KEYS if key[0] == "openvpn-udp"]
    assert len(openvpn) > 1
    assert wanted("openvpn-udp") == tuple(openvpn)
    assert wanted(":".join(openvpn[1])) == (openvpn[1],)
    assert wanted("wireguard,fastd,wireguard") == (WIREGUARD, FASTD)
    assert wanted("all,fastd") == (*KEYS, FASTD)
    assert wanted(None) is None
    with pytest.raises(InvalidOption):
        wanted("wireguard:rot13")


@dataclass
class Services:
    """Services that make a plan of what is chosen.

    Attributes:
        stored: Interrupted comparisons, newest first.
        gone: Numbers of those whose lab has ended.
    """

    stored: tuple[CampaignRecord, ...] = ()
    gone: tuple[int, ...] = ()

    def plan(self, found: Discovery, chosen: Sequence[tuple[str, str]], options: RunOptions) -> CampaignPlan:
        """Plan it as a comparison."""
        titles = {(one.solution, one.suite): one for one in found.candidates}
        return plan_campaign(found.pair, [titles[key] for key in chosen], options.profile, seed=options.seed or 0)

    def unfinished_like(self, _plan: CampaignPlan) -> tuple[int, ...]:
        """Return the numbers of those that are stored."""
        return tuple(one.campaign_id for one in self.stored)

    def is_lab_gone(self, record: CampaignRecord) -> bool:
        """Return whether it was named."""
        return record.campaign_id in self.gone

    def record(self, number: int) -> CampaignRecord:
        """Return what is stored."""
        return next(one for one in self.stored if one.campaign_id == number)


def test_the_plan_has_the_bare_link_what_was_chosen_and_what_was_added() -> None:
    planned = plan_study(Services(), discovery(FASTD), STUDY, "quick", is_fresh=False, wanted=(WIREGUARD, FASTD))
    keys = [(one.solution, one.suite) for one in planned.chosen]
    assert keys == [("baseline", "none"), WIREGUARD, FASTD]
    assert [(one.solution, one.suite) for one in planned.plan.candidates] == keys
    assert planned.chosen[-1].label == "fastd there"
    assert planned.left_out == ()
    assert planned.predicted_s == STUDY.parts["quick"].predicted_s(3)
    assert published_figures(planned.study) == published_figures(STUDY)
    whole = plan_study(Services(), discovery(FASTD), STUDY, "quick", is_fresh=False)
    assert (whole.study, len(whole.chosen)) == (STUDY, len(KEYS))


def test_an_interrupted_run_goes_on_whatever_was_interrupted_since_unless_its_lab_has_ended() -> None:
    def planned(services: Services) -> PlannedStudy:
        return plan_study(services, discovery(FASTD), STUDY, "quick", is_fresh=False, wanted=(WIREGUARD, FASTD))

    new = planned(Services())
    record = sample.sample_record(rounds=1, pings=5, attempts_kept=1)
    begun = replace(record, campaign_id=3, plan=new.plan)
    other = replace(record, campaign_id=4)
    assert (new.resume_id, new.gone_id) == (None, None)
    resumed = planned(Services((other, begun)))
    assert (resumed.resume_id, resumed.gone_id) == (3, None)
    share = 1 - 1 / len(new.plan.attempts)
    assert resumed.predicted_s == pytest.approx(share * new.predicted_s)
    afresh = planned(Services((other, begun), gone=(3,)))
    assert (afresh.resume_id, afresh.gone_id, afresh.predicted_s) == (None, 3, new.predicted_s)


def test_without_one_of_its_own_it_is_not_the_study() -> None:
    with pytest.raises(InvalidOption, check=has_message(STUDY_WITHOUT_ITS_OWN)):
        plan_study(Services(), discovery(FASTD), STUDY, "quick", is_fresh=False, wanted=(FASTD, ("baseline", "none")))


def measured(*keys: tuple[str, str]) -> CampaignRecord:
    """Return a comparison of the study with these candidates."""
    models = [
        replace(
            sample.MODELS[2],
            candidate=replace(sample.WIREGUARD, solution=key[0], suite=key[1], title=f"{key[0]} there"),
            base_ms=1.0 + nth,
        )
        for nth, key in enumerate(keys)
    ]
    record = sample.sample_record(rounds=1, pings=20, models=models)
    return replace(record, plan=replace(record.plan, seed=STUDY.seed))


def test_an_added_candidate_is_printed_and_written_without_a_published_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lab = PretendedLab([*KEYS, FASTD])
    lab.found = cast("Any", discovery(FASTD))
    record = measured(("baseline", "none"), WIREGUARD, FASTD)
    monkeypatch.setenv("COLUMNS", "160")
    assert run_on(lab, monkeypatch, record, "--solutions", "wireguard,fastd") == ExitCode.OK
    out, err = capsys.readouterr()
    assert "3 candidates, about" in err
    assert "fastd there" in out
    assert "Freelan AES-256-GCM" not in out, "a row that was not chosen"
    assert "these hosts do not have it" not in out + err
    assert run_on(lab, monkeypatch, record, "--solutions", "wireguard,fastd", "--json", "-") == ExitCode.OK
    row = json.loads(capsys.readouterr().out)["rows"][-1]
    assert (row["solution"], row["study_name"], row["published"], row["places"]) == ("fastd", "fastd there", None, {})
    assert row["own"]["weighted_latency_ms"] > 0


def test_the_stored_comparison_shows_it_with_the_study() -> None:
    found = repeated_study(measured(("baseline", "none"), WIREGUARD, FASTD))
    assert found is not None
    assert found.study.candidate[-1].label == "fastd there"
    assert (*FASTD, "both") in found.own
    assert WIREGUARD not in [(one.solution, one.suite) for one in found.left_out]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("industrial-2019 lab:x --solutions ,", "--solutions"),
        ("industrial-2019 lab:x --solutions rot13", "rot13"),
        ("industrial-2019-extended lab:x --solutions wireguard", "measures settings of nodes and gateways, not"),
        ("satcom-2021 lab:x --solutions wireguard,fasd", "Did you mean fastd?"),
        ("satcom-applications lab:x --solutions all,fasd", "Did you mean fastd?"),
        ("satcom-2021 lab:x --solutions fastd:null", "on both hosts: fastd:null cannot be chosen. Name the solution"),
        ("satcom-applications lab:x --solutions wireguard:x", "both hosts: wireguard:x cannot be chosen."),
        ("satcom-2021 lab:x --solutions ,", "--solutions"),
        ("iiot-hub lab:x --solutions tinc", "This part of iiot-hub has no measurements of tinc."),
        ("iiot-hub lab:x --part all --solutions baseline", "This part of iiot-hub has no measurements of baseline."),
        ("iiot-hub lab:x --solutions ,", "--solutions"),
    ],
)
def test_what_cannot_be_is_refused_before_a_host_is_asked(
    words: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "run", *words.split()]) not in (ExitCode.OK, 70)
    assert text in " ".join(capsys.readouterr().err.split())


def test_the_satellite_study_is_measured_with_some_of_its_vpns() -> None:
    cells = cells_of("all")
    names = {one.solution for one in cells}

    def chosen(text: str | None) -> tuple[TransferCell, ...]:
        return chosen_cells(cells, argparse.Namespace(study="satcom-2021", solutions=text))

    assert chosen(None) == chosen("all") == cells
    assert {one.solution for one in chosen("wireguard")} == {"none", "wireguard"} < names
    assert {one.solution for one in chosen("baseline")} == {"none"}
    assert set(chosen("wireguard")) < set(cells)
    assert chosen("all,wireguard") == cells


@pytest.mark.parametrize(("name", "places"), [("fastd", ["none", "B"]), ("ssh", ["none", "A", "B"])])
def test_an_added_vpn_has_cells_like_those_of_the_study(name: str, places: list[str]) -> None:
    for part in PARTS:
        cells = cells_of(part)
        found = chosen_cells(cells, argparse.Namespace(study="satcom-2021", solutions=f"all,{name}"))
        assert found[: len(cells)] == cells
        added = found[len(cells) :]
        assert {one.solution for one in added} == {name}
        kinds = {(one.condition, one.congestion) for one in cells}
        assert len(set(added)) == len(added)
        for kind in kinds:
            is_split = kind[1] in (BBR_ON_GATEWAYS, BBR_ON_PROXY)  # of which the study has cells with a proxy alone
            own = [one.proxy for one in added if (one.condition, one.congestion) == kind]
            assert own == places[is_split:], kind
    alone = chosen_cells(cells_of("quick"), argparse.Namespace(study="satcom-2021", solutions=f"{name},baseline"))
    assert [one.solution for one in alone] == ["none", *[name] * len(places)]


@pytest.mark.parametrize("study", comparison_studies().values(), ids=comparison_studies())
def test_every_study_of_comparisons_is_measured_with_some_of_its_candidates(study: ComparisonStudy) -> None:
    keys = [(one.solution, one.suite) for one in study.candidate]
    found = discovery(*keys)
    chosen = wanted_candidates(found, study, ":".join(keys[-1]))
    assert chosen == (keys[-1],)
    planned = plan_study(Services(), found, study, "quick", is_fresh=False, wanted=chosen)
    assert [(one.solution, one.suite) for one in planned.chosen] == [keys[0], keys[-1]]
