"""Firewall rules that name a LAN port are found, however they are written."""

from __future__ import annotations

import pytest

from app.deploy.lan_firewall import rules_naming

NFT = """table inet filter {
    set lans {
        type ifname
        elements = { "eth3",
                 "eth2" }
    }
    chain input {
        type filter hook input priority filter; policy drop;
        iifname "eth2" tcp dport 8080 drop
        iifname { "lo", "eth2" } accept
        iifname "eth20" accept
        ip saddr 10.0.0.2 accept comment "eth2"
    }
    chain forward {
        oif "eth2" drop
    }
}"""
IPTABLES = """*filter
-A INPUT -i eth2 -p tcp -m tcp --dport 8080 -j DROP
-A INPUT -i eth+ -j ACCEPT
-A FORWARD ! -o eth2 -j DROP
-A INPUT -i eth20 -j ACCEPT
-A INPUT -m comment --comment eth2 -j ACCEPT
COMMIT"""


def test_rules_of_nftables_are_found() -> None:
    assert rules_naming(NFT, "eth2", "tmlbr0") == (
        'elements = { "eth3", "eth2" }',
        'iifname "eth2" tcp dport 8080 drop',
        'iifname { "lo", "eth2" } accept',
        'oif "eth2" drop',
    )
    assert rules_naming('iifname "eth*" accept', "eth2", "tmlbr0") == ('iifname "eth*" accept',)
    assert rules_naming('elements = { "eth3", "eth2" }', "eth2", "tmlbr0") != ()


def test_rules_of_iptables_are_found() -> None:
    assert rules_naming(IPTABLES, "eth2", "tmlbr0") == (
        "-A INPUT -i eth2 -p tcp -m tcp --dport 8080 -j DROP",
        "-A INPUT -i eth+ -j ACCEPT",
        "-A FORWARD ! -o eth2 -j DROP",
    )


@pytest.mark.parametrize("rule", ['iifname "eth2" drop', "-A INPUT -i eth2 -j DROP"])
def test_rule_that_is_there_for_the_bridge_too_is_none(rule: str) -> None:
    both = f"{rule}\n{rule.replace('eth2', 'tmlbr0')}"
    assert rules_naming(both, "eth2", "tmlbr0") == ()
    assert rules_naming(both, "eth2", "tmlbr1") == (rule,)


def test_elements_of_a_set_are_found_on_any_line() -> None:
    rules = 'set lans {\n type ifname\n elements = { "eth3",\n "eth2" }\n}'
    assert rules_naming(rules, "eth2", "tmlbr0") == ('elements = { "eth3", "eth2" }',)


@pytest.mark.parametrize(
    "rules",
    [
        'iifname { "eth2", "tmlbr0" } accept',
        'iifname "eth*" accept\niifname "tmlbr0" accept',
        "-A INPUT -i eth+ -j DROP\n-A INPUT -i tmlbr0 -j DROP",
    ],
)
def test_rule_that_covers_the_bridge_is_none(rules: str) -> None:
    assert rules_naming(rules, "eth2", "tmlbr0") == ()


@pytest.mark.parametrize("port", ["eth9", "tmlbr0", "ens.2"])
def test_other_ports_are_not_named(port: str) -> None:
    assert not [rule for rule in rules_naming(NFT, port, "br") if "*" not in rule]
