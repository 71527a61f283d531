"""Programs and files of a plain user of a gateway are never run by root when DHCP clients are moved."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator, Sequence

import pytest

from app.deployment.lan.clients import DhcpClient
from app.deployment.lan.interfaces import LanFound, parse_lan
from app.domain.script_files import host_script
from support.lan_gateway import (
    BRIDGE,
    FOLDER,
    PORT,
    ROUTE,
    STARTS,
    STATICS,
    TAKEN,
    Gateway,
    check_address,
    check_on_bridge,
    check_on_port,
    lan_gateway,
)
from support.waiting import wait_until

HOME = "/run/home"
# What the user wants root to run: each program of his notes who has run it. They go on until they are ended.
_USER = f"""
mkdir -p {HOME}
printf '#!/bin/sh\\nid -u >> {HOME}/ran\\nread -r _ < {HOME}/never\\n' > {HOME}/{PORT}
cp {HOME}/{PORT} {HOME}/evil
for name in dhclient udhcpc; do cp /usr/bin/dash {HOME}/$name; done
mkfifo {HOME}/never
: > {HOME}/ran
chmod 755 {HOME}/*
chmod 666 {HOME}/never {HOME}/ran
chown -R 65534:65534 {HOME}
"""
_AS_USER = "setpriv --reuid 65534 --regid 65534 --clear-groups"


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with lan_gateway() as made:
        made.world.run(_USER)
        yield made


@pytest.fixture(autouse=True)
def clear(gateway: Gateway) -> None:
    """End what the user runs, and forget who has run his programs."""
    gateway.world.run(f"for one in $(pgrep -U 65534 || :); do kill -9 $one; done; : > {HOME}/ran")
    wait_until(lambda: gateway.world.run("pgrep -U 65534 || :") == "", "the end of the user's processes")


def start(gateway: Gateway, program: str, words: str, *, name: str = "", user: str = _AS_USER) -> None:
    """Start a program in the user's folder, with a name of its own choice as its first word."""
    argv = f'bash -c \'cd {HOME}; exec -a "${{0}}" {program} "$@"\' {name or program} {words}'
    gateway.world.run(f"exec > /dev/null 2>&1; ip netns exec gw setsid {user} {argv} &")


def has_run_as_root(gateway: Gateway) -> bool:
    return "0" in gateway.world.run(f"cat {HOME}/ran").split()


def inspected(gateway: Gateway, user: Sequence[str] = ()) -> LanFound:
    """Return what the inspection of a host finds, as root or as a user."""
    words = [*gateway.world.inside("-n", "-m", "-p"), "ip", "netns", "exec", "gw", *user]
    words += [*gateway.shell, "-s", "mark", "10.0.0.1"]
    done = subprocess.run(words, input=host_script("lan.sh"), capture_output=True, text=True, check=False)
    found = parse_lan(done.stdout, "mark")
    assert found is not None, done.stderr
    return found


@pytest.mark.parametrize("client", ["udhcpc", pytest.param("dhclient", marks=pytest.mark.full)])
def test_processes_of_a_user_are_neither_taken_nor_run_as_root(gateway: Gateway, client: str) -> None:
    gateway.begin(client)
    gateway.shell = ("busybox", "sh") if client == "udhcpc" else ("dash",)
    address = gateway.lent(PORT)
    start(gateway, "./dhclient", PORT)
    start(gateway, "./dhclient", PORT, name=f"{HOME}/evil")
    start(gateway, "./udhcpc", f"-i {PORT}", name=f"{HOME}/evil")
    wait_until(lambda: len(gateway.world.run(f"cat {HOME}/ran").split()) == 3, "processes of the user")
    wait_until(lambda: len(gateway.world.run("pgrep -U 65534").split()) == 3, "the end of what these started")
    before = gateway.world.run("pgrep -U 65534")
    hides = "unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc; exec \"$@\"' sh " + _AS_USER
    assert PORT in inspected(gateway, shlex.split(hides)).hidden
    for user in ((), _AS_USER.split()):
        seen = inspected(gateway, user)
        assert seen.clients == {PORT: (DhcpClient(client),)}, user
        assert not seen.hidden
    gateway.join()
    check_on_bridge(gateway, address)
    assert gateway.part() == ""
    check_on_port(gateway, address)
    # Without a client of root's, there is none.
    gateway.end_clients()
    done = gateway.run(gateway.steps[1].command.argv)
    assert done.returncode == 1
    assert "lan0 has no DHCP client any more" in done.stderr
    assert gateway.world.run(f"cat {TAKEN}") == ""
    assert gateway.undo(1).returncode == 0
    assert gateway.world.run("pgrep -U 65534") == before, "his processes go on"
    assert gateway.world.run(f"cat {HOME}/ran").split() == ["65534"] * 3


@pytest.mark.full
@pytest.mark.parametrize(
    ("make", "program"),
    [
        # A set-uid program that has become root's in every way, called by another name.
        (f"ln -sf /usr/bin/dash {HOME}/linked/dhclient", "linked/dhclient"),
        # One that root itself has started from there.
        (f"cp /usr/bin/dash {HOME}/linked/dhclient", "linked/dhclient"),
        # A link to a client's own file, in a folder where the user can put another one in its place.
        (f"cp /usr/bin/dash {HOME}/linked/dhclient; chown root {HOME}/linked/dhclient", "linked/dhclient"),
    ],
    ids=["another program", "a file of the user", "a folder of the user"],
)
def test_program_of_root_from_where_a_user_can_write_is_refused(gateway: Gateway, make: str, program: str) -> None:
    gateway.begin("dhclient")
    address = gateway.lent(PORT)
    gateway.world.run(
        f"mkdir -p {HOME}/linked; rm -f {HOME}/linked/*; : > {HOME}/ran; {make}; chmod 755 {HOME}/linked/*"
    )
    start(gateway, program, PORT, user="")
    wait_until(lambda: has_run_as_root(gateway), "the process")
    gateway.world.run(f": > {HOME}/ran")
    strange = gateway.world.run(f"pgrep -f '^{program} {PORT}$'")
    assert set(inspected(gateway).clients[PORT]) == {DhcpClient("dhclient"), DhcpClient("dhclient", "program")}
    check_refusal(gateway, "program")
    # Also where it is the only one.
    gateway.world.run(f"kill -9 $(pgrep -f 'dhclient.* {PORT}$' | grep -vx {strange.strip()})")
    assert inspected(gateway).clients == {PORT: (DhcpClient("dhclient", "program"),)}
    check_refusal(gateway, "program")
    # It comes beside a client that has moved, and does not count as that.
    gateway.world.run(f"kill -9 {strange}")
    gateway.start()
    gateway.wait_for_rest(1)
    gateway.join()
    start(gateway, program, PORT, user="")
    wait_until(lambda: has_run_as_root(gateway), "the process")
    gateway.world.run(f": > {HOME}/ran")
    strange = gateway.world.run(f"pgrep -f '^{program} {PORT}$'")
    gateway.supervise()
    assert "the DHCP client of lan0 cannot be moved (program)" in gateway.world.run("cat /run/notes/log")
    assert gateway.part() == ""
    assert gateway.world.run(f"pgrep -f '^{program} {PORT}$'") == strange, "it was not ended"
    gateway.world.run(f"kill -9 {strange}")
    check_on_port(gateway, address)
    assert gateway.world.run(f"cat {HOME}/ran") == ""


def check_refusal(gateway: Gateway, reason: str) -> None:
    """See that the client of the port is not moved."""
    done = gateway.run(gateway.steps[1].command.argv)
    assert done.returncode == 1
    assert f"the DHCP client of lan0 cannot be moved ({reason})" in done.stderr
    assert gateway.undo(1).returncode == 0


@pytest.mark.full
@pytest.mark.parametrize("option", ["-cf", "-lf", "-pf", "-sf"])
def test_client_with_a_file_that_a_user_can_change_is_not_moved(gateway: Gateway, option: str) -> None:
    gateway.world.run(
        f"cp /sbin/dhclient-script {HOME}/file-sf; : > {HOME}/file-cf; : > {HOME}/file-lf; : > {HOME}/file-pf; "
        f"chown 65534 {HOME}/file-*; chmod 755 {HOME}/file-*"
    )
    gateway.begin("dhclient", " ".join([*STARTS["dhclient"].split()[:-1], option, f"{HOME}/file{option}", PORT]))
    assert inspected(gateway).clients == {PORT: (DhcpClient("dhclient", "files"),)}
    check_refusal(gateway, "files")


@pytest.mark.full
def test_file_that_becomes_a_users_meanwhile_keeps_the_client_from_being_started(gateway: Gateway) -> None:
    gateway.world.run("mkdir -p /run/conf; : > /run/conf/dhclient.conf")
    gateway.begin("dhclient", STARTS["dhclient"].replace(PORT, f"-cf /run/conf/dhclient.conf {PORT}"))
    address = gateway.lent(PORT)
    gateway.join()
    gateway.world.run("chmod 777 /run/conf")
    assert "others than root can change" in gateway.part()
    check_address(gateway, PORT, address)
    assert gateway.clients() == []


@pytest.mark.parametrize("client", ["dhclient", pytest.param("udhcpc", marks=pytest.mark.full)])
def test_rollback_ends_where_the_program_was_removed(gateway: Gateway, client: str) -> None:
    gateway.world.run(
        "mkdir -p /run/programs; cp -p $(command -v dhclient) /run/programs/dhclient; "
        "cp -p /usr/bin/busybox /run/programs/busybox"
    )
    gateway.begin(client, f"/run/programs/{STARTS[client]}")
    gateway.add_statics()
    address = gateway.lent(PORT)
    gateway.join()
    gateway.world.run("rm -r /run/programs")
    # Nor does it need the host's log, which may also hang.
    hangs = "exec sleep 100" if client == "udhcpc" else "exit 1"
    gateway.world.run(
        "mkdir -p /run/failing; printf '#!/bin/sh\\n%s\\n' \"$1\" > /run/failing/logger; chmod 755 /run/failing/logger",
        hangs,
    )
    reported = gateway.part(PATH="/run/failing:/usr/sbin:/usr/bin:/sbin:/bin")
    assert f"lan0 has no DHCP client any more: /run/programs/{STARTS[client].split()[0]} is missing" in reported
    assert gateway.statics(PORT) == {*STATICS, ROUTE}
    check_address(gateway, PORT, address)
    assert " dynamic " not in gateway.addresses(PORT)
    gateway.wait_for_clients()  # the one on the bridge has ended, too
    assert gateway.addresses(BRIDGE) == ""
    assert gateway.world.run("ls -d /run/tunnelmark-* /run/dhclient.* /run/udhcpc.* 2> /dev/null || :") == ""


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_rollback_ends_where_the_client_ends_as_soon_as_it_is_started(gateway: Gateway, client: str) -> None:
    gateway.world.run(
        "mkdir -p /run/programs; cp -p $(command -v dhclient) /run/programs/dhclient; "
        "cp -p /usr/bin/busybox /run/programs/busybox"
    )
    gateway.begin(client, f"/run/programs/{STARTS[client]}")
    gateway.add_statics()
    address = gateway.lent(PORT)
    gateway.join()
    gateway.world.run("for one in /run/programs/*; do rm $one; cp /usr/bin/false $one; done")
    reported = gateway.part()
    assert f"lan0 has no DHCP client any more: /run/programs/{STARTS[client].split()[0]} has ended" in reported
    assert gateway.statics(PORT) == {*STATICS, ROUTE}
    check_address(gateway, PORT, address)
    assert gateway.clients() == []


@pytest.mark.full
def test_supervisor_reports_a_program_that_was_removed(gateway: Gateway) -> None:
    gateway.world.run("mkdir -p /run/programs; cp -p $(command -v dhclient) /run/programs/dhclient")
    gateway.begin("dhclient", f"/run/programs/{STARTS['dhclient']}")
    address = gateway.lent(PORT)
    gateway.join()
    gateway.world.run("rm -r /run/programs")
    gateway.end_clients()
    gateway.supervise()
    assert "does not start on tmlbr0: /run/programs/dhclient is missing" in gateway.world.run("cat /run/notes/log")
    check_address(gateway, BRIDGE, address)
    gateway.part()


@pytest.mark.full
def test_client_of_all_interfaces_concerns_those_it_serves(gateway: Gateway) -> None:
    gateway.world.run(
        "ip -n gw link add lan7 type veth peer name lan7b; ip -n gw addr add 10.77.0.1/24 dev lan7; "
        "ip -n far link set srv down"
    )
    try:
        gateway.begin("dhclient", f"dhclient -4 -lf {FOLDER}/leases -pf {FOLDER}/pid")
        for user in ((), _AS_USER.split()):
            found = inspected(gateway, user)
            assert found.clients == {PORT: (DhcpClient("dhclient", "all"),)}
            # Also where its script gives addresses no end.
            gateway.world.run(f"ip -n gw addr change {gateway.lent(PORT)} dev {PORT} valid_lft forever")
    finally:
        gateway.world.run("ip -n gw link del lan7; ip -n far link set srv up")
