"""Measurement on a hub with its clients, which are built for it and removed afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.domain.cancel import CancelToken
from app.domain.errors import ProbeFailed
from app.domain.hubs import Hub
from app.domain.link import Link
from app.domain.solutions import Suite
from app.measurement.interfaces import Tunnels
from app.probes.own_load import OwnLoad
from app.tunnel.hub_clients import HubClients

T = TypeVar("T")

_BUSY_EACH_S = 2.0
"""Time for which each client's programs may keep their host busy while they begin, in seconds.

Source: 64 clients of IPsec on a lab, of which the host's lease of 60 s ran out.
"""


@dataclass(frozen=True, slots=True)
class OnHub(Generic[T]):
    """Outcome of a measurement on a hub.

    Attributes:
        found: What was measured; None where nothing was.
        message: Why nothing was measured, as a sentence; empty where something was.
        own_load_cores: Load of this computer beyond the practice lab meanwhile, in cores; None where not known. The
            load of building and removing the hub does not count: it is Tunnelmark's own.
    """

    found: T | None
    message: str = ""
    own_load_cores: float | None = None


def measure_on_hub(
    tunnels: Tunnels,
    hub: Hub,
    suite: Suite,
    clients: int,
    measure: Callable[[Link], T],
    *,
    guests: tuple[int, ...],
    token: CancelToken,
) -> OnHub[T]:
    """Return what is measured while a hub with so many clients is up, or why there is nothing.

    Args:
        measure: Gets the link that the hub was built on.
        guests: Process ids of the practice lab's virtual machines.

    Raises:
        PairLocked, PreflightRefused: Nothing was built.
        CleanupFailed: A host could not be rolled back.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    with tunnels.open_group(
        [(hub.adapter(clients), suite)],
        extensions=[HubClients(clients)],
        busy_s=_BUSY_EACH_S * clients,
        token=token,
        on_stage=lambda *_: None,
    ) as group:
        if group.failures:
            return OnHub(None, group.failures[0].sentence())
        load = OwnLoad(guests)
        load.start()
        try:
            found = measure(group.tunnels[0].link)
        except ProbeFailed as error:
            return OnHub(None, error.sentence(), load.cores())
        return OnHub(found, own_load_cores=load.cores())
