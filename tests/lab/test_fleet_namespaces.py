"""Eight pairs at once, on this computer: each host has a network, files and an sshd of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.host.snapshots import HostSnapshot, compare_snapshots
from support.lab_sessions import answered_pings
from support.net_desk import Desk, need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHosts, NetPair, net_hosts

PAIRS = 8
SOLUTIONS = "openvpn-udp", "openvpn-tcp", "tinc", "ssh"
"""Solutions that this computer's kernel can run, in turn."""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetHosts]:
    need_namespaces()
    with net_hosts(tmp_path_factory.mktemp("hosts"), PAIRS) as started:
        yield started


@pytest.fixture
def desk(hosts: NetHosts, tmp_path: Path) -> Desk:
    return Desk(hosts, tmp_path / "desk")


@pytest.fixture(scope="module")
def before(hosts: NetHosts) -> dict[str, HostSnapshot]:
    """Every host before anything was done; each test leaves them like that."""
    return inspected(hosts.pairs)


def inspected(pairs: Sequence[NetPair]) -> dict[str, HostSnapshot]:
    """Return snapshots of the hosts of pairs, by name."""
    every = [host for pair in pairs for host in pair.hosts]
    with ThreadPoolExecutor(4) as pool:
        return dict(zip((host.name for host in every), pool.map(lambda host: host.inspect(), every), strict=True))


def check_as_before(pairs: Sequence[NetPair], before: dict[str, HostSnapshot]) -> None:
    wait_until_nothing_is_left(host for pair in pairs for host in pair.hosts)
    after = inspected(pairs)
    assert {name: compare_snapshots(before[name], one) for name, one in after.items()} == dict.fromkeys(after, ())


def fleet_file(hosts: NetHosts, folder: Path, first: int = 0, last: int = PAIRS) -> Path:
    parts = ['[defaults]\nreason = "tinc 1.0 knows nothing newer"\n']
    for index, pair in enumerate(hosts.pairs[first:last], first):
        parts.append(
            f'[[pair]]\nname = "{pair.name}"\na = "root@{pair.a.address}"\nb = "root@{pair.b.address}"\n'
            f'underlay = ["{pair.addresses[0]}", "{pair.addresses[1]}"]\n'
            f'identity = "{hosts.key}"\nhost-key-file = "{hosts.known_hosts}"\n'
            f'solution = "{SOLUTIONS[index % len(SOLUTIONS)]}"\n'
        )
    path = folder / "fleet.toml"
    path.write_text("\n".join(parts))
    return path


@pytest.mark.full
def test_eight_pairs_at_once_and_nothing_of_them_is_left(
    hosts: NetHosts, desk: Desk, tmp_path: Path, before: dict[str, HostSnapshot]
) -> None:
    done = desk.tunnelmark(
        *("deploy", "--all", "--from", str(fleet_file(hosts, tmp_path)), "--parallel", str(PAIRS), "--json")
    )
    rows = json.loads(done.out)["pairs"]
    assert [row for row in rows if row["state"] != "confirmed"] == []
    assert [row["pair"] for row in rows] == [pair.name for pair in hosts.pairs]
    assert done.status == ExitCode.OK
    for pair in hosts.pairs:
        for host, address in ((pair.a, "198.19.0.2"), (pair.b, "198.19.0.1")):
            host.run(answered_pings(address, "-I tml0"))
    with ThreadPoolExecutor(4) as pool:
        ended = list(pool.map(lambda pair: desk.tunnelmark("undeploy", pair.name), hosts.pairs))
    assert [one.err for one in ended if one.status != ExitCode.OK] == []
    check_as_before(hosts.pairs, before)


def test_a_broken_pair_stops_what_has_not_begun_and_is_in_the_summary(
    hosts: NetHosts, desk: Desk, tmp_path: Path, before: dict[str, HostSnapshot]
) -> None:
    broken = hosts.pairs[2]
    broken.b.run("mv /usr/sbin/tincd /usr/sbin/tincd.real && printf '#!/bin/sh\\nexit 1\\n' > /usr/sbin/tincd")
    broken.b.run("chmod 755 /usr/sbin/tincd")
    file = fleet_file(hosts, tmp_path, 1, 4)
    done = desk.tunnelmark("deploy", "--all", "--from", str(file), "--parallel", "1", "--stop-after", "1")
    broken.b.run("mv /usr/sbin/tincd.real /usr/sbin/tincd")
    assert done.status == ExitCode.FAILED
    table = [line for line in done.out.splitlines() if "pair-" in line]
    states = ["confirmed", "failed", "not begun"]
    assert [[word for word in re.split(r"  +", line) if word in states] for line in table] == [
        [one] for one in states
    ], done.out
    assert "1 of 3 pairs confirmed." in done.out
    assert desk.tunnelmark("undeploy", hosts.pairs[1].name).status == ExitCode.OK
    check_as_before(hosts.pairs[1:4], before)
