from __future__ import annotations

from dataclasses import replace

import pytest
from fake_services import discovery
from sample_records import BASELINE, BLOWFISH, pair
from sample_records import WIREGUARD as WIREGUARD_CANDIDATE

from app.domain.condition_files import presets
from app.domain.errors import InvalidPlan
from app.domain.profiles import PROFILES, ProfileName
from app.domain.results import CampaignPlan
from app.domain.verdicts import Verdict
from app.measurement.messages import HOSTS_NOT_INSPECTED, NOT_OFFERED, NOTHING_TICKED, STEP_COMES_FIRST
from app.measurement.options import RunOptions
from app.measurement.wizard import ComparisonWizard, Restored, Step
from support.message_checks import has_message

FOUND = discovery(pair())
WIREGUARD = ("wireguard", "chacha20-poly1305")


def plan_of(wizard: ComparisonWizard) -> CampaignPlan:
    return CampaignPlan(FOUND.pair, wizard.state.options.profile, (), (), ())


def full() -> ComparisonWizard:
    wizard = ComparisonWizard()
    wizard.set_discovery(FOUND)
    wizard.confirm_link(FOUND.link, FOUND.pair)
    wizard.choose(FOUND.defaults)
    wizard.set_plan(plan_of(wizard))
    wizard.set_campaign(3)
    return wizard


def test_steps_are_numbered_from_one() -> None:
    assert [step.number for step in Step] == [1, 2, 3, 4, 5, 6]


def test_at_first_only_the_hosts_can_be_entered() -> None:
    wizard = ComparisonWizard()
    assert [step for step in Step if wizard.can_enter(step)] == [Step.HOSTS]
    with pytest.raises(InvalidPlan, check=has_message(STEP_COMES_FIRST, number=1)):
        wizard.enter(Step.RUN)
    assert wizard.current is Step.HOSTS


def test_each_step_opens_the_next_one() -> None:
    wizard = ComparisonWizard()
    actions = [
        lambda: wizard.set_discovery(FOUND),
        lambda: wizard.confirm_link(FOUND.link, FOUND.pair),
        lambda: wizard.choose(FOUND.defaults),
        lambda: wizard.set_plan(plan_of(wizard)),
        lambda: wizard.set_campaign(1),
    ]
    for action, following in zip(actions, list(Step)[1:], strict=True):
        assert not wizard.can_enter(following)
        action()
        wizard.enter(following)
        assert wizard.current is following


def test_the_safe_defaults_are_ticked_but_count_only_when_accepted() -> None:
    wizard = ComparisonWizard()
    wizard.set_discovery(FOUND)
    assert wizard.state.chosen == FOUND.defaults
    assert not wizard.is_done(Step.CHOOSE)


@pytest.mark.parametrize(
    ("changed", "invalid"),
    [
        (Step.HOSTS, (Step.LINK, Step.CHOOSE, Step.PLAN, Step.RUN)),
        (Step.LINK, (Step.PLAN, Step.RUN)),
        (Step.CHOOSE, (Step.PLAN, Step.RUN)),
        (Step.PLAN, (Step.RUN,)),
        (Step.RUN, ()),
    ],
)
def test_a_change_names_the_later_steps_that_hold_something(changed: Step, invalid: tuple[Step, ...]) -> None:
    assert full().invalidated_by_change_in(changed) == invalid


def test_a_change_names_nothing_that_was_never_done() -> None:
    wizard = ComparisonWizard()
    wizard.set_discovery(FOUND)
    assert wizard.invalidated_by_change_in(Step.HOSTS) == ()


def test_what_is_reported_to_become_invalid_does() -> None:
    changes = {
        Step.LINK: lambda wizard: wizard.confirm_link(FOUND.link, FOUND.pair),
        Step.CHOOSE: lambda wizard: wizard.choose([WIREGUARD]),
        Step.PLAN: lambda wizard: wizard.set_options(RunOptions(PROFILES[ProfileName.PAPER])),
    }
    for step, change in changes.items():
        wizard = full()
        reported = wizard.invalidated_by_change_in(step)
        change(wizard)
        undone = tuple(other for other in Step if other.number > step.number and not wizard.is_done(other))
        assert set(reported) <= set(undone)
    wizard = full()
    wizard.set_discovery(replace(FOUND, pair=pair(is_lab=False)))
    assert not any(wizard.is_done(step) for step in (Step.LINK, Step.CHOOSE, Step.PLAN, Step.RUN))


def test_inspecting_again_the_same_hosts_keeps_ticks_that_are_still_offered() -> None:
    wizard = full()
    wizard.choose([WIREGUARD])
    wizard.set_discovery(FOUND)
    assert wizard.state.chosen == (WIREGUARD,)
    without = tuple(c for c in FOUND.candidates if c.solution != "wireguard")
    wizard.set_discovery(replace(FOUND, candidates=without))
    assert wizard.state.chosen == FOUND.defaults


def test_other_verdicts_keep_link_and_choice_but_no_plan() -> None:
    wizard = full()
    wizard.choose([WIREGUARD])
    wizard.set_plan(plan_of(wizard))
    link = wizard.state.discovery.link
    judged = tuple(replace(one, verdict=Verdict.ACCEPTABLE) for one in FOUND.candidates)
    wizard.judge_again(replace(FOUND, candidates=judged, link=replace(link, underlay_mtu_bytes=1400)))
    assert {one.verdict for one in wizard.state.discovery.candidates} == {Verdict.ACCEPTABLE}
    assert wizard.state.discovery.link == link
    assert wizard.state.chosen == (WIREGUARD,)
    assert wizard.is_done(Step.CHOOSE)
    assert not wizard.is_done(Step.PLAN)


def test_choices_are_kept_in_the_order_in_which_they_are_offered() -> None:
    wizard = full()
    wizard.choose(reversed(FOUND.defaults))
    assert wizard.state.chosen == FOUND.defaults


def test_nothing_and_unknown_cannot_be_chosen() -> None:
    wizard = full()
    with pytest.raises(InvalidPlan, check=has_message(NOTHING_TICKED)):
        wizard.choose([])
    with pytest.raises(InvalidPlan, check=has_message(NOT_OFFERED, suites=("rot13 rot13",))):
        wizard.choose([("rot13", "rot13")])
    with pytest.raises(InvalidPlan, check=has_message(HOSTS_NOT_INSPECTED)):
        ComparisonWizard().choose([WIREGUARD])


def test_risky_choices_are_the_insecure_ones_that_are_ticked() -> None:
    wizard = full()
    assert wizard.risky_choices() == ()
    wizard.choose([WIREGUARD, ("openvpn-udp", "bf-cbc")])
    (risky,) = wizard.risky_choices()
    assert (risky.suite, risky.verdict) == ("bf-cbc", Verdict.INSECURE)


# --- measuring again --------------------------------------------------------------------------------------------------

EARLIER = CampaignPlan(
    replace(FOUND.pair, load_cap_mbit_s=7.5),
    PROFILES[ProfileName.PAPER],
    (BASELINE, WIREGUARD_CANDIDATE, BLOWFISH),
    (),
    (),
    deadline_ms=4.0,
    min_rate_mbit_s=20.0,
    allow_load=True,
)


def test_repeated_comparison_restores_candidates_profile_and_limits_without_consent() -> None:
    wizard = ComparisonWizard()
    wizard.set_options(RunOptions(PROFILES[ProfileName.QUICK], has_load_consent=True))
    wizard.repeat(EARLIER)
    wizard.set_discovery(FOUND)
    assert wizard.state.chosen == (("baseline", "none"), WIREGUARD, ("openvpn-udp", "bf-cbc"))
    assert wizard.state.options == RunOptions(
        PROFILES[ProfileName.PAPER], deadline_ms=4.0, min_rate_mbit_s=20.0, load_cap_mbit_s=7.5, has_load_consent=False
    )
    assert wizard.take_restored() == Restored(is_any=True, missing=())
    assert wizard.take_restored() is None
    assert not wizard.is_done(Step.LINK)


def test_repeated_comparison_restores_condition_and_workloads_without_consent_to_shape() -> None:
    wizard = ComparisonWizard()
    wizard.set_discovery(FOUND)
    wizard.set_options(RunOptions(PROFILES[ProfileName.QUICK], may_shape=True))
    wizard.repeat(replace(EARLIER, condition=presets()["geo"], workloads=("voice",)))
    wizard.set_discovery(FOUND)
    options = wizard.state.options
    assert (options.condition, options.workloads, options.may_shape) == (presets()["geo"], ("voice",), False)


def test_consent_to_shape_is_kept_for_the_same_hosts_only() -> None:
    wizard = ComparisonWizard()
    own = replace(FOUND, pair=pair(is_lab=False))
    wizard.set_discovery(own)
    wizard.set_options(RunOptions(PROFILES[ProfileName.QUICK], condition=presets()["geo"], may_shape=True))
    wizard.set_discovery(own)
    assert wizard.state.options.may_shape
    other = replace(own.pair, a=replace(own.pair.a, address="192.0.2.77"))
    wizard.set_discovery(replace(own, pair=other))
    assert not wizard.state.options.may_shape
    assert wizard.state.options.condition == presets()["geo"]


def test_candidates_that_are_not_possible_any_more_are_named() -> None:
    wizard = ComparisonWizard()
    wizard.repeat(EARLIER)
    left = tuple(one for one in FOUND.candidates if one.suite != "bf-cbc")
    wizard.set_discovery(replace(FOUND, candidates=left))
    assert wizard.state.chosen == (("baseline", "none"), WIREGUARD)
    assert wizard.take_restored() == Restored(is_any=True, missing=(BLOWFISH.title,))


def test_without_any_of_its_vpns_the_safe_defaults_are_ticked() -> None:
    wizard = ComparisonWizard()
    wizard.repeat(EARLIER)
    left = tuple(one for one in FOUND.candidates if one.suite not in ("bf-cbc", WIREGUARD[1]))
    wizard.set_discovery(replace(FOUND, candidates=left))
    restored = wizard.take_restored()
    assert restored is not None
    assert not restored.is_any
    assert wizard.state.chosen == FOUND.defaults
    assert wizard.state.options.profile == PROFILES[ProfileName.PAPER]


def test_other_hosts_get_nothing_of_it() -> None:
    own = discovery(pair(is_lab=False))
    other = replace(own.pair, a=replace(own.pair.a, address="192.0.2.99"))
    for repeated, found in ((own.pair, FOUND), (FOUND.pair, own), (other, own)):
        wizard = ComparisonWizard()
        wizard.repeat(replace(EARLIER, pair=repeated))
        wizard.set_discovery(found)
        assert wizard.take_restored() is None
        assert wizard.state.chosen == found.defaults
    wizard = ComparisonWizard()
    wizard.repeat(EARLIER)
    wizard.repeat(None)
    wizard.set_discovery(FOUND)
    assert wizard.take_restored() is None


def test_lab_that_was_started_anew_counts_as_the_same() -> None:
    wizard = ComparisonWizard()
    wizard.repeat(EARLIER)
    anew = replace(FOUND.pair, name="lab:own-1", a=replace(FOUND.pair.a, port=2222))
    wizard.set_discovery(discovery(anew))
    assert wizard.take_restored() is not None
    wizard.set_discovery(discovery(anew))
    assert wizard.take_restored() is None, "it is restored once"


def test_deleted_comparison_closes_the_results() -> None:
    wizard = full()
    wizard.enter(Step.RESULTS)
    wizard.forget({4})
    assert wizard.current is Step.RESULTS
    wizard.forget({3, 4})
    assert wizard.current is Step.PLAN
    assert wizard.state.plan is not None
    assert not wizard.can_enter(Step.RESULTS)
