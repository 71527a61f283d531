"""A raw public key for IKEv2, made on the host that owns it, and a PPK that both hosts derive by ML-KEM-768."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanRequest, PlanStep, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.messages import mark
from vpn_adapters.shared import key_encapsulation, public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import ITS_PUBLIC_KEY, MAKE_IKE_KEY
from vpn_adapters.shared.rendering import run_file, setting
from vpn_adapters.shared.strongswan.suites import AUTHENTICATION, has_ppk

PUBLIC_KEY = "ike-public-key"

swanctl_dir = run_file("swanctl")
"""Folder that swanctl takes for its own."""
peer_key_path = run_file("swanctl/pubkey/peer.pem")
"""Path of the peer's public key."""
own_public_key_path = run_file("swanctl/pubkey/own.pem")
"""Path of the host's own public key."""
ppk_path = run_file("ike.ppk")
"""Path of the post-quantum pre-shared key on both hosts."""


def recipe(request: PlanRequest, side: Side) -> IdentityRecipe:
    """Return how a key is made and its public part printed. The private key never leaves the host."""
    link = request.link
    make = PlanStep(
        title=MAKE_IKE_KEY(side=side.upper()),
        command=root_script(
            "shared/strongswan", "make-key.sh", link.run_dir, setting(request, AUTHENTICATION), timeout_s=20.0
        ),
        undo=Command(("rm", "-rf", swanctl_dir(link), f"{link.run_dir}/openssl.log"), timeout_s=5.0, is_root=True),
    )
    show = Command(("cat", own_public_key_path(link)), timeout_s=5.0, is_root=True, max_output_bytes=4096)
    plain = IdentityRecipe(steps=(make,), public={PUBLIC_KEY: show})
    if not has_ppk(request.suite):
        return plain
    title = mark("Post-quantum pre-shared key of IKEv2 (PPK), from ML-KEM-768")
    return key_encapsulation.with_secret(plain, link, side, ppk_path(link), title)


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity: `ike-public-key`, base64 of its DER form, and an ML-KEM key where the host has made one.

    Raises:
        CommandFailed: The host printed no public key, or no ML-KEM-768 key in PEM.
    """
    commands = ("`openssl genpkey -algorithm ed25519`",)
    der = public_keys.printed_der(outputs, PUBLIC_KEY, public_keys.PUBLIC_KEY, ITS_PUBLIC_KEY(), commands)
    return key_encapsulation.with_key(PublicIdentity({PUBLIC_KEY: base64.b64encode(der).decode()}), outputs)
