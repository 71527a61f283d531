"""A root folder that holds BusyBox and nothing else, for chroot."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

needs_busybox = pytest.mark.skipif(
    shutil.which("busybox") is None or os.geteuid() != 0, reason="needs BusyBox, and root for chroot"
)


def make_busybox_root(root: Path) -> Path:
    """Fill a folder with BusyBox, the libraries it needs, and a link for each of its programs; return the folder."""
    busybox = shutil.which("busybox")
    assert busybox is not None
    for name in ("bin", "sbin", "usr/bin", "usr/sbin", "etc", "proc", "sys", "tmp", "run", "dev", "root"):
        (root / name).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    shutil.copy(busybox, root / "bin" / "busybox")
    libraries = subprocess.run(["ldd", busybox], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"(/\S+)", libraries):
        target = root / library.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)
    (root / "dev" / "null").touch()
    programs = subprocess.run([busybox, "--list-full"], capture_output=True, text=True, check=True).stdout.split()
    for program in programs:
        link = root / program
        if not link.exists():
            link.symlink_to("/bin/busybox")
    return root


def chroot_shell(root: Path) -> tuple[str, ...]:
    """Return argv of BusyBox' shell in that folder, with this computer's /proc and /sys in a mount namespace."""
    mounts = 'mount --bind "$1" "$1" && mount --rbind /proc "$1/proc" && mount --rbind /sys "$1/sys"'
    return ("unshare", "--mount", "sh", "-c", f'{mounts} && exec chroot "$1" /bin/sh', "shell", str(root))
