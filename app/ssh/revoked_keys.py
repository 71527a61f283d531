"""Files of revoked host keys that the user's ssh configuration names (RevokedHostKeys).

Source: ssh_config(5), RevokedHostKeys; sshkey_check_revoked() and sshkey_in_file() of OpenSSH 9.2: a file that is
missing or cannot be understood refuses every host.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from pathlib import Path

from app.domain.errors import InvalidFile
from app.domain.messages import Message
from app.ssh.messages import (
    REVOKED_KEYS_ARE_KRL,
    REVOKED_KEYS_HINT,
    REVOKED_KEYS_NO_KEY,
    REVOKED_KEYS_TOO_LARGE,
    REVOKED_KEYS_UNREADABLE,
)

_KRL_MAGIC = b"SSHKRL\n\0"
_LIMIT_BYTES = 1_048_576
_KEY_TYPE = re.compile(r"[A-Za-z0-9@.-]{1,64}")


def read_revoked_keys(files: Iterable[Path]) -> frozenset[bytes]:
    """Read files with one public key a line.

    Returns:
        The public keys.

    Raises:
        InvalidFile: A file cannot be read, is a key revocation list (KRL), or has a line that is no public key.
    """
    return frozenset(key for file in files for key in _read(file))


def _read(file: Path) -> frozenset[bytes]:
    try:
        with file.open("rb") as stream:
            content = stream.read(_LIMIT_BYTES + 1)
    except OSError as error:
        raise _refused(REVOKED_KEYS_UNREADABLE(file=file, reason=error.strerror)) from error
    if content.startswith(_KRL_MAGIC):
        raise _refused(REVOKED_KEYS_ARE_KRL(file=file))
    if len(content) > _LIMIT_BYTES:
        raise _refused(REVOKED_KEYS_TOO_LARGE(file=file, limit=_LIMIT_BYTES))
    lines = enumerate(content.decode("utf-8", errors="replace").splitlines(), 1)
    return frozenset(_key(file, number, line) for number, line in lines if line.strip() and line.strip()[0] != "#")


def _key(file: Path, number: int, line: str) -> bytes:
    fields = line.split()
    try:
        blob = base64.b64decode(fields[1], validate=True)
    except (IndexError, ValueError):
        blob = b""
    kind = blob[4 : 4 + int.from_bytes(blob[:4], "big")] if len(blob) > 4 else b""
    if not _KEY_TYPE.fullmatch(fields[0]) or kind != fields[0].encode():
        raise _refused(REVOKED_KEYS_NO_KEY(file=file, line=number))
    return blob


def _refused(message: Message) -> InvalidFile:
    return InvalidFile(message, hint=REVOKED_KEYS_HINT())
