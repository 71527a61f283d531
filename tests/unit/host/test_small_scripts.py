"""Scripts of one line, run by the shells that gateways have."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from app.domain.script_files import adapter_script, bare_script

SHELLS = [shell for shell in (("dash",), ("busybox", "sh")) if shutil.which(shell[0])]


@pytest.fixture(params=SHELLS, ids=" ".join)
def shell(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Give each shell."""
    words: tuple[str, ...] = request.param
    return words


def run(shell: tuple[str, ...], script: str, *words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    argv = [*shell, "-c", before + script, "tunnelmark", *words]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_a_folder_is_made_for_its_owner_alone_and_only_a_folder_counts(shell: tuple[str, ...], tmp_path: Path) -> None:
    script, folder = bare_script("capture/own-folder.sh"), tmp_path / "node"
    assert run(shell, script, str(folder)).returncode == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    again = run(shell, script, str(folder))
    assert (again.returncode, again.stderr) == (0, "")
    (tmp_path / "file").touch()
    assert run(shell, script, str(tmp_path / "file")).returncode == 1
    assert run(shell, script, str(tmp_path / "none/node")).returncode == 1


def test_what_is_confirmed_is_printed_and_nothing_where_there_is_none(shell: tuple[str, ...], tmp_path: Path) -> None:
    script, current = bare_script("deployment/current.sh"), tmp_path / "current"
    none = run(shell, script, str(current))
    assert (none.returncode, none.stdout, none.stderr) == (0, "", "")
    current.write_text("0123456789abcdef\n")
    assert run(shell, script, str(current)).stdout == "0123456789abcdef\n"
    assert run(shell, script, str(tmp_path)).returncode == 1, "what cannot be read is not taken for nothing"


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("unreachable 10.1.0.2 metric 4000", 0),
        ("unreachable 10.1.0.2 proto static metric 4000 ", 0),
        ("unreachable 10.1.0.2 metric 5000", 1),
        ("10.1.0.2 dev tmkwg0 metric 4000", 1),
        ("unreachable 10.1.0.21 metric 4000", 1),
        ("", 1),
    ],
)
def test_the_route_that_guards_a_peer_is_recognised(shell: tuple[str, ...], route: str, expected: int) -> None:
    routes = f"ip() {{ printf '%s\\n' 'default via 192.0.2.254 dev eth0' '{route}'; }}\n"
    script = adapter_script("shared/wireguard", "has-guard.sh")
    assert run(shell, script, "10.1.0.2", "4000", before=routes).returncode == expected


@pytest.mark.parametrize(("first", "searches"), [("expect_daemons", 54), (":", 0)], ids=["some", "none"])
def test_daemons_are_searched_once_a_second_at_least(shell: tuple[str, ...], first: str, searches: int) -> None:
    """After 1, 2, 4, 8, 16, 26, … 496 of 500 polls, and once before; not at all for a VPN of the kernel."""
    script = f"""
find_daemons() {{ daemons=; echo search; }}
daemons= search_at= number=0
{first}
while [ "$number" -lt 500 ]; do
    stop_if_died
    number=$((number + 1))
done
"""
    done = run(shell, script, before=bare_script("steps.sh"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["search"] * searches


def test_a_daemon_that_is_found_late_is_not_searched_again_while_it_runs(shell: tuple[str, ...]) -> None:
    script = """
find_daemons() { searches=$((searches + 1)); daemons=; if [ "$searches" -eq 3 ]; then daemons=1:1; fi; }
is_running() { true; }
daemons= search_at= searches=0 number=0
expect_daemons
while [ "$number" -lt 500 ]; do
    stop_if_died
    number=$((number + 1))
done
echo "$searches $daemons"
"""
    done = run(shell, script, before=bare_script("steps.sh"))
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "3 1:1\n")


@pytest.mark.parametrize("appears", [10, 33, 70, 140, 300])
def test_a_late_daemon_that_soon_dies_is_noticed(shell: tuple[str, ...], tmp_path: Path, appears: int) -> None:
    """It lives for 20 polls, about two seconds, as one that detaches late and then meets what it cannot do."""
    script = f"""
is_alive() {{ [ "$number" -ge {appears} ] && [ "$number" -lt {appears + 20} ]; }}
find_daemons() {{ daemons=; if is_alive; then daemons=1:1; fi; }}
is_running() {{ is_alive; }}
dmesg() {{ :; }}
show() {{ :; }}
give_up() {{ echo "$1 $number"; exit 1; }}
state={tmp_path} tunnel=t daemons= search_at= number=0
mkdir "$state/log"
expect_daemons
while [ "$number" -lt 500 ]; do
    stop_if_died
    number=$((number + 1))
done
"""
    done = run(shell, script, before=bare_script("steps.sh"))
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (1, [f"died {appears + 20}"])
