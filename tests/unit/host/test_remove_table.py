"""Removal of firewall tables of ours: gone, no nft any more, and failures that may leave a table behind."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from app.domain.script_files import adapter_script, bare_script
from support.deploy_world import SHELLS

TABLE = "tunnelmark_made_up"
REMOVALS = {
    "clamp": (bare_script("lan/unclamp.sh"), "inet", ("inet", TABLE)),
    "LAN guard": (bare_script("lan-unguard.sh"), "bridge", (TABLE,)),
    "session": (adapter_script("shared", "remove-guard.sh"), "inet", (TABLE, "4711")),
    "interface": (adapter_script("shared", "remove-guard-interface.sh"), "inet", (TABLE, "tml0")),
}

# Answers as files: `delete` and `list` hold what nft prints on stderr; it fails where they are not empty.
_NFT = """#!/bin/sh
[ "$LC_ALL" = C ] || exit 99
echo "$*" >> asked
[ -s "$1" ] || exit 0
cat "$1" >&2
exit 1
"""
_IP = """#!/bin/sh
[ ! -e guarded ] || cat guarded
"""

_POINTER = "list table inet tunnelmark_made_up\n                ^^^^^^^^^^^^^^^^^^\n"
# Source: nft 1.0.6 as run, nft 0.9.8 and 1.1.3 the same for the first; libmnl's and the kernel's words for the others.
GONE = {
    "no table": f"Error: No such file or directory\n{_POINTER}",
    "another table": f"Error: No such file or directory; did you mean table 'other' in family inet?\n{_POINTER}",
    "no nf_tables": "Unable to initialize Netlink socket: Protocol not supported\n",
    "no nf_tables, with nfnetlink": "netlink: Error: cache initialization failed: Invalid argument\n",
    "no nf_tables, with musl": "Error: Could not process rule: Not supported\n",
    "no family": f"Error: Could not process rule: Operation not supported\n{_POINTER}",
    "no family, of old": f"Error: Could not process rule: Address family not supported by protocol\n{_POINTER}",
}
FAILURES = {
    "no rights": "Error: Could not process rule: Operation not permitted\n",
    "no memory": "netlink: Error: cache initialization failed: Cannot allocate memory\n",
    "a broken program": "nft: error while loading shared libraries: libnftables.so.1: "
    "cannot open shared object file: No such file or directory\n",
}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def host(tmp_path: Path) -> Path:
    for name, text in (("nft", _NFT), ("ip", _IP)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for name in ("sh", "cat", "grep"):
        (tmp_path / name).symlink_to(shutil.which(name) or "")
    return tmp_path


def removed(host: Path, shell: str, kind: str) -> tuple[int, str, str]:
    """Run a removal; return its exit status, and what it printed on stdout and stderr."""
    script, _, words = REMOVALS[kind]
    name, *more = shell.split()
    argv = [shutil.which(name) or name, *more, "-c", script, "tunnelmark", *words]
    done = subprocess.run(argv, cwd=host, env={"PATH": str(host)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("kind", REMOVALS)
def test_a_table_that_is_there_is_deleted(host: Path, shell: str, kind: str) -> None:
    assert removed(host, shell, kind) == (0, "", "")
    assert (host / "asked").read_text() == f"delete table {REMOVALS[kind][1]} {TABLE}\n"


@pytest.mark.parametrize("kind", REMOVALS)
def test_without_nft_a_warning_says_what_may_be_left_and_what_to_do(host: Path, shell: str, kind: str) -> None:
    (host / "nft").unlink()
    status, out, err = removed(host, shell, kind)
    assert (status, out, len(err.splitlines())) == (0, "", 1)
    assert err.startswith("tunnelmark: warning: ")
    assert f"install nft and run 'nft delete table {REMOVALS[kind][1]} {TABLE}', or restart the host" in err


@pytest.mark.parametrize("kind", REMOVALS)
@pytest.mark.parametrize("words", GONE.values(), ids=list(GONE))
def test_a_table_that_is_gone_is_removed(host: Path, shell: str, kind: str, words: str) -> None:
    (host / "delete").write_text(words)
    (host / "list").write_text(words)
    assert removed(host, shell, kind) == (0, "", "")


@pytest.mark.parametrize("kind", REMOVALS)
@pytest.mark.parametrize("words", FAILURES.values(), ids=list(FAILURES))
def test_a_table_of_which_nft_does_not_tell_is_not_taken_for_gone(
    host: Path, shell: str, kind: str, words: str
) -> None:
    (host / "delete").write_text("Error: made up\n")
    (host / "list").write_text(words)
    assert removed(host, shell, kind) == (1, "", f"Error: made up\n{words}")


@pytest.mark.parametrize("kind", REMOVALS)
def test_a_table_that_nft_does_not_delete_is_a_failure_with_its_words(host: Path, shell: str, kind: str) -> None:
    (host / "delete").write_text("Error: Could not process rule: Device or resource busy\n")
    assert removed(host, shell, kind) == (1, "", "Error: Could not process rule: Device or resource busy\n")


@pytest.mark.parametrize("has_nft", [True, False])
@pytest.mark.parametrize(
    ("kind", "guarded"), [("session", "Session 4711 in tunnel 1\n"), ("interface", "7: tml0: <BROADCAST>\n")]
)
def test_what_is_still_guarded_keeps_its_table(
    host: Path, shell: str, kind: str, guarded: str, *, has_nft: bool
) -> None:
    (host / "guarded").write_text(guarded)
    if not has_nft:
        (host / "nft").unlink()
    status, out, err = removed(host, shell, kind)
    assert (status, out) == (1, "")
    assert "is still there" in err
    assert not (host / "asked").exists()
