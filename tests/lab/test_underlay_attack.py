"""The attacker of `make faults` gets into tunnels that nothing protects, and is counted there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.hosts import Side
from support.export_attack import plain_tunnel, start_plain
from support.net_desk import need_namespaces
from support.net_hosts import NetHosts, net_hosts
from support.underlay_attack import ALTERED_AT, CANARIES, PORTS, REPLAYS, UnderlayAttack
from support.waiting import wait_until


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetHosts]:
    need_namespaces()
    with net_hosts(tmp_path_factory.mktemp("hosts")) as started:
        yield started


@pytest.fixture
def plain(hosts: NetHosts) -> Iterator[None]:
    """Have a tunnel between both hosts that nothing protects."""
    with plain_tunnel(hosts.pairs[0]):
        yield


def test_forged_and_replayed_packets_get_into_a_tunnel_without_keys(hosts: NetHosts, plain: None) -> None:
    with UnderlayAttack(hosts.world, hosts.pairs[0]) as attack:
        done = attack.forge_and_replay()
    assert done.missing == ()
    assert done.replayed > 0
    for side in Side:
        (forged,) = (text for text in done.let_in if text.startswith(f"{side.upper()}, tml0: UDP {PORTS[0]}, 0 real"))
        assert "from its peer's address" in forged
        (again,) = (text for text in done.let_in if text.startswith(f"{side.upper()}, tml0: replayed or altered, "))
        # A host that is held up may drop some of so many at once.
        assert 0 < int(again.rpartition(" ")[2]) <= CANARIES * (REPLAYS + len(ALTERED_AT))


def test_stream_of_forged_packets_is_counted_over_a_loss_of_power(hosts: NetHosts, plain: None) -> None:
    pair = hosts.pairs[0]
    with UnderlayAttack(hosts.world, pair) as attack:
        attack.stream()
        wait_until(lambda: any(way == "in" for _, way, _ in attack.seen(Side.B)), "a forged frame on B")
        pair.b.power_off()
        before = len(attack.seen(Side.B))
        pair.power_on(Side.B)
        start_plain(pair.b, pair.addresses[0])
        wait_until(lambda: len(attack.seen(Side.B)) > before, "a forged frame on B after its restart")
        attack.end_stream()
        assert attack.forge().let_in


def test_nothing_comes_out_where_there_is_no_tunnel(hosts: NetHosts) -> None:
    with UnderlayAttack(hosts.world, hosts.pairs[0]) as attack:
        done = attack.forge()
        tried = attack.forge_and_replay()
    assert (done.let_in, tried.let_in) == ((), ())
    assert done.forged > 0
    assert len(tried.missing) == len(Side), "what did not arrive once shows nothing when it is replayed"
