"""Files and processes of a host that only root can have made or changed, under dash and BusyBox."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.domain.script_files import host_script

SHELLS = [("dash",), ("busybox", "sh")]
in_every_shell = pytest.mark.parametrize("shell", SHELLS, ids=["dash", "busybox"])
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="files of several users need root")
USER = 1000


def run(shell: tuple[str, ...], script: str, *words: str) -> str:
    """Run a script after the functions, and return what it printed."""
    functions = host_script("process.sh") + host_script("roots-files.sh")
    argv = [*shell, "-c", functions + script, "sh", *words]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def real_path(shell: tuple[str, ...], path: Path | str, kind: str) -> str:
    """Return the path without symbolic links of what is root's alone; empty where it is not."""
    return run(shell, 'if is_roots_file "$1" "$2"; then echo "${real_path:-/}"; fi', str(path), kind).strip()


@pytest.fixture
def folder() -> Iterator[Path]:
    # The folders of other fixtures lie below /tmp, which every user may change.
    made = Path(f"/run/roots-files-{os.getpid()}")
    made.mkdir()
    yield made
    subprocess.run(["rm", "-rf", made], check=True)


@as_root
@in_every_shell
def test_path_is_roots_if_all_on_the_way_to_it_is(shell: tuple[str, ...], folder: Path) -> None:
    file = folder / "a b" / "file"
    file.parent.mkdir()
    file.write_text("")
    (folder / "link").symlink_to("a b")
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("a b/new")
    assert real_path(shell, file, "-") == str(file)
    assert real_path(shell, folder / "link" / "file", "-") == str(file)
    assert real_path(shell, folder / "link" / ".." / "a b" / "file", "-") == str(file)
    assert real_path(shell, folder / "dangling", "+") == str(file.parent / "new")
    assert real_path(shell, folder / "none" / "new", "+") == str(folder / "none" / "new")
    assert real_path(shell, file.parent, "d") == str(file.parent)
    assert real_path(shell, "/", "d") == "/"
    for path, kind in [
        (folder / "loop", "-"),
        (file, "d"),
        (file.parent, "-"),
        (file.parent, "+"),
        (folder / "new", "-"),
        (folder / "none" / ".." / "new", "+"),
        (folder / "none" / "new", "-"),
        (file / "new", "+"),
        ("file", "-"),
        ("", "-"),
    ]:
        assert real_path(shell, path, kind) == "", (path, kind)


@as_root
@in_every_shell
@pytest.mark.parametrize(
    "change",
    [
        lambda folder: os.chown(folder / "file", USER, 0),
        lambda folder: (folder / "file").chmod(0o664),
        lambda folder: (folder / "file").chmod(0o646),
        lambda folder: folder.chmod(0o775),
        # The sticky bit keeps no user from taking a name that is free.
        lambda folder: folder.chmod(0o1777),
        lambda folder: os.chown(folder, USER, 0),
        lambda folder: (folder / "file").unlink() or os.mkfifo(folder / "file"),
    ],
    ids=["owner", "group", "others", "folder", "sticky", "owner of the folder", "fifo"],
)
def test_path_that_a_user_can_change_is_not(
    shell: tuple[str, ...], folder: Path, change: Callable[[Path], object]
) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (inner / "file").write_text("")
    (folder / "link").symlink_to(inner / "file")
    change(inner)
    assert real_path(shell, inner / "file", "-") == ""
    assert real_path(shell, inner / "file", "+") == ""
    assert real_path(shell, folder / "link", "-") == ""


@as_root
@in_every_shell
def test_link_of_a_user_on_the_way_does_not_count_though_it_leads_to_a_file_of_root(
    shell: tuple[str, ...], folder: Path
) -> None:
    (folder / "file").write_text("")
    users = folder / "users"
    users.mkdir()
    os.chown(users, USER, USER)
    (users / "link").symlink_to(folder / "file")
    (folder / "to-link").symlink_to(users / "link")
    assert real_path(shell, folder / "to-link", "-") == ""


@in_every_shell
def test_search_path_is_roots_if_all_its_folders_are(shell: tuple[str, ...]) -> None:
    for path, expected in [("/usr/bin:/bin", "yes"), ("/usr/bin:", ""), (":/bin", ""), ("/bin:/tmp", ""), ("", "")]:
        assert run(shell, 'if is_roots_path "$1"; then echo yes; fi', path).strip() == expected, path
