"""Starts the machines of a lab from saved ones."""

from __future__ import annotations

import contextlib
from functools import partial

from app.domain.cancel import CancelToken
from app.domain.concurrency import run_all
from app.domain.errors import LabFault
from app.lab.boot import refuse_ended
from app.lab.machine import monitor_name
from app.lab.monitor import Monitor
from app.lab.running import Lab
from app.lab.saved import SavedMachine
from app.lab.spec import LabMachine

_RESTORE_TIMEOUT_S = 120.0
_START_TIMEOUT_S = 60.0
_POLL_S = 0.05


def restore(lab: Lab, saved: dict[LabMachine, SavedMachine], *, token: CancelToken) -> None:
    """Restore the machines' memory and let them go on at the same moment.

    Args:
        lab: The lab, whose machines were started to be restored.
        saved: What each is restored from.

    Raises:
        LabFault: QEMU could not use what was saved.
        DeadlineExceeded: It took too long.
        Cancelled: The token was cancelled.
    """
    with contextlib.ExitStack() as stack:
        monitors: dict[LabMachine, Monitor] = {}

        def are_connected() -> bool:
            refuse_ended(lab, list(saved))
            for machine in saved:
                if machine not in monitors:
                    try:
                        monitors[machine] = stack.enter_context(Monitor(lab.folder, monitor_name(machine)))
                    except LabFault:
                        return False  # QEMU has only just been started
            return True

        def read_memory(machine: LabMachine) -> None:
            with saved[machine].memory.open("rb") as memory:
                monitors[machine].restore_memory(memory, token=token, timeout_s=_RESTORE_TIMEOUT_S)

        token.wait_for(are_connected, timeout_s=_START_TIMEOUT_S, what="QEMU", interval_s=_POLL_S)
        run_all(partial(read_memory, machine) for machine in saved)
        for monitor in monitors.values():
            monitor.execute("cont")
