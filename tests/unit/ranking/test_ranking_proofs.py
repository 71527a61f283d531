"""Effect of a candidate's packet test on the recommendation."""

from __future__ import annotations

from dataclasses import replace

from sample_records import BASELINE, OPENVPN_UDP, WIREGUARD, Model, sample_record, with_open_device

from app.domain.capture import Property, properties_of
from app.domain.injection import HostInjection, PropertyVerdict, TrialKind
from app.domain.results import AttemptStatus, CampaignRecord
from app.ranking import rank
from app.ranking.cautions import _LAB_SENTENCE

BARE = Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0)
FAST = Model(WIREGUARD, 1.0, 0.3, 40.0, 70.0, 100)
SLOW = Model(OPENVPN_UDP, 3.0, 0.3, 40.0, 70.0, 100)


def compared() -> CampaignRecord:
    return sample_record(models=(BARE, FAST, SLOW), noise=0.01)


def test_a_tunnel_that_lets_frames_out_is_not_recommended_however_fast() -> None:
    record = compared()
    assert rank(record).recommendation.solution == "wireguard"
    opened = with_open_device(record)
    attempts = tuple(
        new if new.key.solution == "wireguard" else old
        for old, new in zip(record.attempts, opened.attempts, strict=True)
    )
    advice = rank(replace(record, attempts=attempts)).recommendation
    assert advice.solution == "openvpn-udp"
    assert (
        "WireGuard, ChaCha20-Poly1305 failed its packet test: frames left unprotected when the protection was gone."
        in advice.cautions
    )


def test_where_every_tunnel_lets_frames_out_nothing_is_recommended() -> None:
    advice = rank(with_open_device(compared())).recommendation
    assert advice.solution is None
    assert "WireGuard, ChaCha20-Poly1305 (packet test failed)" in advice.sentence
    assert any("OpenVPN over UDP" in one and "failed its packet test" in one for one in advice.cautions)


def test_what_the_packet_test_did_not_try_is_a_caution() -> None:
    record = compared()
    report = next(one.capture for one in record.attempts if one.capture is not None and one.key.solution == "wireguard")
    assert properties_of(report)[Property.AUTHENTIC].verdict is PropertyVerdict.NOT_TRIED
    cautions = rank(record).recommendation.cautions
    assert (
        "Whether WireGuard, ChaCha20-Poly1305 is authentic was not tested: gw-b has no nft to hold back packets with."
        in cautions
    )
    unseen = replace(record, attempts=tuple(replace(one, capture=None) for one in record.attempts))
    assert any(one.startswith("No packet test was made of WireGuard") for one in rank(unseen).recommendation.cautions)


def with_injection(record: CampaignRecord, b: HostInjection) -> CampaignRecord:
    """Return a record whose packet tests had this result on B."""
    attempts = []
    for one in record.attempts:
        if one.capture is not None and one.capture.injection is not None:
            hosts = {**one.capture.injection.hosts, "b": b}
            attempts.append(
                replace(one, capture=replace(one.capture, injection=replace(one.capture.injection, hosts=hosts)))
            )
        else:
            attempts.append(one)
    return replace(record, attempts=tuple(attempts))


def test_only_a_test_that_was_made_and_not_conclusive_did_not_show_a_property() -> None:
    record = compared()
    capture = next(
        one.capture for one in record.attempts if one.capture is not None and one.capture.injection is not None
    )
    assert capture.injection is not None
    trials = capture.injection.hosts["a"].trials
    no_control = HostInjection(tuple(one for one in trials if one.kind is not TrialKind.DELAYED))
    cautions = rank(with_injection(record, no_control)).recommendation.cautions
    assert "The packet test did not show that WireGuard, ChaCha20-Poly1305 is authentic and replay-proof." in cautions
    long = HostInjection(missing=dict.fromkeys(TrialKind, "A long reason that nobody wants to read here. " * 5))
    cautions = rank(with_injection(record, long)).recommendation.cautions
    assert "Whether WireGuard, ChaCha20-Poly1305 is authentic and replay-proof was not tested." in cautions


def test_protocols_that_do_not_cross_are_a_caution() -> None:
    cautions = rank(compared()).recommendation.cautions
    (lost,) = (one for one in cautions if "does not carry" in one)
    assert "does not carry MRP" in lost
    assert "changes Priority tag (VLAN 0)" in lost


def test_what_can_rule_a_vpn_out_comes_before_what_is_reported_of_figures() -> None:
    record = sample_record(models=(BARE, FAST, SLOW), noise=0.01, rounds=1, is_lab=False)
    doubted = replace(record, attempts=tuple(replace(one, doubts=("It was slow.",)) for one in record.attempts))
    first, second, *others = rank(doubted).recommendation.cautions
    assert first.startswith("Whether WireGuard")
    assert "does not carry MRP" in second
    assert others[0].startswith("Only one round was measured")
    assert "WireGuard, ChaCha20-Poly1305: It was slow." in others
    lab = replace(doubted.plan.pair, is_lab=True)
    cautions = rank(replace(doubted, plan=replace(doubted.plan, pair=lab))).recommendation.cautions
    assert cautions[:3] == (_LAB_SENTENCE, first, second)


def test_the_only_one_that_was_measured_to_the_end_is_no_winner() -> None:
    record = compared()
    attempts = tuple(
        replace(one, status=AttemptStatus.CANCELLED, latency=(), throughput=())
        if one.key.solution == "openvpn-udp"
        else one
        for one in record.attempts
    )
    advice = rank(replace(record, attempts=attempts)).recommendation
    assert not advice.is_clear
    assert advice.solution == "wireguard"
    assert advice.sentence.startswith("No clear winner: of the VPNs that may be deployed only WireGuard")
