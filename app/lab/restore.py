"""Starts both gateways of a lab from saved machines."""

from __future__ import annotations

import contextlib

from app.domain.cancel import CancelToken
from app.domain.concurrency import run_both
from app.domain.errors import LabFault
from app.domain.hosts import Side
from app.lab.boot import refuse_ended
from app.lab.machine import monitor_name
from app.lab.monitor import Monitor
from app.lab.running import Lab
from app.lab.saved import SavedMachine

_RESTORE_TIMEOUT_S = 120.0
_START_TIMEOUT_S = 60.0
_POLL_S = 0.05


def restore(lab: Lab, saved: dict[Side, SavedMachine], *, token: CancelToken) -> None:
    """Restore both gateways' memory and let both go on at the same moment.

    Args:
        lab: The lab, whose machines were started to be restored.
        saved: What each is restored from.

    Raises:
        LabFault: QEMU could not use what was saved.
        DeadlineExceeded: It took too long.
        Cancelled: The token was cancelled.
    """
    with contextlib.ExitStack() as stack:
        monitors: dict[Side, Monitor] = {}

        def are_connected() -> bool:
            refuse_ended(lab, list(Side))
            for side in Side:
                if side not in monitors:
                    try:
                        monitors[side] = stack.enter_context(Monitor(lab.folder, monitor_name(side)))
                    except LabFault:
                        return False  # QEMU has only just been started
            return True

        def read_memory(side: Side) -> None:
            with saved[side].memory.open("rb") as memory:
                monitors[side].restore_memory(memory, token=token, timeout_s=_RESTORE_TIMEOUT_S)

        token.wait_for(are_connected, timeout_s=_START_TIMEOUT_S, what="QEMU", interval_s=_POLL_S)
        run_both(lambda: read_memory(Side.A), lambda: read_memory(Side.B))
        for monitor in monitors.values():
            monitor.execute("cont")
