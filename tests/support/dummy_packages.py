"""Two tiny Debian packages in a repository of their own: a program, and a daemon that needs it.

The daemon's maintainer scripts are what debhelper writes for a service: they enable and start it. Source:
dh_installsystemd(1), its autoscripts postinst-systemd-enable, postinst-systemd-start and postrm-systemd.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

TOOL, DAEMON = "dummy-tool", "dummy-daemon"
UNIT = f"{DAEMON}.service"
VERSION = "1.0"

_CONTROL = """Package: {name}
Version: {version}
Architecture: all
Maintainer: Nobody <nobody@example.org>
{depends}Description: package for tests
"""
_UNIT = """[Unit]
Description=Daemon of a package for tests
[Service]
ExecStart=/usr/bin/dummy-tool
[Install]
WantedBy=multi-user.target
"""
_TOOL = "#!/bin/sh\nexec sleep infinity\n"
_POSTINST = f"""#!/bin/sh
set -e
if [ "$1" = configure ]; then
    deb-systemd-helper unmask {UNIT} > /dev/null || true
    if deb-systemd-helper --quiet was-enabled {UNIT}; then deb-systemd-helper enable {UNIT} > /dev/null || true; fi
    if [ -d /run/systemd/system ]; then
        systemctl --system daemon-reload > /dev/null || true
        deb-systemd-invoke start {UNIT} > /dev/null || true
    fi
fi
"""
_PRERM = f"""#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then deb-systemd-invoke stop {UNIT} > /dev/null || true; fi
"""
_POSTRM = f"""#!/bin/sh
set -e
if [ "$1" = purge ]; then deb-systemd-helper purge {UNIT} > /dev/null || true; fi
if [ -d /run/systemd/system ]; then systemctl --system daemon-reload > /dev/null || true; fi
"""
_FILES = {
    TOOL: {f"usr/bin/{TOOL}": _TOOL},
    DAEMON: {
        f"usr/lib/systemd/system/{UNIT}": _UNIT,
        "DEBIAN/postinst": _POSTINST,
        "DEBIAN/prerm": _PRERM,
        "DEBIAN/postrm": _POSTRM,
    },
}


def make_repository(folder: Path) -> dict[str, bytes]:
    """Build both packages.

    Args:
        folder: An empty folder.

    Returns:
        The repository's files by name, with its list `Packages`.
    """
    packages = {f"{name}.deb": _build(folder / name, name) for name in _FILES}
    entries = [_entry(folder / file, content) for file, content in packages.items()]
    return packages | {"Packages": "\n".join(entries).encode()}


def _build(tree: Path, name: str) -> bytes:
    depends = f"Depends: {TOOL}\n" if name == DAEMON else ""
    control = _CONTROL.format(name=name, version=VERSION, depends=depends)
    for path, text in _tree(name, control):
        file = tree / path
        file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755 if text.startswith("#!") else 0o644)
    package = tree.with_name(f"{name}.deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, package], check=True, capture_output=True)
    return package.read_bytes()


def _tree(name: str, control: str) -> Iterator[tuple[str, str]]:
    yield "DEBIAN/control", control
    yield from _FILES[name].items()


def _entry(package: Path, content: bytes) -> str:
    """Return a package's paragraph of `Packages`. Source: Debian's repository format, "Packages indices"."""
    fields = subprocess.run(["dpkg-deb", "-f", package], check=True, capture_output=True, text=True).stdout
    digest = hashlib.sha256(content).hexdigest()
    return f"{fields}Filename: ./{package.name}\nSize: {len(content)}\nSHA256: {digest}\n"
