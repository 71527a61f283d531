"""Shell scripts that run on hosts: files, each read once and put together from what it includes.

`# @include NAME` becomes the text of another file; NAME is a path from the folder of the file that says so, or, with a
slash in front, from resources/templates/host. A script is constant text: what varies is passed as arguments.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from importlib import resources

_INCLUDE = re.compile(r"^# @include (?P<name>[a-z0-9_./-]+)\n", re.MULTILINE)


@cache
def script_file(package: str, path: str) -> str:
    """Return a file of a package with what it includes.

    Args:
        package: For example `resources`.
        path: From the package's folder.

    Returns:
        POSIX sh.
    """
    text = resources.files(package).joinpath(*path.split("/")).read_text(encoding="utf-8")
    folder = posixpath.dirname(path)

    def included(match: re.Match[str]) -> str:
        name = match["name"]
        if name.startswith("/"):
            return host_script(name[1:])
        return script_file(package, posixpath.normpath(f"{folder}/{name}"))

    return _INCLUDE.sub(included, text)


def without_comments(text: str) -> str:
    """Return a script without its comments and empty lines, which a host has no use for."""
    return "".join(line for line in text.splitlines(keepends=True) if line.strip()[:1] not in ("", "#"))


def host_script(name: str) -> str:
    """Return a script of the program.

    Args:
        name: File name below resources/templates/host, for example `undo.sh` or `probes/latency.sh`.
    """
    return script_file("resources", f"templates/host/{name}")


def bare_script(name: str) -> str:
    """Return a script of the program without its comments: it is shown in dry runs, and written into journals."""
    return without_comments(host_script(name))


@cache
def adapter_script(vpn: str, name: str) -> str:
    """Return a script of an adapter without its comments.

    Args:
        vpn: The adapter's folder below vpn_adapters, for example `openvpn`, or `shared`, or `shared/wireguard`.
        name: File name in its folder `scripts`.
    """
    return without_comments(script_file("vpn_adapters", f"{vpn}/scripts/{name}"))
