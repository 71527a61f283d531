"""Output of a comparison: failures first, each cause once."""

from __future__ import annotations

import io
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sample_records import MODELS, Model, sample_record

from app.cli.compare import cancelled_words, how_to_go_on, stopped_words
from app.cli.context import CommandContext
from app.cli.messages import MEAN_RANKS_WITHOUT_WEIGHTS
from app.cli.parser import make_parser
from app.cli.results import print_ranking, print_weighting
from app.cli.results import rank as rank_command
from app.cli.terminal import CleanConsole
from app.domain.errors import InvalidOption
from app.domain.profiles import BLOCK_PINGS
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus, Candidate
from app.domain.verdicts import Verdict
from app.ranking import rank
from app.ranking.weighting import Scoring, parse_weights, weigh
from support.message_checks import has_message

SUBNET = "gateway-a uses 192.0.2.0/24 already, and the tunnel's addresses lie in it. Choose other addresses."


def failing(reason: str, message: str) -> tuple[Model, ...]:
    return tuple(model if not nth else replace(model, failure=(reason, message)) for nth, model in enumerate(MODELS))


def printed(record: CampaignRecord, width: int = 80) -> str:
    out = CleanConsole(width=width, file=io.StringIO(), color_system=None, highlight=False)
    print_ranking(out, record, rank(record))
    return cast("io.StringIO", out.file).getvalue()


def test_comparison_in_which_all_failed_says_so_first_with_each_cause_once() -> None:
    record = sample_record(rounds=1, models=failing("preflight", SUBNET))
    text = printed(record)
    assert text.startswith("5 of 5 VPNs failed.\n5x: gateway-a uses 192.0.2.0/24 already")
    assert " ".join(text.split()).count(SUBNET) == 1
    assert f"tunnelmark compare {record.plan.pair.name} --dry-run" in text
    assert "all share rank 1" not in text


def test_missing_package_names_the_command_that_installs_it() -> None:
    record = sample_record(rounds=1, models=failing("package-missing", "gateway-b lacks openvpn."))
    assert f"tunnelmark discover {record.plan.pair.name} --install" in printed(record)


def test_comparison_without_failures_begins_with_the_ranking() -> None:
    record = sample_record(models=MODELS[:5])
    assert printed(record).startswith(f"Comparison {record.campaign_id} of {record.plan.pair.name}\n")


def test_a_cancelled_comparison_whose_hosts_were_lost_does_not_say_that_they_were_rolled_back() -> None:
    record = sample_record(rounds=1)
    assert cancelled_words(record) == "The comparison was cancelled, and the hosts were restored."
    *before, last = record.attempts
    for reason in ("connection-lost", "host-unreachable", "cleanup-failed"):
        why = "gateway-b could not be reached for the rollback."
        lost = replace(last, status=AttemptStatus.FAILED, reason=reason, message=why)
        text = cancelled_words(
            replace(record, attempts=(*before[:-1], lost, replace(last, status=AttemptStatus.NOT_RUN)))
        )
        assert why in text
        assert f"tunnelmark recover {record.plan.pair.name}" in text


def test_a_round_that_left_a_host_changed_is_reported_whichever_candidate_says_so() -> None:
    record = sample_record(rounds=2)
    adaptive = replace(record.plan, profile=replace(record.plan.profile, block_pings=BLOCK_PINGS))
    why = "gateway-b could not be rolled back completely."
    *before, first, last = record.attempts
    assert first.key.round == last.key.round == 2
    spoiled = replace(first, status=AttemptStatus.FAILED, reason="cleanup-failed", message=why)
    attempts = *before, spoiled, replace(last, status=AttemptStatus.FAILED, reason="tunnel-down")
    assert why in cancelled_words(replace(record, plan=adaptive, attempts=attempts))
    assert why not in cancelled_words(replace(record, attempts=attempts)), "it was recovered from before the next one"


def test_a_comparison_that_stopped_says_why_and_what_is_left() -> None:
    whole = sample_record(rounds=1)
    total, why = len(whole.plan.attempts), "gateway-b does not answer any more."
    nothing_left = f"{why} All {total} attempts were made, but the comparison was not completed."
    assert stopped_words(whole, why) == nothing_left
    some = replace(whole, status=CampaignStatus.INTERRUPTED, attempts=whole.attempts[:2])
    assert stopped_words(some, why) == f"{why} The comparison stopped with {total - 2} of {total} attempts not run."
    not_run = replace(whole.attempts[2], status=AttemptStatus.NOT_RUN, message=why)
    printed_before = replace(some, attempts=(*some.attempts, not_run))
    assert why not in stopped_words(printed_before, why), "the line of that attempt has it"
    adaptive = replace(some.plan, profile=replace(some.plan.profile, block_pings=BLOCK_PINGS))
    of_rounds = f"{why} The comparison stopped before the order was known."
    assert stopped_words(replace(some, plan=adaptive), why) == of_rounds


def test_a_cancelled_comparison_says_how_to_go_on_where_that_is_possible() -> None:
    record = sample_record(rounds=1)
    own = replace(record, plan=replace(record.plan, pair=replace(record.plan.pair, name="plant", is_lab=False)))
    services = SimpleNamespace(
        unfinished=lambda _name: record.campaign_id,
        lab_service=SimpleNamespace(find=lambda _pair: SimpleNamespace(owner_pid=1)),
    )
    assert how_to_go_on(cast("Any", services), own) == "Go on with: tunnelmark compare plant --resume"
    in_lab = replace(own, plan=replace(own.plan, pair=replace(own.plan.pair, is_lab=True)))
    assert how_to_go_on(cast("Any", services), in_lab) == "", "its lab ends with the command"
    services.unfinished = lambda _name: None
    assert how_to_go_on(cast("Any", services), own) == ""


def test_weights_of_the_user_are_beside_the_ranking_and_are_marked() -> None:
    record = sample_record(rounds=3)
    out = CleanConsole(file=io.StringIO(), width=100, color_system=None, highlight=False)
    print_weighting(out, weigh(record, rank(record), parse_weights("throughput-first")))
    text = cast("io.StringIO", out.file).getvalue()
    assert "Your weighting, not Tunnelmark's recommendation: latency 1, throughput 4, overhead 1." in text
    assert "Bare underlay: no rank: has no cryptography and is a reference only" in text
    assert "WireGuard, ChaCha20-Poly1305 first (1." in text
    assert "Take " not in text


def test_mean_ranks_are_beside_the_ranking_and_marked_as_the_heuristic_of_a_study() -> None:
    record = sample_record(rounds=3)
    out = CleanConsole(file=io.StringIO(), width=100, color_system=None, highlight=False)
    print_weighting(out, weigh(record, rank(record), parse_weights("latency=1,jitter=1"), Scoring.RANKS))
    text = cast("io.StringIO", out.file).getvalue()
    assert "Mean ranks, the heuristic of a study of 2004, not Tunnelmark's recommendation: latency 1, jitter 1." in text
    assert "x best" not in text


def test_what_is_never_deployed_has_a_marked_place_among_mean_ranks_alone() -> None:
    pptp = Candidate("pptp", "mppe-128", "PPTP, MPPE-128", Verdict.INSECURE)
    record = sample_record(models=(*MODELS[:4], Model(pptp, 0.7, 0.1, 90.0, 40.0, 60)), noise=0.0)
    texts = {}
    for method in Scoring:
        out = CleanConsole(file=io.StringIO(), width=120, color_system=None, highlight=False)
        print_weighting(out, weigh(record, rank(record), parse_weights("latency=1,throughput=1"), method))
        texts[method] = cast("io.StringIO", out.file).getvalue()
    (row,) = [line for line in texts[Scoring.RANKS].splitlines() if line.startswith("1 ")]
    assert "PPTP, MPPE-128" in row
    assert "Insecure" in row
    assert row.rstrip().endswith("for comparison only, cannot be deployed")
    assert "PPTP, MPPE-128 first (1.00, cannot be deployed). The first that can be deployed is " in texts[Scoring.RANKS]
    assert "PPTP, MPPE-128: no rank: is judged insecure" in texts[Scoring.RATIOS]
    assert "cannot be deployed" not in texts[Scoring.RATIOS]


def test_mean_ranks_without_weights_are_refused() -> None:
    context = cast("CommandContext", SimpleNamespace(options=make_parser().parse_args(["rank", "--mean-ranks"])))
    with pytest.raises(InvalidOption, check=has_message(MEAN_RANKS_WITHOUT_WEIGHTS)):
        rank_command(context)
