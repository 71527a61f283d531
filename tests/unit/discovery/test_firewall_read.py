"""Firewalls as the tools that own them set them up, and the script that reads them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.discovery.firewall.read import _SCRIPT, Firewall, parse_firewall_output
from app.discovery.messages import CHAIN_IN_TABLE, POLICY_DROP
from app.domain.firewall import Opening, Owner
from support.deploy_world import SHELLS
from support.firewall_fates import uncertain

MARK = "#f00d"
UDP = Opening("udp", 51820, "192.0.2.1")
SSH = Opening("tcp", 22, "192.0.2.1")
ESP = Opening("esp", 0, "192.0.2.1")
L2TP = Opening("l2tp", 0, "192.0.2.1")
PING = Opening("icmp", 0, "192.0.2.1")
ALL = (UDP, SSH, ESP, L2TP, PING)

UFW = (Path(__file__).parents[1] / "recorded" / "firewall-ufw.txt").read_text()
"""Output of iptables-save 1.8.9 after `ufw enable`, `ufw allow 22/tcp`, and a rule for udp 5000, with ufw 0.36.2."""

DOCKER = """
*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:DOCKER - [0:0]
-A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER
-A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
-A DOCKER -i docker0 -j RETURN
-A DOCKER ! -i docker0 -p tcp -m tcp --dport 8080 -j DNAT --to-destination 172.17.0.2:80
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
:DOCKER - [0:0]
:DOCKER-ISOLATION-STAGE-1 - [0:0]
:DOCKER-USER - [0:0]
-A FORWARD -j DOCKER-USER
-A FORWARD -j DOCKER-ISOLATION-STAGE-1
-A FORWARD -o docker0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A DOCKER -d 172.17.0.2/32 ! -i docker0 -o docker0 -p tcp -m tcp --dport 80 -j ACCEPT
-A DOCKER-USER -j RETURN
COMMIT
"""

FIREWALLD = """
table inet firewalld {
  chain filter_PREROUTING {
    type filter hook prerouting priority 10; policy accept;
    icmpv6 type { nd-router-advert, nd-neighbor-solicit } accept
    meta nfproto ipv6 fib saddr . mark . iif oif missing drop
  }
  chain filter_INPUT {
    type filter hook input priority 10; policy accept;
    ct state { established, related } accept
    ct status dnat accept
    iifname "lo" accept
    ct state invalid drop
    jump filter_INPUT_ZONES
    reject with icmpx admin-prohibited
  }
  chain filter_INPUT_ZONES {
    iifname "eth1" goto filter_IN_public
    goto filter_IN_public
  }
  chain filter_IN_public {
    jump filter_IN_public_pre
    jump filter_IN_public_deny
    jump filter_IN_public_allow
    meta l4proto { icmp, ipv6-icmp } accept
    reject with icmpx admin-prohibited
  }
  chain filter_IN_public_pre {
  }
  chain filter_IN_public_deny {
  }
  chain filter_IN_public_allow {
    tcp dport 22 accept
    ip6 daddr fe80::/64 udp dport 546 accept
  }
}
"""

FW4 = """
table inet fw4 {
  chain input {
    type filter hook input priority 0; policy drop;
    iif "lo" accept
    ct state vmap { established : accept, related : accept }
    tcp flags & (fin | syn | rst | ack) == syn jump syn_flood
    iifname "br-lan" jump input_lan
    iifname "eth1" jump input_wan
    jump handle_reject
  }
  chain input_lan { jump accept_from_lan
  }
  chain accept_from_lan { iifname "br-lan" counter accept
  }
  chain input_wan {
    meta nfproto ipv4 udp dport 68 counter accept
    icmp type echo-request counter accept
    meta nfproto ipv4 meta l4proto esp counter accept
    jump reject_from_wan
  }
  chain reject_from_wan { iifname "eth1" counter jump handle_reject
  }
  chain handle_reject {
    meta l4proto tcp reject with tcp reset
    reject with icmp port-unreachable
  }
  chain syn_flood {
    limit rate 25/second burst 50 packets return
    drop
  }
}
"""


def output(owners: str = "", **sections: str) -> str:
    """Return what the script prints."""
    parts = [f"\n{MARK} owners\n{owners}"]
    parts += [f"\n{MARK} {name.replace('_', ' ').replace(' save', '-save')}\n{text}" for name, text in sections.items()]
    return "".join([*parts, f"\n{MARK} end\n"])


def read(owners: str = "", **sections: str) -> Firewall:
    return parse_firewall_output(output(owners, **sections), MARK)


def as_json(rules: str) -> str:
    """Return a ruleset as nft prints it, from a network of its own."""
    argv = ["unshare", "-rn", "sh", "-c", "nft -f - && nft -j list ruleset"]
    return subprocess.run(argv, input=rules, capture_output=True, text=True, check=True).stdout


def blocked(firewall: Firewall) -> set[Opening]:
    assert not uncertain(firewall, ALL, "eth1")
    return {one.opening for one in firewall.blocked(ALL, "eth1")}


def test_ufw() -> None:
    firewall = read("ufw", iptables=UFW)
    assert firewall.owner is Owner.UFW
    assert blocked(firewall) == {UDP, ESP, L2TP}
    assert firewall.blocked((UDP,), "eth1")[0].rule == POLICY_DROP(
        place=CHAIN_IN_TABLE(chain="INPUT", table="filter of iptables")
    )
    # Enabled, and its rules gone since then: ufw does not own what is there now.
    assert read("ufw").owner is Owner.NONE


def test_docker() -> None:
    firewall = read(iptables=DOCKER)
    assert blocked(firewall) == set()
    (rule,) = uncertain(firewall, (Opening("tcp", 8080, "192.0.2.1"),), "eth1").values()
    assert "DNAT" in rule
    # Packets that are not translated have no such status, and the ports of containers do not make others uncertain.
    states = "-A INPUT -m conntrack --ctstate DNAT -j DROP\n-A INPUT -m state --state NEW -p esp -j DROP\n"
    assert blocked(read(iptables=DOCKER.replace("-A FORWARD -j DOCKER-USER\n", states))) == {ESP}


RECORDED = Path(__file__).parents[1] / "recorded"


def recorded(name: str) -> str:
    return (RECORDED / f"firewall-{name}.json").read_text()


def test_firewalld() -> None:
    firewall = read("firewalld", nft=recorded("firewalld"))
    assert firewall.owner is Owner.FIREWALLD
    assert blocked(firewall) == {UDP, ESP, L2TP}


def test_fw4() -> None:
    firewall = read("fw4", nft=recorded("fw4"))
    assert firewall.owner is Owner.FW4
    assert blocked(firewall) == {UDP, SSH, L2TP}
    assert firewall.blocked(ALL, "br-lan") == ()
    assert not uncertain(firewall, ALL, "br-lan")


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("nft"), reason="needs a network of its own")
@pytest.mark.parametrize(("name", "rules"), [("firewalld", FIREWALLD), ("fw4", FW4)])
def test_recorded_rules_are_these(name: str, rules: str) -> None:
    def plain(text: str) -> list[object]:
        items = json.loads(text)["nftables"]
        return [one for one in items if "metainfo" not in one]

    assert plain(as_json(rules)) == plain(recorded(name))


def test_owner_is_the_tool_whose_rules_may_drop() -> None:
    saved = "*filter\n:INPUT DROP [0:0]\nCOMMIT\n"
    empty = saved.replace("DROP", "ACCEPT")
    assert read(iptables=saved).owner is Owner.IPTABLES
    assert read(**{"legacy iptables-legacy": saved}).owner is Owner.IPTABLES_LEGACY
    assert read(**{"legacy iptables": saved}).owner is Owner.IPTABLES
    assert read(**{"legacy iptables-legacy": saved}, iptables=empty).owner is Owner.IPTABLES_LEGACY
    assert read(iptables=empty).owner is Owner.NONE
    assert read(nft=recorded("fw4")).owner is Owner.NFTABLES
    assert read().owner is Owner.NONE


def test_own_address_counts() -> None:
    saved = "*filter\n:INPUT DROP [0:0]\n-A INPUT -d 192.0.2.2/32 -j ACCEPT\nCOMMIT\n"
    one = "3: eth1    inet 192.0.2.2/24 scope global eth1\n"
    assert read(iptables=saved, addresses=one).blocked((UDP,), "eth1") == ()
    assert uncertain(read(iptables=saved, addresses=one), (UDP,), "eth1") == {}
    two = one + "3: eth1    inet 192.0.2.3/24 scope global secondary eth1\n"
    assert len(uncertain(read(iptables=saved, addresses=two), (UDP,), "eth1")) == 1
    assert len(uncertain(read(iptables=saved), (UDP,), "eth1")) == 1


@pytest.mark.parametrize(
    "text",
    [
        output(nft="Error: JSON support not compiled-in"),
        output(unlisted=""),
        output(missing=""),
        output(failed=""),
        output(iptables=UFW).partition(f"{MARK} end")[0],
        "",
    ],
)
def test_rules_that_cannot_be_read_block_nothing(text: str) -> None:
    assert parse_firewall_output(text, MARK).blocked(ALL, "eth1") == ()


def test_what_is_surely_dropped_is_blocked_whatever_else_there_may_be() -> None:
    firewall = read(iptables=UFW, failed="")
    assert {one.opening for one in firewall.blocked(ALL, "eth1")} == {UDP, ESP, L2TP}


def test_table_that_iptables_describes_in_part_is_read_from_nft() -> None:
    chain = {"family": "ip", "table": "filter", "name": "INPUT", "type": "filter", "hook": "input", "policy": "accept"}
    rule = {"family": "ip", "table": "filter", "chain": "INPUT", "handle": 1, "expr": [{"drop": None}]}
    listing = json.dumps({"nftables": [{"chain": chain}, {"rule": rule}]})
    saved = "*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n"
    assert blocked(read(iptables=saved, nft=listing)) == set(ALL)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*output("ufw", nft=recorded("fw4"), iptables=UFW).splitlines()]) | st.text()))
def test_reading_never_raises(lines: list[str]) -> None:
    firewall = parse_firewall_output("\n".join(lines), MARK)
    firewall.blocked(ALL, "eth1")
    uncertain(firewall, ALL, "eth1")


@pytest.mark.parametrize("shell", SHELLS)
def test_where_the_kernel_has_no_tables_no_program_is_started(shell: str, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("nft", "iptables-save", "iptables-nft-save", "iptables-legacy-save"):
        (programs / name).write_text(
            f'#!/bin/sh\ncase $* in -V) ;; *) echo "{name} $*" >> "{tmp_path}/started" ;; esac\n'
        )
        (programs / name).chmod(0o755)
    script = _SCRIPT.replace("/proc/", f"{tmp_path}/").replace("/sys/", f"{tmp_path}/").replace("/lib/", f"{tmp_path}/")
    script = script.replace(":/usr/local/sbin", f":{programs}:/usr/local/sbin").replace('PATH="$PATH:', 'PATH="')
    argv = [*shell.split(), "-c", script, "tunnelmark", MARK]

    def run() -> Firewall:
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        return parse_firewall_output(done.stdout, MARK)

    assert run().blocked(ALL, "eth1") == ()
    assert not (tmp_path / "started").exists()
    (tmp_path / "modules").write_text("nf_tables 1 0 - Live 0x0\n")
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "ip_tables_names").write_text("filter\n")
    run()
    started = (tmp_path / "started").read_text()
    assert "nft -j list ruleset" in started
    assert "iptables-legacy-save" in started or "iptables-save" in started
