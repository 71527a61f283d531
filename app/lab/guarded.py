"""Starts long programs that do not outlive this process."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.lab import bound_process


@contextlib.contextmanager
def guarded(
    argv: Sequence[str], *, folder: Path, keep_fds: tuple[int, ...] = (), working_folder: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Start a program that is ended when this process dies, however it does.

    Args:
        argv: Program and arguments.
        folder: What is removed if this process dies meanwhile.
        keep_fds: Descriptors that stay open until that is done, for example one with a lock.
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
            # mke2fs is in /usr/sbin, which is not on everybody's PATH.
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
