"""The cache of disk images: finds a sound one, or has it made."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from app.domain.cancel import CancelToken
from app.lab.bound_process import remove_tree
from app.lab.image_build import build_image
from app.lab.messages import ANOTHER_PREPARES, IMAGE_READY, PREPARATIONS
from app.lab.platforms import Platform, platform
from app.lab.spec import LabProgress, OnProgress

MANIFEST = "manifest.json"
ROOT_IMAGE = "root.img"
KERNEL = "vmlinuz"
INITRD = "initrd"

_FILES = (ROOT_IMAGE, KERNEL, INITRD)
_LOCK_WAIT_S = 1800.0
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ImagePaths:
    """A finished image.

    Attributes:
        folder: Where its files are.
    """

    folder: Path

    @property
    def root(self) -> Path:
        """The file system, raw; only ever read."""
        return self.folder / ROOT_IMAGE

    @property
    def kernel(self) -> Path:
        """The kernel that belongs to it."""
        return self.folder / KERNEL

    @property
    def initrd(self) -> Path:
        """The initial RAM disk that belongs to it."""
        return self.folder / INITRD


class ImageStore:
    """Images in the cache folder, one folder per platform and recipe.

    Args:
        cache_dir: The user's cache folder of this program.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._folder = cache_dir / "lab"

    def ensure(self, name: str, *, token: CancelToken, on_progress: OnProgress) -> ImagePaths:
        """Return the image of a platform; make it if there is no sound one.

        Args:
            on_progress: Receives what is being done.

        Returns:
            Where the image is.

        Raises:
            InvalidOption: There is no such platform.
            LabFault: The image could not be made.
            DiskFull: There is not enough space for it.
            Cancelled: The token was cancelled; nothing half-made is left.
        """
        row = platform(name)
        target = self._folder / f"{row.name}-{recipe_fingerprint(row)}"
        if is_sound(target):
            return ImagePaths(target)
        self._folder.mkdir(parents=True, exist_ok=True)
        with locked(self._folder, token=token, on_progress=on_progress) as lock_fd:
            if is_sound(target):
                return ImagePaths(target)
            building = self._folder / f".building-{row.name}"
            remove_tree(building)
            building.mkdir(mode=0o755)
            try:
                build_image(row, building, lock_fd=lock_fd, token=token, on_progress=on_progress)
                write_manifest(building)
                remove_tree(target)
                building.rename(target)
            finally:
                remove_tree(building)
            self._remove_older(row, target)
        on_progress(LabProgress("image", IMAGE_READY(platform=row.title), 1.0))
        return ImagePaths(target)

    def _remove_older(self, row: Platform, newest: Path) -> None:
        """Remove images of earlier recipes, except those that a running lab still boots from."""
        for folder in self._folder.glob(f"{row.name}-*"):
            if folder != newest:
                with contextlib.suppress(BlockingIOError):
                    remove_unused(folder)


def hold_folder(folder: Path) -> int:
    """Keep an image or a saved machine from being removed while a lab uses it.

    Returns:
        A file descriptor; its folder may be removed when it and its copies are closed.
    """
    folder_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(folder_fd, fcntl.LOCK_SH)
    return folder_fd


def remove_unused(folder: Path) -> None:
    """Remove a folder that no lab holds; raises BlockingIOError where one does."""
    folder_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(folder_fd)


def recipe_fingerprint(row: Platform) -> str:
    """Return a short text that changes whenever the recipe of an image does.

    Returns:
        Twelve hexadecimal digits over the platform's row and every file that goes into the image.
    """
    digest = hashlib.sha256(repr(row).encode())
    for name, content in sorted(recipe_files().items()):
        digest.update(f"\0{name}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:12]


def recipe_files() -> dict[str, bytes]:
    """Return the files that images are made with, by their path below resources/lab."""
    found: dict[str, bytes] = {}

    def collect(folder: Traversable, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                collect(entry, f"{prefix}{entry.name}/")
            else:
                found[prefix + entry.name] = entry.read_bytes()

    collect(resources.files("resources") / "lab", "")
    return found


def write_manifest(folder: Path, names: Sequence[str] = _FILES) -> None:
    """Write down sizes, times and digests of finished files, which nothing changes from then on.

    Args:
        folder: The folder that they are in.
    """
    entries = {}
    for name in names:
        path = folder / name
        path.chmod(0o444)
        status = path.stat()
        entries[name] = {"bytes": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": _digest(path)}
    (folder / MANIFEST).write_text(json.dumps({"files": entries}, indent=2) + "\n")


def is_sound(folder: Path, names: Sequence[str] = _FILES) -> bool:
    """Return whether files are complete and as they were when they were made.

    Args:
        folder: The folder that they are in.

    Returns:
        False if a file is missing, was cut or changed. Contents are compared only where a file's time differs.
    """
    try:
        entries = json.loads((folder / MANIFEST).read_text())["files"]
        for name in names:
            path, entry = folder / name, entries[name]
            status = path.stat()
            if status.st_size != entry["bytes"]:
                return False
            if status.st_mtime_ns != entry["mtime_ns"] and _digest(path) != entry["sha256"]:
                return False
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def _digest(path: Path) -> str:
    """Return a digest over a file's blocks without those of zeros: most of an image is holes, which need no reading."""
    digest = hashlib.sha256()
    zeros = bytes(_BLOCK_BYTES)
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        position = 0
        while position < size:
            try:
                data_at = os.lseek(file.fileno(), position, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                break  # there are only holes from here on; source: lseek(2)
            position = data_at - data_at % _BLOCK_BYTES
            block = os.pread(file.fileno(), _BLOCK_BYTES, position)
            if block != zeros[: len(block)]:
                digest.update(position.to_bytes(8, "big"))
                digest.update(block)
            position += _BLOCK_BYTES
    return digest.hexdigest()


@contextlib.contextmanager
def locked(folder: Path, *, token: CancelToken, on_progress: OnProgress) -> Iterator[int]:
    """Hold a folder's lock, so that the same thing is not made twice at once.

    Args:
        folder: What is locked.
        on_progress: Receives that another process holds it.

    Yields:
        A descriptor that holds the lock until it and its copies are closed.
    """
    folder_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def is_locked() -> bool:
        try:
            fcntl.flock(folder_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    try:
        if not is_locked():
            on_progress(LabProgress("image", ANOTHER_PREPARES(), None))
            token.wait_for(is_locked, timeout_s=_LOCK_WAIT_S, what=PREPARATIONS(), interval_s=0.5)
        yield folder_fd
    finally:
        os.close(folder_fd)
