"""A raw public key for IKEv2 in a key database of the tunnel's own, made on the host that owns it."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanRequest, PlanStep, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from vpn_adapters.libreswan.info import NAME
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import ITS_PUBLIC_KEY, MAKE_IKE_KEY
from vpn_adapters.shared.rendering import run_file

PUBLIC_KEY = "ike-public-key"

key_database = run_file("nss")
"""Folder of the NSS database with the host's private key."""
own_public_key_path = run_file("own.pem")
"""Path of the host's own public key."""


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
