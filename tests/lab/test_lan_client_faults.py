"""Faults while the DHCP client of a LAN port moves: the gateway keeps a client and its address."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator

import pytest

from app.domain.adapters import PlanStep
from support.lan_gateway import (
    BRIDGE,
    FOLDER,
    INNER,
    PORT,
    ROUTE,
    STARTS,
    STATICS,
    TAKEN,
    TUNNEL,
    Gateway,
    check_address,
    check_on_port,
    lan_gateway,
)


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with lan_gateway() as made:
        yield made


def join_on_a_disk_that_takes_nothing(gateway: Gateway, *, is_full: bool) -> str:
    """Join the port and fill the disk with its leases; return its address."""
    disk = f"{FOLDER}/lib"
    gateway.world.run(f"mkdir -p {disk}; mount -t tmpfs -o size=64k,mode=0755 lib {disk}")
    gateway.begin("dhclient", STARTS["dhclient"].replace("/leases ", "/lib/leases "))
    address = gateway.lent(PORT)
    gateway.join()
    # Comments up to the end of a page, so that not even a line more fits.
    gateway.world.run(
        f"n=$(stat -c %s {disk}/leases); printf '# %0*d' $((4094 - n)) 0 >> {disk}/leases; "
        f"dd if=/dev/zero of={disk}/fill bs=1k count=100 2> /dev/null || :"
        if is_full
        else f"mount -o remount,ro {disk}"
    )
    return address


@pytest.mark.full
@pytest.mark.parametrize("is_full", [True, False], ids=["full", "read-only"])
def test_disk_that_takes_nothing_does_not_keep_the_client_from_the_port(gateway: Gateway, is_full: bool) -> None:
    address = join_on_a_disk_that_takes_nothing(gateway, is_full=is_full)
    reported = gateway.part()
    assert f"the newest lease of lan0 could not be written to {FOLDER}/lib/leases" in reported
    assert "-lf /run/dhclient.lan0.leases" in gateway.words()
    gateway.world.run("rm /run/dhclient.lan0.leases")
    check_on_port(gateway, address)


def check_silence(gateway: Gateway, device: str, address: str) -> None:
    """Check that client and address remain for longer than the 60 s and 10 s after which dhclient could drop it."""
    for _ in range(90):
        time.sleep(1)
        assert {on for _, on in gateway.clients()} == {device}
        check_address(gateway, device, address)


@pytest.mark.full
@pytest.mark.parametrize("is_full", [True, False], ids=["full", "read-only"])
def test_address_remains_on_a_disk_that_takes_nothing(gateway: Gateway, is_full: bool) -> None:
    address = join_on_a_disk_that_takes_nothing(gateway, is_full=is_full)
    gateway.hush()
    gateway.part()
    check_silence(gateway, PORT, address)


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
@pytest.mark.parametrize("device", [BRIDGE, PORT])
def test_address_remains_for_as_long_as_neither_server_nor_router_answers(
    gateway: Gateway, client: str, device: str
) -> None:
    gateway.begin(client)
    address = gateway.lent(PORT)
    gateway.join()
    gateway.hush()
    if device == BRIDGE:
        gateway.end_clients()
        gateway.supervise()
    else:
        gateway.part()
    check_silence(gateway, device, address)
    gateway.world.run("ip -n lan addr replace 10.66.0.1/24 dev srv")
    before = gateway.answers()
    gateway.serve()
    if client == "udhcpc":
        gateway.wait(f"[ $(grep -c 'sending ACK' {FOLDER}/lan.log) -gt {before} ]", 60)
    check_address(gateway, device, address)


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_rollback_after_more_than_a_lease_keeps_the_address(gateway: Gateway, client: str) -> None:
    gateway.begin(client, lease_s=16)
    address = gateway.lent(PORT)
    gateway.join()
    time.sleep(22)
    gateway.renew()
    gateway.silence()
    gateway.part()
    assert {on for _, on in gateway.clients()} == {PORT}
    assert gateway.lent(PORT) == address
    time.sleep(15)
    # It asks again once a server is there.
    before = gateway.answers()
    gateway.serve()
    gateway.wait(f"[ $(grep -c 'sending ACK' {FOLDER}/lan.log) -gt {before} ]", 90)
    check_on_port(gateway, address)


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_without_a_server_on_the_bridge_the_client_has_never_left_the_port(gateway: Gateway, client: str) -> None:
    gateway.begin(client)
    before, address = gateway.clients(), gateway.lent(PORT)
    gateway.silence()
    for step in gateway.steps[:-1]:
        assert gateway.run(step.command.argv).returncode == 0
    done = gateway.run(gateway.steps[-1].command.argv)
    assert done.returncode == 1
    assert "no DHCP server has answered on tmlbr0 within 20 s" in done.stderr
    gateway.part()
    assert gateway.clients() == before
    assert gateway.lent(PORT) == address


@pytest.mark.full
def test_resolvconf_that_hangs_holds_no_rollback_up(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    address = gateway.lent(PORT)
    gateway.join()
    assert gateway.undo(2).returncode == 0
    gateway.world.run(
        "mkdir -p /run/hanging; printf '%s\\n' '#!/bin/sh' "
        f"'echo \"$2 $(ls {TAKEN} 2> /dev/null)\" >> /run/hanging/asked' 'exec sleep 60' > /run/hanging/resolvconf; "
        "chmod 755 /run/hanging/resolvconf"
    )
    undo = gateway.steps[1].undo
    assert undo is not None
    begin = time.monotonic()
    assert gateway.run(undo.argv, PATH="/run/hanging:/usr/sbin:/usr/bin:/sbin:/bin").returncode == 0
    assert time.monotonic() - begin < 50
    check_on_port(gateway, address)
    asked = gateway.world.run("cat /run/hanging/asked")
    assert asked == "tmlbr0.dhclient \ntmlbr0.udhcpc \n", "the client is forgotten before"


@pytest.mark.full
def test_supervisor_has_its_answer_while_the_script_of_the_client_hangs(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    gateway.join()
    gateway.end_clients()
    gateway.world.run("sed -i '2i[ ! -e /run/hang ] || sleep 20' /etc/udhcpc/default.script; : > /run/hang")
    # And waits are whole seconds.
    gateway.world.run(
        "mkdir -p /run/slow; printf '%s\\n' '#!/bin/sh' 'exec /bin/sleep 1' > /run/slow/sleep; "
        "chmod 755 /run/slow/sleep"
    )
    begin = time.monotonic()
    gateway.supervise(PATH="/run/slow:/usr/sbin:/usr/bin:/sbin:/bin")
    taken_s = time.monotonic() - begin
    gateway.world.run("rm /run/hang")
    gateway.end_clients()
    gateway.part()
    assert taken_s < 10, "it takes for gone what it has no answer about"


# A program that ends the group of who calls it, once it has been called so often together with others like it. Those of
# a pipe are called at the same time.
_KILLER = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
read -r limit < /run/killer/limit
echo >> /run/killer/calls
if [ "$(wc -l < /run/killer/calls)" -gt "$limit" ]; then kill -9 0; fi
exec "${0##*/}" "$@"
"""
KILLED = ("ip", "mv", "sed", "tr", "grep", "rm", "env", "setsid", "sleep")


def make_killer(gateway: Gateway) -> None:
    gateway.world.run('mkdir -p /run/killer; printf %s "$1" > /run/killer/ip; chmod 755 /run/killer/ip', _KILLER)
    gateway.world.run(f"for name in {' '.join(KILLED[1:])}; do ln -sf ip /run/killer/$name; done")


def run_killed(gateway: Gateway, step: PlanStep, calls: int, *, is_undo: bool) -> bool:
    """Run a step or its undo until so many programs have been started; return whether it came to its end."""
    gateway.world.run(f"echo {calls} > /run/killer/limit; : > /run/killer/calls")
    command = step.undo if is_undo else step.command
    assert command is not None
    path = "PATH=/run/killer:/usr/sbin:/usr/bin:/sbin:/bin"
    inside = gateway.world.inside("-n", "-m", "-p")
    words = [*inside, "setsid", "-w", "ip", "netns", "exec", "gw", "env", path, *command.argv]
    return subprocess.run(words, capture_output=True, text=True, check=False).returncode == 0


def kill_at(gateway: Gateway, calls: int, *, is_undo: bool) -> bool:
    """Kill the way to the bridge or back after so many programs; return whether that came too late."""
    hold, join, move = gateway.steps[1:]
    for one in (hold, join, move) if is_undo else (hold, join):
        assert gateway.run(one.command.argv).returncode == 0
    if is_undo:
        assert gateway.undo(2).returncode == 0
    has_ended = run_killed(gateway, hold if is_undo else move, calls, is_undo=is_undo)
    for number in (2, 1):
        assert gateway.undo(number).returncode == 0
    gateway.world.run(f"ip -n gw addr replace {INNER} dev {TUNNEL}")
    return has_ended


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("is_undo", [False, True], ids=["bridge", "port"])
@pytest.mark.parametrize("client", sorted(STARTS))
def test_wherever_it_is_killed_the_client_is_on_the_port_again(gateway: Gateway, client: str, is_undo: bool) -> None:
    gateway.begin(client)
    gateway.add_statics()
    address = gateway.lent(PORT)
    # Without it, a server of the other plant answers.
    assert gateway.run(gateway.steps[0].command.argv).returncode == 0
    make_killer(gateway)
    calls = 3
    while not kill_at(gateway, calls, is_undo=is_undo):
        # A client that was just started clears the port before it sets what the server confirms.
        gateway.wait(f"ip -n gw -4 addr show dev {PORT} | grep -q ' {address} '")
        check_on_port(gateway, address)
        assert gateway.statics(PORT) == {*STATICS, ROUTE}, calls
        calls += 1
    assert calls > 10
    check_on_port(gateway, address)
    assert gateway.statics(PORT) == {*STATICS, ROUTE}


@pytest.mark.full
def test_wherever_the_rollback_is_killed_beside_a_silent_server_the_address_remains(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    address = gateway.lent(PORT)
    make_killer(gateway)
    calls, has_ended = 3, False
    while not has_ended:
        gateway.join()
        gateway.hush()
        assert gateway.undo(2).returncode == 0
        has_ended = run_killed(gateway, gateway.steps[1], calls, is_undo=True)
        assert gateway.undo(1).returncode == 0
        gateway.wait_for_clients(PORT)
        check_address(gateway, PORT, address)
        gateway.end_clients()
        gateway.world.run(f"ip -n lan addr replace 10.66.0.1/24 dev srv; ip -n gw addr replace {INNER} dev {TUNNEL}")
        gateway.serve()
        gateway.start()
        gateway.wait(f"tail -n 1 {FOLDER}/events | grep -q bound")
        calls += 4
    assert calls > 20
