from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from sample_records import BASELINE, BLOWFISH, MODELS, OPENVPN_TCP, OPENVPN_UDP, WIREGUARD, Model, sample_record

from app.domain.profiles import ADAPTIVE_PROFILE
from app.domain.ranking import AdviceKind, Recommendation
from app.domain.results import Attempt, AttemptStatus, Block, CampaignRecord, CampaignStatus, Candidate, LatencySeries
from app.domain.verdicts import Finding, Verdict
from app.ranking import rank
from app.ranking.drift import drift_of
from app.ranking.warnings import warnings_of
from app.reports.json_report import to_json
from app.reports.view import report_view
from app.wording import language

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)


def advice(*models: Model, **options: object) -> Recommendation:
    return rank(sample_record(models=(BARE, *models), **options)).recommendation  # type: ignore[arg-type]


def twin(candidate: Candidate, *, mbit_s: float = 40.0, busy_pct: float = 70.0, base_ms: float = 1.0) -> Model:
    return Model(candidate, base_ms, 0.3, mbit_s, busy_pct, 100)


def test_a_clear_winner_is_named_with_its_lead_and_how_sure_that_is() -> None:
    found = advice(twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=1.6), noise=0.01)
    assert (found.solution, found.suite) == ("wireguard", "chacha20-poly1305")
    assert found.is_clear
    assert found.sentence.startswith("Take WireGuard")
    assert "% below that of the next best, OpenVPN over UDP" in found.sentence
    assert "more than chance explains over 3 rounds" in found.sentence
    assert any("Recommended" in reason for reason in found.reasons)
    assert any("Mbit/s" in reason for reason in found.reasons)


def test_a_tie_is_reported_and_decided_by_the_verdict_first() -> None:
    found = advice(twin(OPENVPN_TCP, mbit_s=90), twin(WIREGUARD), noise=0.05)
    assert found.solution == "wireguard"
    assert (
        "is as good as that of OpenVPN over TCP, AES-256-GCM or better (its median at most 10 % above it over 3 rounds)"
        in found.sentence
    )
    assert found.kind is AdviceKind.AS_GOOD_AS
    assert "its cryptography is judged better" in found.sentence


def test_among_equal_verdicts_the_number_of_findings_decides_nothing() -> None:
    worry = Finding("X25519", Verdict.ACCEPTABLE, "Not in the chosen guideline.", "a guideline")
    worried = replace(OPENVPN_TCP, findings=(worry, worry))
    less = replace(WIREGUARD, verdict=Verdict.ACCEPTABLE, findings=(worry,))
    found = advice(twin(worried, mbit_s=90), twin(less), noise=0.05)
    assert found.solution == "openvpn-tcp"
    assert "its cryptography is judged better" not in " ".join((found.sentence, *found.reasons))


def test_then_throughput_decides_where_it_is_not_chance() -> None:
    found = advice(twin(WIREGUARD, mbit_s=40), twin(OPENVPN_UDP, mbit_s=80), noise=0.05)
    assert found.solution == "openvpn-udp"
    assert "carries more" in found.sentence


def test_a_slower_one_is_not_taken_for_equal_because_it_could_not_be_distinguished() -> None:
    slow = twin(WIREGUARD, base_ms=1.6)
    found = advice(twin(OPENVPN_TCP), slow, noise=0.4, seed=3, rounds=2)
    assert found.solution == "openvpn-tcp"
    assert found.kind is AdviceKind.NOT_DECIDED


def test_without_any_difference_the_time_that_decides_is_reported() -> None:
    found = advice(twin(WIREGUARD), twin(OPENVPN_UDP), noise=0.1, seed=4)
    assert not found.is_clear
    assert found.kind is AdviceKind.NOT_DECIDED
    assert found.sentence.startswith("No clear winner: 3 rounds do not decide between ")
    assert found.minutes_to_decide
    assert found.sentence.endswith(f"about {found.minutes_to_decide} minutes more would probably do so.")


def test_one_round_has_no_winner_and_names_the_two_with_the_lowest_latency() -> None:
    found = advice(twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=1.3, mbit_s=90), twin(OPENVPN_TCP, base_ms=3), rounds=1)
    assert found.solution == "wireguard"
    assert not found.is_clear
    assert "Take" not in found.sentence
    assert re.match(
        r"No clear winner: one round does not decide between WireGuard\S* \S+ \(1\.\d\d ms, \d+\.\d Mbit/s\) and "
        r"OpenVPN over UDP",
        found.sentence,
    )
    assert found.sentence.endswith(
        f"3 rounds of the same (about {found.minutes_to_decide} minutes) would probably do so."
    )
    assert any("one round" in caution for caution in found.cautions)
    assert any("all share rank 1, and only a lead of more than a third decides" in one for one in found.cautions)


def test_one_round_recommends_what_leads_by_more_than_a_third() -> None:
    found = advice(twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=2.0), rounds=1)
    assert (found.solution, found.kind) == ("wireguard", AdviceKind.CLEAR)
    assert "a lead that chance seldom makes" in found.sentence


@pytest.mark.parametrize(("slower_ms", "kind"), [(1.495, AdviceKind.NOT_DECIDED), (1.505, AdviceKind.CLEAR)])
def test_one_round_recommends_nothing_on_a_lead_below_a_third(slower_ms: float, kind: AdviceKind) -> None:
    """1.00 ms is 33.1 and 33.6 % below them."""
    record = sample_record(models=(BARE, twin(WIREGUARD), twin(OPENVPN_UDP)), rounds=1)
    ms = {"baseline": 0.4, "wireguard": 1.0, "openvpn-udp": slower_ms}
    attempts = [
        replace(
            one,
            latency=tuple(
                replace(each, rtt_us=np.full_like(each.rtt_us, round(1_000 * ms[one.key.solution])))
                for each in one.latency
            ),
        )
        for one in record.attempts
    ]
    found = rank(replace(record, attempts=tuple(attempts))).recommendation
    assert (found.solution, found.kind) == ("wireguard", kind)


def test_after_one_round_throughput_decides_only_among_those_of_much_the_same_latency() -> None:
    models = twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=1.02, mbit_s=60), twin(OPENVPN_TCP, base_ms=3, mbit_s=300)
    found = advice(*models, rounds=1, noise=0.0)
    assert found.solution == "openvpn-udp"
    assert "carries more" in found.sentence or any("carries more" in one for one in found.reasons)


def test_one_round_of_a_single_candidate_leaves_no_choice() -> None:
    found = advice(twin(WIREGUARD), rounds=1)
    assert found.is_clear
    assert "only result that nothing bars" in found.sentence


@pytest.mark.parametrize("verdict", [Verdict.LEGACY, Verdict.INSECURE])
def test_what_may_not_be_deployed_is_not_recommended_however_fast(verdict: Verdict) -> None:
    fast = replace(BLOWFISH, verdict=verdict)
    found = advice(twin(fast, base_ms=0.5), twin(WIREGUARD), noise=0.01)
    assert found.solution == "wireguard"
    assert any("BF-CBC had a lower mean" in caution and verdict.value in caution for caution in found.cautions)


def test_what_is_there_for_comparison_alone_is_not_recommended_however_sound() -> None:
    alone = replace(
        BLOWFISH, solution="libreswan", title="IPsec with Libreswan, AES", verdict=Verdict.ACCEPTABLE, findings=()
    )
    found = advice(twin(alone, base_ms=0.5), twin(WIREGUARD), noise=0.01)
    assert found.solution == "wireguard"
    assert any("had a lower mean" in caution and "for comparison alone" in caution for caution in found.cautions)
    found = advice(twin(alone))
    assert found.solution is None
    assert "may not be deployed: IPsec with Libreswan, AES (for comparison alone)" in found.sentence


def test_nothing_deployable() -> None:
    found = advice(twin(BLOWFISH))
    assert found.solution is None
    assert "may not be deployed: OpenVPN over UDP, BF-CBC (insecure)" in found.sentence


def test_only_the_baseline() -> None:
    found = advice()
    assert found.solution is None
    assert "only references without cryptography" in found.sentence


def test_everything_failed() -> None:
    found = advice(MODELS[5])
    assert found.solution is None
    assert "the only protected candidate, " in found.sentence


def test_a_custom_choice_of_sizes_has_no_weighted_latency() -> None:
    record = sample_record(models=(BARE, twin(WIREGUARD)))
    short = tuple(replace(one, latency=one.latency[:3]) for one in record.attempts)
    found = rank(replace(record, attempts=short)).recommendation
    assert found.solution is None
    assert "every frame size" in found.sentence


def test_a_single_candidate() -> None:
    found = advice(twin(WIREGUARD))
    assert found.solution == "wireguard"
    assert "only result that nothing bars" in found.sentence


def test_attempts_that_were_not_run_did_not_end() -> None:
    record = sample_record(rounds=1, pings=5)
    left = [replace(one, status=AttemptStatus.NOT_RUN) for one in record.attempts[1:]]
    cancelled = replace(record, status=CampaignStatus.CANCELLED, attempts=(record.attempts[0], *left))
    reported = " ".join(rank(cancelled).recommendation.cautions)
    assert f"The comparison was cancelled: 1 of {len(record.plan.attempts)} attempts ended." in reported


def test_cautions_name_lab_fragments_and_an_unfinished_campaign() -> None:
    found = advice(twin(WIREGUARD), attempts_kept=5, status=CampaignStatus.CANCELLED)
    text = " ".join(found.cautions)
    assert "practice lab" in text
    assert "800 IP fragments" in text
    assert "was cancelled" in text
    assert "practice lab" not in " ".join(advice(twin(WIREGUARD), is_lab=False).cautions)


def test_a_load_cap_is_a_caution() -> None:
    record = sample_record(models=(BARE, twin(WIREGUARD)))
    capped = replace(record, plan=replace(record.plan, pair=replace(record.plan.pair, load_cap_mbit_s=5.0)))
    assert any("limited to 5.00 Mbit/s" in caution for caution in rank(capped).recommendation.cautions)


def _baselines(factors: tuple[float, ...]) -> list[Attempt]:
    record = sample_record(models=(BARE,), rounds=len(factors), noise=0.0)
    attempts = record.attempts[: len(factors)]
    return [
        replace(one, latency=tuple(replace(each, rtt_us=(each.rtt_us * factor).astype("u4")) for each in one.latency))
        for one, factor in zip(attempts, factors, strict=True)
    ]


def test_a_short_latency_is_as_good_by_its_difference_in_ms() -> None:
    """0.2 ms and 0.24 ms are 20 % apart, and less than 0.05 ms."""
    models = replace(twin(WIREGUARD, base_ms=0.24), per_kb_ms=0.0), replace(twin(OPENVPN_TCP, base_ms=0.2), per_kb_ms=0)
    found = advice(*models, noise=0.003)
    assert (found.solution, found.kind) == ("wireguard", AdviceKind.AS_GOOD_AS)
    assert "(its median at most 0.05 ms above it over 3 rounds)" in found.sentence


def test_drift_is_the_largest_change_from_the_usual() -> None:
    same = _baselines((1.0,)) * 2
    assert drift_of(same).latency_pct == pytest.approx(0.0)
    assert "latency by ±0.0 %" in drift_of(same).sentence
    drift = drift_of(_baselines((1.0, 9.0)))
    assert drift.latency_pct == pytest.approx(800.0, rel=0.01)
    assert "prove little" in drift.sentence
    drift = drift_of([*same, *_baselines((3.0,))])
    assert drift.latency_pct == pytest.approx(200.0, rel=0.01)
    assert drift.throughput_pct == pytest.approx(0.0)


def test_a_first_measurement_that_was_disturbed_is_the_one_that_changed() -> None:
    (usual,) = _baselines((1.0,))
    (slow,) = _baselines((1.5,))
    assert drift_of([slow, usual, usual, usual]).latency_pct == pytest.approx(50.0, rel=0.01)


def test_drift_that_all_candidates_met_alike_does_not_make_differences_doubtful() -> None:
    slower = _baselines((1.0, 1.5))
    assert "prove little" in drift_of(slower).sentence
    assert "prove little" not in drift_of(slower, is_interleaved=True).sentence
    less = replace(slower[1], throughput=tuple(replace(one, mbit_s=one.mbit_s / 2) for one in slower[1].throughput))
    assert "prove little" in drift_of([slower[0], less], is_interleaved=True).sentence


def adaptive(record: CampaignRecord, cycles: dict[str, range], factor: float = 1.0) -> CampaignRecord:
    """Return a record as of an adaptive comparison; latencies of its last round are so many times as long.

    Args:
        cycles: Cycles of each solution's blocks.
    """
    last = max(one.key.round for one in record.attempts)
    attempts = []
    for one in record.attempts:
        times = factor if one.key.round == last else 1.0
        series = tuple(replace(each, rtt_us=(each.rtt_us * times).astype("uint32")) for each in one.latency)
        blocks = tuple(Block(number, float(number)) for number in cycles[one.key.solution])
        attempts.append(replace(one, latency=series, blocks=blocks))
    # The bare link of the other profiles has one more attempt, after the last round.
    numbered = {(one.key.solution, one.key.suite, one.key.round): one for one in reversed(attempts)}
    kept = tuple(one for one in attempts if numbered[one.key.solution, one.key.suite, one.key.round] is one)
    return replace(record, plan=replace(record.plan, profile=ADAPTIVE_PROFILE), attempts=kept)


MODELS_IN_TURN = (BARE, twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=1.8))
IN_TURN = {"baseline": range(1, 7), "wireguard": range(1, 7), "openvpn-udp": range(1, 7)}
ONE_AT_A_TIME = {"baseline": range(1, 13), "wireguard": range(1, 7), "openvpn-udp": range(7, 13)}


def test_drift_of_candidates_measured_in_turn_is_in_their_means_and_not_in_the_choice() -> None:
    plain = sample_record(models=MODELS_IN_TURN, noise=0.001, pings=60)
    record = adaptive(plain, IN_TURN, 1.4)
    found = rank(record)
    assert found.drift.is_interleaved
    assert found.drift.latency_pct is not None
    assert found.drift.latency_pct > 30
    assert "The mean latencies that are shown hold that change" in found.drift.sentence
    assert found.recommendation.kind is AdviceKind.CLEAR
    assert found.drift.sentence in found.recommendation.cautions
    assert found.drift.sentence in warnings_of(record, found)
    report = to_json(record, found)
    assert report["drift"]["is_interleaved"] is True
    assert report["drift"]["sentence"] == found.drift.sentence
    assert found.drift.sentence in report["warnings"]
    assert found.drift.sentence in report_view(record, found)["warnings"]


def test_drift_of_adaptive_candidates_that_were_not_up_together_may_explain_a_lead() -> None:
    plain = sample_record(models=MODELS_IN_TURN, noise=0.001, pings=60)
    found = rank(adaptive(plain, ONE_AT_A_TIME, 1.4))
    assert not found.drift.is_interleaved
    assert "prove little" in found.drift.sentence
    assert found.recommendation.kind is AdviceKind.NOT_DECIDED
    assert "the latency of the bare link changed" in found.recommendation.sentence


def test_drift_of_a_single_round_is_that_between_the_halves_of_its_blocks() -> None:
    (one,) = _baselines((1.0,))
    blocks = tuple(Block(number, float(number)) for number in range(1, 7))
    series = []
    for each in one.latency:
        rtt_us = np.full(60, 1_000, np.uint32)
        rtt_us[30:] = 1_200
        series.append(replace(each, rtt_us=rtt_us, sent=60, received=60))
    found = drift_of([replace(one, latency=tuple(series), blocks=blocks)], is_interleaved=True)
    assert found.latency_pct == pytest.approx(20.0)
    assert found.throughput_pct is None
    assert "latency by +20" in found.sentence


def test_small_drift_is_no_doubt_and_large_drift_is_one() -> None:
    assert not any("prove little" in doubt for doubt in rank(sample_record(noise=0.001)).doubts)
    record = sample_record(noise=0.001)
    last = record.attempts[-1]
    slower = replace(last, latency=tuple(replace(one, rtt_us=one.rtt_us * 2) for one in last.latency))
    found = rank(replace(record, attempts=(*record.attempts[:-1], slower)))
    assert any("prove little" in doubt for doubt in found.doubts)
    assert any("prove little" in caution for caution in found.recommendation.cautions)


@pytest.mark.parametrize(("factor", "is_clear"), [(1.05, True), (1.2, True), (1.5, False), (0.6, False)])
def test_a_lead_that_drift_may_explain_is_no_clear_winner(factor: float, is_clear: bool) -> None:
    record = sample_record(models=(BARE, twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=1.8)), noise=0.001)
    first, *rest, last = record.attempts
    changed = tuple(
        replace(one, rtt_us=(first.latency[n].rtt_us * factor).astype("uint32")) for n, one in enumerate(last.latency)
    )
    found = rank(replace(record, attempts=(first, *rest, replace(last, latency=changed)))).recommendation
    assert (found.solution, found.is_clear) == ("wireguard", is_clear)
    assert ("the latency of the bare link changed" in found.sentence) is not is_clear


def test_drift_is_unknown_with_one_baseline_or_without_figures() -> None:
    (one,) = _baselines((1.0,))
    assert drift_of([one]).latency_pct is None
    assert "only once" in drift_of([one]).sentence
    empty = replace(one, latency=(), throughput=())
    assert drift_of([empty, empty]).sentence.endswith("no figures to compare.")


def with_late_replies(record: CampaignRecord, solution: str) -> CampaignRecord:
    """Return a record in which a tenth of one candidate's replies took twice as long: its median hardly moves."""

    def late(series: LatencySeries) -> LatencySeries:
        rtt_us = series.rtt_us.copy()
        tenth = rtt_us[::10]
        tenth[tenth < 1_000_000] *= 2  # but for lost ones
        return replace(series, rtt_us=rtt_us)

    attempts = tuple(
        replace(one, latency=tuple(map(late, one.latency))) if one.key.solution == solution else one
        for one in record.attempts
    )
    return replace(record, attempts=attempts)


def test_a_factor_of_medians_says_so_where_the_means_beside_it_have_another() -> None:
    models = (BARE, twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=1.15))
    record = sample_record(models=models, rounds=1, noise=0.01)
    assert "medians" not in rank(record).recommendation.sentence
    sentence = rank(with_late_replies(record, "openvpn-udp")).recommendation.sentence
    assert re.search(r"does not decide between .*, whose medians differ by a factor of 1\.1\d*; 3 rounds", sentence)
    clear = sample_record(models=(BARE, twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=1.6)), noise=0.01)
    assert "medians" not in rank(clear).recommendation.sentence
    sentence = rank(with_late_replies(clear, "openvpn-udp")).recommendation.sentence
    assert re.search(
        r" compares with [\d.]+ ms of the next best, OpenVPN over UDP, .*; its median, which decides, is \d+ % below,",
        sentence,
    )
    assert "% below that of" not in sentence, "the two figures that are shown are further apart, or closer"


def test_the_sentence_is_in_the_chosen_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    found = advice(twin(WIREGUARD), twin(OPENVPN_UDP, base_ms=1.6), noise=0.01)
    assert found.sentence.startswith("WireGuard, ChaCha20-Poly1305 nehmen: Die gewichtete Latenz von 1,")
    assert "% unter der des nächstbesten, OpenVPN über UDP" in found.sentence
    assert "mehr als der Zufall über 3 Runden erklärt" in found.sentence
    assert any(reason.startswith("Bewertung Empfohlen: ") for reason in found.reasons)
