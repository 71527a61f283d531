"""Runs a long command that ends when its owner does, however that dies, and cleans up after both.

It is run as a script with the standard library alone: `python -I bound_process.py OWNER_FD FOLDER COMMAND…`, where
OWNER_FD is a process descriptor of the owner, which becomes readable when the owner is gone. The command runs in a
process group of its own, with a folder for temporary files that is removed afterwards; when it has to be ended it is
asked first (SIGTERM, so that it can clean up after itself) and then killed. If the owner is gone, FOLDER is removed as
well, because the owner can no longer do it.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

AS_ROOT_OF_NAMESPACE = ("unshare", "--user", "--map-root-user", "--map-auto", "--")
"""Command prefix by which an ordinary user handles files of their subordinate users.

Source: unshare(1) of util-linux 2.38.
"""

_GRACE_S = 20.0


def remove_tree(folder: Path) -> None:
    """Remove a folder, also one with files that belong to an ordinary user's subordinate users.

    Args:
        folder: What to remove; it need not exist.
    """
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists() and os.geteuid() != 0:
        argv = [*AS_ROOT_OF_NAMESPACE, "rm", "-rf", "--", str(folder)]
        subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def main(arguments: list[str]) -> int:
    """Run the command.

    Args:
        arguments: Number of the owner's process descriptor, the folder, then program and arguments.

    Returns:
        The command's exit status; 143 if it was ended.
    """
    owner_fd, folder = int(arguments[0]), Path(arguments[1])
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    temporary = Path(tempfile.mkdtemp(prefix="tunnelmark-"))
    temporary.chmod(0o711)  # root of a user namespace passes through
    try:
        environment = {**os.environ, "TMPDIR": str(temporary)}
        child = subprocess.Popen(arguments[2:], stdin=subprocess.DEVNULL, start_new_session=True, env=environment)
        with selectors.DefaultSelector() as selector:
            selector.register(os.pidfd_open(child.pid), selectors.EVENT_READ, "child")
            selector.register(owner_fd, selectors.EVENT_READ, "owner")
            selector.register(wake_read, selectors.EVENT_READ, "signal")
            ready = {key.data for key, _ in selector.select()}
        if "child" in ready:
            return child.wait()
        _end(child)
        if "owner" in ready:
            remove_tree(folder)
        return 128 + signal.SIGTERM
    finally:
        remove_tree(temporary)


def _end(child: subprocess.Popen[bytes]) -> None:
    os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(timeout=_GRACE_S)
    except subprocess.TimeoutExpired:
        pass  # it had its chance
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # no process of its group is left
    child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
