"""Waits until the machines of a lab can be logged in to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.concurrency import run_all
from app.domain.errors import DeadlineExceeded, LabFault
from app.domain.hosts import Side
from app.domain.messages import Message, MessageForm
from app.domain.messages.lists import enumerated
from app.lab.control import give_order
from app.lab.guarded import run_bounded
from app.lab.guest import clock_line
from app.lab.launch import Launched
from app.lab.machine import READY_MARK, WAITING_MARK, console_name, identity_name
from app.lab.messages import (
    BOOTING_GATEWAYS,
    GATEWAY,
    GATEWAYS_TOO_SLOW,
    IDENTITY_NOT_TAKEN,
    LAB_PORT_TAKEN,
    LOGGING_IN,
    LOGIN_SILENT,
    NO_LOGIN,
    NODE,
    NODE_ENDED,
    NODE_IDENTITY_NOT_TAKEN,
    NODE_NO_LOGIN,
    NOTHING_PRINTED,
    QEMU_ENDED,
    SSH_ENDED,
    SSH_MISSING,
    TAKING_IDENTITY,
    VIRTUAL_GATEWAYS,
    WAITING_FOR_LOGIN,
)
from app.lab.monitor import connected_socket
from app.lab.running import Lab
from app.lab.spec import LabMachine, LabProgress, OnProgress, boot_share, side_of

BOOT_TIMEOUT_S = 240.0
LOGINS = 2
"""Logins in a row that must work on a gateway that has booted: sshd may listen before it is ready."""

_ANSWER_TIMEOUT_S = 60.0
"""Time limit for one login, in seconds."""
_LOGIN_TIMEOUT_S = 60.0
"""Time to keep trying to log in, in seconds."""
SEND_TIMEOUT_S = 120.0
"""Time limit for a gateway to receive and install its identity, in seconds."""

_CONSOLE_LINES = 15
_CONSOLE_TAIL_BYTES = 16_384
_POLL_S = 0.2


class PortTaken(LabFault):
    """Another program took a gateway's port in the meantime; another port can be tried."""

    is_retryable = True


def console_mark_count(lab: Lab, machine: LabMachine) -> int:
    """Return how many times a machine has reported on its console that sshd runs."""
    return _console_count(lab, machine, READY_MARK)


def _console_count(lab: Lab, machine: LabMachine, mark: str) -> int:
    try:
        return (lab.folder / console_name(machine)).read_bytes().count(mark.encode())
    except FileNotFoundError:
        return 0


def refuse_ended(lab: Lab, machines: Iterable[LabMachine]) -> None:
    """Raise the error of a machine whose QEMU has ended.

    Raises:
        PortTaken: QEMU could not have its port.
        LabFault: QEMU ended; the context holds its log and the last lines of the machine's console.
    """
    pids = give_order(lab.folder, "status").pids
    for machine in machines:
        if pids[machine] is None:
            raise _ended(lab, machine)


def identify(
    launched: Launched, *, is_restored: bool, token: CancelToken, on_progress: OnProgress, timeout_s: float
) -> None:
    """Give all machines their identity as soon as they wait for it.

    Args:
        launched: The lab and the identities.
        is_restored: Whether the machines were restored, and so wait for it already.
        on_progress: Receives how far they are.

    Raises:
        PortTaken: QEMU could not have its port.
        LabFault: QEMU ended, or a gateway never came up; the context holds the last lines of its console.
        Cancelled: The token was cancelled.
    """
    lab, machines = launched.lab, launched.lab.spec.machines
    started_at = time.monotonic()

    def are_waiting() -> bool:
        waited_s = time.monotonic() - started_at
        refuse_ended(lab, machines)
        waiting = [one for one in machines if is_restored or _console_count(lab, one, WAITING_MARK)]
        text = BOOTING_GATEWAYS(booted=len(waiting), number=len(machines))
        on_progress(LabProgress("boot", text, boot_share(waited_s)))
        return len(waiting) == len(machines)

    def send(machine: LabMachine) -> None:
        try:
            _send_identity(lab.folder, machine, launched.identities[machine], token)
        except DeadlineExceeded as error:
            raise _never_up(lab, [machine], SEND_TIMEOUT_S) from error

    try:
        token.wait_for(are_waiting, timeout_s=timeout_s, what=VIRTUAL_GATEWAYS(), interval_s=_POLL_S)
    except DeadlineExceeded as error:
        late = [one for one in machines if not _console_count(lab, one, WAITING_MARK)]
        raise _never_up(lab, late, timeout_s) from error
    run_all(partial(send, machine) for machine in machines)


def wait_until_up(
    lab: Lab,
    machines: Mapping[LabMachine, int],
    *,
    token: CancelToken,
    on_progress: OnProgress,
    timeout_s: float,
    logins: int = LOGINS,
) -> None:
    """Wait until machines can be logged in to.

    Args:
        machines: The machines, each with how many times it had reported that sshd runs before it was switched on.
        on_progress: Receives their progress; the fraction is a guess from earlier starts.
        logins: How many logins in a row must work on each.

    Raises:
        PortTaken: QEMU could not have its port.
        LabFault: QEMU ended, or a machine never came up; the context holds the last lines of its console.
        Cancelled: The token was cancelled.
    """
    started_at = time.monotonic()

    def are_up() -> bool:
        waited_s = time.monotonic() - started_at
        refuse_ended(lab, machines)
        ready = [one for one, count in machines.items() if console_mark_count(lab, one) > count]
        text = WAITING_FOR_LOGIN(ready=len(ready), number=len(machines))
        on_progress(LabProgress("boot", text, boot_share(waited_s)))
        return len(ready) == len(machines)

    try:
        token.wait_for(are_up, timeout_s=timeout_s, what=VIRTUAL_GATEWAYS(), interval_s=_POLL_S)
    except DeadlineExceeded as error:
        late = [one for one, count in machines.items() if console_mark_count(lab, one) <= count]
        raise _never_up(lab, late, timeout_s) from error
    on_progress(LabProgress("login", LOGGING_IN(), None))
    _log_in_everywhere(lab, list(machines), logins, token)


def console_tail(folder: Path, machine: LabMachine) -> str:
    """Return the last lines of a machine's console.

    Returns:
        Printable text, 15 lines at most.
    """
    try:
        raw = (folder / console_name(machine)).read_bytes()[-_CONSOLE_TAIL_BYTES:]
    except FileNotFoundError:
        return ""
    text = raw.decode(errors="replace")
    lines = ("".join(char for char in line if char.isprintable()).rstrip() for line in text.splitlines())
    return "\n".join([line for line in lines if line][-_CONSOLE_LINES:])


def _log_in_everywhere(lab: Lab, machines: list[LabMachine], logins: int, token: CancelToken) -> None:
    stop = CancelToken()
    unregister = token.on_cancel(stop.cancel)
    try:
        with ThreadPoolExecutor(max_workers=len(machines), thread_name_prefix="lab-login") as pool:
            try:
                for outcome in [pool.submit(_log_in, lab, one, logins, stop) for one in machines]:
                    outcome.result()
            except BaseException:
                stop.cancel()  # the others need not go on
                raise
    finally:
        unregister()


def _log_in(lab: Lab, machine: LabMachine, logins: int, stop: CancelToken) -> None:
    """Log in several times in a row."""
    deadline = time.monotonic() + _LOGIN_TIMEOUT_S
    successes = 0
    while successes < logins:
        stop.raise_if_cancelled()
        complaint = _try_login(lab, machine, stop)
        successes = 0 if complaint else successes + 1
        if complaint:
            if time.monotonic() > deadline:
                raise _no_login(lab, machine, complaint)
            stop.sleep(_POLL_S)


def _try_login(lab: Lab, machine: LabMachine, stop: CancelToken) -> str:
    """Log in once; return why it did not work, or nothing."""
    try:
        found = run_bounded([*lab.ssh_argv(machine), "true"], timeout_s=_ANSWER_TIMEOUT_S, token=stop)
    except FileNotFoundError as error:
        raise LabFault(SSH_MISSING(program="ssh")) from error
    if found is None:
        return LOGIN_SILENT()
    return "" if found.exit_status == 0 else found.output or SSH_ENDED(status=found.exit_status)


def _of_machine(gateway: MessageForm, node: MessageForm, machine: LabMachine, **data: object) -> Message:
    """Return a message about a machine: gateways and nodes have forms of their own."""
    return (gateway if isinstance(machine, Side) else node)(side=side_of(machine).upper(), **data)


def _no_login(lab: Lab, machine: LabMachine, complaint: str) -> LabFault:
    console = console_tail(lab.folder, machine)
    return LabFault(
        _of_machine(NO_LOGIN, NODE_NO_LOGIN, machine, lab=lab.spec.name, why=complaint),
        context={"console": console},
    )


def _ended(lab: Lab, machine: LabMachine) -> LabFault:
    try:
        log = (lab.folder / f"qemu-{machine}.log").read_text(errors="replace").strip()
    except FileNotFoundError:
        log = ""
    context = {"log": log, "console": console_tail(lab.folder, machine)}
    if "Could not set up host forwarding rule" in log:
        return PortTaken(LAB_PORT_TAKEN(port=str(lab.port(machine))), context=context)
    return LabFault(
        _of_machine(QEMU_ENDED, NODE_ENDED, machine, lab=lab.spec.name, log=log or NOTHING_PRINTED()),
        context=context,
    )


def _never_up(lab: Lab, late: list[LabMachine], timeout_s: float) -> LabFault:
    gateways = enumerated(_of_machine(GATEWAY, NODE, one) for one in late)
    consoles = {f"console_{one}": console_tail(lab.folder, one) for one in late}
    shown = "\n".join(consoles.values())
    return LabFault(
        GATEWAYS_TOO_SLOW(lab=lab.spec.name, gateways=gateways, seconds=timeout_s, console=shown),
        context=consoles,
    )


def _send_identity(folder: Path, machine: LabMachine, identity: bytes, token: CancelToken) -> None:
    """Send a machine that waits for it the time and its identity, and wait until both are its own."""
    try:
        with connected_socket(folder, identity_name(machine), timeout_s=SEND_TIMEOUT_S) as line:
            line.sendall(clock_line(time.time()) + identity)
            line.settimeout(_POLL_S)

            def is_taken() -> bool:
                try:
                    if not line.recv(1):
                        raise ConnectionResetError("QEMU ended")
                except TimeoutError:
                    return False
                return True

            # The connection is kept open: QEMU forgets what the guest has not read when it ends.
            token.wait_for(is_taken, timeout_s=SEND_TIMEOUT_S, what=TAKING_IDENTITY())
    except OSError as error:
        form = _of_machine(IDENTITY_NOT_TAKEN, NODE_IDENTITY_NOT_TAKEN, machine, lab=folder.name, why=error)
        raise LabFault(form) from error
