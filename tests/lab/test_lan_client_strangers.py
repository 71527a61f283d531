"""Clients of root that are not the host's own, or not what they seem, have a port refused and are never ended."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from app.deployment.lan.clients import DhcpClient
from app.deployment.lan.interfaces import LanFound, parse_lan
from app.domain.script_files import host_script
from support.lan_gateway import PORT, Gateway, lan_gateway
from support.waiting import wait_until

FOLDER = "/run/strange"
# A program with a client's name and a client's words, and the libraries that it needs without the host's own.
_MAKE = f"""
mkdir -p {FOLDER}
cp /usr/bin/dash {FOLDER}/dhclient
for one in $(ldd /usr/bin/dash | grep -o '/[^ ]*'); do cp -L --parents $one {FOLDER}; done
echo 'read -r _ < never' > {FOLDER}/{PORT}
mkfifo {FOLDER}/never
"""
_RUNNING = f"pgrep -x -f '[^ ]*dhclient {PORT}' || :"
_FORGING = "pgrep -f '^./dhclient .*lan9' || :"
_AS_USER = "setpriv --reuid 65534 --regid 65534 --clear-groups"


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with lan_gateway() as made:
        made.world.run(_MAKE)
        yield made


@pytest.fixture(autouse=True)
def clear(gateway: Gateway) -> Iterator[None]:
    yield
    gateway.world.run(f"for one in $({_RUNNING}); do kill -9 $one; done; umount {FOLDER}/dhclient 2> /dev/null || :")


def inspected(gateway: Gateway, user: str) -> LanFound:
    """Return what the inspection of a host finds."""
    words = [*gateway.world.inside("-n", "-m", "-p"), "ip", "netns", "exec", "gw", *user.split()]
    words += [*gateway.shell, "-s", "mark", "10.0.0.1"]
    done = subprocess.run(words, input=host_script("lan.sh"), capture_output=True, text=True, check=False)
    found = parse_lan(done.stdout, "mark")
    assert found is not None, done.stderr
    return found


@pytest.mark.full
def test_words_of_a_process_forge_no_lines_of_the_inspection(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    # As a path below /sys/class/net it is there, and `echo` makes lines of it.
    name = "x\\nmark\\0040client\\0040lan9"
    gateway.world.run(f': > "{FOLDER}/$1"', name)
    gateway.world.run(
        f"exec > /dev/null 2>&1; cd {FOLDER}; "
        f"ip netns exec gw setsid ./dhclient {PORT} '../../..{FOLDER}/{name}' '/*/*' &"
    )
    wait_until(lambda: gateway.world.run(_FORGING) != "", "the process")
    found = inspected(gateway, "")
    gateway.world.run(f"kill -9 $({_FORGING})")
    assert set(found.clients) == {PORT}


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "late", "user"),
    [
        (f"unshare -p -f --mount-proc {FOLDER}/dhclient", "", ""),
        # The number within is what a user can ask for.
        (f"unshare -p -f --mount-proc {FOLDER}/dhclient", "", _AS_USER),
        (f"unshare -U -r {FOLDER}/dhclient", "", ""),
        (f"chroot {FOLDER} /dhclient", "", ""),
        # Another program under the name that it was started by.
        (f"{FOLDER}/dhclient", f"mount --bind /bin/true {FOLDER}/dhclient", ""),
    ],
    ids=["processes", "processes for a user", "users", "folder", "program"],
)
def test_client_that_is_not_the_hosts_has_the_port_refused(gateway: Gateway, words: str, late: str, user: str) -> None:
    gateway.begin("udhcpc")
    gateway.world.run(f"exec > /dev/null 2>&1; cd {FOLDER}; ip netns exec gw setsid {words} {PORT} &")
    wait_until(lambda: gateway.world.run(_RUNNING) != "", "the process")
    if late:
        gateway.world.run(late)
    before = gateway.world.run(_RUNNING)
    clients = inspected(gateway, user).clients[PORT]
    assert set(clients) == {DhcpClient("udhcpc"), DhcpClient("dhclient", "program")}
    done = gateway.run(gateway.steps[1].command.argv)
    assert done.returncode == 1
    assert "the DHCP client of lan0 cannot be moved (program)" in done.stderr
    assert gateway.undo(1).returncode == 0
    assert gateway.world.run(_RUNNING) == before
