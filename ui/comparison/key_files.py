"""Private key files that the user chooses: whether a file is one, before a login fails with it."""

from __future__ import annotations

from pathlib import Path

from ui.common.texts import tr

_HEAD_BYTES = 4096
_PUBLIC = (b"ssh-", b"ecdsa-sha2-", b"sk-ssh-", b"sk-ecdsa-", b"---- BEGIN SSH2 PUBLIC KEY")


def key_file_fault(path: Path) -> str:
    """Return why a file is not a usable private key, and what to do; empty where it may be one."""
    name = path.name
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES).lstrip()
    except OSError as error:
        return tr("%1 cannot be read: %2.", name, error.strerror or str(error))
    if head.startswith(b"-----BEGIN ") and b"PRIVATE KEY-----" in head.splitlines()[0]:
        return ""
    if head.startswith(_PUBLIC):
        return tr("%1 is a public key. Choose the private key, without .pub.", name)
    if head.startswith(b"PuTTY-User-Key-File"):
        return tr("%1 is a key of PuTTY. Convert it: puttygen %1 -O private-openssh -o KEYFILE", name)
    return tr("%1 is no private key. Choose a file such as ~/.ssh/id_ed25519.", name)
