"""DHCP clients of a LAN port go on at the bridge and come back, with real programs and a real server."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from app.deployment.lan.interfaces import parse_lan
from app.domain.script_files import host_script
from support.lan_gateway import (
    BRIDGE,
    FOLDER,
    INNER,
    MAC,
    PORT,
    ROUTE,
    SHORT_S,
    STARTS,
    STATICS,
    TAKEN,
    TUNNEL,
    Gateway,
    check_address,
    check_on_bridge,
    check_on_port,
    lan_gateway,
)
from support.waiting import wait_until

DASH, BUSYBOX = ("dash",), ("busybox", "sh")


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with lan_gateway() as made:
        yield made


@pytest.mark.parametrize(
    ("client", "shell"),
    [
        ("dhclient", DASH),
        ("udhcpc", BUSYBOX),
        pytest.param("dhclient", BUSYBOX, marks=pytest.mark.full),
        pytest.param("udhcpc", DASH, marks=pytest.mark.full),
    ],
)
def test_client_renews_on_the_bridge_and_is_on_the_port_again(
    gateway: Gateway, client: str, shell: tuple[str, ...]
) -> None:
    words = f"busybox udhcpc -b -i {PORT} -R -p {FOLDER}/pid" if client == "udhcpc" else STARTS[client]
    gateway.begin(client, words, lease_s=SHORT_S)
    gateway.shell = shell
    address, words = gateway.lent(PORT), gateway.words()
    gateway.add_statics()
    before = gateway.settings(PORT)
    gateway.join()
    check_on_bridge(gateway, address)
    assert gateway.statics(BRIDGE) == {*STATICS, ROUTE}
    gateway.renew()
    gateway.world.run("ip netns exec gw ping -c 1 -W 30 10.66.0.1")
    check_on_bridge(gateway, address)
    assert gateway.part() == ""
    check_on_port(gateway, address)
    assert gateway.settings(PORT) == before
    assert gateway.words() == words
    assert gateway.world.run(f"cat {FOLDER}/requests") == "", "a server of the other plant was asked"


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_client_renews_on_the_port_again(gateway: Gateway, client: str) -> None:
    gateway.begin(client, lease_s=SHORT_S)
    address = gateway.lent(PORT)
    gateway.join()
    gateway.part()
    gateway.renew()
    check_on_port(gateway, address)


@pytest.mark.full
@pytest.mark.parametrize("load", [0, 4])
@pytest.mark.parametrize("client", sorted(STARTS))
def test_static_addresses_are_there_after_every_rollback(gateway: Gateway, client: str, load: int) -> None:
    gateway.begin(client)
    gateway.add_statics()
    address = gateway.lent(PORT)
    # With other programs in the way, events take another order.
    gateway.world.run(f"for one in $(seq {load}); do setsid sh -c 'while :; do :; done' busy & done > /dev/null 2>&1")
    try:
        for attempt in range(24):
            gateway.join()
            assert gateway.statics(BRIDGE) == {*STATICS, ROUTE}, attempt
            gateway.part()
            assert gateway.statics(PORT) == {*STATICS, ROUTE}, attempt
            check_address(gateway, PORT, address)
            gateway.world.run(f"ip -n gw addr replace {INNER} dev {TUNNEL}")
    finally:
        gateway.world.run("for one in $(pgrep -f ' busy$'); do kill -9 $one; done")


def reserve_static(gateway: Gateway) -> None:
    """Let the server lend the port an address that is static there."""
    gateway.silence()
    gateway.world.run(f"echo 'static_lease {MAC} {STATICS[0][:-3]}' >> {FOLDER}/lan; : > {FOLDER}/lan.leases")
    gateway.serve()


@pytest.mark.full
@pytest.mark.parametrize("is_reserved", [False, True], ids=["lent", "reserved"])
def test_static_addresses_that_the_client_dropped_on_the_bridge_are_there_after_the_rollback(
    gateway: Gateway, is_reserved: bool
) -> None:
    gateway.begin("udhcpc")
    gateway.add_statics()
    address = gateway.lent(PORT)
    if is_reserved:
        reserve_static(gateway)
    try:
        gateway.join()
    finally:
        gateway.world.run(f"sed -i /static_lease/d {FOLDER}/lan")
    # As its script does where a lease has ended.
    gateway.world.run(f"ip -n gw -4 addr flush dev {BRIDGE}")
    gateway.hush()
    gateway.part()
    assert gateway.statics(PORT) == {*STATICS, ROUTE}
    # It is not known which of them was lent before the move.
    assert f" {address} " in gateway.addresses(PORT)


@pytest.mark.full
def test_lent_address_that_the_client_dropped_on_the_bridge_does_not_come_back(gateway: Gateway) -> None:
    gateway.begin("dhclient")
    gateway.add_statics()
    address = gateway.lent(PORT)
    gateway.join()
    gateway.world.run(f"ip -n gw -4 addr flush dev {BRIDGE}")
    gateway.hush()
    gateway.part()
    assert gateway.statics(PORT) == {*STATICS, ROUTE}
    assert f" {address} " not in gateway.addresses(PORT)


@pytest.mark.full
def test_deployment_fails_where_the_server_lends_what_was_static(gateway: Gateway) -> None:
    gateway.begin("dhclient")
    gateway.add_statics()
    before, address = gateway.clients(), gateway.lent(PORT)
    for step in gateway.steps[:-1]:
        assert gateway.run(step.command.argv).returncode == 0
    reserve_static(gateway)
    done = gateway.run(gateway.steps[-1].command.argv)
    gateway.world.run(f"sed -i /static_lease/d {FOLDER}/lan")
    assert done.returncode == 1
    assert f"lends lan0 another address on tmlbr0: {STATICS[0]}" in done.stderr
    gateway.part()
    assert gateway.clients() == before
    assert gateway.statics(PORT) == {*STATICS, ROUTE}
    check_address(gateway, PORT, address)


@pytest.mark.full
def test_without_the_guard_a_server_of_the_other_plant_is_asked(gateway: Gateway) -> None:
    gateway.begin("dhclient")
    for step in gateway.steps[1:]:
        gateway.run(step.command.argv)
    gateway.wait(f"grep -q 'DHCP, Request from ac:11:22:33:44:55' {FOLDER}/requests")


@pytest.mark.full
def test_events_reach_the_script_that_udhcpc_itself_finds(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    address = gateway.lent(PORT)
    gateway.join()
    gateway.world.run(f"ip -n gw addr del {address} dev {BRIDGE}")
    gateway.renew()
    gateway.wait(f"ip -n gw -o -4 addr show dev {BRIDGE} | grep -q ' {address} '")


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_rollback_keeps_the_address_while_the_server_is_silent(gateway: Gateway, client: str) -> None:
    gateway.begin(client)
    address = gateway.lent(PORT)
    gateway.join()
    gateway.hush()
    gateway.part()
    assert {on for _, on in gateway.clients()} == {PORT}
    # It has dropped all addresses when it started.
    events = gateway.world.run(f"tail -n 1 {FOLDER}/events") if client == "udhcpc" else ""
    assert events == ("deconfig lan0\n" if client == "udhcpc" else "")
    check_address(gateway, PORT, address)


@pytest.mark.full
def test_leases_of_other_ports_and_the_environment_remain_where_they_are(gateway: Gateway) -> None:
    gateway.begin("dhclient", environment="APITOKEN=hunter2 IF_METRIC=7")
    # What every program that a step starts has on its command line.
    gateway.world.run(
        "mkdir -p /run/seen; printf '%s\\n' '#!/bin/sh' 'tr \"\\0\" \" \" < /proc/$$/cmdline >> /run/seen/words' "
        "'exec /usr/bin/env \"$@\"' > /run/seen/env; chmod 755 /run/seen/env"
    )
    address = gateway.lent(PORT)
    gateway.join(PATH="/run/seen:/usr/sbin:/usr/bin:/sbin:/bin")
    assert "dhclient" in gateway.world.run("cat /run/seen/words")
    assert "hunter2" not in gateway.world.run(f"cat /run/seen/words {TAKEN}")
    ((process, _),) = gateway.clients()
    kept = gateway.world.run(f"tr '\\0' '\\n' < /proc/{process}/environ").split()
    assert "IF_METRIC=7" in kept
    assert not [name for name in kept if name.startswith("TUNNELMARK_")]
    gateway.world.run(f"printf 'lease {{\\n  interface \"wan0\";\\n}}\\n' >> {FOLDER}/leases")
    before = gateway.world.run(f"stat -c %i {FOLDER}/leases")
    gateway.part()
    check_on_port(gateway, address)
    assert gateway.world.run(f"grep -c wan0 {FOLDER}/leases").strip() == "1"
    assert gateway.world.run(f"stat -c %i {FOLDER}/leases") == before


@pytest.mark.full
def test_clients_of_containers_are_not_the_hosts(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    gateway.world.run(
        "ip netns add guest; ip -n gw link add lan5 type veth peer name lan5 netns guest; "
        "exec > /dev/null 2>&1; ip netns exec guest setsid busybox udhcpc -f -s /bin/true -i lan5 &"
    )
    gateway.wait("cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' ' ' | grep -q -e '-i lan5'")
    for user in ("0", "65534"):
        words = [*gateway.world.inside("-n", "-m", "-p"), "ip", "netns", "exec", "gw"]
        words += ["setpriv", "--reuid", user, "--clear-groups", "sh", "-s", "mark", "10.0.0.1"]
        done = subprocess.run(words, input=host_script("lan.sh"), capture_output=True, text=True, check=False)
        found = parse_lan(done.stdout, "mark")
        assert found is not None
        assert list(found.clients) == [PORT]


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (f"dhclient -d {PORT}", "cannot be moved (service)"),
        (f"dhclient -cf {FOLDER}/hasty {PORT}", "cannot be moved (timeout)"),
        (f"busybox udhcpc -b -p {FOLDER}/second -i {PORT}", "has more than one DHCP client"),
        ("", "has no DHCP client any more"),
    ],
    ids=["service", "hasty", "several", "none"],
)
def test_client_that_cannot_be_moved_is_left_alone(gateway: Gateway, words: str, reported: str) -> None:
    is_alone = "cannot be moved" in reported
    gateway.world.run(f"echo 'timeout 5;' > {FOLDER}/hasty")
    gateway.begin("dhclient", words if is_alone else "")
    if not words:
        gateway.end_clients()
        gateway.wait_for_clients()
    elif not is_alone:
        gateway.start(words)
        gateway.wait(f"grep -q 'bound {PORT}' {FOLDER}/events")
        gateway.wait_for_rest(2)
    before = gateway.clients()
    hold = gateway.steps[1]
    done = gateway.run(hold.command.argv)
    assert done.returncode == 1
    assert reported in done.stderr
    assert gateway.undo(1).returncode == 0
    # None was ended or started.
    assert set(before) & set(gateway.clients()) == set(before)
    assert {on for _, on in gateway.clients()} == ({PORT} if words else set())
    wait_until(lambda: gateway.lent(PORT) != "", "an address")


@pytest.mark.full
def test_client_for_ipv6_on_the_port_does_not_count_as_the_one_that_was_moved(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    address = gateway.lent(PORT)
    gateway.join()
    gateway.start(f"dhclient -6 -lf {FOLDER}/leases6 -pf {FOLDER}/pid6 {PORT}")
    wait_until(lambda: len(gateway.clients()) > 1, "a second client")
    gateway.part()
    assert "udhcpc" in gateway.world.run("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
    assert gateway.lent(PORT) == address


@pytest.mark.full
def test_second_client_on_a_joined_port_is_reported_and_left_alone(gateway: Gateway) -> None:
    gateway.begin("dhclient")
    address = gateway.lent(PORT)
    gateway.join()
    for name in ("one", "two"):
        gateway.start(f"busybox udhcpc -b -p {FOLDER}/{name} -i {PORT}")
    wait_until(lambda: len(gateway.clients()) > 2, "more clients")
    gateway.supervise()
    assert "lan0 has more than one DHCP client" in gateway.world.run("cat /run/notes/log")
    assert [on for _, on in gateway.clients()].count(PORT) == 2
    assert gateway.lent(BRIDGE) == address
    gateway.end_clients()


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_deployment_fails_where_the_server_lends_another_address(gateway: Gateway, client: str) -> None:
    gateway.begin(client)
    before, address = gateway.clients(), gateway.lent(PORT)
    for step in gateway.steps[:-1]:
        assert gateway.run(step.command.argv).returncode == 0
    gateway.silence()
    gateway.world.run(f"sed -i 's/^start .*/start 10.66.0.60/' {FOLDER}/lan; : > {FOLDER}/lan.leases")
    gateway.serve()
    done = gateway.run(gateway.steps[-1].command.argv)
    gateway.world.run(f"sed -i 's/^start .*/start 10.66.0.50/' {FOLDER}/lan")
    assert done.returncode == 1
    assert "lends lan0 another address on tmlbr0: 10.66.0.60/24" in done.stderr
    gateway.part()
    assert gateway.clients() == before
    check_address(gateway, PORT, address)


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_address_that_another_program_adds_to_the_bridge_is_left_there(gateway: Gateway, client: str) -> None:
    gateway.begin(client)
    address, other = gateway.lent(PORT), "10.99.9.9/32"
    for step in gateway.steps[:-1]:
        assert gateway.run(step.command.argv).returncode == 0
    gateway.world.run(f"ip -n gw addr add {other} dev {BRIDGE}")
    assert gateway.run(gateway.steps[-1].command.argv).returncode == 0
    assert f" {other} " in gateway.addresses(BRIDGE)
    gateway.part()
    assert f" {other} " in gateway.addresses(PORT)
    check_address(gateway, PORT, address)


@pytest.mark.full
def test_bridge_that_was_deleted_costs_neither_address_nor_client(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    address = gateway.lent(PORT)
    gateway.join()
    gateway.hush()
    gateway.world.run(f"ip -n gw link del {BRIDGE}")
    gateway.part()
    assert {on for _, on in gateway.clients()} == {PORT}
    check_address(gateway, PORT, address)


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_client_and_address_follow_a_port_that_another_user_has_parted(gateway: Gateway, client: str) -> None:
    gateway.begin(client)
    address = gateway.lent(PORT)
    gateway.join()
    gateway.world.run(f"ip -n gw link set {PORT} nomaster")
    gateway.supervise()
    gateway.wait_for_clients(PORT)
    assert gateway.lent(BRIDGE) == ""
    assert f" {INNER} " in gateway.addresses(BRIDGE)
    check_address(gateway, PORT, address)
    gateway.part()
    check_on_port(gateway, address)


@pytest.mark.full
@pytest.mark.parametrize("client", sorted(STARTS))
def test_client_that_dies_before_it_is_moved_is_on_the_port_after_the_rollback(gateway: Gateway, client: str) -> None:
    gateway.begin(client)
    address = gateway.lent(PORT)
    for step in gateway.steps[:-1]:
        assert gateway.run(step.command.argv).returncode == 0
    gateway.end_clients()
    gateway.hush()
    done = gateway.run(gateway.steps[-1].command.argv)
    assert done.returncode == 1
    assert "no DHCP server has answered on tmlbr0 within 20 s" in done.stderr
    gateway.part()
    assert {on for _, on in gateway.clients()} == {PORT}
    check_address(gateway, PORT, address)


@pytest.mark.full
def test_port_that_goes_and_returns_has_client_and_address_again(gateway: Gateway) -> None:
    gateway.begin("udhcpc")
    address = gateway.lent(PORT)
    gateway.join()
    # As a card that is unplugged: its device leaves the host.
    gateway.world.run(f"ip -n gw link set {PORT} netns far")
    gateway.supervise()
    assert gateway.lent(BRIDGE) == address
    gateway.world.run(f"ip -n far link set {PORT} netns gw; ip -n gw link set {PORT} up")
    gateway.supervise()
    gateway.wait_for_clients(PORT)
    check_address(gateway, PORT, address)
    gateway.part()
    check_on_port(gateway, address)
