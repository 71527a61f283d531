"""Waits until the gateways of a lab can be logged in to."""

from __future__ import annotations

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.errors import DeadlineExceeded, LabFault
from app.domain.hosts import Side
from app.lab.control import give_order
from app.lab.machine import READY_MARK, console_name
from app.lab.running import Lab
from app.lab.spec import LabProgress, OnProgress

BOOT_TIMEOUT_S = 240.0
LOGINS = 2
"""How many logins in a row must work on each gateway."""

_EXPECTED_BOOT_S = 25.0
_LOGIN_TIMEOUT_S = 30.0
_CONSOLE_LINES = 15
_CONSOLE_TAIL_BYTES = 16_384
_POLL_S = 0.2


class PortTaken(LabFault):
    """Somebody else took a gateway's port in the meantime; another one can be tried."""

    is_retryable = True


def console_mark_count(lab: Lab, side: Side) -> int:
    """Return how many times a gateway has said on its console that sshd runs."""
    try:
        return (lab.folder / console_name(side)).read_bytes().count(READY_MARK.encode())
    except FileNotFoundError:
        return 0


def wait_until_up(
    lab: Lab, sides: dict[Side, int], *, token: CancelToken, on_progress: OnProgress, timeout_s: float
) -> None:
    """Wait until gateways can be logged in to.

    Args:
        lab: The lab.
        sides: The gateways, each with how many times it had said that sshd runs before it was switched on.
        token: Cancelling it ends the wait.
        on_progress: Told how far they are; the fraction is a guess from earlier starts.
        timeout_s: Deadline in seconds.

    Raises:
        PortTaken: QEMU could not have its port.
        LabFault: QEMU ended, or a gateway never came up; the context holds the last lines of its console.
        Cancelled: The token was cancelled.
    """
    started_at = time.monotonic()

    def are_up() -> bool:
        waited_s = time.monotonic() - started_at
        pids = give_order(lab.folder, "status").pids
        for side in sides:
            if pids[side] is None:
                raise _ended(lab, side)
        ready = [side for side, count in sides.items() if console_mark_count(lab, side) > count]
        text = f"Starting the virtual gateways ({len(ready)} of {len(sides)} are up)"
        on_progress(LabProgress("boot", text, min(0.95, waited_s / _EXPECTED_BOOT_S)))
        return len(ready) == len(sides)

    try:
        token.wait_for(are_up, timeout_s=timeout_s, what="the virtual gateways", interval_s=_POLL_S)
    except DeadlineExceeded as error:
        late = [side for side, count in sides.items() if console_mark_count(lab, side) <= count]
        raise _never_up(lab, late, timeout_s) from error
    on_progress(LabProgress("login", "Logging in", None))
    _log_in_everywhere(lab, list(sides), token)


def console_tail(folder: Path, side: Side) -> str:
    """Return the last lines of a gateway's console.

    Args:
        folder: The lab's folder.
        side: Which gateway.

    Returns:
        Printable text, 15 lines at most.
    """
    try:
        raw = (folder / console_name(side)).read_bytes()[-_CONSOLE_TAIL_BYTES:]
    except FileNotFoundError:
        return ""
    text = raw.decode(errors="replace")
    lines = ("".join(char for char in line if char.isprintable()).rstrip() for line in text.splitlines())
    return "\n".join([line for line in lines if line][-_CONSOLE_LINES:])


def _log_in_everywhere(lab: Lab, sides: list[Side], token: CancelToken) -> None:
    stop = CancelToken()
    unregister = token.on_cancel(stop.cancel)
    try:
        with ThreadPoolExecutor(max_workers=len(sides), thread_name_prefix="lab-login") as pool:
            try:
                for outcome in [pool.submit(_log_in, lab, side, stop) for side in sides]:
                    outcome.result()
            except BaseException:
                stop.cancel()  # the others need not go on
                raise
    finally:
        unregister()


def _log_in(lab: Lab, side: Side, stop: CancelToken) -> None:
    """Log in several times in a row; an open port alone does not mean that sshd is ready."""
    deadline = time.monotonic() + _LOGIN_TIMEOUT_S
    successes = 0
    while successes < LOGINS:
        stop.raise_if_cancelled()
        complaint = _try_login(lab, side, stop)
        successes = 0 if complaint else successes + 1
        if complaint:
            if time.monotonic() > deadline:
                raise _no_login(lab, side, complaint)
            stop.sleep(_POLL_S)


def _try_login(lab: Lab, side: Side, stop: CancelToken) -> str:
    """Log in once; return why it did not work, or nothing."""
    try:
        process = subprocess.Popen(
            [*lab.ssh_argv(side), "true"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except FileNotFoundError as error:
        raise LabFault(
            "The program ssh is missing on this computer.", hint="Install the package openssh-client."
        ) from error
    with process:
        unregister = stop.on_cancel(process.kill)
        try:
            _, complaint = process.communicate(timeout=_LOGIN_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return "no answer"
        finally:
            unregister()
    return "" if process.returncode == 0 else complaint.strip() or f"ssh ended with status {process.returncode}"


def _no_login(lab: Lab, side: Side, complaint: str) -> LabFault:
    console = console_tail(lab.folder, side)
    return LabFault(
        f"Gateway {side.upper()} of the lab “{lab.spec.name}” runs, but nobody can log in: {complaint}",
        hint="Try again; if it happens again, the last lines of its console may say why.",
        context={"console": console},
    )


def _ended(lab: Lab, side: Side) -> LabFault:
    try:
        log = (lab.folder / f"qemu-{side}.log").read_text(errors="replace").strip()
    except FileNotFoundError:
        log = ""
    context = {"log": log, "console": console_tail(lab.folder, side)}
    if "Could not set up host forwarding rule" in log:
        return PortTaken(
            f"TCP port {lab.ports[side]} on 127.0.0.1 is in use by another program.", hint="Try again.", context=context
        )
    return LabFault(
        f"QEMU ended while gateway {side.upper()} of the lab “{lab.spec.name}” started: {log or 'it said nothing'}",
        hint="If memory is short, close other programs; if QEMU is older than 7.2, update it.",
        context=context,
    )


def _never_up(lab: Lab, late: list[Side], timeout_s: float) -> LabFault:
    names = " and ".join(f"gateway {side.upper()}" for side in late)
    consoles = {f"console_{side}": console_tail(lab.folder, side) for side in late}
    shown = "\n".join(consoles.values())
    return LabFault(
        f"In the lab “{lab.spec.name}”, {names} did not come up within {timeout_s:g} s. "
        f"The last lines of the console:\n{shown}",
        hint="This computer may be too busy: close other programs and try again.",
        context=consoles,
    )
