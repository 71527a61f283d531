"""Steps of VPNs in kernels, between gateways of two platforms: the undo of each, and what they refuse.

Those of user space are tried on hosts made of namespaces (test_adapter_hosts.py, test_adapter_strangers.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.errors import DeadlineExceeded
from app.domain.hosts import Side
from support.adapter_cases import facts
from support.bare_tunnel import Make, build, expect_a_former_key, marks_on_underlay, ping, tunnels_made
from support.lab_pairs import ALL, MIXED, NEWEST, LabPair, LabPairs, Platforms, each_pair
from support.lab_sessions import sh
from support.tunnel_checks import check_undone
from vpn_adapters.registry import ADAPTERS
from vpn_adapters.shared.strongswan.identity import ppk_path
from vpn_adapters.shared.wireguard.identity import psk_path
from vpn_adapters.shared.wireguard.protocol import has_kem

SWAPPED = Platforms(MIXED, is_swapped=True)
IN_EVERY_RUN = {"l2tp": Platforms(MIXED), "wireguard": SWAPPED, "ipsec": Platforms(MIXED), "macsec": Platforms(NEWEST)}
"""Between the two platforms, MACsec has static keys: they know different kinds of key agreement."""


IN_FULL_RUNS = "wireguard-vxlan", "ipsec-gretap"


def each(*names: str) -> list[object]:
    """Return parameters: each VPN on every pair, of which one is tried in every run."""
    found = ((name, pair, pair == IN_EVERY_RUN.get(name)) for name in names for pair in ALL)
    return [
        pytest.param(pair, name, id=f"{name}-on-{pair}", marks=() if is_in else pytest.mark.full)
        for name, pair, is_in in found
    ]


@pytest.fixture(scope="module")
def pair(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.of(request.param)


@pytest.fixture
def make(pair: LabPair) -> Iterator[Make]:
    """Give a tunnel of which nothing is made, and see afterwards that nothing of it is left."""
    with tunnels_made(pair.sessions, pair.facts, pair.link) as new:
        yield new


@pytest.mark.parametrize("pair", [Platforms(MIXED)], ids=str, indirect=True)
def test_lab_answers_as_recorded(pair: LabPair) -> None:
    for host, platform in zip(pair.facts, MIXED, strict=True):
        for name in ADAPTERS:
            found, recorded = host.solutions[name], facts(platform).solutions[name]
            assert (found.is_available, found.features, found.ciphers, found.digests) == (
                recorded.is_available,
                recorded.features,
                recorded.ciphers,
                recorded.digests,
            ), (platform, name)


@pytest.mark.parametrize(("pair", "name"), each(*IN_EVERY_RUN, *IN_FULL_RUNS), indirect=["pair"])
def test_undo_after_some_or_all_steps_leaves_nothing(name: str, make: Make) -> None:
    check_undone(make(ADAPTERS[name]))


@pytest.mark.parametrize("pair", each_pair(SWAPPED), indirect=True)
def test_l2tp_inside_wireguard_never_leaves_by_another_way(make: Make) -> None:
    tunnel = make(ADAPTERS["wireguard"])
    build(tunnel)
    plan, host, link = tunnel.plan, tunnel.sessions.a, tunnel.request.link
    own, peer = link.carrier(Side.A), link.carrier(Side.B)

    def marks() -> int:
        return marks_on_underlay(tunnel, lambda: ping(host, plan.probe_address_b, mark=True, wait_s=2))

    # Policy routing sends the peer's address another way while WireGuard is up.
    sh(host, f"ip rule add to {peer} lookup 7077 pref 77; ip route add {peer} via {link.underlay_b} table 7077")
    try:
        assert marks() == 0
        sh(host, f"nft delete table inet {link.names.guard_table}")
        assert marks() > 0, "without the table this shows nothing"
    finally:
        sh(host, "ip rule del pref 77; ip route flush table 7077")
    # WireGuard's device goes, its address remains on another one, there is another route, and all tables are flushed.
    sh(host, f"ip addr add {own}/32 dev lo; ip route add default via {link.underlay_b} dev eth1 metric 9999")
    try:
        sh(host, f"ip link del {link.names.wireguard_interface}")
        assert marks() == 0
        sh(host, f"ip route del unreachable {peer}/32 metric 4000")
        assert marks() > 0, "without the route this shows nothing"
    finally:
        sh(host, f"ip addr del {own}/32 dev lo; ip route del default via {link.underlay_b} dev eth1 metric 9999")


@pytest.mark.parametrize("pair", each_pair(SWAPPED), indirect=True)
def test_wireguard_does_not_come_up_with_another_peers_key(make: Make) -> None:
    tunnel = make(ADAPTERS["wireguard"])
    expect_a_former_key(tunnel)
    tunnel.apply()
    with pytest.raises(DeadlineExceeded):
        tunnel.wait_until_up(timeout_s=5)


@pytest.mark.parametrize("pair", [Platforms(NEWEST)], ids=str, indirect=True)
def test_wireguard_has_a_key_that_both_hosts_derived_and_does_not_come_up_with_another(make: Make) -> None:
    tunnel = make(ADAPTERS["wireguard"])
    assert has_kem(tunnel.request.suite)
    build(tunnel)
    link = tunnel.request.link
    psk = psk_path(link)
    assert len(set(tunnel.both(lambda side: sh(tunnel.session(side), f"sha256sum < {psk}")))) == 1
    used = f'test "$(wg show {link.names.wireguard_interface} preshared-keys | cut -f 2)" = "$(cat {psk})" && echo used'
    assert [text.strip() for text in tunnel.both(lambda side: sh(tunnel.session(side), used))] == ["used"] * 2
    kept = tunnel.both(lambda side: sh(tunnel.session(side), f"cd {link.run_dir}; find . -type f -perm 600 | sort"))
    assert [text.split() for text in kept] == [["./wireguard.key", "./wireguard.psk"]] * 2, "the rest is erased"
    tunnel.undo_steps()
    sh(tunnel.sessions.b, f"umask 077; wg genpsk > {psk}")
    tunnel.apply()
    with pytest.raises(DeadlineExceeded):
        tunnel.wait_until_up(timeout_s=5)


@pytest.mark.full
@pytest.mark.parametrize("pair", [Platforms(NEWEST)], ids=str, indirect=True)
def test_ipsec_uses_a_key_that_both_hosts_derived_and_does_not_come_up_with_another(make: Make) -> None:
    tunnel = make(ADAPTERS["ipsec"], "aes-256-gcm-ppk")
    build(tunnel)
    link, plan = tunnel.request.link, tunnel.plan
    assert tunnel.both(lambda side: tunnel.holds(side, plan.on(side).negotiated)) == (True, True)  # type: ignore[arg-type]
    ppk = ppk_path(link)
    assert len(set(tunnel.both(lambda side: sh(tunnel.session(side), f"sha256sum < {ppk}")))) == 1
    open_to_others = f"find {link.run_dir} -type f -perm /077"
    assert tunnel.both(lambda side: sh(tunnel.session(side), open_to_others)) == ("", "")
    gone = f"ls {link.run_dir} | grep -c -e '^ml-kem' -e '^ike.ppk.' || true"
    assert tunnel.both(lambda side: sh(tunnel.session(side), gone)) == ("0\n", "0\n"), "the rest is erased"
    tunnel.undo_steps()
    sh(tunnel.sessions.b, f"umask 077; openssl rand -base64 32 > {ppk}")
    with pytest.raises(AssertionError, match="AUTHENTICATION_FAILED"):
        tunnel.apply()
