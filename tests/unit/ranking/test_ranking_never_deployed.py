"""Places by mean ranks of what is never deployed: marks, sentences, the figure of security, and what has no place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_records import BASELINE, BLOWFISH, L2TP, OPENVPN_UDP, WIREGUARD, Model, sample_record
from test_ranking_eligibility import with_loss

from app.domain.results import CampaignRecord, Candidate
from app.domain.verdicts import Verdict
from app.ranking import rank
from app.ranking.weighting import Measure, Scoring, Weighting, Weights, weigh

PPTP = Candidate("pptp", "mppe-128", "PPTP, MPPE-128", Verdict.INSECURE)
XL2TPD = Candidate("xl2tpd", "none", "L2TPv2, unencrypted", Verdict.UNPROTECTED, is_unprotected=True)
STUNNEL = Candidate("stunnel", "tls", "stunnel with PPP", Verdict.LEGACY)
VTUN = Candidate("vtun", "blowfish", "VTun, Blowfish", Verdict.INSECURE)

BARE = Model(BASELINE, 0.4, 0.0, 400.0, 30.0, 0)
PLAIN = Model(L2TP, 0.5, 0.0, 300.0, 30.0, 54)
FASTEST = Model(PPTP, 0.6, 0.0, 90.0, 40.0, 60)
GOOD = Model(WIREGUARD, 1.0, 0.0, 40.0, 40.0, 100)
SLOWER = Model(OPENVPN_UDP, 2.0, 0.0, 20.0, 60.0, 110)
WEIGHTS = {Measure.LATENCY: 1.0, Measure.THROUGHPUT: 1.0}
MARK = "for comparison only, cannot be deployed"


def compared(*models: Model) -> CampaignRecord:
    return sample_record(models=(BARE, PLAIN, *models), noise=0.0)


def placed(record: CampaignRecord, method: Scoring = Scoring.RANKS, weights: Weights = WEIGHTS) -> Weighting:
    return weigh(record, rank(record), weights, method)


def places(found: Weighting) -> dict[str, tuple[int, str]]:
    return {one.result.solution: (one.rank, one.mark) for one in found.scored}


def reasons(found: Weighting) -> dict[str, str]:
    return {one.result.solution: one.reason for one in found.unscored}


def like(candidate: Candidate, model: Model = FASTEST) -> Model:
    return replace(model, candidate=candidate)


def test_systems_for_comparison_only_and_insecure_ones_have_marked_places_among_ranks_alone() -> None:
    blowfish, old = Model(BLOWFISH, 1.5, 0.0, 30.0, 50.0, 105), Model(STUNNEL, 3.0, 0.0, 10.0, 70.0, 120)
    null = Model(Candidate("fastd", "null", "fastd, no encryption", Verdict.UNPROTECTED), 0.8, 0.0, 70.0, 40.0, 50)
    record = compared(FASTEST, GOOD, blowfish, old, Model(XL2TPD, 0.7, 0.0, 80.0, 40.0, 70), null)
    found = placed(record)
    assert [(one.result.title, one.rank, one.mark) for one in found.scored] == [
        (PPTP.title, 1, MARK),
        (XL2TPD.title, 2, MARK),
        (WIREGUARD.title, 3, ""),
        (BLOWFISH.title, 4, "insecure, cannot be deployed"),
        (STUNNEL.title, 5, MARK),
    ]
    without = "has no cryptography and is a reference only"
    no_place = {"baseline": without, "l2tp": without, "fastd": "is judged unprotected"}
    assert reasons(found) == no_place, "references have none, nor has what encrypts nothing"
    by_ratios = placed(record, Scoring.RATIOS)
    assert places(by_ratios) == {"wireguard": (1, "")}, "ratios help to choose what to deploy"
    assert {"pptp", "stunnel", "xl2tpd", "openvpn-udp"} < reasons(by_ratios).keys()


def test_a_legacy_suite_that_may_be_deployed_with_a_reason_has_no_mark() -> None:
    found = placed(compared(GOOD, like(replace(OPENVPN_UDP, verdict=Verdict.LEGACY), SLOWER)))
    assert places(found) == {"wireguard": (1, ""), "openvpn-udp": (2, "")}


PPTP_FIRST = "PPTP, MPPE-128 first (1.00, cannot be deployed)."
WIREGUARD_NEXT = "The first that can be deployed is WireGuard, ChaCha20-Poly1305"
SHARED = "WireGuard, ChaCha20-Poly1305 and PPTP, MPPE-128 (cannot be deployed) first (1.50)"


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        ((FASTEST, GOOD, SLOWER), f"{PPTP_FIRST} {WIREGUARD_NEXT} (place 2, 2.00)."),
        (
            (like(VTUN, replace(GOOD, base_ms=0.8, mbit_s=60.0)), FASTEST, GOOD),
            f"{PPTP_FIRST} {WIREGUARD_NEXT} (place 3, 3.00).",
        ),
        ((FASTEST,), f"{PPTP_FIRST} None that has a place can be deployed."),
        (
            (GOOD, like(PPTP, SLOWER)),
            "WireGuard, ChaCha20-Poly1305 first (1.00), then PPTP, MPPE-128 (2.00, cannot be deployed).",
        ),
        (
            (replace(GOOD, mbit_s=90.0), replace(FASTEST, mbit_s=40.0), SLOWER),
            f"{SHARED}, then OpenVPN over UDP, AES-256-GCM (3.00).",
        ),
    ],
    ids=["first", "first two", "alone", "second", "shares the first place"],
)
def test_no_sentence_names_one_that_cannot_be_deployed_as_a_choice(models: tuple[Model, ...], sentence: str) -> None:
    assert placed(compared(*models)).sentence == sentence


def security(record: CampaignRecord) -> dict[str, float]:
    return {
        one.result.solution: one.parts[Measure.SECURITY] for one in placed(record, weights={Measure.SECURITY: 1}).scored
    }


def test_by_security_every_insecure_candidate_is_behind_all_others_whatever_its_tests_found() -> None:
    unknown = Candidate("ssh", "odd", "OpenSSH", Verdict.UNKNOWN)
    record = compared(GOOD, SLOWER, FASTEST, like(VTUN), like(XL2TPD), like(STUNNEL), like(unknown))
    ranks = security(record)
    assert ranks == {
        "wireguard": 1.5,
        "openvpn-udp": 1.5,
        "stunnel": 3.0,  # judged by its verdict, as the rest
        "ssh": 4.0,
        "pptp": 5.5,
        "vtun": 5.5,
        "xl2tpd": 7.0,
    }
    untested = replace(
        record,
        attempts=tuple(
            replace(one, capture=None) if one.key.solution in ("pptp", "stunnel") else one for one in record.attempts
        ),
    )
    assert "stunnel" not in security(untested), "its verdict alone does not say that frames are protected"
    assert security(untested)["pptp"] == security(untested)["vtun"], "what it has not been tested for does not hold"


def test_what_measuring_shows_bars_what_is_never_deployed_as_it_does_others() -> None:
    failed = replace(FASTEST, failure=("tunnel-down", "It ended at once."))
    record = compared(GOOD, FASTEST, like(XL2TPD), like(BLOWFISH))
    lossy = with_loss(record, {"pptp": 60, "xl2tpd": 60})
    assert {"pptp", "xl2tpd", "openvpn-udp"} < places(placed(record)).keys()
    lost = "lost 30 % of its frames (the bare link: 0 %)"
    found = placed(lossy)
    assert places(found).keys() == {"wireguard", "openvpn-udp"}
    assert (reasons(found)["pptp"], reasons(found)["xl2tpd"]) == (lost, lost)
    for candidate in (PPTP, XL2TPD):
        found = placed(compared(GOOD, like(candidate, failed)))
        assert reasons(found)[candidate.solution] == "was not measured to the end"
        assert places(found).keys() == {"wireguard"}


def test_the_ranking_and_its_reasons_are_as_before() -> None:
    record = compared(GOOD, FASTEST, like(XL2TPD))
    barriers = {one.solution: one.barrier and one.barrier.reason.value for one in rank(record).results}
    assert barriers == {
        **dict.fromkeys(("baseline", "l2tp", "xl2tpd"), "unprotected"),
        "wireguard": None,
        "pptp": "verdict",
    }
    assert rank(record).recommendation.solution == "wireguard"
