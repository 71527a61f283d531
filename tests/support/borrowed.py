"""Programs of a gateway's older system for hosts made of namespaces, whose system has them no more."""

from __future__ import annotations

import base64
import subprocess

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from support.net_hosts import NetHost

_MAX_BYTES = 67_108_864

# $1 the program; further words are names of libraries to leave out. Each library has the name by which it is asked for.
# Nothing is compressed: that takes an emulated processor longer than it takes to send.
_PACK_SCRIPT = """\
set -e
program=$1
shift
folder=$(mktemp -d)
mkdir "$folder/bin" "$folder/lib"
cp "$(command -v "$program")" "$folder/bin/"
ldd "$folder/bin/$program" | while read -r name _ path _; do
    case " $* " in *" $name "*) continue ;; esac
    case $path in /*) cp -L "$path" "$folder/lib/$name" ;; esac
done
tar -C "$folder" -c bin lib | base64 -w 0
rm -r "$folder"
"""


def pack(host: HostSession, program: str) -> bytes:
    """Return an archive of a program of a gateway, with those of its libraries that this computer does not have."""
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    own = [line.split()[0] for line in listing.splitlines() if line.startswith("\t")]
    command = Command(
        ("sh", "-c", _PACK_SCRIPT, "pack", program, *own), timeout_s=120.0, is_root=True, max_output_bytes=_MAX_BYTES
    )
    result = host.run(command, token=CancelToken())
    assert result.is_ok, result.stderr
    assert not result.is_truncated
    return base64.b64decode(result.stdout)


def unpack(host: NetHost, program: str, archive: bytes) -> None:
    """Put a program below a host's own /usr/local."""
    # Python 3.11.2, as Debian 12 has it, unpacks without a filter; GNU tar keeps within the folder by itself.
    subprocess.run(["tar", "-x", "-C", str(host.disk / "local")], input=archive, check=True)
    host.run("ldconfig")
    assert "not found" not in host.run(f"ldd /usr/local/bin/{program}")
