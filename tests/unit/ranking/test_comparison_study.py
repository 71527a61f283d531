"""Studies of comparisons: their data files, and own figures and orders of the study of 2019 beside its places."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from importlib.resources import files

import html5lib
import pytest
import sample_records as sample

from app.cli.measuring_parser import STUDY_PARTS
from app.domain.profiles import PROFILES, ProfileName
from app.domain.results import AttemptStatus, CampaignRecord, Candidate
from app.domain.transfers import Agreement
from app.domain.verdicts import Verdict
from app.measurement.comparison import plan_campaign
from app.ranking import rank
from app.ranking.comparison_study import (
    Cell,
    ComparisonStudy,
    comparison_studies,
    places_text,
    published_figures,
    published_order,
    times_bare,
)
from app.ranking.own_study_figures import compared_orders, own_figures
from app.reports import html_report
from app.reports.file_study import comparison_study_data
from app.reports.view_places import places_view
from support.adapter_cases import facts
from vpn_adapters.registry import ADAPTERS

STUDIES = comparison_studies()
INDUSTRIAL = STUDIES["industrial-2019"]
BARE, MACSEC = ("baseline", "none", "both"), ("macsec", "gcm-aes-128", "both")
WIREGUARD, IPSEC = ("wireguard", "chacha20-poly1305", "both"), ("ipsec", "esp-aes128-sha1", "both")
OPENVPN = ("openvpn-udp", "cipher-aes-128-cbc", "both")
EVERY_STUDY = pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)


def record_of(figures: dict[Cell, tuple[float, float]], rounds: int = 1) -> CampaignRecord:
    """Return a comparison; each candidate has a base of its latency in ms, and a rate in Mbit/s."""
    models = [
        sample.Model(
            Candidate(solution, suite, solution, Verdict.ACCEPTABLE, (), is_unprotected=solution == "baseline"),
            base_ms,
            0.1,
            rate,
            50.0,
            0,
        )
        for (solution, suite, _), (base_ms, rate) in figures.items()
    ]
    return sample.sample_record(rounds=rounds, pings=60, models=models, noise=0.0)


def as_published() -> CampaignRecord:
    return record_of({BARE: (0.4, 400), MACSEC: (0.5, 90), IPSEC: (0.7, 80), WIREGUARD: (1.0, 99), OPENVPN: (2.0, 40)})


def agreed(study: ComparisonStudy, record: CampaignRecord) -> dict[str, Agreement[Cell]]:
    return {one.order.places: one.agreement for one in compared_orders(study, own_figures(study, record))}


@EVERY_STUDY
def test_a_data_file_agrees_with_its_table_and_with_the_command_line(study: ComparisonStudy) -> None:
    assert study.candidate[0].solution == "baseline"
    assert len(set(study.cells)) == len(study.cells)
    assert study.parts.keys() <= set(STUDY_PARTS)
    assert "quick" in study.parts  # the part of a command line that names none
    for order in study.order:
        values = published_order(study, order)
        assert values.keys() <= set(study.cells)
        assert len(set(values.values())) > 1, order
        assert order.words
    if study.table and not study.has_places:
        assert set(published_figures(study)) == set(study.cells)


def test_todays_platform_lacks_freelan_alone_and_the_older_one_nothing() -> None:
    solutions = {one.solution for one in INDUSTRIAL.candidate}
    for platform, lacking in (("debian-11", set()), ("debian-13", {"freelan"})):
        host, possible = facts(platform), []
        for name in solutions:
            suites = [*ADAPTERS[name].suites(host, host), *(one.suite for one in ADAPTERS[name].census(host, host))]
            possible += [(name, suite.name) for suite in suites]
        assert {one.solution for one in INDUSTRIAL.left_out(possible)} == lacking


def test_parts_take_as_long_as_comparisons_are_planned_with() -> None:
    candidates = [replace(sample.WIREGUARD, solution=one.solution, suite=one.suite) for one in INDUSTRIAL.candidate]
    for part in INDUSTRIAL.part:
        planned_s = sum(plan_campaign(sample.pair(), candidates, part.amounts, seed=1).predicted_s)
        assert part.predicted_s(len(candidates)) == pytest.approx(planned_s, rel=0.1)
    assert INDUSTRIAL.parts["quick"].predicted_s(len(candidates)) < 600
    assert INDUSTRIAL.parts["paper"].amounts == PROFILES[ProfileName.PAPER]


def test_no_place_on_a_platform_where_the_study_did_not_test_a_vpn() -> None:
    text = (files("resources") / "reference" / "platforms.toml").read_text(encoding="utf-8")
    tested = {one["id"]: set(one["options"]) for one in tomllib.loads(text)["platform"]}
    on_platforms = [order for order in INDUSTRIAL.order if order.platform]
    assert {order.platform for order in on_platforms} == set(tested)
    for order in on_platforms:
        placed = {solution.partition("-")[0] for solution, _, _ in published_order(INDUSTRIAL, order)}
        assert placed == tested[order.platform]


def test_weighted_latency_and_rate_are_those_of_the_ranking() -> None:
    record = record_of({BARE: (0.4, 400), MACSEC: (0.5, 90)}, rounds=2)
    own = own_figures(INDUSTRIAL, record)
    ranked = {(one.solution, one.suite, "both"): one for one in rank(record).results}
    assert set(own) == set(ranked)
    for cell, one in ranked.items():
        assert one.weighted_latency_ms is not None
        assert own[cell]["weighted_latency_ms"] == pytest.approx(one.weighted_latency_ms.mean)
        rates = [one.throughput_mbit_s[way].mean for way in ("a_to_b", "b_to_a")]
        assert own[cell]["throughput_mbit_s"] == pytest.approx(sum(rates) / 2)
    assert times_bare(own, MACSEC, "weighted_latency_ms") == pytest.approx(1.25, rel=0.1)


def test_figures_in_the_published_order_agree_with_it_and_others_are_named() -> None:
    found = agreed(INDUSTRIAL, as_published())
    # MACsec and IPsec share the first place of the Xeon Server, WireGuard is next, OpenVPN last: five pairs.
    assert (found["latency_xeon"].pairs, found["latency_xeon"].same) == (5, 5)
    assert found["latency_xeon"].correlation == pytest.approx(0.95, abs=0.01)
    # More is better: WireGuard has the highest rate, which is the first place.
    assert (found["throughput_microserver"].pairs, found["throughput_microserver"].same) == (3, 3)
    assert (found["latency_ipsec"].pairs, found["latency_ipsec"].correlation) == (0, None)
    assert found["throughput_prodesk"].correlation is None  # all of these share the first place
    slow = {BARE: (0.4, 400), MACSEC: (3.0, 90), IPSEC: (0.7, 80), WIREGUARD: (1.0, 50), OPENVPN: (2.0, 40)}
    turned = agreed(INDUSTRIAL, record_of(slow))
    assert {frozenset(pair) for pair in turned["latency_layerscape"].against} == {
        frozenset({MACSEC, WIREGUARD}),
        frozenset({MACSEC, OPENVPN}),
    }
    assert {frozenset(pair) for pair in turned["throughput_microserver"].against} == {
        frozenset({WIREGUARD, MACSEC}),
        frozenset({WIREGUARD, IPSEC}),
    }


def test_ciphers_are_named_only_where_they_are_compared() -> None:
    texts = {order.places: places_text(INDUSTRIAL, order) for order in INDUSTRIAL.order}
    assert texts["latency_layerscape"] == "1 MACsec; 2 Wireguard; 3 OpenVPN, Freelan, SSH"
    assert texts["throughput_ipsec"] == "1 IPsec Camellia-128; 2 IPsec AES-128"


def test_json_has_places_orders_and_what_was_left_out() -> None:
    record = as_published()
    failed = replace(record.attempts[1], status=AttemptStatus.FAILED)
    record = replace(record, attempts=(record.attempts[0], failed, *record.attempts[2:]))
    own = own_figures(INDUSTRIAL, record)
    compared = compared_orders(INDUSTRIAL, own)
    data = json.loads(json.dumps(comparison_study_data(INDUSTRIAL, record, own, compared)))
    rows = {row["study_name"]: row for row in data["rows"]}
    assert rows["MACsec AES-128-GCM"]["own"] is None
    assert rows["MACsec AES-128-GCM"]["places"]["throughput_pi"] == 3
    assert rows["IPsec AES-128"]["own"]["times_bare"] > 1
    assert ["freelan", "aes-256-gcm-secp384r1"] in data["left_out"]
    assert list(MACSEC[:2]) not in data["left_out"]
    assert [one["places"] for one in data["orders"]] == [one.places for one in INDUSTRIAL.order]


@pytest.mark.usefixtures("without_figures")
def test_a_report_has_the_places_beside_own_figures_where_there_are_pairs_of_them() -> None:
    record = as_published()
    view = places_view(record, INDUSTRIAL)
    assert view is not None
    rows = {(row["figure"], row["where"]): row for row in view["rows"]}
    assert rows["Weighted latency", "Xeon Server"]["same"] == "5 of 5"
    assert ("Weighted latency", "Ciphers of IPsec (V.A.2)") not in rows
    assert "Freelan" in view["missing"]
    page = html_report.to_html(record, rank(record))
    assert "1 MACsec; 2 Wireguard; 3 OpenVPN, Freelan, SSH" in page
    assert 'class="numbers heat"' not in page, "it was not begun as a study"
    assert places_view(sample.sample_record(rounds=1), INDUSTRIAL) is None


@pytest.mark.usefixtures("without_figures")
def test_a_report_of_a_study_has_its_heat_maps_and_the_first_one_is_open() -> None:
    record = as_published()
    record = replace(record, plan=replace(record.plan, seed=INDUSTRIAL.seed))
    page = html_report.to_html(record, rank(record))
    assert page.count('<details class="comparison"') == len(INDUSTRIAL.order)
    assert page.count('<details class="comparison" open>') == 1
    for whose in ("own", "published"):
        assert f"<caption>Weighted latency: Xeon Server, {whose}</caption>" in page
    assert "<caption>Weighted latency: Ciphers of IPsec (V.A.2), published</caption>" in page
    assert "The study states places alone" in page
    strict = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    assert strict is not None
