"""A raw public key for IKEv2 in a key database of the tunnel's own, made on the host that owns it."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanRequest, PlanStep, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.libreswan.info import NAME
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import ITS_PUBLIC_KEY, MAKE_IKE_KEY

PUBLIC_KEY = "ike-public-key"


def key_database(link: Link) -> str:
    """Return the folder of the NSS database with the host's private key."""
    return f"{link.run_dir}/nss"


def own_public_key_path(link: Link) -> str:
    """Return where the host's own public key lies."""
    return f"{link.run_dir}/own.pem"


def recipe(request: PlanRequest, side: Side) -> IdentityRecipe:
    """Return how a key is made and its public part printed. The private key never leaves the host."""
    link = request.link
    make = PlanStep(
        title=MAKE_IKE_KEY(side=side.upper()),
        command=root_script(NAME, "make-key.sh", link.run_dir, timeout_s=30.0),
        undo=Command(("rm", "-rf", key_database(link), own_public_key_path(link)), timeout_s=5.0, is_root=True),
    )
    show = Command(("cat", own_public_key_path(link)), timeout_s=5.0, is_root=True, max_output_bytes=4096)
    return IdentityRecipe(steps=(make,), public={PUBLIC_KEY: show})


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity: `ike-public-key`, base64 of its DER form.

    Raises:
        CommandFailed: The host printed no public key.
    """
    commands = ("`ipsec newhostkey`", "`ipsec showhostkey`")
    der = public_keys.printed_der(outputs, PUBLIC_KEY, public_keys.PUBLIC_KEY, ITS_PUBLIC_KEY(), commands)
    return PublicIdentity({PUBLIC_KEY: base64.b64encode(der).decode()})
