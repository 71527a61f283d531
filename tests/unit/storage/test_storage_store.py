"""Stored records are read back unchanged."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from app.domain.audit import AuditEntry
from app.domain.errors import InvalidPlan, NotFound, StorageFault
from app.domain.hosts import Side
from app.domain.link_protocols import LinkProtocol
from app.domain.profiles import Profile, ProfileName
from app.domain.results import Attempt, AttemptStatus, CampaignRecord, CampaignStatus, LatencySeries
from app.domain.user import this_user
from app.ranking.outcome import is_unfinished
from app.storage import Store
from app.storage.messages import KNOWN_PAIRS, NO_PAIR_YET
from support.message_checks import has_message
from support.sample_records import facts, pair, sample_record
from support.soundness import check_soundness


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tunnelmark.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as opened:
        yield opened


def _fill(store: Store, record: CampaignRecord) -> int:
    campaign_id = store.create_campaign(record.plan, record.facts, record.tunnelmark_version)
    for attempt in record.attempts:
        store.save_attempt(campaign_id, attempt)
    return campaign_id


def _assert_same(found: Attempt, expected: Attempt) -> None:
    assert replace(found, latency=()) == replace(expected, latency=())
    assert len(found.latency) == len(expected.latency)
    for one, other in zip(found.latency, expected.latency, strict=True):
        assert one.rtt_us.dtype == np.uint32
        assert one.rtt_us.tolist() == other.rtt_us.tolist()
        empty = np.empty(0, dtype=np.uint32)
        assert repr(replace(one, rtt_us=empty)) == repr(replace(other, rtt_us=empty))


# --- pairs ------------------------------------------------------------------------------------------------------------


def test_a_pair_comes_back_and_can_be_replaced(store: Store) -> None:
    store.save_pair(pair(is_lab=False))
    assert store.get_pair("plant-north") == pair(is_lab=False)
    changed = replace(pair(is_lab=False), load_cap_mbit_s=20.0)
    store.save_pair(changed)
    assert store.list_pairs() == (changed,)


def test_an_unknown_pair_names_the_known_ones(store: Store) -> None:
    with pytest.raises(NotFound) as caught:
        store.get_pair("x")
    assert has_message(NO_PAIR_YET)(caught.value.hint)
    for name in ("south", "north"):
        store.save_pair(replace(pair(), name=name))
    with pytest.raises(NotFound) as caught:
        store.get_pair("x")
    assert caught.value.hint == KNOWN_PAIRS(pairs=("north", "south"))


def test_deleting_a_pair_deletes_what_was_found_but_not_what_was_measured(store: Store) -> None:
    store.save_pair(pair())
    store.save_snapshot(pair().name, Side.A, facts())
    campaign_id = _fill(store, sample_record(rounds=1, pings=5))
    store.finish_campaign(campaign_id, CampaignStatus.COMPLETED)
    store.delete_pair(pair().name)
    assert store.list_pairs() == ()
    assert store.latest_snapshot(pair().name, Side.A) is None
    assert store.load_campaign(campaign_id).plan.pair == pair()
    with pytest.raises(NotFound):
        store.delete_pair(pair().name)


def test_the_latest_snapshot_of_each_side_is_found(store: Store) -> None:
    early = facts("early")
    late = replace(facts("late"), collected_at=early.collected_at + timedelta(microseconds=1))
    store.save_snapshot("p", Side.A, late)
    store.save_snapshot("p", Side.A, early)
    store.save_snapshot("p", Side.B, facts("other"))
    assert store.latest_snapshot("p", Side.A) == late
    assert store.latest_snapshot("p", Side.B) == facts("other")
    assert store.latest_snapshot("q", Side.A) is None


# --- campaigns --------------------------------------------------------------------------------------------------------


def test_a_campaign_comes_back_with_every_sample(store: Store) -> None:
    record = sample_record(rounds=2, pings=50)
    before = datetime.now(UTC)
    campaign_id = _fill(store, record)
    running = store.load_campaign(campaign_id)
    assert running.status is CampaignStatus.RUNNING
    assert running.ended_at is None
    store.finish_campaign(campaign_id, CampaignStatus.COMPLETED)
    found = store.load_campaign(campaign_id)
    assert found.campaign_id == campaign_id
    assert found.plan == record.plan
    assert found.facts == record.facts
    assert found.status is CampaignStatus.COMPLETED
    assert found.ended_at is not None
    assert before <= found.started_at <= found.ended_at <= datetime.now(UTC)
    assert found.tunnelmark_version == "0.1.0"
    assert len(found.attempts) == len(record.attempts)
    for one, other in zip(found.attempts, record.attempts, strict=True):
        _assert_same(one, other)


def test_attempts_come_back_in_the_plans_order(store: Store) -> None:
    record = sample_record(rounds=1, pings=5)
    backwards = replace(record, attempts=record.attempts[::-1])
    assert store.load_campaign(_fill(store, backwards)).attempts[0].key == record.attempts[0].key


def test_series_of_different_lengths_and_notes_are_kept_apart(store: Store) -> None:
    record = sample_record(rounds=1, pings=5)
    series = (
        LatencySeries(60, 3, 2, 1, np.array([7, 0xFFFFFFFF, 9], dtype=np.uint32)),
        LatencySeries(1514, 0, 0, 0, np.empty(0, dtype=np.uint32), "did not cross: message too long \ud800"),
        LatencySeries(128, 1, 1, 0, np.array([2**32 - 2], dtype=np.uint32)),
    )
    campaign_id = _fill(store, replace(record, attempts=(replace(record.attempts[0], latency=series),)))
    found = store.load_campaign(campaign_id).attempts[0].latency
    assert [one.rtt_us.tolist() for one in found] == [[7, 0xFFFFFFFF, 9], [], [2**32 - 2]]
    assert [(one.frame_bytes, one.sent, one.received, one.duplicates) for one in found] == [
        *((60, 3, 2, 1), (1514, 0, 0, 0), (128, 1, 1, 0))
    ]
    assert found[1].note == "did not cross: message too long ?"


def test_an_attempt_made_again_replaces_the_earlier_one(store: Store, path: Path) -> None:
    record = sample_record(rounds=1, pings=5)
    first = replace(record.attempts[0], status=AttemptStatus.CANCELLED, message="cancelled")
    campaign_id = _fill(store, replace(record, attempts=(first, record.attempts[0])))
    (found,) = store.load_campaign(campaign_id).attempts
    _assert_same(found, record.attempts[0])
    store.close()
    assert check_soundness(path) == ()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM series").fetchone()[0] == len(record.attempts[0].latency)
        assert connection.execute("SELECT count(*) FROM samples").fetchone()[0] == 1


def test_link_protocols_come_back_and_an_attempt_of_an_earlier_version_has_none(store: Store, path: Path) -> None:
    record = sample_record(rounds=1, pings=5)
    attempt = next(one for one in record.attempts if one.capture is not None and one.capture.protocols)
    campaign_id = _fill(store, replace(record, attempts=(attempt,)))
    (found,) = store.load_campaign(campaign_id).attempts
    _assert_same(found, attempt)
    with closing(sqlite3.connect(path)) as connection, connection:
        (body,) = connection.execute("SELECT body FROM attempt").fetchone()
        data = json.loads(zlib.decompress(body))
        assert len(data["wire"].pop("protocols")) == len(LinkProtocol)
        connection.execute("UPDATE attempt SET body = ?", (zlib.compress(json.dumps(data).encode()),))
    (older,) = store.load_campaign(campaign_id).attempts
    assert attempt.capture is not None
    _assert_same(older, replace(attempt, capture=replace(attempt.capture, protocols=())))


def test_what_is_not_there_is_not_found(store: Store) -> None:
    record = sample_record(rounds=1, pings=5)
    for call in (
        lambda: store.load_campaign(9),
        lambda: store.campaign_summary(9),
        lambda: store.claim_campaign(9),
        lambda: store.finish_campaign(9, CampaignStatus.COMPLETED),
        lambda: store.save_attempt(9, record.attempts[0]),
    ):
        with pytest.raises(NotFound):
            call()


def test_summaries_say_how_far_a_campaign_is(store: Store) -> None:
    record = sample_record(rounds=1, pings=5, attempts_kept=4)
    not_run = replace(record.attempts[3], status=AttemptStatus.NOT_RUN, reason="cancelled")
    first = _fill(store, replace(record, attempts=(*record.attempts[:3], not_run)))
    store.finish_campaign(first, CampaignStatus.CANCELLED, "The comparison was cancelled.")
    other = replace(record.plan, pair=replace(record.plan.pair, name="other"))
    second = store.create_campaign(other, record.facts, "0.1.0")
    newest, oldest = store.list_campaigns()
    assert (newest.campaign_id, newest.pair, newest.attempts_done) == (second, "other", 0)
    assert newest.status is CampaignStatus.RUNNING
    assert oldest == store.campaign_summary(first)
    assert (oldest.attempts_done, oldest.attempts_planned) == (3, len(record.plan.attempts))
    assert (oldest.vpns_measured, oldest.vpns_planned) == (2, 5)
    assert (newest.vpns_measured, newest.vpns_planned) == (0, 5)
    assert oldest.candidates == tuple(candidate.title for candidate in record.plan.candidates)
    assert oldest.message == "The comparison was cancelled."
    assert oldest.profile is ProfileName.CUSTOM
    assert store.list_campaigns("other") == (newest,)
    assert store.list_campaigns(limit=1) == (newest,)
    assert store.latest_campaign() == first  # the newer one has nothing to show yet
    assert store.latest_campaign("other") is None


def test_numbers_of_campaigns_are_never_used_twice(store: Store) -> None:
    record = sample_record(rounds=1, pings=5)
    assert _fill(store, record) < _fill(store, record)


# --- interrupted campaigns --------------------------------------------------------------------------------------------


def _pretend_owner(path: Path, owner: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE campaign SET owner = ?", (owner,))


def test_a_campaign_whose_process_is_gone_is_interrupted_at_the_next_opening(path: Path) -> None:
    record = sample_record(rounds=1, pings=5, attempts_kept=2)
    with Store.open(path) as store:
        campaign_id = _fill(store, record)
        with Store.open(path) as second:  # the first one still runs it
            assert second.campaign_summary(campaign_id).status is CampaignStatus.RUNNING
            assert second.unfinished_campaign(pair().name) is None
    _pretend_owner(path, "some-boot/1/12345")
    with Store.open(path) as store:
        assert store.load_campaign(campaign_id).status is CampaignStatus.INTERRUPTED
        assert store.unfinished_campaign(pair().name) == campaign_id
        assert store.unfinished_campaign("other") is None
        store.claim_campaign(campaign_id)
        assert store.campaign_summary(campaign_id).status is CampaignStatus.RUNNING
        assert store.campaign_summary(campaign_id).message == ""
        assert store.mark_interrupted() == 0


def test_a_campaign_that_another_process_runs_cannot_be_claimed(store: Store, path: Path) -> None:
    campaign_id = _fill(store, sample_record(rounds=1, pings=5))
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    start = Path("/proc/1/stat").read_text().rpartition(")")[2].split()[19]
    _pretend_owner(path, f"{boot}/1/{start}")  # process 1 runs as long as this computer
    assert store.mark_interrupted() == 0
    with pytest.raises(InvalidPlan):
        store.claim_campaign(campaign_id)
    _pretend_owner(path, f"{boot}/1/{int(start) + 1}")  # its number, but of an earlier process
    assert store.mark_interrupted() == 1
    store.claim_campaign(campaign_id)


@pytest.mark.parametrize("owner", ["", "x", "a/b/c", "//", "a/-1/5", "a/1"])
def test_an_owner_that_makes_no_sense_is_gone(store: Store, path: Path, owner: str) -> None:
    _fill(store, sample_record(rounds=1, pings=5))
    _pretend_owner(path, owner)
    assert store.mark_interrupted() == 1


def test_the_newest_campaign_with_something_left_can_be_resumed(store: Store) -> None:
    record = sample_record(rounds=1, pings=5)
    half = replace(record, attempts=record.attempts[:2])
    interrupted = _fill(store, half)
    store.finish_campaign(interrupted, CampaignStatus.INTERRUPTED, "The host stays away.")
    assert store.unfinished_campaign(pair().name) == interrupted
    done = _fill(store, record)
    store.finish_campaign(done, CampaignStatus.CANCELLED)
    assert store.unfinished_campaign(pair().name) == interrupted  # of the newer one nothing is left to measure
    cancelled = _fill(store, half)
    store.finish_campaign(cancelled, CampaignStatus.CANCELLED)
    assert store.unfinished_campaign(pair().name) == cancelled
    completed = _fill(store, half)
    store.finish_campaign(completed, CampaignStatus.COMPLETED)
    assert store.unfinished_campaign(pair().name) == cancelled


def test_a_campaign_that_was_killed_in_the_repeat_of_its_last_attempt_can_be_resumed(path: Path) -> None:
    record = sample_record(rounds=1, pings=5)
    with Store.open(path) as store:
        campaign_id = _fill(store, record)
    _pretend_owner(path, "some-boot/1/12345")
    with Store.open(path) as store:
        summary = store.campaign_summary(campaign_id)
        assert (summary.status, summary.ended_at) == (CampaignStatus.INTERRUPTED, None)
        assert summary.attempts_done == summary.attempts_planned
        assert is_unfinished(store.load_campaign(campaign_id))
        assert store.unfinished_campaign(pair().name) == campaign_id
        store.claim_campaign(campaign_id)
        store.finish_campaign(campaign_id, CampaignStatus.COMPLETED)
        assert store.unfinished_campaign(pair().name) is None
        assert not is_unfinished(store.load_campaign(campaign_id))


# --- durations, audit -------------------------------------------------------------------------------------------------


def test_mean_durations_are_those_of_completed_attempts_of_that_kind(store: Store) -> None:
    record = sample_record(rounds=2, pings=5)
    slow = tuple(replace(attempt, probe_s=38.0) if attempt.key.round == 2 else attempt for attempt in record.attempts)
    _fill(store, replace(record, attempts=slow))
    found = store.durations(pair().name)
    assert set(found) == {"baseline", "l2tp", "wireguard", "openvpn-udp", "openvpn-tcp"}
    wireguard = found["wireguard"]
    assert (wireguard.attempts, wireguard.setup_s, wireguard.probe_s, wireguard.cleanup_s) == (2, 2.1, 33.0, 1.3)
    assert found["openvpn-udp"].attempts == 2  # the cipher that failed is not among them
    assert store.durations(pair().name, record.plan.profile) == found
    assert store.durations(pair().name, Profile(ProfileName.QUICK, 5, 3, 1)) == found
    assert store.durations(pair().name, Profile(ProfileName.CUSTOM, 5, 3, 2, (60, 128))) == {}
    assert store.durations(pair().name, Profile(ProfileName.CUSTOM, 6, 3, 2)) == {}
    assert store.durations("other") == {}


def test_the_audit_log_keeps_every_entry(store: Store) -> None:
    entries = tuple(
        AuditEntry(
            datetime(2026, 3, 4, 9, 30, second, tzinfo=UTC), host, side, "ip link add tmk0 \ud800", status, "make it"
        )
        for second, host, side, status in ((1, "a", Side.A, 0), (3, "b", None, None), (2, "a", Side.B, 255))
    )
    for entry in entries:
        store.audit(entry)
    newest, middle, oldest = store.list_audit()
    assert (newest.host, newest.side, newest.exit_status) == ("b", None, None)
    assert middle == replace(entries[2], command="ip link add tmk0 ?", who=this_user())
    assert oldest.at == entries[0].at
    assert store.list_audit(limit=1) == (newest,)


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE campaign SET plan = '{}'",
        "UPDATE campaign SET plan = 'nope'",
        "UPDATE campaign SET facts = '[]'",
        "UPDATE campaign SET started_at = 'yesterday'",
        "UPDATE campaign SET status = 'sleeping'",
        "UPDATE attempt SET body = x'00'",
        "UPDATE attempt SET codec = 'json-lzma/7'",
        "UPDATE samples SET data = x'78'",
        "UPDATE samples SET codec = 'delta/9'",
        "UPDATE samples SET unit = 'ms'",
        "UPDATE series SET count = count + 1",
        "UPDATE series SET count = count - 1 WHERE ordinal = 6",
        "DELETE FROM samples",
        "DELETE FROM series",
    ],
)
def test_what_was_changed_by_hand_is_reported_and_not_guessed(store: Store, path: Path, statement: str) -> None:
    campaign_id = _fill(store, sample_record(rounds=1, pings=5))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(StorageFault):
        store.load_campaign(campaign_id)


def test_a_damaged_list_is_reported(store: Store, path: Path) -> None:
    _fill(store, sample_record(rounds=1, pings=5))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE campaign SET profile = 'huge'")
    with pytest.raises(StorageFault):
        store.list_campaigns()


@pytest.mark.allow_logs("app.storage.comparisons")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE campaign SET plan = '{}' WHERE id = ?",
        "UPDATE campaign SET plan = 'nope' WHERE id = ?",
        "UPDATE campaign SET started_at = 'yesterday' WHERE id = ?",
    ],
)
def test_a_damaged_plan_hides_no_other(store: Store, path: Path, statement: str) -> None:
    damaged, whole = (_fill(store, sample_record(rounds=1, pings=5)) for _ in range(2))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, (damaged,))
    assert [one.campaign_id for one in store.list_plans()] == [whole]
