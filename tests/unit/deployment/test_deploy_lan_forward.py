"""Rules for forwarding that drop what is bridged are found."""

from __future__ import annotations

import pytest

from app.deployment.lan.forward import forward_drop

PORT, BRIDGE = "eth2", "tmlbr0"


DOCKER = """*filter
:INPUT ACCEPT [0:0]
:FORWARD {policy} [0:0]
:DOCKER-USER - [0:0]
-A FORWARD -j DOCKER-USER
-A FORWARD -o docker0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A FORWARD -i docker0 ! -o docker0 -j ACCEPT
{more}
-A DOCKER-USER -j RETURN
COMMIT
"""


@pytest.mark.parametrize(
    ("policy", "more", "found"),
    [
        ("DROP", "", "policy DROP of the chain FORWARD (iptables)"),
        ("DROP", "-A FORWARD -i tmlbr0 -o tmlbr0 -j ACCEPT", ""),
        ("DROP", "-A DOCKER-USER -i tmlbr0 -o tmlbr0 -m comment --comment x -j ACCEPT", ""),
        ("DROP", "-A FORWARD -m physdev --physdev-is-bridged -j ACCEPT", ""),
        ("DROP", "-A FORWARD -i tmlbr0 -s 10.0.0.0/8 -j ACCEPT", "policy DROP of the chain FORWARD (iptables)"),
        ("ACCEPT", "", ""),
        ("ACCEPT", "-A FORWARD -i eth0 -j DROP", ""),
        ("ACCEPT", "-A FORWARD ! -i eth0 -j REJECT", '"-A FORWARD ! -i eth0 -j REJECT" (iptables)'),
        ("ACCEPT", "-A FORWARD -i eth2 -j DROP", '"-A FORWARD -i eth2 -j DROP" (iptables)'),
        ("ACCEPT", "-A DOCKER-USER -s 10.0.0.9 -j DROP", '"-A DOCKER-USER -s 10.0.0.9 -j DROP" (iptables)'),
    ],
)
def test_rules_of_iptables_that_drop_bridged_frames(policy: str, more: str, found: str) -> None:
    saved = {"iptables": DOCKER.format(policy=policy, more=more)}
    assert forward_drop("", saved, ("ip",), (BRIDGE, PORT), left_out=frozenset()) == found
    assert forward_drop("", saved, ("ip6",), (BRIDGE, PORT), left_out=frozenset()) == ""


NFT_FORWARD = """table inet filter {{
	chain forward {{
		type filter hook forward priority filter; policy {policy};
		{rule}
	}}
	chain lan {{
		accept
	}}
}}
"""


@pytest.mark.parametrize(
    ("policy", "rule", "found"),
    [
        ("accept", 'iifname "eth0" drop', ""),
        (
            "accept",
            'iifname "eth2" counter drop',
            '"iifname "eth2" counter drop" (chain forward of the table inet filter)',
        ),
        (
            "accept",
            "ct state vmap { established : accept, invalid : drop }",
            '"ct state vmap { established : accept, inv',
        ),
        ("drop", 'iifname "tmlbr0" oifname "tmlbr0" counter accept', ""),
        ("drop", 'iifname "tmlbr0" goto lan', ""),
        (
            "drop",
            'iifname "tmlbr0" ip saddr 10.0.0.1 accept',
            "policy drop of the chain forward of the table inet filter",
        ),
    ],
)
def test_rules_of_nftables_that_drop_bridged_frames(policy: str, rule: str, found: str) -> None:
    listing = NFT_FORWARD.format(policy=policy, rule=rule)
    result = forward_drop(listing, {}, ("ip",), (BRIDGE, PORT), left_out=frozenset())
    assert result.startswith(found)
    assert bool(result) == bool(found)
    assert forward_drop(listing, {}, (), (BRIDGE, PORT), left_out=frozenset()) == ""
