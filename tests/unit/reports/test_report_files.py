from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest

from app.domain.errors import DiskFull, InvalidOption
from app.reports.files import write_atomically
from app.reports.messages import NOT_WRITTEN, REPORT_DISK_FULL
from support.message_checks import has_message


def test_replaces_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_atomically(target, b"one")
    write_atomically(target, b"two")
    assert target.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_is_explained(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, check=has_message(NOT_WRITTEN)) as caught:
        write_atomically(tmp_path / "none" / "a.txt", b"x")
    assert caught.value.hint == caught.value.message.hint


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(InvalidOption, check=has_message(NOT_WRITTEN)):
        write_atomically(tmp_path / "a.txt", b"x")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_reported_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    target = tmp_path / "a.txt"
    target.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, check=has_message(REPORT_DISK_FULL)):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_real_limit_of_the_system_is_met_and_reported(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        with pytest.raises(DiskFull, check=has_message(REPORT_DISK_FULL)):
            write_atomically(tmp_path / "a.txt", b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
