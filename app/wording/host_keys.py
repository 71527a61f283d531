"""Commands that show a host's own key, for comparison with the one that it presented."""

from __future__ import annotations

_KINDS = ("ed25519", "ecdsa", "rsa")


def fingerprint_command(key_type: str) -> str:
    """Return the command that prints the fingerprint of a host's key on its console.

    Args:
        key_type: For example `ssh-ed25519`.

    Source: OpenSSH 9.2, sshd_config(5), HostKey.
    """
    kind = next((one for one in _KINDS if one in key_type), "*")
    return f"ssh-keygen -lf /etc/ssh/ssh_host_{kind}_key.pub"
