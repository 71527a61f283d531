"""Search for the DHCP client of an interface among the processes of a host, under dash and BusyBox."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.domain.script_files import host_script

in_every_shell = pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=["dash", "busybox"])

_SCANS = """
number=0 taken=/nonexistent
nap() { :; }
read_words() { served=lan0 why= leases= goes_on=; }
judge() { :; }
distrust='' exe='' words=''
each_client() {
    number=$((number + 1))
    for seen in $(printf '%s\\n' "$seen_in_scans" | sed -n "${number}p"); do
        born=${seen#*:}
        "$1" "${seen%:*}" udhcpc
    done
}
"""


def found(shell: tuple[str, ...], *scans: str) -> str:
    """Return what is found where scans see these processes in turn."""
    script = _SCANS + 'seen_in_scans=$1\nfind_client lan0\necho "$found $found_count"\n'
    argv = [*shell, "-c", host_script("process.sh") + host_script("lan-found.sh") + script, "sh", "\n".join(scans)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


@in_every_shell
def test_process_that_has_got_the_number_of_a_client_is_not_ended(shell: tuple[str, ...]) -> None:
    # What was found has ended, and another process has its number.
    script = (
        "taken=/nonexistent\nsleep 60 & other=$!\nstart_of $other\nborn=$start_time\nend_clients $other:$((born - 1))\n"
        "nap\nis_running $other:$born && echo alive\nend_clients $other:$born\nis_running $other:$born || echo ended\n"
    )
    functions = host_script("process.sh") + host_script("end-processes.sh") + host_script("lan-found.sh")
    argv = [*shell, "-c", functions + script]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["alive", "ended"]


def served(shell: tuple[str, ...], program: str, words: str) -> str:
    """Return what keeps a client from being moved, and the interfaces that it serves."""
    script = 'distrust=\nwords=$2\nip() { echo "inet of $6"; }\nread_words "$1"\necho "$why $served"\n'
    functions = host_script("process.sh") + host_script("roots-files.sh") + host_script("dhcp-clients.sh")
    argv = [*shell, "-c", functions + script, "sh", program, words]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


@in_every_shell
def test_clients_that_name_no_interface_in_a_word_of_its_own_are_found(shell: tuple[str, ...]) -> None:
    assert "lan0" in served(shell, "dhcpcd", "dhcpcd: lan0 [ip4]").split()
    others = {one.name for one in Path("/sys/class/net").iterdir()} - {"lo"}
    assert set(served(shell, "connmand", "/usr/sbin/connmand\n-n").split()) == {"program", *others}


@in_every_shell
def test_client_that_forks_during_a_scan_is_found(shell: tuple[str, ...]) -> None:
    assert found(shell, "", "7:70", "7:70") == "7:70 1"
    assert found(shell, "6:60", "6:60 7:70", *["6:60 7:70"] * 8) == "6:60 7:70 2"
    assert found(shell, "6:60", "7:70", "7:70") == "7:70 1", "the former process has ended"
    assert found(shell, "", "") == "0"
