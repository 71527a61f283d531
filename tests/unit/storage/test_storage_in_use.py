"""Hosts that are in use: held by one process at a time, free when it has ended, and never in the way by themselves."""

from __future__ import annotations

import errno
import logging
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.domain.errors import PairLocked
from app.domain.hosts import HostSpec, PairSpec
from app.domain.messages.lists import AND
from app.storage import in_use
from app.storage.in_use import Holder, InUse
from app.storage.messages import ANOTHER_TUNNELMARK, END_PROCESSES, HOLDER, HOLDER_UNKNOWN, HOST_IN_USE, HOSTS_IN_USE
from support.message_checks import has_message
from support.other_process import holding

A, B, C = HostSpec("alpha", "10.0.0.1"), HostSpec("beta", "10.0.0.2", 2222), HostSpec("gamma", "10.0.0.3")
PAIR = PairSpec("north", A, B, "192.0.2.1", "192.0.2.2")


@pytest.fixture
def uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InUse:
    monkeypatch.setattr(in_use, "_PAUSE_S", 0.001)
    return InUse(tmp_path / "in-use")


def lock_files(folder: Path) -> list[Path]:
    return list((folder / "in-use").glob("*"))


def test_a_host_of_another_process_is_refused_with_its_facts_until_that_is_killed(uses: InUse, tmp_path: Path) -> None:
    with holding(tmp_path / "in-use", (A, B)) as other:
        with pytest.raises(PairLocked) as refused, uses.hold((C, B), "a census"):
            pass
        assert refused.value.reason == "pair-locked"
        assert has_message(HOST_IN_USE, hosts="beta")(refused.value)
        assert has_message(HOLDER, what="comparison 3", pid=other.pid)(refused.value)
        assert has_message(END_PROCESSES, pids=str(other.pid))(refused.value)
        assert int(refused.value.context["age_s"]) < 60
        assert uses.users((C,)) == {}
        with pytest.raises(PairLocked, check=has_message(HOSTS_IN_USE, hosts=AND(first="alpha", last="beta"))):
            uses.refuse(PAIR)
        other.kill()
        other.wait()
        uses.refuse(PAIR)
        with uses.hold((A, B), "a census"):
            pass
    assert lock_files(tmp_path) == []


def test_another_thread_is_refused_and_the_same_one_goes_on(uses: InUse) -> None:
    with uses.hold((A, B), "a comparison") as use, ThreadPoolExecutor(1) as pool:
        use.rename("comparison 7")
        with uses.hold((B, C), "a deployment"):
            uses.refuse(PAIR)
        found = pool.submit(uses.users, (A, B, C)).result()
        assert {host.label: holder.what for host, holder in found.items()} == {
            "alpha": "comparison 7",
            "beta": "comparison 7",
        }
        error = pool.submit(uses.refuse, PAIR).exception()
        assert isinstance(error, PairLocked)
        assert f"process {os.getpid()}" in error.message
        assert "kill" not in error.hint
    assert uses.users((A, B, C)) == {}


def test_what_gets_out_of_trouble_goes_on_beside_other_work(uses: InUse, tmp_path: Path) -> None:
    with holding(tmp_path / "in-use", (A,)) as other:
        with uses.hold((A, B), "a repair", is_optional=True), uses.hold((A, B), "a deployment"):
            assert [holder.what for holder in InUse(tmp_path / "in-use").users((B,)).values()] == ["a repair"]
        assert [holder.pid for holder in uses.users((A, B)).values()] == [other.pid]


def test_of_threads_that_begin_at_once_one_gets_both_hosts(uses: InUse, monkeypatch: pytest.MonkeyPatch) -> None:
    # Who is refused holds the lock while it reads whose it is: for long, where its thread gets no processor.
    monkeypatch.setattr(in_use, "_PAUSE_S", 0.2)
    start, got, end = threading.Barrier(4), [], threading.Event()

    def work(hosts: tuple[HostSpec, ...]) -> None:
        start.wait()
        try:
            with uses.hold(hosts, "a comparison"):
                got.append(hosts)
                end.wait(120)
        except PairLocked:
            refused.release()

    refused = threading.Semaphore(0)
    with ThreadPoolExecutor(4) as pool:
        for hosts in ((A, B), (B, A), (A, B), (B, A)):
            pool.submit(work, hosts)
        for _ in range(3):
            assert refused.acquire(timeout=120)
        end.set()
    assert len(got) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\x00", b"[" * 4000, b'"text"', b'{"pid": 1e999}', b'{"what": 1, "pid": "x", "since": 3}'],
    ids=["empty", "bytes", "deep", "text", "endless", "types"],
)
def test_damaged_contents_are_not_known_and_still_refuse(uses: InUse, tmp_path: Path, content: bytes) -> None:
    with uses.hold((A,), "a census"), ThreadPoolExecutor(1) as pool:
        lock_files(tmp_path)[0].write_bytes(content)
        assert pool.submit(uses.users, (A,)).result() == {A: Holder()}
        error = pool.submit(uses.refuse, PAIR).exception()
        assert isinstance(error, PairLocked)
        assert has_message(HOLDER_UNKNOWN, what=ANOTHER_TUNNELMARK())(error.message)


def test_what_a_killed_process_has_left_is_no_obstacle(uses: InUse, tmp_path: Path) -> None:
    with uses.hold((A,), "a census"):
        left = lock_files(tmp_path)[0]
    left.write_bytes(b"\xff damaged")
    with uses.hold((A,), "a census"):
        assert b"a census" in left.read_bytes()


@pytest.mark.allow_logs("app.storage.in_use")
def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="app.storage.in_use")
    (tmp_path / "file").write_text("")
    uses = InUse(tmp_path / "file" / "in-use")
    with uses.hold((A, B), "a census"):
        uses.refuse(PAIR)
        assert InUse(tmp_path / "file" / "in-use").users((C,)) == {}
    assert "10.0.0.1:22 cannot be marked as in use" in caplog.text


@pytest.mark.allow_logs("app.storage.in_use")
def test_a_full_disk_is_a_warning_and_the_host_is_held(
    uses: InUse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, logger="app.storage.in_use")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with uses.hold((A,), "a census"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(uses.users, (A,)).result() == {A: Holder()}
    assert "No space left" in caplog.text
