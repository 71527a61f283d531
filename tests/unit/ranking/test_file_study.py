"""Study of 2011 repeated: its table, own figures of a comparison, their order, and what reports show of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import sample_records as sample

from app.domain.results import Attempt, AttemptStatus, CampaignRecord
from app.domain.workloads import WorkloadResult
from app.probes.workloads import WORKLOADS
from app.ranking.comparison_study import comparison_studies, published_figures, times_bare
from app.ranking.own_study_figures import compared_orders, own_figures
from app.ranking.published import IPSEC_TLS, own_2011
from app.reports.file_study import comparison_study_data
from app.reports.view_setting import published_view

STUDY = comparison_studies()[IPSEC_TLS]
WAYS = [one.name for one in STUDY.way]
OPENVPN_3DES = ("openvpn-udp", "cipher-des-ede3-cbc")


def result(response_ms: float, cpu_pct: float | None = 50.0) -> WorkloadResult:
    figures: dict[str, float] = {"response": response_ms}
    for nth, way in enumerate(WAYS):
        mean_ms = response_ms + 10.0 * nth
        figures |= {f"response-{way}": mean_ms, f"longest-{way}": 2 * mean_ms, f"rate-{way}": 8_000.0 / mean_ms}
        if cpu_pct is not None:
            figures |= {f"sender-cpu-{way}": cpu_pct, f"receiver-cpu-{way}": cpu_pct + 10.0 * nth}
    return WorkloadResult("transactions", figures)


def record_of(*rounds: dict[tuple[str, str], WorkloadResult]) -> CampaignRecord:
    """Return a comparison with so many rounds."""
    record = sample.sample_record(rounds=1)
    some = record.attempts[0]
    attempts: list[Attempt] = []
    for number, results in enumerate(rounds, 1):
        for (solution, suite), found in results.items():
            key = replace(some.key, position=len(attempts), solution=solution, suite=suite, round=number)
            attempts.append(replace(some, key=key, workloads=(found,)))
    return replace(record, attempts=tuple(attempts))


def test_the_table_is_whole_and_its_response_times_are_those_of_files_of_1_mb() -> None:
    published = published_figures(STUDY)
    assert set(published) == {(one.solution, one.suite, way) for one in STUDY.candidate for way in WAYS}
    assert published[*OPENVPN_3DES, "b-to-a"]["longest_ms"] == 352.0
    ratio = times_bare(published, (*OPENVPN_3DES, "a-to-b"), "response_ms")
    assert ratio == pytest.approx(131 / 14)
    # The mean time of 8 Mbit at the mean rate, so that a slip of the file would show; the study has one of its own.
    odd = {cell for cell, one in published.items() if abs(one["response_ms"] * one["rate_mbit_s"] / 8_000.0 - 1) > 0.04}
    assert odd == {("openvpn-udp", "cipher-aes-128-cbc", way) for way in WAYS}


def test_its_workload_is_there_with_all_its_figures() -> None:
    names = {one.name for one in WORKLOADS[STUDY.workload].figures}
    assert names == set(result(1.0).figures)


def test_means_of_the_rounds_count_and_the_longest_file_of_all() -> None:
    bare, slow = ("baseline", "none"), OPENVPN_3DES
    record = record_of({bare: result(100.0), slow: result(300.0)}, {bare: result(100.0), slow: result(500.0, None)})
    own = own_figures(STUDY, record)
    assert own[*slow, "a-to-b"]["response_ms"] == pytest.approx(400.0)
    assert own[*slow, "a-to-b"]["longest_ms"] == pytest.approx(1000.0)
    assert own[*slow, "b-to-a"]["receiver_cpu_pct"] == pytest.approx(60.0)
    assert times_bare(own, (*slow, "a-to-b"), "response_ms") == pytest.approx(4.0)
    assert own_2011(record) == {("OpenVPN", "3DES"): (pytest.approx(810 / 210), pytest.approx(0.2755, abs=0.0001))}


def test_what_failed_or_was_not_measured_has_no_figures() -> None:
    record = record_of({("baseline", "none"): result(100.0), OPENVPN_3DES: WorkloadResult("transactions", {}, "no")})
    assert set(own_figures(STUDY, record)) == {("baseline", "none", way) for way in WAYS}
    failed = replace(record, attempts=tuple(replace(one, status=AttemptStatus.FAILED) for one in record.attempts))
    assert own_figures(STUDY, failed) == {}
    assert own_2011(failed) == {}
    assert times_bare({}, ("baseline", "none", "a-to-b"), "response_ms") is None


def test_the_order_is_compared_with_the_published_one() -> None:
    published_order = {("ipsec", "esp-aes128-sha1"): 200.0, OPENVPN_3DES: 400.0, ("ipsec", "esp-3des-sha1"): 600.0}
    (found,) = compared_orders(
        STUDY, own_figures(STUDY, record_of({key: result(value) for key, value in published_order.items()}))
    )
    # Six cells; within 5 % of one another in the study are only both directions of OpenVPN with 3DES.
    assert (found.agreement.pairs, found.agreement.same) == (14, 14)
    turned = record_of({key: result(800.0 - value) for key, value in published_order.items()})
    (found,) = compared_orders(STUDY, own_figures(STUDY, turned))
    assert found.agreement.same <= 3
    assert found.agreement.against


def test_reports_and_json_have_own_figures_beside_the_published_ones() -> None:
    record = record_of({("baseline", "none"): result(100.0), OPENVPN_3DES: result(300.0)})
    view = published_view(record)
    assert view["has_own"]
    rows = {row["label"]: row["own"] for row in view["rows"]}
    assert rows["OpenVPN, 3DES"][0].startswith("2.9")
    assert rows["IPsec, AES"] == ("–", "–")
    assert not published_view(sample.sample_record(rounds=1))["has_own"]
    own = own_figures(STUDY, record)
    data = json.loads(json.dumps(comparison_study_data(STUDY, record, own, compared_orders(STUDY, own))))
    assert len(data["rows"]) == 14
    there = {(one["study_name"], one["direction"]): one for one in data["rows"]}
    assert there["OpenVPN 3DES", "a-to-b"]["own"]["times_bare"] == pytest.approx(3.0)
    assert there["IPsec AES", "a-to-b"]["own"] is None
    assert there["IPsec AES", "a-to-b"]["published"]["response_ms"] == 56.0
