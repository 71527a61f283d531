"""A file that is replaced is whole at any time, on the disk, and keeps its permissions."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from app.domain.atomic import replace_file


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("former", "asked", "mode"), [(0o640, None, 0o640), (0o644, 0o600, 0o600), (None, None, None)])
def test_mode_is_kept_unless_another_is_asked_for(
    tmp_path: Path, former: int | None, asked: int | None, mode: int | None
) -> None:
    path, usual = tmp_path / "file", tmp_path / "usual"
    usual.write_bytes(b"")
    if former is not None:
        path.write_bytes(b"old")
        path.chmod(former)
    replace_file(path, b"new", mode=asked)
    assert path.read_bytes() == b"new"
    assert _mode(path) == (_mode(usual) if mode is None else mode)


def test_content_is_on_the_disk_before_its_name_and_the_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    replace = os.replace

    def note_sync(handle: int) -> None:
        seen.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")

    def note_replace(beside: Path, path: Path) -> None:
        seen.append("name")
        replace(beside, path)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_replace)
    replace_file(tmp_path / "file", b"x")
    assert seen == ["file", "name", "folder"]


def test_a_file_that_cannot_be_written_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError):  # noqa: PT011 - as it comes
        replace_file(path, b"new")
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"file": b"old"}
