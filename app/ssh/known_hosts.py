"""known_hosts files: reading them all, writing our own.

Source: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT", OpenSSH 10.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import hmac
import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.domain.atomic import replace_file
from app.domain.errors import StorageFault
from app.ssh.logs import logger
from app.ssh.messages import HOST_KEY_NOT_STORED

DEFAULT_PORT = 22

_write_lock = threading.Lock()


class HostKeyVerdict(StrEnum):
    """Knowledge about a key."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    CHANGED = "changed"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class KnownKey:
    """One line of a known_hosts file.

    Attributes:
        marker: `revoked`, or empty.
        names: Patterns, or one hashed name.
        key_type: For example `ssh-ed25519`.
        blob: The public key.
        source: File and line number.
    """

    marker: str
    names: tuple[str, ...]
    key_type: str
    blob: bytes
    source: str

    def is_for(self, name: str) -> bool:
        """Whether the line speaks of this host.

        Args:
            name: Address, or `[address]:port`.
        """
        is_match = False
        for pattern in self.names:
            if pattern.startswith("|1|"):
                is_match = is_match or _is_hash_of(pattern, name)
            elif pattern.startswith("!"):
                if _is_like(pattern[1:], name):
                    return False
            else:
                is_match = is_match or _is_like(pattern, name)
        return is_match


def host_name(address: str, port: int) -> str:
    """Return an address and port as known_hosts writes them: the bare address for port 22."""
    return address.lower() if port == DEFAULT_PORT else f"[{address.lower()}]:{port}"


def fingerprint(blob: bytes) -> str:
    """Return a public key's fingerprint as `ssh-keygen -l` prints it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def read_known_hosts(files: Iterable[Path]) -> tuple[KnownKey, ...]:
    """Read files; what is not there or cannot be read is passed over, as OpenSSH does."""
    keys: list[KnownKey] = []
    for file in files:
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                logger.info("Host keys in %s cannot be read: %s", file, error.strerror)
            continue
        for number, line in enumerate(text.splitlines(), 1):
            key = _parse(line.strip(), f"{file}:{number}")
            if key is not None:
                keys.append(key)
    return tuple(keys)


def judge(keys: Sequence[KnownKey], address: str, port: int, blob: bytes) -> HostKeyVerdict:
    """Compare a host's key with what is known.

    A host that has a known key of any type and shows a key that is not among them counts as changed: the known types
    are asked for first, so an honest host would have shown one of them.

    Args:
        blob: The public key that the host showed.
    """
    name = host_name(address, port)
    mine = [key for key in keys if key.is_for(name)]
    plain = [key for key in keys if port != DEFAULT_PORT and key.is_for(address.lower())]
    if any(key.marker and key.blob == blob for key in (*mine, *plain)):
        return HostKeyVerdict.REVOKED
    own = _believed(mine)
    if own:
        return HostKeyVerdict.KNOWN if blob in own else HostKeyVerdict.CHANGED
    # Only where no key is known for the port, one of the bare address is believed; another one there proves nothing.
    # Source: check_host_key() in sshconnect.c of OpenSSH 9.2, which asks again without the port after HOST_NEW.
    return HostKeyVerdict.KNOWN if blob in _believed(plain) else HostKeyVerdict.UNKNOWN


def _believed(keys: Iterable[KnownKey]) -> set[bytes]:
    """Return the public keys that are not revoked."""
    return {key.blob for key in keys if not key.marker}


def known_types(keys: Sequence[KnownKey], address: str, port: int) -> tuple[str, ...]:
    """Return the types of a host's known keys: those of its port; where none is known, those of the bare address."""
    own = [key for key in keys if not key.marker and key.is_for(host_name(address, port))]
    found = own or [key for key in keys if not key.marker and key.is_for(address.lower())]
    return tuple(dict.fromkeys(key.key_type for key in found))


def line_for(address: str, port: int, key_type: str, blob: bytes) -> str:
    """Return a known_hosts line without its end."""
    return f"{host_name(address, port)} {key_type} {base64.b64encode(blob).decode()}"


def add_line(file: Path, line: str) -> None:
    """Add a line to our own file, atomically and readable by its owner alone.

    Raises:
        StorageFault: The file cannot be written.
    """
    with _write_lock:
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with _lock_beside(file):
                _add_line(file, line)
        except OSError as error:
            raise StorageFault(HOST_KEY_NOT_STORED(file=file, reason=error.strerror)) from error


@contextmanager
def _lock_beside(file: Path) -> Iterator[None]:
    """Keep other processes from writing a file; a file of its own, because the file itself is replaced.

    Source: flock(2): the lock ends with the process that holds it.
    """
    handle = os.open(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _add_line(file: Path, line: str) -> None:
    old = file.read_text(encoding="utf-8", errors="surrogateescape") if file.exists() else ""
    if line in old.splitlines():
        return
    separator = "" if not old or old.endswith("\n") else "\n"
    replace_file(file, f"{old}{separator}{line}\n".encode("utf-8", errors="surrogateescape"), mode=0o600)


def _parse(line: str, source: str) -> KnownKey | None:
    if not line or line.startswith("#"):
        return None
    fields = line.split()
    marker = ""
    if fields[0].startswith("@"):
        marker, fields = fields[0][1:], fields[1:]
    if marker not in {"", "revoked"}:
        logger.info("%s is passed over: @%s lines are not supported.", source, marker)
        return None
    if len(fields) < 3:
        return None
    try:
        blob = base64.b64decode(fields[2], validate=True)
    except ValueError:
        return None
    return KnownKey(marker, tuple(fields[0].split(",")), fields[1], blob, source)


def _is_hash_of(hashed: str, name: str) -> bool:
    """Whether `|1|salt|hash` stands for this name (HMAC-SHA1, as `ssh-keygen -H` writes it)."""
    parts = hashed.split("|")
    if len(parts) != 4:
        return False
    try:
        salt, digest = (base64.b64decode(part, validate=True) for part in parts[2:])
    except ValueError:
        return False
    return hmac.compare_digest(hmac.new(salt, name.encode(), hashlib.sha1).digest(), digest)


def _is_like(pattern: str, name: str) -> bool:
    """Whether a pattern with `*` and `?` matches; brackets mean themselves."""
    expression = re.escape(pattern.lower()).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(expression, name) is not None
