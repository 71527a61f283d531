"""The one tunnel that is up while options are tried: opened, switched, closed."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Self

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.events import Stage
from app.domain.solutions import Suite
from app.measurement.interfaces import Tunnel, Tunnels

MIN_UP_S = 3.0
PATIENCE = 2.0
"""An option may take so many times as long to be up as the slowest that came up before it."""


class ReusableTunnel:
    """A tunnel for one solution. To be used in a `with` block; at its end both hosts have been rolled back.

    Args:
        tunnels: Builds tunnels.
    """

    def __init__(self, tunnels: Tunnels, adapter: Adapter, token: CancelToken) -> None:
        self._tunnels = tunnels
        self._adapter = adapter
        self._token = token
        self._stack = ExitStack()
        self._tunnel: Tunnel | None = None
        self._slowest_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *outcome: object) -> None:
        self.close()

    @property
    def tunnel(self) -> Tunnel | None:
        """The tunnel that is up; None if there is none."""
        return self._tunnel

    def bring(self, suite: Suite, *, patience: float = 1.0) -> Tunnel:
        """Bring the tunnel up with a suite: by switching where that is possible, else from nothing.

        Args:
            patience: How many times as long as usual switching may take.

        Returns:
            The tunnel.

        Raises:
            TunnelmarkError: It did not come up. A tunnel that was switched in vain can be switched again.
        """
        began_s = time.monotonic()
        if self._tunnel is not None and not self._tunnel.lost and self._tunnel.can_switch(suite):
            self._tunnel.switch(suite, token=self._token, up_timeout_s=self._up_timeout_s(patience))
            self._slowest_s = max(self._slowest_s, time.monotonic() - began_s)
            return self._tunnel
        self.close()
        self._token.raise_if_cancelled()
        self._tunnel = self._stack.enter_context(
            self._tunnels.open(self._adapter, suite, token=self._token, on_stage=self._on_stage)
        )
        return self._tunnel

    def close(self) -> None:
        """Roll back both hosts, if a tunnel is up.

        Raises:
            CleanupFailed, ConnectionLost: A host is not as it was, or could not be reached.
        """
        stack, self._stack, self._tunnel = self._stack, ExitStack(), None
        stack.close()

    def _on_stage(self, _stage: Stage, _detail: str) -> None:
        self._token.raise_if_cancelled()

    def _up_timeout_s(self, patience: float) -> float | None:
        """Return how long the next switch may take; None, the plan's own, until one has come up."""
        return patience * max(MIN_UP_S, PATIENCE * self._slowest_s) if self._slowest_s else None
