"""Inspection of a host's firewall: the commands that it runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from app.domain.script_files import host_script
from support.deploy_world import SHELLS

ANY_WITH_CONTENT_BUT_NO_SIZE = "/proc/filesystems"


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def shown(shell: str, folder: Path, *programs: str) -> str:
    """Return what is shown of the firewall on a host with these programs, and with tables where `folder` lists them."""
    for name in programs:
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho '# written by {name}'\necho ':INPUT DROP by {name}'\n")
        program.chmod(0o755)
    text = host_script("snapshot.sh").replace("/proc/net/", f"{folder}/") + "\nfirewall\n"
    words = shell.split()
    words[0] = shutil.which(words[0]) or words[0]
    for name in ("grep", "sh"):
        (folder / "bin" / name).symlink_to(shutil.which(name) or name)
    path = {"PATH": str(folder / "bin")}  # and nothing that this computer has besides
    ran = subprocess.run([*words, "-s"], input=text, env=path, capture_output=True, text=True, check=False)
    return "\n".join(line for line in ran.stdout.splitlines() if " by " in line)


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A folder that lists tables of the older kind as /proc/net does: the files have no size."""
    name = tmp_path / "ip_tables_names"
    name.symlink_to(ANY_WITH_CONTENT_BUT_NO_SIZE)
    assert name.stat().st_size == 0
    (tmp_path / "ip6_tables_names").touch()
    return tmp_path


def test_rules_of_the_older_kind_are_shown_where_there_are_tables(shell: str, listed: Path) -> None:
    assert shown(shell, listed, "iptables-save", "ip6tables-save") == ":INPUT DROP by iptables-save"


def test_where_iptables_speaks_to_nftables_the_other_program_is_asked(shell: str, listed: Path) -> None:
    programs = "iptables-save", "iptables-legacy-save"
    assert shown(shell, listed, *programs) == ":INPUT DROP by iptables-legacy-save"


def test_without_such_tables_no_one_is_asked(shell: str, tmp_path: Path) -> None:
    assert shown(shell, tmp_path, "iptables-save", "iptables-legacy-save") == ""
