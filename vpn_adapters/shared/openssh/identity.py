"""The host key of the server and the key of the client, each made on the host that owns it."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanStep, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import A_PUBLIC_KEY, MAKE_ED25519_KEY
from vpn_adapters.shared.rendering import run_file

SSH_KEY = "ssh-public-key"


_LINE = re.compile(r"^ssh-ed25519 ([A-Za-z0-9+/]{60,80}={0,2})(?:\s|$)", re.MULTILINE)
_BLOB_START = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
"""Prefix of the key's 32 bytes. Source: RFC 8709 section 4."""

key_path = run_file("ssh_ed25519")
"""Path of the private key on its host."""


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how the key is made and its public part printed. The private key never leaves the host."""
    path = key_path(link)
    make = PlanStep(
        title=MAKE_ED25519_KEY(side=side.upper()),
        command=root_script("shared/openssh", "make-key.sh", path),
        undo=Command(("rm", "-f", path, f"{path}.pub"), timeout_s=5.0, is_root=True),
    )
    show = Command(("cat", f"{path}.pub"), timeout_s=5.0, is_root=True, max_output_bytes=4096)
    return IdentityRecipe(steps=(make,), public={SSH_KEY: show})


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity with one value: the key as known_hosts and authorized_keys have it, without comment.

    Raises:
        CommandFailed: The host printed no Ed25519 key.
    """
    blob = public_keys.printed(outputs, SSH_KEY, _LINE)
    if not blob.startswith(_BLOB_START) or len(blob) != len(_BLOB_START) + 32:
        raise public_keys.refused(outputs, SSH_KEY, A_PUBLIC_KEY(kind="Ed25519"), ("`ssh-keygen -t ed25519`",))
    return PublicIdentity({SSH_KEY: f"ssh-ed25519 {base64.b64encode(blob).decode()}"})
