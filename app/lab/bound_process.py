"""Runs a long command that ends when its owner does, however that dies.

It is run as a script with the standard library alone: `python -I bound_process.py OWNER_FD COMMAND…`, where OWNER_FD is
a process descriptor of the owner, which becomes readable when the owner is gone. The command runs in a process group of
its own; it is asked to end (SIGTERM, so that it can clean up after itself) and killed if it does not.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys

_GRACE_S = 20.0


def main(arguments: list[str]) -> int:
    """Run the command.

    Args:
        arguments: Number of the owner's process descriptor, then program and arguments.

    Returns:
        The command's exit status; 143 if it was ended.
    """
    owner_fd = int(arguments[0])
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    child = subprocess.Popen(arguments[1:], stdin=subprocess.DEVNULL, start_new_session=True)
    child_fd = os.pidfd_open(child.pid)
    with selectors.DefaultSelector() as selector:
        selector.register(owner_fd, selectors.EVENT_READ)
        selector.register(child_fd, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        ready = {key.fileobj for key, _ in selector.select()}
    if child_fd in ready:
        return child.wait()
    os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(timeout=_GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    return 128 + signal.SIGTERM


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
