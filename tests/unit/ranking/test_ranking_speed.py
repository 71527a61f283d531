from __future__ import annotations

from app.domain.verdicts import FindingQuestion
from app.policy.messages import SLOW_LATENCY, SLOW_THROUGHPUT
from app.ranking import rank, speed_findings
from support.message_checks import has_message
from support.sample_records import BASELINE, L2TP, OPENVPN_TCP, OPENVPN_UDP, WIREGUARD, Model, sample_record

MODELS = (
    Model(BASELINE, 0.1, 0.1, 4000.0, 30.0, 0),
    Model(L2TP, 0.2, 0.1, 3000.0, 30.0, 50),
    Model(WIREGUARD, 1.0, 0.3, 100, 70, 114),
    Model(OPENVPN_UDP, 1.5, 0.3, 80, 70, 83),
    Model(OPENVPN_TCP, 9.0, 0.3, 20, 70, 97),
)


def test_slow_is_measured_against_the_best_protected_candidate() -> None:
    found = speed_findings(rank(sample_record(models=MODELS, noise=0.005)))
    assert set(found) == {("openvpn-tcp", "aes-256-gcm")}
    finding = found["openvpn-tcp", "aes-256-gcm"]
    assert finding.question is FindingQuestion.SLOW
    assert finding.subject == OPENVPN_TCP.title
    assert has_message(SLOW_LATENCY)(finding.reason)
    assert has_message(SLOW_THROUGHPUT)(finding.reason)


def test_nothing_is_slow_where_only_references_were_measured() -> None:
    assert speed_findings(rank(sample_record(models=MODELS[:2]))) == {}


def test_a_latency_that_is_tied_with_the_best_is_not_called_slow() -> None:
    record = sample_record(models=MODELS, rounds=1)  # one round: nothing is significant
    finding = speed_findings(rank(record))["openvpn-tcp", "aes-256-gcm"]
    assert "latency" not in finding.reason
    assert "throughput" in finding.reason
