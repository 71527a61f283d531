"""Makes a disk image from Debian packages with mmdebstrap, as root or as an ordinary user."""

from __future__ import annotations

import collections
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.errors import DiskFull, LabFault
from app.domain.messages import Message
from app.lab.bound_process import AS_ROOT_OF_NAMESPACE
from app.lab.guarded import guarded
from app.lab.messages import (
    CHECKING_IMAGE,
    DISK_FILLED,
    FETCHING_LISTS,
    FETCHING_PACKAGES,
    IMAGE_FAILED,
    IMAGE_PROGRAM_MISSING,
    INSTALLING_SYSTEM,
    INSTALLING_VPNS,
    KEYS_MISSING,
    KEYS_TOO_OLD,
    MAKING_IMAGE_ONCE,
    MAKING_LAB_IMAGE,
    MAKING_REPOSITORY,
    MAKING_STARTUP,
    MAKING_USERS,
    MIRROR_UNREACHABLE,
    NEEDS_SUBORDINATE_IDS,
    PACKING_SYSTEM,
    SEE_LINES_ABOVE,
    SPACE_TOO_LITTLE,
    UIDMAP_MISSING,
    UNPACKING_SYSTEM,
    WRITING_FILE_SYSTEM,
)
from app.lab.mirror import find_mirror, find_proxy
from app.lab.platforms import Platform
from app.lab.spec import LabProgress, OnProgress

# Measured with debian-13: at most 1162 MiB at once in the cache folder (the image itself: 474 MiB), and 522 MiB in the
# folder for temporary files.
_NEEDED_CACHE_BYTES = 1400 << 20
_NEEDED_TEMPORARY_BYTES = 800 << 20
_FREE_AFTERWARDS_BYTES = 200 << 20

_KEYRING_FOLDER = Path("/usr/share/keyrings")
_LOG_LINES = 40
_SHOWN_LINES = 5
_SETUP_IN_GUEST = "tmp/tunnelmark-guest-setup"

_MILESTONES: tuple[tuple[str, str, float], ...] = (
    ("I: running apt-get update", FETCHING_LISTS(), 0.02),
    ("I: downloading packages", FETCHING_PACKAGES(), 0.08),
    ("I: extracting archives", UNPACKING_SYSTEM(), 0.20),
    ("I: installing essential packages", INSTALLING_SYSTEM(), 0.25),
    ("I: installing remaining packages", INSTALLING_VPNS(), 0.35),
    ("tunnelmark: package repository", MAKING_REPOSITORY(), 0.62),
    ("tunnelmark: users", MAKING_USERS(), 0.68),
    ("tunnelmark: start-up files", MAKING_STARTUP(), 0.72),
    ("I: creating tarball", PACKING_SYSTEM(), 0.80),
)
"""Lines of mmdebstrap 1.3 and of our own script, their meaning, and the share of time that has passed by then."""


def build_image(row: Platform, folder: Path, *, lock_fd: int, token: CancelToken, on_progress: OnProgress) -> None:
    """Make root.img, vmlinuz and initrd in a folder.

    Args:
        folder: An empty folder of ours; if this process dies, it is removed.
        lock_fd: Descriptor with a lock that is held until that is done.
        on_progress: Receives what is being done.

    Raises:
        LabFault: A program is missing or failed; the context holds the last lines of its log.
        DiskFull: There is not enough space.
        Cancelled: The token was cancelled.
    """
    _check_programs()
    _check_space(folder)
    files = folder / "files.tar"
    files.write_bytes(pack_files(row))
    on_progress(LabProgress("image", MAKING_IMAGE_ONCE(platform=row.title), 0.0))
    argv = mmdebstrap_argv(row, files=files, output=folder / "root.tar", mirror=find_mirror(), proxy=find_proxy())
    _run_bound(argv, folder=folder, lock_fd=lock_fd, token=token, on_progress=on_progress)
    on_progress(LabProgress("image", WRITING_FILE_SYSTEM(), 0.85))
    unpack = resources.files("resources").joinpath("lab/unpack.sh").read_text()
    argv = [*_as_root_argv(), "sh", "-c", unpack, "sh", str(folder), row.disk]
    _run_bound(argv, folder=folder, lock_fd=lock_fd, token=token, on_progress=on_progress)
    files.unlink()
    on_progress(LabProgress("image", CHECKING_IMAGE(), 0.97))


def pack_files(row: Platform) -> bytes:
    """Return a tar archive with our own files for the guest.

    Returns:
        The archive; everything in it belongs to root.
    """
    stream = io.BytesIO()
    rootfs = resources.files("resources").joinpath("lab/rootfs")
    with resources.as_file(rootfs) as tree, tarfile.open(fileobj=stream, mode="w") as archive:
        for path in sorted(tree.rglob("*")):
            if path.is_file():
                _add_file(archive, path.relative_to(tree).as_posix(), path.read_bytes())
        sshd = "".join(f"{line}\n" for line in row.sshd_lines)
        _add_file(archive, "etc/ssh/sshd_config.d/20-tunnelmark-lab-release.conf", sshd.encode())
        setup = resources.files("resources").joinpath("lab/guest-setup.sh").read_bytes()
        _add_file(archive, _SETUP_IN_GUEST, setup)
    return stream.getvalue()


def _add_file(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.mode = 0o440 if name.startswith("etc/sudoers.d/") else 0o644
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def mmdebstrap_argv(row: Platform, *, files: Path, output: Path, mirror: str, proxy: Mapping[str, str]) -> list[str]:
    """Return the command line of mmdebstrap.

    Args:
        files: Archive with our own files.
        output: The tar file to write.
        mirror: Address of the Debian archive.
        proxy: Proxies by apt's name of the option.

    Returns:
        Program and arguments. Source: mmdebstrap(1), version 1.3.
    """
    keyring = next((_KEYRING_FOLDER / name for name in row.keyrings if (_KEYRING_FOLDER / name).exists()), None)
    if keyring is None:
        raise LabFault(KEYS_MISSING(platform=row.title))
    return [
        "mmdebstrap",
        f"--mode={'root' if os.geteuid() == 0 else 'unshare'}",
        "--format=tar",
        "--variant=minbase",
        f"--components={','.join(row.components)}",
        f"--keyring={keyring}",
        f"--include={','.join((*row.packages, row.kernel_package))}",
        *(f'--aptopt={option} "{value}"' for option, value in proxy.items()),
        "--skip=cleanup/apt,output/dev",
        f"--customize-hook=tar-in {files} /",
        f'--customize-hook=chroot "$1" sh /{_SETUP_IN_GUEST}',
        row.suite,
        str(output),
        mirror,
    ]


def _as_root_argv() -> tuple[str, ...]:
    """Return what is put in front of a command that must be able to give files to any owner."""
    return () if os.geteuid() == 0 else AS_ROOT_OF_NAMESPACE


def _check_programs() -> None:
    for program, package in (("mmdebstrap", "mmdebstrap"), ("mke2fs", "e2fsprogs"), ("tar", "tar")):
        # mke2fs is in /usr/sbin, which is not on every user's PATH.
        if shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is None:
            raise LabFault(IMAGE_PROGRAM_MISSING(program=program, package=package))
    if os.geteuid() != 0 and shutil.which("newuidmap") is None:
        raise LabFault(UIDMAP_MISSING())


def _check_space(folder: Path) -> None:
    temporary = Path(tempfile.gettempdir())
    needed = {folder: _NEEDED_CACHE_BYTES + _FREE_AFTERWARDS_BYTES}
    if temporary.stat().st_dev == folder.stat().st_dev:
        needed[folder] += _NEEDED_TEMPORARY_BYTES
    else:
        needed[temporary] = _NEEDED_TEMPORARY_BYTES + _FREE_AFTERWARDS_BYTES
    for place, size_bytes in needed.items():
        check_free(place, size_bytes, what=MAKING_LAB_IMAGE())


def check_free(place: Path, needed_bytes: int, *, what: Message) -> None:
    """Refuse work that there is no disk space for.

    Args:
        place: A folder on the file system in question.
        needed_bytes: How much is needed, in bytes.
        what: The work, for the error's sentence.

    Raises:
        DiskFull: Less than that is free.
    """
    free_bytes = shutil.disk_usage(place).free
    if free_bytes < needed_bytes:
        raise DiskFull(
            SPACE_TOO_LITTLE(what=what, needed_mib=needed_bytes >> 20, place=place, free_mib=free_bytes >> 20)
        )


def _run_bound(argv: list[str], *, folder: Path, lock_fd: int, token: CancelToken, on_progress: OnProgress) -> None:
    """Run a long program that dies with this process; turn its output into progress, and its failure into an error."""
    last: collections.deque[str] = collections.deque(maxlen=_LOG_LINES)
    with guarded(argv, folder=folder, keep_fds=(lock_fd,)) as process:
        unregister = token.on_cancel(process.terminate)
        try:
            for line in process.stdout or ():
                last.append(line.rstrip())
                _report(line, on_progress)
            process.wait()
        finally:
            unregister()
    token.raise_if_cancelled()
    if process.returncode != 0:
        raise _failure(argv[0], process.returncode, last)


def _report(line: str, on_progress: OnProgress) -> None:
    for start, text, fraction in _MILESTONES:
        if line.startswith(start):
            on_progress(LabProgress("image", text, fraction))


def _failure(program: str, status: int, last: collections.deque[str]) -> LabFault | DiskFull:
    log = "\n".join(last)
    if "No space left on device" in log:
        return DiskFull(DISK_FILLED(), context={"log": log})
    hint = SEE_LINES_ABOVE()
    if "subuid" in log or "newuidmap" in log or "unshare" in log:
        hint = NEEDS_SUBORDINATE_IDS()
    elif "Temporary failure resolving" in log or "Could not connect" in log or "Failed to fetch" in log:
        hint = MIRROR_UNREACHABLE()
    elif "NO_PUBKEY" in log or "not signed" in log:
        hint = KEYS_TOO_OLD()
    return LabFault(
        IMAGE_FAILED(program=program, status=status, log="\n".join(list(last)[-_SHOWN_LINES:])),
        hint=hint,
        context={"log": log},
    )
