"""Firewall rules that name a LAN port: which are added for its bridge, with what text, and which cannot be."""

from __future__ import annotations

import pytest

from app.deployment.lan.iptables import copies_of as iptables_copies
from app.deployment.lan.matches import CannotBeCopied
from app.deployment.lan.messages import (
    RULE_BECAUSE,
    RULE_CHANGES_PACKETS,
    RULE_EXCEPTS_PATTERN,
    RULE_EXCEPTS_PORT,
    RULE_IN_TABLE,
    RULE_IN_UNCALLED,
    RULE_NAMES_PART,
    RULE_ON_CLOCK,
    RULE_ONE_OF_MANY,
    RULE_PART_UNREAD,
    RULE_USED_TO_CHANGE,
    TABLE_CHANGES_BRIDGED,
)
from app.deployment.lan.nft import copies_of as nft_copies
from app.deployment.lan.rules import parse_lan_rules, texts_of
from app.domain.messages import MessageForm
from support.message_checks import has_message

PORT, BRIDGE = "eth2", "tmlbr0"


NFT = """table inet filter {
    set lans {
        type ifname
        elements = { "eth3",
                 "eth2" comment "a, b" }
    }

    set pairs {
        type ifname . ipv4_addr
        elements = { "eth2" . 10.0.0.1, "eth3" . 10.0.0.2 }
    }

    set numbers {
        type iface_index
        elements = { "eth2" }
    }

    set brief {
        type ifname
        flags dynamic,timeout
        elements = { "eth2" timeout 1h expires 59m }
    }

    map ways {
        type ifname : verdict
        elements = { "lo" : accept,
                 "eth2" comment "c : d" : jump lan }
    }

    chain lan {
    }

    chain input {
        type filter hook input priority filter; policy drop;
        iifname "eth2" tcp dport 8080 drop
        iifname "eth2" tcp dport 8080 drop
        iifname @lans accept
        ip saddr 10.0.0.2 accept comment "eth2"
    }

    chain early {
        type filter hook ingress device "eth2" priority filter; policy accept;
        iifname "eth2" drop
    }
}
table netdev early {
    chain in {
        type filter hook ingress device "eth2" priority filter; policy accept;
        iifname "eth2" drop
    }
}
table bridge b {
    chain in {
        iifname "eth2" drop
    }
}
table inet tunnelmark_tml0 {
    chain in {
        iifname "eth2" drop
    }
}
table inet others { # progname firewalld
    flags owner
    chain in {
        type filter hook input priority filter; policy accept;
        iifname "eth2" drop
    }
}
"""


HOOK = "\t\ttype filter hook input priority filter; policy accept;\n"


def moved(sections: dict[str, str]) -> list[str]:
    return [f"{one.words} [{one.nth}]" for one in parse_lan_rules(sections, PORT, BRIDGE).moved]


def test_rules_and_sets_of_nftables() -> None:
    found = parse_lan_rules({"nft": NFT}, PORT, BRIDGE)
    assert [f"{one.words} [{one.nth}]" for one in found.moved] == [
        'nft: element of set inet filter lans: "tmlbr0" [1]',
        'nft: element of set inet filter pairs: "tmlbr0" . 10.0.0.1 [1]',
        'nft: element of set inet filter ways: "tmlbr0" : jump lan [1]',
        'nft: rule in inet filter input: iifname "tmlbr0" tcp dport 8080 drop [1]',
        'nft: rule in inet filter input: iifname "tmlbr0" tcp dport 8080 drop [2]',
    ]
    assert found.moved[0].original == '"eth2" comment "a, b"'
    assert texts_of(found.refused) == (
        '"eth2" (set inet filter numbers) is known by its number, and the bridge has none before it is made',
        '"eth2" timeout 1h expires 59m (set inet filter brief) is in a set whose elements come and go',
        'iifname "eth2" drop (inet others in) is in a table that belongs to a program',
    )


@pytest.mark.parametrize(
    ("rule", "copies"),
    [
        ('iifname "eth2" tcp dport 8080 drop', ['iifname "tmlbr0" tcp dport 8080 drop']),
        ('iif "eth2" accept comment "eth2"', ['iifname "tmlbr0" accept']),
        ('oif { "lo", "eth2" } counter accept', ['oifname "tmlbr0" counter accept']),
        ('iifname "eth*" accept', ['iifname "tmlbr0" accept']),
        ('iifname vmap { "lo" : accept, "eth2" : jump lan }', ['iifname vmap { "tmlbr0" : jump lan }']),
        (
            'iifname "eth2" limit rate 5/second log prefix "eth2 in" drop',
            ['iifname "tmlbr0" limit rate 5/second log prefix "eth2 in" drop'],
        ),
        ('iifname "eth2" oifname != "eth2" drop', ['iifname "tmlbr0" oifname != "tmlbr0" drop']),
        (
            'iifname "eth2" oifname != { "eth2", "eth3" } drop',
            ['iifname "tmlbr0" oifname != { "tmlbr0", "eth3" } drop'],
        ),
        (
            'iifname { "eth2", "eth3" } oifname { "eth2", "eth4" } accept',
            [
                'iifname "tmlbr0" oifname { "eth2", "eth4" } accept',
                'iifname { "eth2", "eth3" } oifname "tmlbr0" accept',
                'iifname "tmlbr0" oifname "tmlbr0" accept',
            ],
        ),
        ('iifname "eth20" accept', []),
        ('iifname "eth1" oifname "eth10" accept', []),
        ('iifname "eth1" log prefix "eth2 in" accept', []),
        ('iifname "eth1" log prefix "eth2" accept comment "eth2"', []),
        ('iifname { "eth2", "tmlbr0" } accept', []),
        ('iifname "*" accept', []),
        ('iifname != { "eth2", "tmlbr0" } drop', []),
        ("fib saddr . iif oif missing drop", []),
        ("iifname @lans accept", []),
    ],
)
def test_copies_of_a_rule_of_nftables(rule: str, copies: list[str]) -> None:
    assert list(nft_copies(rule, PORT, BRIDGE)) == copies


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ('iifname != "eth2" drop', RULE_EXCEPTS_PORT),
        ('iifname != { "eth2", "eth3" } drop', RULE_EXCEPTS_PORT),
        ('iifname { "eth2", "eth3" } oifname != "eth2" drop', RULE_EXCEPTS_PORT),
        ('iifname "eth2" oifname != "eth*" drop', RULE_EXCEPTS_PATTERN),
        ('iifname . ip saddr { "eth2" . 10.0.0.9 } accept', RULE_NAMES_PART),
        ('ip saddr . iifname 10.0.0.9 . "eth2" accept', RULE_NAMES_PART),
        ('meta mark set iifname map { "eth1" : 0x00000001, "eth2" : 0x00000002 }', RULE_CHANGES_PACKETS),
        ('iifname "eth2" tcp flags syn tcp option maxseg size set rt mtu', RULE_CHANGES_PACKETS),
        ('iifname "eth2" notrack', RULE_CHANGES_PACKETS),
        ('iifname "eth2" meta hour "08:00"-"17:00" drop', RULE_ON_CLOCK),
        ('iifname "eth2" meta day "Sunday" drop', RULE_ON_CLOCK),
        ('iifname "eth2" meta time >= "2026-01-01 00:00:00" drop', RULE_ON_CLOCK),
        ('iifname "eth2" xt match "u32" drop', RULE_PART_UNREAD),
        ('iifname "eth2" log prefix "a\tb" drop', RULE_PART_UNREAD),
        ('iifname "eth2" drop comment "a\tb"', RULE_PART_UNREAD),
        ('iifname "eth2" drop comment "\ufffd"', RULE_PART_UNREAD),
    ],
)
def test_rules_of_nftables_without_a_copy(rule: str, reason: MessageForm) -> None:
    with pytest.raises(CannotBeCopied, check=has_message(reason)):
        nft_copies(rule, PORT, BRIDGE)


@pytest.mark.parametrize(
    ("rule", "copies"),
    [
        (
            "-A INPUT -i eth2 -p tcp -m tcp --dport 8080 -j DROP",
            ["-A INPUT -i tmlbr0 -p tcp -m tcp --dport 8080 -j DROP"],
        ),
        ("-A INPUT -i eth+ -j ACCEPT", ["-A INPUT -i tmlbr0 -j ACCEPT"]),
        ("-A FORWARD -i eth2 ! -o eth2 -j DROP", ["-A FORWARD -i tmlbr0 ! -o tmlbr0 -j DROP"]),
        (
            "-A FORWARD -i eth+ -o eth+ -j ACCEPT",
            [
                "-A FORWARD -i tmlbr0 -o eth+ -j ACCEPT",
                "-A FORWARD -i eth+ -o tmlbr0 -j ACCEPT",
                "-A FORWARD -i tmlbr0 -o tmlbr0 -j ACCEPT",
            ],
        ),
        (
            '-A INPUT -i eth2 -m comment --comment "it\'s \\"-i eth2\\"" -j LOG --log-prefix "-i eth2 "',
            ['-A INPUT -i tmlbr0 -j LOG --log-prefix "-i eth2 "'],
        ),
        ("-A INPUT -i eth20 -j ACCEPT", []),
        ("-A INPUT -i eth0 -m comment --comment -i -j ACCEPT", []),
        ("-A INPUT -m comment --comment eth2 -j ACCEPT", []),
        ("-A INPUT -i tml+ -j ACCEPT", []),
    ],
)
def test_copies_of_a_rule_of_iptables(rule: str, copies: list[str]) -> None:
    assert list(iptables_copies(rule, PORT, BRIDGE)) == copies


@pytest.mark.parametrize("rule", ["-A FORWARD ! -i eth2 -j DROP", "-A FORWARD -i eth0 ! -o eth2 -j DROP"])
def test_rules_of_iptables_without_a_copy(rule: str) -> None:
    with pytest.raises(CannotBeCopied, check=has_message(RULE_EXCEPTS_PORT)):
        iptables_copies(rule, PORT, BRIDGE)


OF_IPTABLES = """table ip filter {
	chain INPUT {
		type filter hook input priority filter; policy accept;
		iifname "eth2" tcp dport 8080 counter drop
	}
}
"""


SAVED = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -i eth2 -p tcp -m tcp --dport 8080 -j DROP\nCOMMIT\n"


def test_tables_are_left_to_the_program_that_lists_them_in_full() -> None:
    line = "rule in filter INPUT: -i tmlbr0 -p tcp -m tcp --dport 8080 -j DROP [1]"
    assert moved({"nft": OF_IPTABLES, "save nft iptables-nft": SAVED}) == [f"iptables-nft: {line}"]
    assert moved({"nft": OF_IPTABLES, "save nft iptables-nft": SAVED, "save legacy iptables-legacy": SAVED}) == [
        f"iptables-legacy: {line}",
        f"iptables-nft: {line}",
    ]
    mixed = OF_IPTABLES.replace("\t}\n}", '\t\tiifname "eth3" accept\n\t}\n}')
    (of_nft,) = moved({"nft": mixed, "save nft iptables-nft": SAVED})
    assert of_nft == 'nft: rule in ip filter INPUT: iifname "tmlbr0" tcp dport 8080 counter drop [1]'
    assert moved({"save legacy ip6tables": SAVED}) == [f"ip6tables: {line}"]


def test_rules_of_ufw_and_of_docker_are_moved_by_iptables() -> None:
    saved = (
        "*filter\n:INPUT DROP [0:0]\n-A INPUT -j ufw-user-input\n"
        "-A ufw-user-input -i eth2 -p tcp -m tcp --dport 22 -j ACCEPT\nCOMMIT\n"
    )
    (rule,) = moved({"save legacy iptables": saved})
    assert rule == "iptables: rule in filter ufw-user-input: -i tmlbr0 -p tcp -m tcp --dport 22 -j ACCEPT [1]"


FW4 = """table inet fw4 {
	chain input {
		type filter hook input priority filter; policy drop;
		iifname { "eth2", "br-lan" } jump input_lan comment "!fw4: Handle lan IPv4/IPv6 input traffic"
		jump accept_to_lan
		iifname "eth1" jump input_wan comment "!fw4: Handle wan IPv4/IPv6 input traffic"
	}
	chain accept_to_lan {
		oifname { "eth2", "br-lan" } counter accept comment "!fw4: accept lan IPv4/IPv6 traffic"
	}
}
"""


def test_zones_of_fw4() -> None:
    assert moved({"nft": FW4}) == [
        'nft: rule in inet fw4 input: iifname "tmlbr0" jump input_lan [1]',
        'nft: rule in inet fw4 accept_to_lan: oifname "tmlbr0" counter accept [1]',
    ]


def test_what_is_there_for_the_bridge_is_not_added_and_our_own_copies_do_not_count() -> None:
    theirs = FW4.replace('"br-lan" }', '"tmlbr0" }')
    assert moved({"nft": theirs}) == []
    rule = '\t\tiifname "eth2" drop\n\t\tiifname "tmlbr0" dropCOMMENT\n'
    table = "table ip t {\n\tchain c {\n" + HOOK + rule + "\t}\n}\n"
    assert moved({"nft": table.replace("COMMENT", ' comment "mine"')}) == []
    assert len(moved({"nft": table.replace("COMMENT", ' comment "tunnelmark 0011 lan 1"')})) == 1


def test_more_rules_than_a_command_can_hold_are_refused() -> None:
    rules = "".join(f'\t\tiifname "eth2" tcp dport {number} accept\n' for number in range(1, 1200))
    found = parse_lan_rules({"nft": f"table ip t {{\n\tchain c {{\n{HOOK}{rules}\t}}\n}}\n"}, PORT, BRIDGE)
    assert found.moved == ()
    assert len(found.refused) == 1199
    assert has_message(RULE_ONE_OF_MANY)(texts_of(found.refused)[0])


OF_NAT = """table ip plant {
	set outward {
		type ifname
		elements = { "eth2" }
	}
	set marked {
		type ifname
		elements = { "eth2" }
	}
	map ways {
		type ifname : verdict
		elements = { "eth2" : jump hide }
	}
	chain post {
		type nat hook postrouting priority srcnat; policy accept;
		oifname "eth2" masquerade
		oifname vmap @ways
		oifname @outward ip saddr 10.0.0.0/8 snat to 192.0.2.1
	}
	chain hide {
		oifname "eth2" accept
	}
	chain early {
		type filter hook prerouting priority raw; policy accept;
		iifname "eth2" drop
	}
	chain forward {
		type filter hook forward priority filter; policy accept;
		iifname @marked meta mark set 0x00000001
		iifname "eth2" ct status dnat accept
		jump both
	}
	chain local {
		type nat hook output priority dstnat; policy accept;
		jump both
	}
	chain both {
		iifname "eth2" drop
	}
	chain unused {
		iifname "eth2" drop
	}
}
"""


def test_only_rules_that_filter_are_moved() -> None:
    found = parse_lan_rules({"nft": OF_NAT}, PORT, BRIDGE)
    assert [one.words for one in found.moved] == [
        'nft: rule in ip plant forward: iifname "tmlbr0" ct status dnat accept'
    ]
    reasons = {rule.rpartition("(")[2].rstrip(")"): reason for rule, reason in found.refused}
    nat = TABLE_CHANGES_BRIDGED(what="type nat hook postrouting")
    assert reasons == {
        "set ip plant outward": nat,
        "set ip plant marked": RULE_USED_TO_CHANGE(),
        "map ip plant ways": nat,
        "ip plant post": nat,
        "ip plant hide": nat,
        "ip plant early": TABLE_CHANGES_BRIDGED(what="type filter hook prerouting"),
        "ip plant both": TABLE_CHANGES_BRIDGED(what="type nat hook output"),
        "ip plant unused": RULE_IN_UNCALLED(),
    }


@pytest.mark.parametrize("table", ["nat", "mangle", "raw", "security"])
@pytest.mark.parametrize("head", ["save legacy iptables-legacy", "save nft ip6tables-nft"])
def test_only_the_table_filter_of_iptables_is_moved(table: str, head: str) -> None:
    saved = f"*{table}\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -o eth2 -j ACCEPT\n-A OUTPUT -o eth0 -j ACCEPT\nCOMMIT\n"
    found = parse_lan_rules({head: saved}, PORT, BRIDGE)
    assert found.moved == ()
    (text,) = texts_of(found.refused)
    assert text.startswith("-A OUTPUT -o eth2 -j ACCEPT (")
    assert has_message(RULE_BECAUSE, why=RULE_IN_TABLE(table=table))(text)


@pytest.mark.parametrize("head", ["counter", "limit rate 5/second", "quota 1 mbytes", "flags interval"])
def test_sets_that_count_and_sets_of_ranges_are_refused(head: str) -> None:
    text = f'table ip t {{\n\tset s {{\n\t\ttype ifname\n\t\t{head}\n\t\telements = {{ "eth2" }}\n\t}}\n}}\n'
    found = parse_lan_rules({"nft": text}, PORT, BRIDGE)
    assert found.moved == ()
    reason = "is in a set of ranges" if "interval" in head else "is in a set whose elements count or limit"
    assert [reason for _, reason in found.refused] == [reason]
