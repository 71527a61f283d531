"""Tunnels whose paths are known to differ: netem delays what one gateway sends through each of them.

What a tunnel adds of itself is not known, but tunnels of one VPN add the same: between those, the delays are the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.hosts import HostFacts
from app.domain.link import Link
from app.domain.solutions import Suite
from app.measurement.interfaces import GroupStageSink, TunnelGroup
from app.measurement.tunnels import DeployedTunnels
from app.tunnel.temporary_group import FirstTunnels
from support.lab_sessions import sh

_PROTOCOLS = {"udp": 17, "tcp": 6}
"""Source: IANA, Assigned Internet Protocol Numbers."""

Port = tuple[str, int]
"""Protocol and number."""

PORTS: Mapping[str, Callable[[Link], Port]] = {
    "wireguard": lambda link: ("udp", link.names.wireguard_port),
    "openvpn-udp": lambda link: ("udp", link.names.udp_port),
    "openvpn-tcp": lambda link: ("tcp", link.names.tcp_port),
}
"""Port of a tunnel on the underlay, by solution."""


@dataclass(frozen=True, slots=True)
class Twins:
    """An adapter of which several candidates can be compared that are one and the same: its default suite.

    Attributes:
        adapter: The adapter.
        names: Names of the suites.
    """

    adapter: Adapter
    names: tuple[str, ...]

    def suites(self, facts_a: HostFacts, facts_b: HostFacts, /) -> tuple[Suite, ...]:
        """Return the default suite once per name."""
        default = next(one for one in self.adapter.suites(facts_a, facts_b) if one.is_default)
        return tuple(replace(default, name=name, is_default=name == self.names[0]) for name in self.names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.adapter, name)


@dataclass(frozen=True, slots=True)
class ShapedTunnels(DeployedTunnels):
    """Implements `Tunnels`: groups that are up have the delays that belong to their candidates.

    Attributes:
        delay_ms: What each candidate's path is longer by in ms, in one direction, by solution and suite; it is asked
            each time that a group is opened, and the bare link is never delayed.
        device: Interface of the underlay on A.
    """

    delay_ms: Callable[[str, str], float] = lambda _solution, _suite: 0.0
    device: str = "eth1"

    def open_group(
        self,
        choices: Sequence[tuple[Adapter, Suite]],
        *,
        token: CancelToken,
        on_stage: GroupStageSink,
        first: FirstTunnels | None = None,
        busy_s: float = 0.0,
    ) -> AbstractContextManager[TunnelGroup]:
        """Return a context in which several tunnels are up side by side, with their delays."""
        delays_ms = [
            self.delay_ms(adapter.info.name, suite.name) if adapter.info.name in PORTS else 0.0
            for adapter, suite in choices
        ]

        def on_up(group: TunnelGroup) -> None:
            assert first is not None
            with delayed(self.sessions.a, self.device, _delays(choices, delays_ms, group)):
                first.on_up(group)  # type: ignore[arg-type]

        shaped = None if first is None else replace(first, on_up=on_up)
        opened = DeployedTunnels.open_group(self, choices, token=token, on_stage=on_stage, first=shaped)
        return self._shaped(choices, delays_ms, opened)

    @contextmanager
    def _shaped(
        self,
        choices: Sequence[tuple[Adapter, Suite]],
        delays_ms: Sequence[float],
        opened: AbstractContextManager[TunnelGroup],
    ) -> Iterator[TunnelGroup]:
        with opened as group, delayed(self.sessions.a, self.device, _delays(choices, delays_ms, group)):
            yield group


def _delays(
    choices: Sequence[tuple[Adapter, Suite]], delays_ms: Sequence[float], group: TunnelGroup
) -> dict[Port, float]:
    """Return the delays of the tunnels that are up, by port."""
    return {
        PORTS[choices[position][0].info.name](tunnel.link): delays_ms[position]
        for position, tunnel in group.tunnels.items()
        if choices[position][0].info.name in PORTS
    }


@contextmanager
def delayed(host: HostSession, device: str, delays_ms: Mapping[Port, float]) -> Iterator[None]:
    """Delay what a host sends from or to certain ports; anything else goes at once.

    Of a packet in fragments only the first one is delayed, as it alone has the ports; that is enough.
    """
    bands = len(delays_ms) + 1
    lines = [f"tc qdisc replace dev {device} root handle 1: prio bands {max(2, bands)} priomap{' 0' * 16}"]
    for band, ((protocol, port), delay_ms) in enumerate(delays_ms.items(), start=2):
        parent = f"dev {device} parent 1:{band} handle {band}0:"
        lines.append(f"tc qdisc add {parent} netem delay {1_000 * delay_ms:.0f}us limit 10000")
        lines += [
            f"tc filter add dev {device} parent 1: protocol ip prio {band} u32 match ip protocol "
            f"{_PROTOCOLS[protocol]} 0xff match ip {field} {port} 0xffff flowid 1:{band}"
            for field in ("dport", "sport")
        ]
    sh(host, "set -e\n" + "\n".join(lines))
    try:
        yield
    finally:
        sh(host, f"tc qdisc del dev {device} root")
