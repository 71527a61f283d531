"""Rules of nftables and iptables, read and evaluated."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.discovery.firewall.evaluate import fate
from app.discovery.firewall.iptables import parse_iptables
from app.discovery.firewall.model import Ruleset
from app.discovery.firewall.nft import parse_nft, rules_of_iptables
from app.domain.firewall import Fate, Opening

PEER = "192.0.2.1"
WIREGUARD = Opening("udp", 51820, PEER)
OPENVPN_TCP = Opening("tcp", 1194, PEER)
ESP = Opening("esp", 0, PEER)
L2TP = Opening("l2tp", 0, PEER)
PING = Opening("icmp", 0, PEER)
INSIDE = Opening("tcp", 5201, "10.0.0.1", "tml0")

A, D, U = Fate.ACCEPTED, Fate.DROPPED, Fate.UNKNOWN


def chain(name: str = "input", hook: str = "input", policy: str = "drop", family: str = "inet") -> dict[str, object]:
    body = {"family": family, "table": "t", "name": name, "handle": 1}
    if hook:
        body |= {"type": "filter", "hook": hook, "prio": 0, "policy": policy}
    return {"chain": body}


def rule(*expr: object, name: str = "input", family: str = "inet") -> dict[str, object]:
    return {"rule": {"family": family, "table": "t", "chain": name, "handle": 2, "expr": list(expr)}}


def nft(*items: object) -> Ruleset:
    found = parse_nft(json.dumps({"nftables": [{"metainfo": {"version": "1.0.6"}}, *items]}))
    assert found is not None
    return found


def match(left: object, right: object, op: str = "==") -> dict[str, object]:
    return {"match": {"op": op, "left": left, "right": right}}


def payload(protocol: str, field: str) -> dict[str, object]:
    return {"payload": {"protocol": protocol, "field": field}}


def meta(key: str) -> dict[str, object]:
    return {"meta": {"key": key}}


DPORT = payload("udp", "dport")
SADDR = payload("ip", "saddr")
STATE = {"ct": {"key": "state"}}
ACCEPT, DROP = {"accept": None}, {"drop": None}
LIMIT = {"limit": {"rate": 5, "burst": 5, "per": "minute"}}
EVERY_SECOND = {"rate": 25, "burst": 50, "per": "second"}


@pytest.mark.parametrize(
    ("expressions", "opening", "wanted"),
    [
        ([match(DPORT, 51820), ACCEPT], WIREGUARD, A),
        ([match(DPORT, 51821), ACCEPT], WIREGUARD, D),
        ([match(DPORT, {"set": [53, {"range": [51000, 52000]}]}), ACCEPT], WIREGUARD, A),
        ([match(DPORT, {"range": [1, 51819]}, "!="), ACCEPT], WIREGUARD, A),
        ([match(DPORT, 1024, ">="), ACCEPT], WIREGUARD, A),
        ([match(DPORT, 51820), ACCEPT], OPENVPN_TCP, D),
        # A rule that does not match udp's port matches udp alone.
        ([match(DPORT, 53, "!="), ACCEPT], ESP, D),
        ([match(payload("th", "dport"), 51820), ACCEPT], WIREGUARD, A),
        ([match(payload("th", "dport"), 51820), ACCEPT], ESP, U),
        ([match(payload("ip", "protocol"), "esp"), ACCEPT], ESP, A),
        ([match(meta("l4proto"), {"set": ["esp", "ah"]}), ACCEPT], ESP, A),
        ([match(meta("l4proto"), 115), ACCEPT], L2TP, A),
        ([match(meta("l4proto"), "tcp", "!="), ACCEPT], L2TP, A),
        ([match(payload("icmp", "type"), "echo-request"), ACCEPT], PING, A),
        ([match(payload("icmp", "type"), {"set": ["destination-unreachable"]}), ACCEPT], PING, D),
        ([match(SADDR, {"prefix": {"addr": "192.0.2.0", "len": 24}}), ACCEPT], WIREGUARD, A),
        ([match(SADDR, {"prefix": {"addr": "198.51.100.0", "len": 24}}), ACCEPT], WIREGUARD, D),
        ([match(SADDR, {"range": ["192.0.2.1", "192.0.2.9"]}, "!="), ACCEPT], WIREGUARD, D),
        ([match(payload("ip6", "saddr"), "::1"), ACCEPT], WIREGUARD, D),
        ([match(payload("ip", "daddr"), "192.0.2.2"), ACCEPT], WIREGUARD, U),
        ([match(meta("iifname"), "lo"), ACCEPT], WIREGUARD, D),
        ([match(meta("iifname"), "eth*"), ACCEPT], WIREGUARD, A),
        ([match(meta("iifname"), {"set": ["lo", "tml0"]}), ACCEPT], INSIDE, A),
        ([match(meta("iifgroup"), 3), ACCEPT], WIREGUARD, U),
        ([match(meta("nfproto"), "ipv6"), ACCEPT], WIREGUARD, D),
        ([match(meta("pkttype"), {"set": ["broadcast", "multicast"]}), ACCEPT], WIREGUARD, D),
        ([match(meta("mark"), 5), ACCEPT], WIREGUARD, D),
        ([match({"&": [meta("mark"), 255]}, 0), ACCEPT], WIREGUARD, A),
        ([match(STATE, ["established", "related"], "in"), ACCEPT], WIREGUARD, D),
        ([match(STATE, {"set": ["established", "new"]}), ACCEPT], WIREGUARD, A),
        ([match({"ct": {"key": "status"}}, "dnat", "in"), ACCEPT], WIREGUARD, D),
        ([match({"fib": {"result": "type", "flags": ["daddr"]}}, "local"), ACCEPT], WIREGUARD, A),
        ([match({"fib": {"result": "oif", "flags": ["saddr", "iif"]}}, False), ACCEPT], WIREGUARD, D),
        ([match({"&": [payload("tcp", "flags"), ["fin", "syn", "ack"]]}, "syn"), ACCEPT], OPENVPN_TCP, A),
        ([match({"&": [payload("tcp", "flags"), ["fin", "syn", "ack"]]}, "syn", "!="), ACCEPT], OPENVPN_TCP, D),
        ([LIMIT, ACCEPT], WIREGUARD, U),
        ([{"limit": EVERY_SECOND}, ACCEPT], WIREGUARD, A),
        ([{"limit": {**EVERY_SECOND, "inv": True}}, ACCEPT], WIREGUARD, D),
        ([{"limit": {**EVERY_SECOND, "rate_unit": "kbytes"}}, ACCEPT], WIREGUARD, U),
        ([{"xt": {"type": "match", "name": "u32"}}, ACCEPT], WIREGUARD, U),
        ([{"xt": None}, ACCEPT], WIREGUARD, U),
        ([{"counter": {"packets": 1, "bytes": 2}}, {"log": {"prefix": "x"}}, ACCEPT], WIREGUARD, A),
        ([{"queue": {"num": 1}}], WIREGUARD, U),
        ([{"something new": 1}], WIREGUARD, U),
        ([LIMIT, {"log": None}], WIREGUARD, D),
        ([{"reject": {"type": "icmpx"}}], WIREGUARD, D),
        ([{"vmap": {"key": STATE, "data": {"set": [["invalid", DROP], ["new", ACCEPT]]}}}], WIREGUARD, A),
        ([{"vmap": {"key": DPORT, "data": {"set": [[{"range": [1, 9]}, ACCEPT]]}}}], WIREGUARD, D),
        ([{"vmap": {"key": DPORT, "data": "@nothing"}}], WIREGUARD, U),
    ],
)
def test_rule_before_a_policy_that_drops(expressions: list[object], opening: Opening, wanted: Fate) -> None:
    assert fate(nft(chain(), rule(*expressions)), opening, "eth1")[0] is wanted


def test_named_sets_and_concatenations() -> None:
    sets = {"family": "inet", "table": "t"}
    named = {"set": {**sets, "name": "peers", "elem": [{"elem": {"val": "192.0.2.1", "counter": {}}}]}}
    both = {"set": {**sets, "name": "both", "elem": [{"concat": ["192.0.2.1", {"range": [51820, 51830]}]}]}}
    verdicts = {"map": {**sets, "name": "vm", "map": "verdict", "elem": [[51820, {"jump": {"target": "vpn"}}]]}}
    key = {"concat": [SADDR, DPORT]}
    for expression in (
        [match(SADDR, "@peers"), ACCEPT],
        [match(key, "@both"), ACCEPT],
        [{"vmap": {"key": DPORT, "data": "@vm"}}],
    ):
        ruleset = nft(
            named, both, verdicts, chain(), chain("vpn", hook=""), rule(*expression), rule(ACCEPT, name="vpn")
        )
        assert fate(ruleset, WIREGUARD, "eth1") == (A, "")
        assert fate(ruleset, Opening("udp", 7, "192.0.2.9"), "eth1")[0] is D


def test_jumps_gotos_and_returns() -> None:
    chains = [chain(policy="accept"), chain("one", hook="")]
    back = [rule({"return": None}, name="one"), rule(DROP, name="one")]
    assert fate(nft(*chains, *back, rule({"jump": {"target": "one"}}), rule(DROP)), PING, "e")[0] is D
    # What is left of a chain that was gone to ends the base chain.
    assert fate(nft(*chains, *back, rule({"goto": {"target": "one"}}), rule(DROP)), PING, "e")[0] is A
    assert fate(nft(*chains, rule({"jump": {"target": "nowhere"}})), PING, "e")[0] is U
    loop = nft(*chains, rule({"jump": {"target": "one"}}), rule({"jump": {"target": "one"}}, name="one"))
    assert fate(loop, PING, "e")[0] is U


def test_unknown_match_does_not_matter_where_both_ways_end_alike() -> None:
    assert fate(nft(chain(), rule(LIMIT, DROP)), PING, "e")[0] is D
    assert fate(nft(chain(policy="accept"), rule(LIMIT, ACCEPT)), PING, "e")[0] is A
    found, reason = fate(nft(chain(policy="accept"), rule(LIMIT, DROP)), PING, "e")
    assert found is U
    assert reason == '"rule with handle 2" of chain input in table inet t'


def test_packet_must_be_accepted_by_every_base_chain() -> None:
    first = [chain(), rule(ACCEPT)]
    assert fate(nft(*first, chain("second")), PING, "e") == (D, "policy drop of chain second in table inet t")
    before = [chain("pre", hook="prerouting", policy="accept"), rule(DROP, name="pre")]
    assert fate(nft(*first, *before), PING, "e")[0] is D
    assert fate(nft(*first, chain("out", hook="output")), PING, "e")[0] is A
    assert fate(nft(*first, chain(family="ip6")), PING, "e")[0] is A


def test_rules_are_quoted_from_the_listing() -> None:
    listing = (
        "table inet t { # handle 1\n\tchain input { # handle 1\n"
        "\t\ttype filter hook input priority 0; policy accept;\n"
        "\t\tudp dport 51820 counter packets 1 bytes 2 drop # handle 2\n\t}\n}\n"
    )
    text = json.dumps({"nftables": [chain(policy="accept"), rule(match(DPORT, 51820), DROP)]})
    ruleset = parse_nft(text, listing)
    assert ruleset is not None
    assert fate(ruleset, WIREGUARD, "e") == (D, '"udp dport 51820 drop" of chain input in table inet t')


def test_what_marks_untracks_or_translates_makes_these_properties_unknown() -> None:
    with_mark = nft(chain(), rule({"mangle": {"key": meta("mark"), "value": 1}}), rule(match(meta("mark"), 1), ACCEPT))
    assert fate(with_mark, PING, "e")[0] is U
    untracked = nft(chain(), rule({"notrack": None}), rule(match(STATE, "new", "in"), ACCEPT))
    assert fate(untracked, PING, "e")[0] is U
    redirected = nft(chain("pre", hook="prerouting", policy="accept"), rule({"redirect": None}, name="pre"))
    assert fate(redirected, PING, "e")[0] is U


def test_ingress_chain_of_another_interface_is_left_out() -> None:
    body = {**chain("in", hook="ingress", family="netdev")["chain"], "dev": "eth9"}  # type: ignore[dict-item]
    ruleset = nft({"chain": body})
    assert fate(ruleset, PING, "eth9")[0] is D
    assert fate(ruleset, PING, "eth1")[0] is A


HEAD = "*filter\n:INPUT DROP [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:vpn - [0:0]\n"


@pytest.mark.parametrize(
    ("line", "opening", "wanted"),
    [
        ("-p udp -m udp --dport 51820 -j ACCEPT", WIREGUARD, A),
        ("-p udp -m udp --dport 51000:52000 -j ACCEPT", WIREGUARD, A),
        ("-p udp -m udp ! --dport 51820 -j ACCEPT", WIREGUARD, D),
        ("-p udp -m multiport --dports 53,500:600,51820 -j ACCEPT", WIREGUARD, A),
        ("-p udp -m multiport --ports 51820 -j ACCEPT", WIREGUARD, U),
        ("-p udp -m udp --sport 51820 -j ACCEPT", WIREGUARD, U),
        ("-s 192.0.2.0/24 -i eth+ -j ACCEPT", WIREGUARD, A),
        ("! -s 192.0.2.1/32 -j ACCEPT", WIREGUARD, D),
        ("! -i lo -j ACCEPT", WIREGUARD, A),
        ("-i tml0 -p tcp -m tcp --dport 5201 -j ACCEPT", INSIDE, A),
        ("-p esp -j ACCEPT", ESP, A),
        ("-p l2tp -j ACCEPT", L2TP, A),
        ("-p 115 -j ACCEPT", L2TP, A),
        ("-p icmp -m icmp --icmp-type 8 -j ACCEPT", PING, A),
        ("-p icmp -m icmp --icmp-type any -j ACCEPT", PING, A),
        ("-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT", WIREGUARD, D),
        ("-m state --state NEW -j ACCEPT", WIREGUARD, A),
        ("-m conntrack --ctstate RELATED,ESTABLISHED,DNAT -j ACCEPT", WIREGUARD, D),
        ("-m conntrack ! --ctstate NEW -j ACCEPT", WIREGUARD, D),
        ("-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN -j ACCEPT", OPENVPN_TCP, A),
        ("-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN -j ACCEPT", OPENVPN_TCP, D),
        ("-m addrtype --dst-type LOCAL -j ACCEPT", WIREGUARD, A),
        ("-m addrtype --dst-type MULTICAST -j ACCEPT", WIREGUARD, D),
        ("-m pkttype --pkt-type unicast -j ACCEPT", WIREGUARD, A),
        ("-m mark --mark 0x1/0xff -j ACCEPT", WIREGUARD, D),
        ("-m connmark --mark 0x0 -j ACCEPT", WIREGUARD, U),
        ("-m iprange --src-range 192.0.2.1-192.0.2.9 -j ACCEPT", WIREGUARD, A),
        ("-m limit --limit 3/min -j ACCEPT", WIREGUARD, U),
        ("-m limit --limit 25/sec --limit-burst 50 -j ACCEPT", WIREGUARD, A),
        ("-m limit --limit 3/min -j LOG --log-prefix x", WIREGUARD, D),
        ('-m comment --comment "a \\"b\\" -j DROP" -j ACCEPT', WIREGUARD, A),
        ("-m set --match-set peers src -j ACCEPT", WIREGUARD, U),
        ("-j NFQUEUE --queue-num 1", WIREGUARD, U),
        ("-j vpn", WIREGUARD, A),
        ("-g vpn", WIREGUARD, A),
        ("-j nowhere", WIREGUARD, U),
    ],
)
def test_rule_of_iptables_before_a_policy_that_drops(line: str, opening: Opening, wanted: Fate) -> None:
    text = f"{HEAD}-A vpn -p udp -j ACCEPT\n-A INPUT {line}\nCOMMIT\n"
    assert fate(parse_iptables(text), opening, "eth1")[0] is wanted


def test_other_tables_of_iptables_drop_as_well() -> None:
    raw = "*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -p esp -j DROP\nCOMMIT\n"
    assert fate(parse_iptables(raw), ESP, "e") == (
        D,
        '"-A PREROUTING -p esp -j DROP" of chain PREROUTING in table raw of iptables',
    )
    nat = "*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -p udp -m udp --dport 51820 -j DNAT --to 10.0.0.2\nCOMMIT\n"
    assert fate(parse_iptables(nat), WIREGUARD, "e")[0] is U
    assert fate(parse_iptables(nat), OPENVPN_TCP, "e")[0] is A


WORDS_OF_NFT = """
nftables rule chain set map expr match left right op payload meta key ct fib vmap data concat & elem val range prefix
addr len family table name hook policy dev type xt jump target mangle stmt
"""
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["ip", "inet", "t", "input", "==", "@s", "*"])
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS_OF_NFT.split()), inner, max_size=5)
    ),
    max_leaves=25,
)


@given(json_values, st.lists(json_values, max_size=4))
def test_parser_of_nftables_never_raises(whole: object, expressions: list[object]) -> None:
    rules_of_iptables(json.dumps(whole))
    parse_nft(json.dumps(whole))
    found = parse_nft(json.dumps({"nftables": [chain(), rule(*expressions), {"rule": whole}, {"chain": whole}, whole]}))
    assert found is not None
    fate(found, WIREGUARD, "eth1")


WORDS_OF_IPTABLES = r"""
-A INPUT *filter :INPUT DROP ! -s -p -m -j -g udp --dport 1: :: " --tcp-flags --mark 1/ --ctstate --src-range 1-2
--icmp-type COMMIT \ tcp mark
"""
words = st.sampled_from(WORDS_OF_IPTABLES.split())


@given(st.lists(st.lists(words | st.text(max_size=6), max_size=9), max_size=6))
def test_parser_of_iptables_never_raises(lines: list[list[str]]) -> None:
    text = "\n".join(" ".join(line) for line in lines)
    for whole in (text, HEAD + "\n".join(f"-A INPUT {line}" for line in text.splitlines())):
        fate(parse_iptables(whole), WIREGUARD, "eth1")
