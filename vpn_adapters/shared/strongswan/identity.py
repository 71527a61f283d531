"""A raw public key for IKEv2, made on the host that owns it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, Step, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import adapter_script
from vpn_adapters.shared.rendering import setting
from vpn_adapters.shared.strongswan.suites import AUTHENTICATION

PUBLIC_KEY = "ike-public-key"

_MAKE_SCRIPT = adapter_script("shared/strongswan", "make-key.sh")

_PEM = re.compile(r"-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]{40,2000}?)\s*-----END PUBLIC KEY-----")


def swanctl_dir(link: Link) -> str:
    """Return the folder that swanctl takes for its own."""
    return f"{link.run_dir}/swanctl"


def peer_key_path(link: Link) -> str:
    """Return where the peer's public key lies."""
    return f"{swanctl_dir(link)}/pubkey/peer.pem"


def own_public_key_path(link: Link) -> str:
    """Return where the host's own public key lies."""
    return f"{swanctl_dir(link)}/pubkey/own.pem"


def recipe(request: PlanRequest, side: Side) -> IdentityRecipe:
    """Return how a key is made and its public part printed. The private key never leaves the host."""
    link = request.link
    make = Step(
        title=f"Make an IKEv2 key that stays on host {side.upper()}",
        command=Command(
            shell_step_argv(_MAKE_SCRIPT, link.run_dir, setting(request, AUTHENTICATION)), timeout_s=20.0, is_root=True
        ),
        undo=Command(("rm", "-rf", swanctl_dir(link), f"{link.run_dir}/openssl.log"), timeout_s=5.0, is_root=True),
    )
    show = Command(("cat", own_public_key_path(link)), timeout_s=5.0, is_root=True, max_output_bytes=4096)
    return IdentityRecipe(steps=(make,), public={PUBLIC_KEY: show})


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Read the public key.

    Args:
        outputs: What the recipe's public commands printed.

    Returns:
        The identity with one value, `ike-public-key`: base64 of its DER form.

    Raises:
        CommandFailed: It is not a public key.
    """
    result = outputs.get(PUBLIC_KEY)
    match = _PEM.search(result.stdout) if result else None
    try:
        der = base64.b64decode("".join(match[1].split()), validate=True) if match else b""
    except (binascii.Error, ValueError):
        der = b""
    # A SubjectPublicKeyInfo is a DER SEQUENCE (RFC 5280 section 4.1).
    if not der.startswith(b"\x30"):
        raise CommandFailed(
            "The host did not print its public key.",
            hint="Check that `openssl genpkey -algorithm ed25519` works there.",
            context={"stderr": result.stderr[-500:] if result else ""},
        )
    return PublicIdentity({PUBLIC_KEY: base64.b64encode(der).decode()})
