"""Firewalls of hosts made of namespaces: what is reported as blocked is what real packets do, and openings work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from app.discovery.firewall import Firewall, read_firewall
from app.domain.adapters import PlanStep
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.firewall import Opening, Owner
from app.tunnel.firewall import opening_steps
from support.firewall_fates import uncertain
from support.lab_sessions import sh
from support.net_bench import NetBench
from support.packet_trial import PacketTrial

PEER, OWN = "10.99.1.1", "10.99.1.2"
UDP = Opening("udp", 51820, PEER)
OTHER_UDP = Opening("udp", 5000, PEER)
TCP = Opening("tcp", 1194, PEER)
ESP = Opening("esp", 0, PEER)
AH = Opening("ah", 0, PEER)
L2TP = Opening("l2tp", 0, PEER)
PING = Opening("icmp", 0, PEER)
OPENINGS = (UDP, OTHER_UDP, TCP, ESP, AH, L2TP, PING)
INTERFACE = "eth1"

HEAD = """
table inet filter {
  chain input {
    type filter hook input priority 0; policy drop;
    iifname "mgmt0" accept
    ct state established,related accept
"""
IPTABLES = """
iptables -A INPUT -i mgmt0 -j ACCEPT
iptables -A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
"""

NFT_RULESETS = {
    "none": "",
    "drop": HEAD + "}}",
    "one-peer": HEAD + f"ip saddr {PEER} udp dport {{ 51820-51829 }} accept\nip protocol {{ esp, ah }} accept\n}}}}",
    "another-peer": HEAD + "ip saddr { 10.99.1.3, 10.98.0.0/16 } accept\nip saddr != 10.99.0.0/16 accept\n}}",
    "own-address": HEAD + f"ip daddr {OWN} udp dport 5000 accept\nip daddr 10.99.1.9 accept\n}}}}",
    "interfaces": HEAD + 'iifname "eth0" accept\niifname "eth*" meta l4proto 115 accept\niif lo accept\n}}',
    "reject": HEAD.replace("policy drop", "policy accept")
    + "tcp dport 1-2000 reject with tcp reset\nudp dport != 5000 reject\nct state new meta l4proto esp drop\n}}",
    "jumps": "table inet filter { chain vpn { udp dport 5000 return\nudp dport 1024-65535 accept\n}\n"
    "chain last { ip protocol ah accept\n}\n"
    + HEAD.split("{", 2)[1]
    + "{"
    + HEAD.split("{", 2)[2]
    + "jump vpn\nmeta l4proto esp accept\ngoto last\naccept\n}}",
    "maps": "table inet filter { set peers { type ipv4_addr; flags interval; elements = { 10.99.1.0/30 } }\n"
    "map ports { type inet_proto . inet_service : verdict; elements = { udp . 51820 : accept, tcp . 1194 : drop } }\n"
    + HEAD.split("{", 1)[1]
    + "meta l4proto . th dport vmap @ports\nip saddr @peers meta l4proto vmap { ah : accept, l2tp : accept }\n"
    "ct state vmap { invalid : drop, established : accept }\nicmp type echo-request accept\n}}",
    "two-tables": HEAD + "accept\n}}\ntable ip more { chain second { type filter hook input priority 10; policy drop;\n"
    'iifname "mgmt0" accept\nct state established accept\nudp dport 51820 accept\n'
    "tcp flags syn tcp dport 1194 accept\n}}",
    "prerouting": "table inet filter { chain pre { type filter hook prerouting priority -150; policy accept;\n"
    "fib saddr . iif oif missing drop\n"
    f"ip saddr {PEER} udp dport 5000 drop\n"
    "fib daddr type local ip protocol esp drop\n}}",
    "ingress": 'table netdev early { chain in { type filter hook ingress device "eth1" priority 0; policy accept;\n'
    "ip protocol { 50, 115 } drop\nudp dport 51820 drop\n}}",
    "marks": HEAD
    + "meta mark & 0xff == 0 udp dport 5000 accept\nmeta mark 7 accept\nmeta pkttype host icmp type 8 accept\n}}",
    "other-families": "table ip6 filter { chain input { type filter hook input priority 0; policy drop;\n}}\n"
    "table inet out { chain f { type filter hook forward priority 0; policy drop;\n}}",
}
IPTABLES_RULESETS = {
    "policy": IPTABLES + "iptables -P INPUT DROP",
    "ports": IPTABLES
    + f"""iptables -A INPUT -p udp -m multiport --dports 53,51820:51829 -s {PEER} -j ACCEPT
    iptables -A INPUT -p esp -j ACCEPT; iptables -A INPUT ! -i eth1 -j ACCEPT
    iptables -A INPUT -p tcp --syn -m addrtype --dst-type LOCAL -j ACCEPT; iptables -A INPUT -j REJECT""",
    "chains": IPTABLES
    + """iptables -N vpn; iptables -N log; iptables -A log -m limit --limit 3/min -j LOG; iptables -A log -j RETURN
    iptables -A vpn -p udp --dport 5000 -j RETURN; iptables -A vpn -p udp -j ACCEPT
    iptables -A INPUT -j log; iptables -A INPUT -j vpn; iptables -A INPUT -p 115 -j ACCEPT; iptables -P INPUT DROP""",
    "raw": "iptables -t raw -A PREROUTING -p udp --dport 51820 -j DROP; iptables -t mangle -A INPUT -p esp -j DROP",
}


@pytest.fixture
def b(net: NetBench) -> Iterator[HostSession]:
    """The host whose firewall is tried."""
    yield net.sessions.b
    net.hosts.b.run("nft flush ruleset; iptables-legacy -P INPUT ACCEPT; iptables-legacy -F")


@pytest.fixture
def trial(net: NetBench) -> PacketTrial:
    return PacketTrial(net.hosts.a, net.hosts.b, OWN)


def load(host: HostSession, ruleset: str) -> None:
    done = host.run(
        Command(("nft", "-f", "-"), stdin=ruleset.replace("}}", "}\n}\n").encode(), is_root=True), token=CancelToken()
    )
    assert done.is_ok, done.stderr


def read(host: HostSession) -> Firewall:
    before = sh(host, "nft -a list ruleset | sed 's/packets.*bytes [0-9]*//'")
    firewall = read_firewall(host, token=CancelToken())
    assert sh(host, "nft -a list ruleset | sed 's/packets.*bytes [0-9]*//'") == before
    return firewall


def check_agrees(firewall: Firewall, trial: PacketTrial) -> set[Opening]:
    """See that what is reported is what packets do, and return what is blocked."""
    assert not uncertain(firewall, OPENINGS, INTERFACE)
    blocked = firewall.blocked(OPENINGS, INTERFACE)
    assert set(OPENINGS) - {one.opening for one in blocked} == trial.arrived(OPENINGS), blocked
    return {one.opening for one in blocked}


def steps_of(firewall: Firewall, openings: Iterable[Opening]) -> tuple[PlanStep, ...]:
    places = {one: firewall.places(one, INTERFACE) for one in openings}
    return opening_steps(firewall.owner, places, tag="test", interface=INTERFACE)


def run(host: HostSession, command: Command | None) -> bool:
    assert command is not None
    return host.run(command, token=CancelToken()).is_ok


def open_and_close(host: HostSession, trial: PacketTrial, steps: tuple[PlanStep, ...], openings: set[Opening]) -> None:
    """Open a firewall twice, see that packets arrive and no others, close it twice."""
    before = sh(host, "nft -s list ruleset; iptables-legacy-save | grep -v '^[#:]' || :")
    arrived = trial.arrived(OPENINGS)
    for step in steps:
        assert not run(host, step.health_check)
        assert run(host, step.command)
        assert run(host, step.command)
        assert run(host, step.health_check)
    assert trial.arrived(OPENINGS) == arrived | openings
    # What a tunnel opened goes with it, and is not there for another one.
    assert {one.opening for one in read(host).blocked(OPENINGS, INTERFACE)} == set(OPENINGS) - arrived
    for step in (*steps, *steps):
        assert run(host, step.undo)
    assert sh(host, "nft -s list ruleset; iptables-legacy-save | grep -v '^[#:]' || :") == before
    assert trial.arrived(OPENINGS) == arrived


@pytest.mark.parametrize("name", NFT_RULESETS)
def test_rules_of_nftables_are_read_as_packets_find_them(b: HostSession, trial: PacketTrial, name: str) -> None:
    load(b, NFT_RULESETS[name])
    firewall = read(b)
    blocked = check_agrees(firewall, trial)
    assert bool(blocked) == (name not in ("none", "other-families"))


@pytest.mark.parametrize("name", IPTABLES_RULESETS)
def test_rules_of_iptables_are_read_as_packets_find_them(b: HostSession, trial: PacketTrial, name: str) -> None:
    sh(b, IPTABLES_RULESETS[name])
    assert check_agrees(read(b), trial)


def test_rules_of_the_older_iptables_are_read_as_packets_find_them(b: HostSession, trial: PacketTrial) -> None:
    sh(b, IPTABLES_RULESETS["ports"].replace("iptables ", "iptables-legacy "))
    firewall = read(b)
    assert firewall.owner is Owner.IPTABLES_LEGACY
    assert check_agrees(firewall, trial) == {OTHER_UDP, AH, L2TP, PING}
    steps = steps_of(firewall, (L2TP,))
    open_and_close(b, trial, steps, {L2TP})


def test_what_is_not_understood_is_uncertain(b: HostSession) -> None:
    load(b, HEAD + "udp sport 51820 udp dport 51820 accept\nlimit rate 1/hour accept\n}}")
    firewall = read(b)
    assert firewall.blocked(OPENINGS, INTERFACE) == ()
    reasons = uncertain(firewall, OPENINGS, INTERFACE)
    assert reasons[UDP] == '"udp sport 51820 udp dport 51820 accept" of chain input in table inet filter'
    assert reasons[ESP].startswith('"limit rate 1/hour ')


def test_policy_and_rules_are_quoted(b: HostSession) -> None:
    load(b, HEAD + "tcp dport 1194 counter drop\n}}")
    blocked = {one.opening: one.rule for one in read(b).blocked((UDP, TCP), INTERFACE)}
    assert blocked == {
        UDP: "policy drop of chain input in table inet filter",
        TCP: '"tcp dport 1194 drop" of chain input in table inet filter',
    }


@pytest.mark.parametrize("name", ["drop", "reject", "two-tables", "interfaces"])
def test_openings_in_rules_of_nftables(b: HostSession, trial: PacketTrial, name: str) -> None:
    load(b, NFT_RULESETS[name])
    firewall = read(b)
    assert firewall.owner is Owner.NFTABLES
    openings = tuple(one.opening for one in firewall.blocked((UDP, TCP, ESP), INTERFACE))
    assert openings
    steps = steps_of(firewall, openings)
    open_and_close(b, trial, steps, set(openings))


@pytest.mark.parametrize("name", ["policy", "ports"])
def test_openings_in_rules_of_iptables(b: HostSession, trial: PacketTrial, name: str) -> None:
    sh(b, IPTABLES_RULESETS[name])
    firewall = read(b)
    assert firewall.owner is Owner.IPTABLES
    steps = steps_of(firewall, (L2TP, PING))
    open_and_close(b, trial, steps, {L2TP, PING})


def test_openings_in_tables_of_several_tools_and_before_routing(b: HostSession, trial: PacketTrial) -> None:
    early = "table ip early { chain pre { type filter hook prerouting priority -150; policy drop;\n"
    load(b, NFT_RULESETS["drop"] + "\n" + early + 'iifname "mgmt0" accept\nct state established accept\n}}')
    sh(b, IPTABLES_RULESETS["policy"])
    sh(b, IPTABLES_RULESETS["policy"].replace("iptables ", "iptables-legacy "))
    firewall = read(b)
    assert {one.opening for one in firewall.blocked(OPENINGS, INTERFACE)} == set(OPENINGS)
    openings = (UDP, TCP, AH)
    open_and_close(b, trial, steps_of(firewall, openings), set(openings))


def test_opening_is_gone_after_a_reload_and_leaves_rules_of_others(b: HostSession, trial: PacketTrial) -> None:
    theirs = f'ip saddr {PEER} udp dport 51820 accept comment "tunnelmark other udp 51820 from {PEER}"\n}}}}'
    load(b, HEAD + theirs)
    before = sh(b, "nft -s list ruleset")
    (step,) = steps_of(read(b), (UDP,))
    assert run(b, step.command)
    assert sh(b, "nft -s list ruleset") != before
    assert run(b, step.undo)
    assert sh(b, "nft -s list ruleset") == before
    assert run(b, step.command)
    sh(b, "nft flush ruleset")
    load(b, NFT_RULESETS["drop"])
    assert not run(b, step.health_check)
    assert UDP not in trial.arrived(OPENINGS)
    assert run(b, step.undo)


def test_chains_that_did_not_drop_and_those_made_later_are_not_opened(b: HostSession, trial: PacketTrial) -> None:
    users = "table ip users { chain in { type filter hook input priority -5; policy accept;\n"
    load(b, NFT_RULESETS["drop"] + "\n" + users + "ip saddr 203.0.113.9 drop\n}}")
    kept = sh(b, "nft list table ip users")
    (step,) = steps_of(read(b), (UDP,))
    assert run(b, step.command)
    assert UDP in trial.arrived(OPENINGS)
    assert sh(b, "nft list table ip users") == kept
    # In an emergency.
    load(b, f"table inet quarantine {{ chain in {{ type filter hook input priority -9; ip saddr {PEER} drop\n}}}}")
    assert run(b, step.health_check)
    assert run(b, step.command)
    assert trial.arrived(OPENINGS) == set()
    sh(b, "nft delete table inet quarantine")
    assert run(b, step.undo)
    assert UDP not in trial.arrived(OPENINGS)


def test_opening_for_an_interface_opens_no_other(b: HostSession, trial: PacketTrial) -> None:
    load(b, NFT_RULESETS["drop"])
    inside = Opening("tcp", TCP.port, PEER, "eth1")
    elsewhere = Opening("udp", UDP.port, PEER, "tml0")
    for step in steps_of(read(b), (inside, elsewhere)):
        assert run(b, step.command)
    assert trial.arrived(OPENINGS) == {TCP}


def test_nothing_is_made_where_there_are_no_rules(b: HostSession, trial: PacketTrial) -> None:
    firewall = read(b)
    assert firewall == Firewall(Owner.NONE, firewall.ruleset)
    assert check_agrees(firewall, trial) == set()
    (step,) = opening_steps(Owner.NFTABLES, {UDP: ()}, tag="test", interface=INTERFACE)
    assert run(b, step.command)
    assert run(b, step.health_check)
    assert run(b, step.undo)
    assert sh(b, "nft list ruleset") == ""
