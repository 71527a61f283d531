"""A tunnel's mark in the environment of another user's process does not make that a process of the tunnel."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.script_files import host_script
from app.host.remote_host import new_id
from support.net_desk import need_namespaces

_NO_USER = 65534
_SCRIPT = f'{host_script("process.sh")}\n{host_script("tunnel-processes.sh")}\nprocesses_of "$1"\n'


@pytest.fixture
def mark() -> str:
    need_namespaces()
    return new_id()


@pytest.fixture
def ours_and_theirs(mark: str) -> Iterator[tuple[int, int]]:
    """Return the numbers of two processes with the mark: root's and another user's."""
    environment = {"PATH": "/usr/bin:/bin", "TUNNELMARK_TUNNEL": mark}
    made = [subprocess.Popen(["sleep", "600"], env=environment, user=user, cwd="/") for user in (0, _NO_USER)]
    try:
        yield made[0].pid, made[1].pid
    finally:
        for one in made:
            one.kill()
            one.wait()


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=["dash", "busybox"])
def test_only_processes_of_root_belong_to_a_tunnel(
    shell: tuple[str, ...], mark: str, ours_and_theirs: tuple[int, int]
) -> None:
    ours, theirs = ours_and_theirs
    done = subprocess.run([*shell, "-c", _SCRIPT, "sh", mark], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(ours)]
    assert mark in Path(f"/proc/{theirs}/environ").read_text(), "without this there was nothing to be mistaken"
