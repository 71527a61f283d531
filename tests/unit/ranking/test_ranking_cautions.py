"""Cautions about figures that are shown beside those that decide."""

from __future__ import annotations

from sample_records import sample_record, with_late_replies

from app.domain.ranking import CandidateResult, Ranking
from app.ranking import rank
from app.ranking.messages import MEANS_AND_MEDIANS_DIFFER
from support.message_checks import shows


def explained(ranking: Ranking) -> list[str]:
    """Return the solutions of which means and medians are explained."""
    return [one.solution for one in ranking.results if _explains(one)]


def _explains(one: CandidateResult) -> bool:
    return any(shows(text, MEANS_AND_MEDIANS_DIFFER.text) for text in one.doubts)


def test_where_means_and_medians_agree_nothing_is_explained() -> None:
    assert explained(rank(sample_record(noise=0.005))) == []


def test_late_replies_of_a_candidate_explain_why_its_mean_is_no_place() -> None:
    quiet = rank(sample_record(noise=0.005))
    found = rank(with_late_replies(sample_record(noise=0.005), "openvpn-udp"))
    assert explained(found) == ["openvpn-udp"]
    assert [one.rank for one in found.ranking] == [one.rank for one in quiet.ranking]


def test_late_replies_of_the_fastest_explain_all_others() -> None:
    found = rank(with_late_replies(sample_record(noise=0.005), "wireguard"))
    assert found.results[0].solution == "wireguard"
    assert explained(found) == ["openvpn-udp", "openvpn-tcp"]
