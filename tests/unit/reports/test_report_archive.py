"""History: notes, winners, deleting, and the database of the version before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from fake_census import items, result
from sample_records import MODELS, facts, pair, sample_record

from app.cli.history import history_table
from app.domain.census import CensusPlan
from app.domain.deployment import DeploymentState
from app.domain.errors import InvalidOption, InvalidPlan, NotFound
from app.domain.history import LONGEST_NOTE, EntryId, EntryKind, HistoryEntry, Winner, checked_note
from app.domain.messages.inputs import NOTE_TOO_LONG, NOTE_WITH_CONTROL_CHARACTER
from app.domain.paths import Paths
from app.domain.results import CampaignRecord, CampaignStatus
from app.ranking import rank
from app.ranking.history_entries import UNREADABLE, find_winner, list_history, with_winners
from app.ranking.messages import ALL_VPNS_FAILED, NO_CLEAR_WINNER, NO_VPN_COMPARED, NO_VPN_MEASURED, NO_WINNER
from app.ranking.winner import winner_of
from app.reports.archive import Archive
from app.storage import Store
from app.storage.database import APPLICATION_ID, read_migrations
from app.wording import language
from support.message_checks import has_message
from support.soundness import check_soundness
from support.stored_deployments import DEPLOYMENT
from ui.results.history_order import matching, measured_text, what_text

CENSUS = CensusPlan(pair(), ("openvpn-udp",), items())


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    opened = Archive(Paths(tmp_path / "data", tmp_path / "labs", tmp_path / "cache"))
    yield opened
    opened.store.close()


def fill(store: Store, record: CampaignRecord, status: CampaignStatus | None = CampaignStatus.COMPLETED) -> int:
    campaign_id = store.create_campaign(record.plan, record.facts, record.tunnelmark_version)
    for attempt in record.attempts:
        store.save_attempt(campaign_id, attempt)
    if status is not None:
        store.finish_campaign(campaign_id, status)
    return campaign_id


def fill_census(store: Store, *, tried: int = len(items()), is_ended: bool = True) -> int:
    census_id = store.create_campaign(CENSUS, {"a": facts(), "b": facts()}, "0.1.0")
    for item in CENSUS.items[:tried]:
        store.save_attempt(census_id, result(item))
    if is_ended:
        store.finish_campaign(census_id, CampaignStatus.COMPLETED, kind=EntryKind.CENSUS)
    return census_id


def test_comparisons_are_found_by_every_vpn_that_was_compared(archive: Archive) -> None:
    fill(archive.store, sample_record(models=MODELS[:2], rounds=1))
    [entry] = list_history(archive.store)
    assert len(entry.candidates) == 2
    title = entry.candidates[-1]
    won = replace(entry, winner=Winner("of another name", "x"))
    assert matching([won], f"{title} comparison") == (won,)
    assert matching([won], "tinc") == ()
    assert history_table([won]).columns[-2].heading == "result"


def of(number: int) -> EntryId:
    return EntryId(EntryKind.COMPARISON, number)


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - our own names


# --- numbers and notes ------------------------------------------------------------------------------------------------


def test_numbers_are_read_as_they_are_shown() -> None:
    assert EntryId.parse("7") == EntryId(EntryKind.COMPARISON, 7)
    assert EntryId.parse("c3") == EntryId(EntryKind.CENSUS, 3)
    assert [str(EntryId.parse(text)) for text in ("7", "c3")] == ["7", "c3"]


@pytest.mark.parametrize("text", ["", "0", "-1", "07", "c", "c0", "7x", "4f1c2d3e", "\x1b[31m", "٧", "1e3", "9" * 30])
def test_what_is_no_number_is_refused_without_control_characters(text: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        EntryId.parse(text)
    assert "\x1b" not in caught.value.sentence()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("\x1b[31mred", "U+001B"),
        ("a\x00b", "U+0000"),
        ("a\u202eb", "U+202E"),
        ("\ud800", "U+D800"),
        ("\x9b2J", "U+009B"),
    ],
)
def test_notes_with_control_characters_are_refused(text: str, why: str) -> None:
    with pytest.raises(InvalidOption, check=has_message(NOTE_WITH_CONTROL_CHARACTER)) as caught:
        checked_note(text)
    assert why in caught.value.message
    assert text not in caught.value.sentence()


def test_longest_note_fits_and_one_more_does_not() -> None:
    assert checked_note("x" * LONGEST_NOTE) == "x" * LONGEST_NOTE
    assert checked_note("  two\r\nlines\tof Müller <b> ") == "two\nlines\tof Müller <b>"
    with pytest.raises(InvalidOption, check=has_message(NOTE_TOO_LONG, count=1001)):
        checked_note("x" * (LONGEST_NOTE + 1))


def test_deployments_that_failed_have_no_winner_and_refusals_and_key_rotations_are_named_so(archive: Archive) -> None:
    confirmed = replace(DEPLOYMENT, confirmed_at=DEPLOYMENT.prepared_at)
    failed = replace(confirmed, id="1" * 16, state=DeploymentState.FAILED, confirmed_at=None, replaces=confirmed.id)
    other = replace(failed, id="2" * 16, solution="ipsec", title="IPsec", is_refused=True)
    wider = replace(failed, id="3" * 16, options=replace(failed.options, blocks_dhcp=True))
    archive.store.save_pair(DEPLOYMENT.pair)
    for one in (confirmed, failed, other, wider):
        archive.store.save_deployment(one)
    found = {one.key: one for one in list_history(archive.store)}
    assert what_text(found[wider.id]).startswith("Deployment 33333333, failed"), "not the keys alone differ"
    assert found[confirmed.id].winner == Winner("WireGuard", "wireguard", "chacha20-poly1305")
    assert found[failed.id].winner == Winner("none, failed: WireGuard")
    assert found[other.id].winner == Winner("none, refused: IPsec")
    rows = {row[-2]: row for row in history_table(tuple(found.values())).rows}
    assert rows["none, failed: WireGuard"][3:7:3] == ("key rotation", "failed")
    assert rows["none, refused: IPsec"][3:7:3] == ("deployment", "refused")
    assert what_text(found[failed.id]).startswith("Key rotation 11111111, failed")
    assert what_text(found[other.id]) == "Deployment 22222222, refused"


def test_one_vpn_is_counted_in_the_singular() -> None:
    one = HistoryEntry(EntryKind.COMPARISON, "1", DEPLOYMENT.prepared_at, "north", "cancelled", "quick", 1, 0, 0)
    assert measured_text(one) == "0 of 1 VPN"
    assert measured_text(replace(one, planned=2)) == "0 of 2 VPNs"


def test_note_is_stored_changed_and_removed(archive: Archive) -> None:
    number, census = fill(archive.store, sample_record(rounds=1, pings=5)), fill_census(archive.store)
    archive.store.set_note(of(number), "after the new firmware")
    archive.store.set_note(EntryId(EntryKind.CENSUS, census), "old OpenSSL")
    assert {one.key: one.note for one in list_history(archive.store)} == {
        "1": "after the new firmware",
        "c1": "old OpenSSL",
    }
    assert archive.store.load_campaign(number).note == "after the new firmware"
    assert archive.store.load_census(census).note == "old OpenSSL"
    archive.store.set_note(of(number), "")
    assert archive.store.load_campaign(number).note == ""


def test_note_on_nothing_is_refused(archive: Archive) -> None:
    for entry in (of(5), EntryId(EntryKind.CENSUS, 5)):
        with pytest.raises(NotFound, match="5"):
            archive.store.set_note(entry, "x")


def test_refused_note_leaves_the_former_one(archive: Archive) -> None:
    number = fill(archive.store, sample_record(rounds=1, pings=5))
    archive.store.set_note(of(number), "kept")
    with pytest.raises(InvalidOption):
        archive.store.set_note(of(number), "\x07")
    assert archive.store.load_campaign(number).note == "kept"


@pytest.mark.usefixtures("without_figures")
def test_note_is_in_each_report(archive: Archive, tmp_path: Path) -> None:
    number = fill(archive.store, sample_record(rounds=1, pings=5))
    archive.store.set_note(of(number), "pump <b>3</b> & valve")
    html = archive.write_report(number, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "pump &lt;b&gt;3&lt;/b&gt; &amp; valve" in html
    assert "<b>3</b>" not in html
    assert json.loads(archive.write_report(number, tmp_path / "r.json").read_text())["note"] == "pump <b>3</b> & valve"


# --- entries ----------------------------------------------------------------------------------------------------------


def test_failures_are_counted_by_vpn(archive: Archive) -> None:
    fill(archive.store, sample_record(rounds=2, pings=5))
    (entry,) = list_history(archive.store)
    assert (entry.planned, entry.measured, entry.failed) == (5, 4, 1)
    assert (entry.pair, entry.state, entry.profile) == ("lab:practice", "completed", "custom")


def test_census_counts_options_tried_and_failed(archive: Archive) -> None:
    fill_census(archive.store)
    fill_census(archive.store, tried=3)
    fill_census(archive.store, tried=0, is_ended=False)
    running, part, whole = list_history(archive.store)
    assert (whole.planned, whole.measured, whole.failed, whole.state) == (8, 8, 1, "completed")
    assert (part.key, part.measured, part.failed, part.state) == ("c2", 3, 0, "interrupted")
    assert running.is_running


def ranked(archive: Archive) -> tuple[HistoryEntry, ...]:
    return with_winners(archive.store, list_history(archive.store))


def test_winner_is_ranked_once_and_again_when_resumed(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    number = fill(archive.store, sample_record(rounds=2, pings=20))
    assert list_history(archive.store)[0].winner is None
    (entry,) = ranked(archive)
    advice = rank(archive.store.load_campaign(number)).recommendation
    assert entry.winner is not None
    assert (entry.winner.solution, entry.winner.suite) == (advice.solution, advice.suite)
    assert entry.winner.text.startswith("WireGuard, ChaCha20-Poly1305")
    assert list_history(archive.store) == (entry,)
    archive.store.claim_campaign(number)
    assert ranked(archive)[0].winner is None
    archive.store.finish_campaign(number, CampaignStatus.CANCELLED)
    assert list_history(archive.store)[0].winner is None
    assert find_winner(archive.store, number) == entry.winner
    monkeypatch.setattr("app.ranking.history_entries.tunnelmark_version", lambda: "9.9")
    assert list_history(archive.store)[0].winner is None


def test_winner_of_a_running_comparison_is_not_kept(archive: Archive) -> None:
    number = fill(archive.store, sample_record(rounds=1, pings=5), status=None)
    archive.store.save_winner(number, Winner("too early"))
    archive.store.finish_campaign(number, CampaignStatus.COMPLETED)
    assert list_history(archive.store)[0].winner is None


def test_comparison_whose_process_was_killed_is_interrupted_in_an_open_window(archive: Archive) -> None:
    """Opening the database marks such comparisons; a window that is open does not open it again."""
    record = sample_record(rounds=2, pings=5, attempts_kept=4)
    number = fill(archive.store, record, status=None)
    assert list_history(archive.store)[0].is_running
    with closing(sqlite3.connect(archive.store.path)) as connection, connection:
        connection.execute("UPDATE campaign SET owner = 'other-boot/1/1'")
    (entry,) = ranked(archive)
    assert (entry.state, entry.is_running) == ("interrupted", False)
    assert entry.winner is not None
    assert list_history(archive.store) == (entry,), "the winner is kept"
    assert archive.store.load_campaign(number).status is CampaignStatus.INTERRUPTED
    assert archive.store.unfinished_campaign(record.plan.pair.name) == number


def test_winner_found_before_an_older_program_resumed_the_comparison_does_not_count(archive: Archive) -> None:
    """One that was open when the column was added resumes, and ends, without touching the winner."""
    number = fill(archive.store, sample_record(rounds=2, pings=20))
    assert ranked(archive)[0].winner is not None
    with closing(sqlite3.connect(archive.store.path)) as connection, connection:
        connection.execute("UPDATE campaign SET ended_at = '2027-01-01T00:00:00.000000+00:00' WHERE id = ?", (number,))
    assert list_history(archive.store)[0].winner is None


def test_one_round_has_no_clear_winner_and_several_rounds_have_one() -> None:
    once = winner_of(rank(sample_record(rounds=1, pings=20)), "1")
    assert once.text == NO_CLEAR_WINNER(title="WireGuard, ChaCha20-Poly1305")
    assert once.solution == ""
    often = winner_of(rank(sample_record(rounds=5, pings=200, noise=0.001)), "1")
    assert (often.text, often.solution) == ("WireGuard, ChaCha20-Poly1305", "wireguard")


def test_no_winner_says_why() -> None:
    failing = tuple(one if not nth else replace(one, failure=("preflight", "no")) for nth, one in enumerate(MODELS))
    references = MODELS[:2]
    for models, kept, why in (
        (failing, None, ALL_VPNS_FAILED),
        (references, None, NO_VPN_COMPARED),
        (MODELS, 1, NO_VPN_MEASURED),
    ):
        record = sample_record(rounds=1, pings=5, models=models, attempts_kept=kept)
        assert winner_of(rank(record), "1").text == NO_WINNER(reason=why())


# --- deleting ---------------------------------------------------------------------------------------------------------


def test_deleting_takes_everything_that_belongs_to_it_and_nothing_else(archive: Archive) -> None:
    store = archive.store
    gone, kept = (fill(store, sample_record(rounds=1, pings=5, seed=seed)) for seed in (1, 2))
    before = {table: count(store.path, table) for table in ("attempt", "series", "samples")}
    census = fill_census(store)
    store.delete_measured([of(gone), EntryId(EntryKind.CENSUS, census), of(gone)])
    assert [one.key for one in list_history(archive.store)] == [str(kept)]
    assert {table: 2 * count(store.path, table) for table in before} == before
    assert check_soundness(store.path) == ()
    assert len(store.load_campaign(kept).attempts) == 7
    assert fill(store, sample_record(rounds=1, pings=5)) == kept + 1  # numbers are never used twice


def test_one_that_cannot_be_deleted_keeps_all(archive: Archive) -> None:
    store = archive.store
    done, running = fill(store, sample_record(rounds=1, pings=5)), fill(store, sample_record(rounds=1), status=None)
    trying = fill_census(store, is_ended=False)
    for wrong, error in (
        (of(running), InvalidPlan),
        (EntryId(EntryKind.CENSUS, trying), InvalidPlan),
        (of(99), NotFound),
    ):
        with pytest.raises(error):
            store.delete_measured([of(done), wrong])
    assert len(list_history(archive.store)) == 3
    assert len(store.load_campaign(done).attempts) == 7


def test_one_whose_process_died_can_be_deleted(archive: Archive) -> None:
    store = archive.store
    number = fill(store, sample_record(rounds=1, pings=5), status=None)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE campaign SET owner = 'other-boot/1/1'")
    store.delete_measured([of(number)])
    assert list_history(archive.store) == ()


def test_one_damaged_comparison_takes_neither_the_list_nor_its_own_removal(archive: Archive) -> None:
    good, bad = (fill(archive.store, sample_record(rounds=2, pings=5, seed=seed)) for seed in (1, 2))
    ranked(archive)
    with closing(sqlite3.connect(archive.store.path)) as connection, connection:
        connection.execute("UPDATE campaign SET winner = '{' WHERE id = ?", (bad,))
        connection.execute(
            "UPDATE samples SET data = x'00' WHERE attempt_id IN (SELECT id FROM attempt WHERE campaign_id = ?)", (bad,)
        )
    winners = {one.key: one.winner for one in ranked(archive)}
    assert winners[str(good)] is not None
    assert winners[str(bad)] == Winner(UNREADABLE)
    archive.store.delete_measured([of(bad)])
    assert [one.key for one in list_history(archive.store)] == [str(good)]


# --- the version before -----------------------------------------------------------------------------------------------


def test_database_of_the_version_before_gets_notes(tmp_path: Path) -> None:
    path, record = tmp_path / "old.db", sample_record(rounds=1, pings=5)
    with Store.open(tmp_path / "new.db") as store:
        fill(store, record)
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.executescript("".join(read_migrations()[:5]))
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 5")
        old.execute("ATTACH ? AS new", (str(tmp_path / "new.db"),))
        for table in ("campaign", "attempt", "series", "samples"):
            columns = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info({table})"))
            old.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")  # noqa: S608 - the same
        old.execute(
            "INSERT INTO census (pair, solutions, started_at, tunnelmark_version, plan, facts)"
            " VALUES ('north', '[]', '2026-03-04T09:30:00.000000+00:00', '0.1.0', '{}', '{}')"
        )
    with Store.open(path) as store:
        assert store.campaign_summary(1).note == ""
        assert store.campaign_summary(1).winner is None
        store.set_note(of(1), "kept since 0.1")
        assert store.load_campaign(1).note == "kept since 0.1"
        assert store.load_campaign(1).plan == record.plan
        assert store.census_summaries()[0].note == ""
    assert check_soundness(path) == ()


def test_reports_and_stored_winners_are_english_in_every_language(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign_id = fill(archive.store, sample_record(models=MODELS[:3], rounds=1))
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    assert " nehmen: Die gewichtete Latenz" in archive.results(campaign_id)[1].recommendation.sentence
    text = archive.write_report(campaign_id, tmp_path / "report.json").read_text()
    assert ": its weighted latency of " in text
    assert "nehmen: Die" not in text
    entry = replace(list_history(archive.store)[0], winner=None)
    monkeypatch.setattr(language, "_CHOSEN", ["en"])
    english = with_winners(archive.store, (entry,))[0].winner
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    assert find_winner(archive.store, campaign_id) == english
