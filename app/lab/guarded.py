"""Programs that do not outlive this process, or their time."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.domain.cancel import CancelToken
from app.lab import bound_process


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that has ended: its exit status, and the text that it printed."""

    exit_status: int
    output: str


@contextlib.contextmanager
def guarded(
    argv: Sequence[str], *, folder: Path, keep_fds: tuple[int, ...] = (), working_folder: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Start a program that is ended when this process dies, however it does.

    Args:
        argv: Program and arguments.
        folder: What is removed if this process dies meanwhile.
        keep_fds: Descriptors that remain open until then, for example one with a lock.
        working_folder: Where the program runs; here unless given.

    Yields:
        The process that guards it, with stdout and stderr of the program as its stdout. Terminating it ends the
        program; at the end of the block that is done, if need be, and waited for.
    """
    owner_fd = os.pidfd_open(os.getpid())
    try:
        with subprocess.Popen(
            [sys.executable, "-I", bound_process.__file__, str(owner_fd), str(folder), *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=(owner_fd, *keep_fds),
            # mke2fs is in /usr/sbin, which is not on every user's PATH.
            env={**os.environ, "LC_ALL": "C.UTF-8", "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"},
            start_new_session=True,
            cwd=working_folder,
        ) as process:
            try:
                yield process
            finally:
                process.terminate()
    finally:
        os.close(owner_fd)


def run_bounded(argv: Sequence[str], stdin: bytes = b"", *, timeout_s: float, token: CancelToken) -> Finished | None:
    """Run a short program to its end; it is killed when its time is over, or when it is cancelled.

    Args:
        argv: Program and arguments.
        stdin: What it reads.
        timeout_s: How long it may take, in seconds.
        token: Cancelling it kills the program, whose exit status then says so.

    Returns:
        Its exit status and all that it printed; None where its time was over.

    Raises:
        FileNotFoundError: There is no such program.
    """
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        unregister = token.on_cancel(process.kill)
        try:
            output, _ = process.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            return None
        finally:
            unregister()
    return Finished(process.returncode, output.decode(errors="replace").strip())
