"""An attacker on the underlay of an exported OpenVPN tunnel: before, while and after it starts, and without daemons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from app.domain.hosts import Side
from support.net_bench import NetBench
from support.net_hosts import NetHost, NetPair
from support.underlay_attack import PORTS, UnderlayAttack
from support.waiting import wait_until

# Without keys OpenVPN sends Ethernet frames as they are, and believes every datagram from its peer's address.
_PLAIN = (
    "openvpn --dev-type tap --dev tml0 --proto udp4 --port {port} --remote {peer} --daemon --writepid /run/plain.pid"
    " --ping 1 > /dev/null 2>&1; until [ -e /sys/class/net/tml0 ]; do sleep 0.05; done; ip link set tml0 up"
)
_PLAIN_END = "kill $(cat /run/plain.pid); while [ -e /sys/class/net/tml0 ]; do sleep 0.05; done"
# Held, a supervisor starts nothing again. Only words of our own name these processes.
_HOLD = "for file in /run/tunnelmark-*/.lasting/watcher; do IFS=: read -r pid _ < $file; kill -{signal} $pid; done"
_KILL = "pkill -KILL -x openvpn; while pgrep -x openvpn > /dev/null; do sleep 0.05; done; ls /sys/class/net/tml0"


def start_plain(host: NetHost, peer: str) -> None:
    """Start one end of a tunnel that nothing protects."""
    host.run(_PLAIN.format(port=PORTS[0], peer=peer))


@contextmanager
def plain_tunnel(pair: NetPair) -> Iterator[None]:
    """Have a tunnel between two hosts that nothing protects."""
    for host, peer in zip(pair.hosts, reversed(pair.addresses), strict=True):
        start_plain(host, peer)
    yield
    for host in pair.hosts:
        host.run(_PLAIN_END)


@dataclass(frozen=True)
class ExportAttack:
    """The attack on both hosts of an export.

    Attributes:
        attack: The attacker, who sends forged packets all the time.
        pair: The hosts.
    """

    attack: UnderlayAttack
    pair: NetPair

    def check_up(self) -> None:
        """See that nothing forged got in so far, and nothing replayed or altered gets in now."""
        self.attack.end_stream()
        done = self.attack.forge_and_replay()
        assert done.replayed, done
        assert not done.problem, done
        self.attack.stream()

    def check_without_daemons(self) -> None:
        """Kill both daemons, see that nothing gets in while their interfaces are left, and let them start again."""
        for host in self.pair.hosts:
            host.run(_HOLD.format(signal="STOP"))
            host.run(_KILL)
        done = self.attack.forge()
        assert done.forged, done
        assert not done.problem, done
        for host in self.pair.hosts:
            host.run(_HOLD.format(signal="CONT"))


@contextmanager
def attacked(bench: NetBench) -> Iterator[ExportAttack]:
    """Attack both hosts of a bench for the length of a block; then show that he gets in where nothing protects."""
    pair = bench.hosts
    with UnderlayAttack(pair.a.world, pair) as attack:
        attack.stream()
        yield ExportAttack(attack, pair)
        attack.end_stream()
        done = attack.forge()
        assert not done.problem, done
    with plain_tunnel(pair), UnderlayAttack(pair.a.world, pair) as attack:
        wait_until(
            lambda: {text[0] for text in attack.forge().let_in} == {side.upper() for side in Side}, "forged frames"
        )
