"""Messages are stored with code and data, and read back as messages; older texts are read as they are."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.deployment.audit_export import audit_text
from app.deployment.messages import UNREACHABLE
from app.domain.audit import AuditEntry
from app.domain.errors import CommandFailed
from app.domain.hosts import HostSpec, Side
from app.domain.messages import Message, code_of
from app.domain.results import AttemptStatus, CampaignStatus
from app.domain.transfers import TransferCell, TransferResult
from app.domain.workloads import WorkloadResult
from app.measurement.messages import BROKE_OFF, HOST_LOST, PROGRAM_MISSING
from app.probes.messages import ECHOES_LOST
from app.ranking import rank
from app.reports import to_csv, to_json
from app.services.messages import A_DEPLOYMENT
from app.storage import Store
from app.storage.in_use import InUse
from app.storage.messages import NUMBERED_WORK
from app.storage.study_files import write_study
from app.storage.study_results import StudyResults, load_results
from app.tunnel.messages import STEP_FAILED, UNDO_OF
from app.wording.language import use_language
from app.wording.messages import local_text
from support.sample_records import sample_record
from vpn_adapters.shared.messages import MAKE_TAP


@pytest.mark.usefixtures("english_afterwards")
def test_messages_of_attempts_are_read_in_the_language_of_the_reader(tmp_path: Path) -> None:
    record = sample_record(rounds=1)
    why = HOST_LOST(host="gw-a", why=PROGRAM_MISSING(program="ping", host="gw-a"))
    attempt = replace(record.attempts[0], message=why, doubts=(why, "an older text"))
    with Store.open(tmp_path / "t.db") as store:
        number = store.create_campaign(record.plan, record.facts, record.tunnelmark_version)
        store.save_attempt(number, attempt)
        store.finish_campaign(number, CampaignStatus.INTERRUPTED, why)
        found = store.load_campaign(number)
        summary = store.campaign_summary(number)
    (read,) = found.attempts
    assert read.message == why
    assert isinstance(read.message, Message)
    assert (code_of(read.message), code_of(read.doubts[0]), code_of(read.doubts[1])) == (why.code, why.code, "")
    assert code_of(summary.message) == why.code
    use_language("de")
    assert local_text(read.message) == "gw-a ist nicht mehr erreichbar: ping fehlt auf gw-a."


def test_older_texts_are_read_as_they_are(tmp_path: Path) -> None:
    record = sample_record(rounds=1)
    with Store.open(tmp_path / "t.db") as store:
        number = store.create_campaign(record.plan, record.facts, record.tunnelmark_version)
        store.save_attempt(number, record.attempts[0])
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection, connection:
        connection.execute("UPDATE campaign SET message = ?", ("gw-a cannot be reached any more.",))
    with Store.open(tmp_path / "t.db") as store:
        assert store.campaign_summary(number).message == "gw-a cannot be reached any more."


@pytest.mark.usefixtures("english_afterwards")
def test_errors_of_an_english_run_are_shown_in_german_and_printed_in_english(tmp_path: Path) -> None:
    record = sample_record(rounds=1)
    error = CommandFailed(STEP_FAILED(host="gw-a", status="2", step=MAKE_TAP(interface="tmk0"), output="busy"))
    why = error.sentence()
    attempt = replace(
        record.attempts[0],
        status=AttemptStatus.FAILED,
        reason=error.reason,
        message=why,
        doubts=(ECHOES_LOST(lost=1, sent=200, lost_pct=0.5),),
        workloads=(WorkloadResult("voice", message=why),),
    )
    with Store.open(tmp_path / "t.db") as store:
        number = store.create_campaign(record.plan, record.facts, record.tunnelmark_version)
        store.save_attempt(number, attempt)
        store.finish_campaign(number, CampaignStatus.INTERRUPTED, BROKE_OFF(error=repr(ValueError("x"))))
        found, summary = store.load_campaign(number), store.campaign_summary(number)
    (read,) = found.attempts
    use_language("de")
    assert local_text(read.message) == (
        "Ein Schritt ist auf gw-a mit Exit-Status 2 fehlgeschlagen: Das TAP-Interface tmk0 anlegen. busy "
        "Der Host wurde zurückgerollt. Die Ausgabe des Programms steht in den Details."
    )
    assert local_text(read.workloads[0].message) == local_text(read.message)
    assert local_text(read.doubts[0]) == "1 von 200 Echo-Requests gingen verloren (0,5 %)."
    assert local_text(summary.message) == "Der Lauf wurde abgebrochen: ValueError('x')"
    ranking = rank(found)
    (shown,) = (one for result in to_json(found, ranking)["results"] for one in result["attempts"])
    assert (shown["message"], shown["code"]) == (why, STEP_FAILED.code)
    assert why in to_csv(found, ranking).decode()


@pytest.mark.usefixtures("english_afterwards")
def test_the_audit_log_is_read_in_the_language_of_the_reader_and_its_chain_holds(tmp_path: Path) -> None:
    undo = UNDO_OF(title=MAKE_TAP(interface="tmk0"))
    entry = AuditEntry(datetime(2026, 1, 1, tzinfo=UTC), "10.0.0.1", Side.A, "ip link", 0, undo, "meier@office")
    with Store.open(tmp_path / "t.db") as store:
        store.audit(replace(entry, what="Undo: an older text"))
        store.audit(entry)
        new, old = store.list_audit()
        check = store.check_audit()
        text = audit_text(store, Path("audit.csv"), None)
    assert (check.entries, check.broken_at) == (2, None)
    use_language("de")
    assert (local_text(new.what), local_text(old.what)) == (
        "Rollback: Das TAP-Interface tmk0 anlegen",
        "Undo: an older text",
    )
    assert UNDO_OF(title=MAKE_TAP(interface="tmk0")) in text
    assert "{" not in text


@pytest.mark.usefixtures("english_afterwards")
def test_results_of_a_study_keep_why_a_transfer_failed(tmp_path: Path) -> None:
    cell = TransferCell("geo", "cubic", "wireguard", "none")
    new = TransferResult(cell, None, 0, message=UNREACHABLE(host="gw-a"))
    old = TransferResult(replace(cell, condition="leo"), None, 0, message="an older text")
    write_study(tmp_path / "s.json", StudyResults("satcom-2021", "north", "0.1.0", 1, (new, old)))
    found = load_results(tmp_path / "s.json")
    assert found is not None
    assert [one.message for one in found.results] == [new.message, old.message]
    use_language("de")
    assert [local_text(one.message) for one in found.results] == [local_text(UNREACHABLE(host="gw-a")), "an older text"]
    assert local_text(found.results[0].message) != new.message


@pytest.mark.usefixtures("english_afterwards")
def test_who_uses_a_host_is_shown_in_the_language_of_the_reader(tmp_path: Path) -> None:
    host = HostSpec("gw-a", "10.0.0.1")
    for what, shown in (
        (A_DEPLOYMENT(), "eine Bereitstellung"),
        (NUMBERED_WORK(kind="comparison", number=3), "Vergleich 3"),
        ("a text of an older version", "a text of an older version"),
    ):
        use_language("de")
        with InUse(tmp_path).hold((host,), what), ThreadPoolExecutor(1) as pool:
            (holder,) = pool.submit(InUse(tmp_path).users, (host,)).result().values()
        assert local_text(holder.message()).startswith(f"{shown} (Prozess {os.getpid()}, seit ")


@pytest.fixture
def english_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.wording.language._CHOSEN", [])
