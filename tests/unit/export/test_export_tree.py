"""Folders that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from app.domain.errors import DiskFull, InvalidFile, InvalidOption
from app.export.messages import (
    EXPORT_DISK_FULL,
    FOLDER_HOLDS_EXPORT,
    FOLDER_NOT_EMPTY,
    FOLDER_NOT_WRITTEN,
    NO_SUCH_FOLDER,
    NOT_A_FOLDER,
)
from app.export.tree import MARK_FILE, TreeFile, check_slot, write_tree
from support.message_checks import has_message

FILES = (TreeFile("README.txt", "one\n"), TreeFile("a/b/tunnel.sh", "two\n", 0o755), TreeFile("a/key.conf", "", 0o600))


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_folder_with_modes(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    with pytest.raises(InvalidOption, check=has_message(NO_SUCH_FOLDER)):
        write_tree(folder, FILES, may_replace=False)
    folder.parent.mkdir()
    write_tree(folder, FILES, may_replace=False)
    assert names(folder) == [MARK_FILE, "README.txt", "a/b/tunnel.sh", "a/key.conf"]
    assert (folder / "a/b/tunnel.sh").stat().st_mode & 0o777 == 0o755
    assert (folder / "a/key.conf").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.parent.iterdir()] == ["out"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    write_tree(tmp_path / "out", (), may_replace=False)
    (tmp_path / "empty").mkdir()
    write_tree(tmp_path / "empty", FILES, may_replace=False)
    assert (tmp_path / "empty/README.txt").read_text() == "one\n"


def test_an_earlier_export_is_replaced_as_a_whole_and_only_when_asked(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_tree(folder, (*FILES, TreeFile("old", "x")), may_replace=False)
    with pytest.raises(InvalidOption, check=has_message(FOLDER_HOLDS_EXPORT)):
        write_tree(folder, FILES, may_replace=False)
    assert (folder / "old").exists()
    write_tree(folder, FILES, may_replace=True)
    assert not (folder / "old").exists()


def test_somebodys_own_folder_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InvalidOption, check=has_message(FOLDER_NOT_EMPTY, file="mine.txt")):
        write_tree(tmp_path, FILES, may_replace=True)
    assert names(tmp_path) == ["mine.txt"]
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("mine.txt", "link"):
        with pytest.raises(InvalidOption, check=has_message(NOT_A_FOLDER)):
            check_slot(tmp_path / name, may_replace=True)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_nothing_and_keeps_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    folder = tmp_path / "out"
    write_tree(folder, FILES, may_replace=False)
    calls = []

    def full(_handle: int) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, check=has_message(EXPORT_DISK_FULL)):
        write_tree(folder, (TreeFile("README.txt", "new\n"), *FILES[1:]), may_replace=True)
    assert (folder / "README.txt").read_text() == "one\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidFile, check=has_message(FOLDER_NOT_WRITTEN)):
        write_tree(tmp_path / "file" / "out", FILES, may_replace=False)
