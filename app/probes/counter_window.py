"""Counters of both hosts before and after a window of measuring, and the load of the user's own computer meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.gates import HostReadings
from app.domain.hosts import HostFacts, PairSpec, Side
from app.probes.counters import HostCounters, read_counters, readings_between, underlay_device
from app.probes.cpu_ticks import CpuTicks
from app.probes.own_load import OwnLoad


@dataclass
class CounterWindow:
    """One window: nothing is read within it, so that reading disturbs nothing.

    Attributes:
        sessions: Both hosts.
        pids: Process ids of the daemons of tunnels.
        devices: Interfaces of tunnels.
        underlay: Interface of the underlay on each host; empty where it is not known.
        own_load: Load of the user's own computer.
        own_load_cores: Its mean over the window, in cores; None for hosts that are no lab, and before the end.
    """

    sessions: SessionPair
    pids: Mapping[Side, Sequence[int]]
    devices: Mapping[Side, Sequence[str]]
    underlay: Mapping[Side, str]
    own_load: OwnLoad
    own_load_cores: float | None = field(default=None, init=False)
    _first: Mapping[Side, HostCounters] = field(default_factory=dict, init=False)
    _last: Mapping[Side, HostCounters] = field(default_factory=dict, init=False)

    def begin(self, token: CancelToken) -> Mapping[Side, CpuTicks]:
        """Read both hosts before; return the CPU time of those that report it.

        Raises:
            ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        self._first = self._read(token)
        self.own_load.start()
        return _ticks(self._first)

    def end(self, token: CancelToken) -> Mapping[Side, CpuTicks]:
        """Read both hosts afterwards; return and raise as `begin`."""
        self.own_load_cores = self.own_load.cores()
        self._last = self._read(token)
        return _ticks(self._last)

    def readings(
        self,
        pids: Mapping[Side, Collection[int]] | None = None,
        devices: Mapping[Side, Collection[str]] | None = None,
    ) -> dict[str, HostReadings]:
        """Return what changed on both hosts within the window, by `a` and `b`.

        Args:
            pids: The daemons that count; None for all that were read.
            devices: The interfaces that count; None for all that were read.
        """
        return {
            side.value: readings_between(
                self._first[side],
                self._last[side],
                pids=None if pids is None else pids[side],
                devices=None if devices is None else devices[side],
            )
            for side in Side
        }

    def _read(self, token: CancelToken) -> Mapping[Side, HostCounters]:
        return read_counters(self.sessions, self.pids, self.devices, token=token, underlay=self.underlay)


def underlay_devices(pair: PairSpec, facts: Mapping[str, HostFacts]) -> dict[Side, str]:
    """Return the interface of each host that has its underlay address; empty where none is known to have it."""
    return {side: underlay_device(facts[side.value], pair.underlay(side)) for side in Side}


def _ticks(counters: Mapping[Side, HostCounters]) -> dict[Side, CpuTicks]:
    return {side: host.ticks for side, host in counters.items() if host.ticks is not None}
