"""Folders of labs, and which of them belong to a live lab.

A lab is live as long as its supervisor holds the lock on its folder; the kernel releases the lock when that process
ends, for whatever reason. So no process numbers are needed to distinguish a live lab from a dead one's remains.
Only one process at a time checks this, under the lock of the parent folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from app.domain.errors import InvalidOption, LabFault
from app.lab.control import give_order
from app.lab.messages import LAB_NOT_STOPPED, LAB_TAKEN
from app.lab.supervisor import PID_FILE

_DOWN_TIMEOUT_S = 15.0
_POLL_S = 0.02


class LabFolders:
    """Makes, finds and removes labs' folders.

    Args:
        parent: The folder that they are in.
    """

    def __init__(self, parent: Path) -> None:
        self._parent = parent

    def make_parent(self) -> Path:
        """Make the folder that labs' folders are in, if it is not there, and return it."""
        self._parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._parent

    def refuse_taken(self, name: str) -> None:
        """Refuse a name that a living lab has.

        Raises:
            InvalidOption: A lab of that name lives.
        """
        if any(folder.name == name for folder in self.alive()):
            raise _taken(name)

    def create(self, name: str) -> tuple[Path, int]:
        """Make a lab's folder and take its lock.

        Returns:
            The folder, and a descriptor that holds its lock until it and all its copies are closed.

        Raises:
            InvalidOption: A lab of that name lives.
        """
        self.make_parent()
        with self._questions():
            folder = self._parent / name
            if folder.exists() and not _remove_if_dead(folder):
                raise _taken(name)
            folder.mkdir(mode=0o700)
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return folder, descriptor

    def alive(self) -> list[Path]:
        """Return the folders of living labs, by name; remove what dead ones have left."""
        if not self._parent.is_dir():
            return []
        with self._questions():
            folders = sorted(path for path in self._parent.iterdir() if path.is_dir())
            return [folder for folder in folders if not _remove_if_dead(folder)]

    def end(self, folder: Path) -> None:
        """End a lab, wait until its processes are gone, and remove its folder.

        Raises:
            LabFault: Its supervisor could not be ended.
        """
        if self._is_gone_within(folder, _DOWN_TIMEOUT_S):
            return
        try:
            os.kill(int((folder / PID_FILE).read_text()), signal.SIGKILL)
        except (OSError, ValueError):
            pass  # it is gone, or never wrote its number
        if not self._is_gone_within(folder, _DOWN_TIMEOUT_S):
            raise LabFault(LAB_NOT_STOPPED(lab=folder.name, folder=folder))

    def _is_gone_within(self, folder: Path, timeout_s: float) -> bool:
        """Ask a lab to stop, again and again because it may be just starting, until it is gone."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            with self._questions():
                if _remove_if_dead(folder):
                    return True
            try:
                give_order(folder, "stop")
            except LabFault:
                pass  # it is not listening yet, or no longer
            time.sleep(_POLL_S)
        return False

    @contextlib.contextmanager
    def _questions(self) -> Iterator[None]:
        descriptor = os.open(self._parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _taken(name: str) -> InvalidOption:
    return InvalidOption(LAB_TAKEN(lab=name))


def _remove_if_dead(folder: Path) -> bool:
    """Remove a lab's folder unless the lab lives; say whether it is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()
    finally:
        os.close(descriptor)
