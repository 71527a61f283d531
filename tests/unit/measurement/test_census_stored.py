from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.census import CensusItem, CensusPlan, OptionResult, OptionStatus
from app.domain.errors import InvalidPlan, NotFound
from app.domain.history import EntryKind
from app.domain.results import CampaignStatus
from app.domain.solutions import OptionKind
from app.domain.verdicts import Verdict
from app.policy.messages import SLOW_TWICE
from app.ranking.published_census import published_triples
from app.reports.census_json import census_to_json
from app.reports.writing import census_to_html
from app.storage import Store
from app.storage.messages import RUNS_ELSEWHERE
from support import sample_records as sample
from support.message_checks import has_message

ITEMS = (
    CensusItem(0, "openvpn-udp", "AES-128-CBC", OptionKind.CIPHER, "cipher-aes-128-cbc"),
    CensusItem(1, "openvpn-udp", "none", OptionKind.CIPHER, "cipher-none", is_unprotected=True),
    CensusItem(2, "openvpn-udp", "RSA-SHA256", OptionKind.MAC, "mac-rsa-sha256", alias_of="SHA256"),
    CensusItem(3, "openvpn-udp", "SHAKE128", OptionKind.MAC, "mac-shake128"),
)
PLAN = CensusPlan(sample.pair(), ("openvpn-udp",), ITEMS)
FACTS = {"a": sample.facts("gw-a"), "b": sample.facts("gw-b")}


def result(item: CensusItem, status: OptionStatus = OptionStatus.WORKS, **changes: object) -> OptionResult:
    return replace(item.result(status), **changes)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "t.db")


def test_stored_and_loaded_again(store: Store, tmp_path: Path) -> None:
    with store:
        census_id = store.create_campaign(PLAN, FACTS, "0.1.0")
        one = result(ITEMS[0], weighted_latency_ms=2.25, throughput_mbit_s=9.5, sent=20, received=20, reason="x \ud800")
        store.save_attempt(census_id, one)
        assert not store.load_census(census_id).is_complete
    with Store.open(tmp_path / "t.db") as again:
        record = again.load_census(census_id)
        assert record.plan == PLAN
        assert record.facts == FACTS
        assert record.results[0].weighted_latency_ms == 2.25
        assert (record.tunnelmark_version, record.ended_at, record.is_complete) == ("0.1.0", None, False)


def test_complete_when_every_option_has_a_result_that_is_one(store: Store) -> None:
    with store:
        census_id = store.create_campaign(PLAN, FACTS, "0.1.0")
        for item in ITEMS:
            store.save_attempt(census_id, result(item, OptionStatus.NOT_RUN))
        store.finish_campaign(census_id, CampaignStatus.INTERRUPTED, "stopped", EntryKind.CENSUS)
        assert not store.load_census(census_id).is_complete
        assert store.unfinished_censuses(PLAN.pair.name) == (census_id,)
        for item in ITEMS:
            store.save_attempt(census_id, result(item))
        store.finish_campaign(census_id, CampaignStatus.COMPLETED, kind=EntryKind.CENSUS)
        record = store.load_census(census_id)
        assert record.is_complete
        assert len(record.results) == len(ITEMS)
        assert store.unfinished_censuses(PLAN.pair.name) == ()
        assert store.list_censuses(PLAN.pair.name) == (census_id,)
        assert store.list_censuses("other") == ()


def test_census_of_a_living_process_is_left_to_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store:
        census_id = store.create_campaign(PLAN, FACTS, "0.1.0")
        assert store.unfinished_censuses(PLAN.pair.name) == ()
        monkeypatch.setattr("app.storage.campaigns.this_process", lambda: "boot/1/1")
        with pytest.raises(InvalidPlan, check=has_message(RUNS_ELSEWHERE)):
            store.claim_campaign(census_id, EntryKind.CENSUS)
        monkeypatch.setattr("app.storage.campaigns.is_alive", lambda _owner: False)
        assert store.unfinished_censuses(PLAN.pair.name) == (census_id,)
        store.claim_campaign(census_id, EntryKind.CENSUS)


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.load_census(7),
        lambda store: store.claim_campaign(7, EntryKind.CENSUS),
        lambda store: store.finish_campaign(7, CampaignStatus.COMPLETED, kind=EntryKind.CENSUS),
    ],
)
def test_unknown_number(store: Store, ask: Callable[[Store], object]) -> None:
    with store, pytest.raises(NotFound):
        ask(store)


def test_option_of_an_unknown_census(store: Store) -> None:
    with store, pytest.raises(NotFound):
        store.save_attempt(7, result(ITEMS[0]))


@pytest.mark.parametrize(
    ("solution", "platform", "triple"),
    [
        ("openvpn-udp", "HP ProDesk", (57, 0, 57)),
        ("openvpn-tcp", "Xeon Server", (94, 0, 94)),
        ("ipsec", "HP ProLiant MicroServer Gen7", (21, 33, 54)),
        ("tinc", "Raspberry Pi 3", (27, 0, 27)),
        ("ssh", "Freescale LayerScape LS1020A", (29, 0, 29)),
        ("freelan", "Xeon Server", (6, 0, 6)),
        ("macsec", "HP ProDesk", (1, 0, 1)),
        ("wireguard", "HP ProDesk", (1, 0, 1)),
    ],
)
def test_published_triples(solution: str, platform: str, triple: tuple[int, int, int]) -> None:
    (one,) = (one for one in published_triples(solution) if one.platform == platform)
    assert (one.working, one.failed, one.total) == triple


def test_published_triples_add_up_and_leave_out_what_was_not_tested() -> None:
    for solution in ("openvpn", "ipsec", "tinc", "freelan", "ssh", "macsec", "wireguard"):
        triples = published_triples(solution)
        assert len(triples) == (4 if solution in ("ipsec", "tinc") else 5)
        assert all(one.working + one.failed == one.total for one in triples)
    assert published_triples("l2tp") == ()


def tried(store: Store) -> tuple[object, dict[tuple[str, str], Verdict]]:
    census_id = store.create_campaign(PLAN, FACTS, "0.1.0")
    fast = {"weighted_latency_ms": 2.0, "throughput_mbit_s": 10.0}
    slow = {"weighted_latency_ms": 20.0, "throughput_mbit_s": 0.5}
    store.save_attempt(census_id, result(ITEMS[3], OptionStatus.FAILS, reason="<b>segfault</b>"))
    store.save_attempt(census_id, result(ITEMS[0], **fast))
    store.save_attempt(census_id, result(ITEMS[1], OptionStatus.UNPROTECTED, **fast))
    store.save_attempt(census_id, result(ITEMS[2], **slow))
    store.finish_campaign(census_id, CampaignStatus.COMPLETED, kind=EntryKind.CENSUS)
    return store.load_census(census_id), {("openvpn-udp", "cipher-aes-128-cbc"): Verdict.LEGACY}


def test_json(store: Store) -> None:
    with store:
        record, verdicts = tried(store)
        data = census_to_json(record, verdicts)  # type: ignore[arg-type]
    assert (data["format"], data["is_complete"], data["pair"]) == (1, True, "lab:practice")
    (solution,) = data["solutions"]  # type: ignore[misc]
    assert {name: solution[name] for name in ("solution", "working", "failed", "total", "unprotected", "not_run")} == {
        "solution": "openvpn-udp",
        "working": 2,
        "failed": 1,
        "total": 3,
        "unprotected": 1,
        "not_run": 0,
    }
    assert {"platform": "HP ProDesk", "working": 57, "failed": 0, "total": 57} in solution["published"]
    options = {one["name"]: one for one in solution["options"]}
    assert list(options) == ["AES-128-CBC", "none", "RSA-SHA256", "SHAKE128"]
    assert options["AES-128-CBC"]["verdict"] == "legacy"
    assert (options["none"]["unprotected"], options["none"]["status"]) == (True, "unprotected")
    assert (options["RSA-SHA256"]["alias_of"], options["RSA-SHA256"]["kind"]) == ("SHA256", "mac")
    assert options["RSA-SHA256"]["throughput_below_best_pct"] == pytest.approx(95.0)
    assert has_message(SLOW_TWICE)(options["RSA-SHA256"]["slow"])
    assert options["AES-128-CBC"]["slow"] == ""
    assert options["SHAKE128"]["weighted_latency_ms"] is None


def test_page_escapes_what_daemons_reported(store: Store) -> None:
    with store:
        record, verdicts = tried(store)
        page = census_to_html(record, verdicts)  # type: ignore[arg-type]
    assert "&lt;b&gt;segfault&lt;/b&gt;" in page
    assert "<b>segfault" not in page
    assert "2/1/3" in page
    assert "57/0/57" in page
