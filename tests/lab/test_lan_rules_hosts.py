"""Firewall rules that name a LAN port hold for its bridge, for packets of both LANs, and go with the deployment."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator

import pytest

from support.lan_rules_world import BRIDGE, JOIN, PORT, Lan, lan_of, load_iptables, remove_hosts, rules_world
from support.net_world import World
from support.waiting import wait_until


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with rules_world() as made:
        yield made


@pytest.fixture
def lan(world: World) -> Iterator[Lan]:
    yield lan_of(world, "sh")
    remove_hosts(world)


@pytest.fixture(params=["dash", pytest.param("busybox", marks=pytest.mark.full)])
def either(world: World, request: pytest.FixtureRequest) -> Iterator[Lan]:
    path = "PATH=/run/few:/usr/sbin:/usr/bin:/sbin:/bin"
    yield lan_of(world, *(("sh",) if request.param == "dash" else ("env", path, "busybox", "sh")))
    remove_hosts(world)


OF_NFT = f"""
table inet filter {{
  set lans {{ type ifname; elements = {{ "eth3", "{PORT}" }} }}
  map ways {{ type ifname : verdict; elements = {{ "{PORT}" : jump lan, "eth3" : accept }} }}
  chain lan {{ tcp dport 8087 drop
  }}
  chain input {{
    type filter hook input priority 0; policy accept;
    iifname "{PORT}" tcp dport 8080 counter drop comment "with # handle 3"
    iifname {{ "lo", "{PORT}" }} tcp dport 8081 limit rate 100/second log prefix "{PORT} in" drop
    iif "{PORT}" tcp dport 8082 drop
    iif "{PORT}" tcp dport 8082 drop
    iifname @lans tcp dport 8083 drop
    iifname vmap @ways
    iifname vmap {{ "lo" : accept, "{PORT}" : jump lan }}
    iifname "eth20" tcp dport 8088 drop
    iifname "lo" log prefix "{PORT}"
    iifname "eth2*" tcp dport 8084 drop
  }}
}}
"""


OF_IPTABLES = f"""
-A INPUT -i {PORT} -p tcp --dport 8080 -m comment --comment "it's \\"-i {PORT}\\"" -j DROP
-A INPUT -i {PORT} -p tcp --dport 8081 -m limit --limit 50/s -j LOG --log-prefix "-i {PORT} "
-A INPUT -i {PORT} -p tcp --dport 8081 -j DROP
-A INPUT -i {PORT} -p tcp --dport 8081 -j DROP
-A INPUT -i eth20 -p tcp --dport 8088 -j DROP
-A INPUT -i eth2+ -p tcp --dport 8084 -j DROP
"""


@pytest.mark.parametrize("kind", ["nft", "iptables-nft", "iptables-legacy"])
def test_rules_hold_for_both_lans_while_the_port_is_joined_and_are_gone_afterwards(either: Lan, kind: str) -> None:
    lan = either
    if kind == "nft":
        lan.load(OF_NFT)
    else:
        load_iptables(lan, kind, OF_IPTABLES)
    closed = {8080, 8081, 8082, 8083, 8084, 8087} if kind == "nft" else {8080, 8081, 8084}
    assert lan.closed(*closed, 8088)[0] == closed
    before = lan.listing
    rules = lan.read()
    assert rules.refused == ()
    step = lan.step(rules)
    assert not lan.does(step.health_check)
    assert lan.does(step.command)
    assert lan.does(step.health_check)
    changed = lan.listing
    # Twice is as once.
    assert lan.does(step.command)
    assert lan.listing == changed
    assert lan.does(JOIN.command)
    assert lan.closed(*closed, 8088) == (closed, closed)
    # Without the rules.
    assert lan.does(step.undo)
    assert lan.listing == before
    assert lan.closed(*closed, 8088) == (set(), set())
    assert lan.does(step.command)
    assert lan.listing == changed
    assert lan.does(JOIN.undo)
    for _ in range(2):
        assert lan.does(step.undo)
        assert lan.listing == before
    assert lan.closed(*closed, 8088)[0] == closed


@pytest.mark.parametrize("kind", ["nft", "iptables-nft", "iptables-legacy"])
def test_what_is_accepted_by_name_still_is(lan: Lan, kind: str) -> None:
    if kind == "nft":
        rule = f'iifname "{PORT}" tcp dport 22 accept'
        lan.load(f"table inet f {{ chain i {{ type filter hook input priority 0; policy drop;\n{rule}\n}}\n}}\n")
    else:
        load_iptables(lan, kind, f"-P INPUT DROP\n-A INPUT -i {PORT} -p tcp --dport 22 -j ACCEPT")
    before = lan.listing
    assert lan.closed(22, 23)[0] == {23}
    step = lan.step(lan.read())
    assert lan.does(JOIN.command)
    assert lan.closed(22, 23) == ({22, 23}, {22, 23})
    assert lan.does(step.command)
    assert lan.closed(22, 23) == ({23}, {23})
    assert lan.does(JOIN.undo)
    assert lan.does(step.undo)
    assert lan.listing == before


def test_after_a_reload_and_changes_of_the_user_the_rules_are_as_those_of_the_port(lan: Lan) -> None:
    lan.load(OF_NFT)
    load_iptables(lan, "iptables-legacy", OF_IPTABLES)
    step = lan.step(lan.read())
    assert lan.does(step.command)
    changed = lan.listing
    # A reload.
    lan.load(f"flush ruleset\n{OF_NFT}")
    lan.sh("iptables-legacy -F")
    load_iptables(lan, "iptables-legacy", OF_IPTABLES)
    assert not lan.does(step.health_check)
    assert lan.does(step.command)
    assert lan.listing == changed
    # A rule and an element that the user takes away: what they did for the bridge goes with the deployment alone.
    lan.sh(
        "iptables-legacy -D INPUT -i eth2+ -p tcp --dport 8084 -j DROP;"
        f"nft delete element inet filter lans '{{ {PORT} }}'"
    )
    assert lan.does(step.health_check)
    assert lan.does(step.command)
    left = lan.listing
    assert left.count(f'"{BRIDGE}"') == changed.count(f'"{BRIDGE}"')
    assert left.count(f"-i {BRIDGE} ") == changed.count(f"-i {BRIDGE} ")
    lan.sh("nft flush ruleset; iptables-legacy -F")
    assert lan.does(step.health_check)
    assert lan.does(step.command)
    assert lan.does(step.undo)
    assert BRIDGE not in lan.listing


def test_removal_fails_while_a_copy_is_left(lan: Lan) -> None:
    lan.load(f'table ip f {{ map m {{ type ifname : verdict; elements = {{ "{PORT}" : drop }}\n}}\n}}\n')
    step = lan.step(lan.read())
    assert lan.does(step.command)
    mark = 'comment "tunnelmark 0011aabb lan 1"'
    lan.sh(f"nft delete element ip f m '{{ {BRIDGE} }}'; nft add element ip f m '{{ {BRIDGE} {mark} : accept }}'")
    assert not lan.does(step.undo)
    lan.sh(f"nft delete element ip f m '{{ {BRIDGE} }}'")
    assert lan.does(step.undo)


def test_sets_of_many_elements_cost_nothing(either: Lan) -> None:
    lan = either
    numbers = ", ".join(f"10.{n // 65536}.{n // 256 % 256}.{n % 256}" for n in range(60_000))
    names = ", ".join(f'"if{n}"' for n in range(20_000))
    addresses = f"set s {{ type ipv4_addr; elements = {{ {numbers} }}\n}}"
    interfaces = f"set n {{ type ifname; elements = {{ {names} }}\n}}"
    rules = f"table inet many {{ {addresses}\n{interfaces}\n}}\n{OF_NFT}"
    load_file(lan, rules)
    begun_s = cpu_s()
    step = lan.step(lan.read())
    assert lan.does(step.command)
    assert lan.does(step.health_check)
    assert lan.does(step.undo)
    assert cpu_s() - begun_s < 60, "quadratic, it took minutes"
    assert BRIDGE not in lan.sh("nft list table inet filter")


def cpu_s() -> float:
    """Return the CPU time of all programs that were started here and have ended, which load does not change."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def load_file(lan: Lan, rules: str) -> None:
    words = [*lan.world.inside("-n", "-m", "-p"), "ip", "netns", "exec", "host", "nft", "-f", "-"]
    subprocess.run(words, input=rules, text=True, check=True)


def test_copies_are_right_behind_their_originals(lan: Lan) -> None:
    rules = "\n".join(f"-A INPUT -i {PORT} -p tcp -m tcp --dport {number} -j ACCEPT" for number in (1, 2, 2, 3))
    load_iptables(lan, "iptables-legacy", f"{rules}\n-A INPUT -j DROP")
    step = lan.step(lan.read())
    assert lan.does(step.command)
    chain = lan.sh("iptables-legacy -S INPUT").splitlines()[1:]
    names = [line.split()[3] for line in chain[:-1]]
    assert names == [PORT, BRIDGE] * 4
    ports = [line.split("--dport ")[1].split()[0] for line in chain[:-1]]
    assert ports == ["1", "1", "2", "2", "2", "2", "3", "3"]
    lan.sh("iptables-legacy -D INPUT 2; iptables-legacy -D INPUT 5")
    assert lan.does(step.command)
    assert sorted(lan.sh("iptables-legacy -S INPUT").splitlines()[1:]) == sorted(chain)
    assert lan.does(step.undo)


def test_rules_that_except_the_port_are_left_and_reported(lan: Lan) -> None:
    lan.load(
        f'table ip f {{ chain i {{ type filter hook input priority 0;\niifname != "{PORT}" tcp dport 9 drop\n}}\n}}\n'
    )
    load_iptables(lan, "iptables-legacy", f"-A INPUT ! -i {PORT} -p tcp --dport 9 -j DROP")
    rules = lan.read()
    assert rules.moved == ()
    assert [reason for _, reason in rules.refused] == ["excepts the port"] * 2


def test_a_program_that_refuses_leaves_nothing_behind(lan: Lan) -> None:
    lan.load(
        f'table ip f {{ set s {{ type ifname; size 1; elements = {{ "{PORT}" }}\n}}\n'
        f'chain c {{ type filter hook input priority 0;\niifname "{PORT}" drop\n}}\n}}\n'
    )
    before = lan.listing
    step = lan.step(lan.read())
    assert not lan.does(step.command)
    assert lan.does(step.undo)
    assert lan.listing == before


def test_bridged_frames_that_the_firewall_drops_are_found(lan: Lan) -> None:
    setting = "/proc/sys/net/bridge/bridge-nf-call-iptables"
    if lan.sh(f"cat {setting} 2> /dev/null || :").strip() == "":
        pytest.skip("no br_netfilter")
    lan.sh(f"echo 1 > {setting}; iptables-legacy -P FORWARD DROP")
    assert lan.does(JOIN.command)
    ping = "ip netns exec own ping -c 1 -W 1 10.77.0.12 > /dev/null && echo crosses || echo dropped"

    def crosses() -> bool:
        return lan.world.run(ping).strip() == "crosses"

    assert lan.read().forward == "policy DROP of the chain FORWARD (iptables-legacy)"
    assert lan.closed(8080) == (set(), set())
    assert not crosses()
    lan.sh(f"iptables-legacy -I FORWARD -i {BRIDGE} -o {BRIDGE} -j ACCEPT")
    assert lan.read().forward == ""
    wait_until(crosses, "an answer")
    lan.load(
        "table inet f { chain f { type filter hook forward priority 0; policy accept;\nmeta l4proto icmp drop\n}\n}\n"
    )
    assert lan.read().forward == '"meta l4proto icmp drop" (chain f of the table inet f)'
    assert not crosses()
    lan.sh(f"echo 0 > {setting}; echo 0 > {setting.replace('iptables', 'ip6tables')}")
    assert lan.read().forward == ""
    wait_until(crosses, "an answer")
