"""A WireGuard key, made on the host that owns it, and a pre-shared key that both hosts derive by ML-KEM-768."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanRequest, PlanStep, PublicIdentity, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.messages import mark
from vpn_adapters.shared import key_encapsulation, public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import A_PUBLIC_KEY, MAKE_WIREGUARD_KEY
from vpn_adapters.shared.rendering import run_file
from vpn_adapters.shared.wireguard.protocol import has_kem

PUBLIC_KEY = "public-key"

_WHOLE = re.compile(r"\A\s*(\S+)\s*\Z")

key_path = run_file("wireguard.key")
"""Path of the private key on its host."""
psk_path = run_file("wireguard.psk")
"""Path of the pre-shared key on both hosts."""


def recipe(request: PlanRequest, side: Side) -> IdentityRecipe:
    """Return how the key is made and its public part printed. The private key never leaves the host."""
    link = request.link
    path = key_path(link)
    make = PlanStep(
        title=MAKE_WIREGUARD_KEY(side=side.upper()),
        command=root_script("shared/wireguard", "make-key.sh", path),
        undo=Command(("rm", "-f", path), timeout_s=5.0, is_root=True),
    )
    show = Command(shell_step_argv('wg pubkey < "$1"', path), timeout_s=10.0, is_root=True, max_output_bytes=4096)
    plain = IdentityRecipe(steps=(make,), public={PUBLIC_KEY: show})
    if not has_kem(request.suite):
        return plain
    title = mark("Pre-shared key of WireGuard, from ML-KEM-768")
    return key_encapsulation.with_secret(plain, link, side, psk_path(link), title)


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity: `public-key`, and `ml-kem-public-key` in PEM where the host has made one.

    Raises:
        CommandFailed: The host printed no Curve25519 key in base64, or no ML-KEM-768 key in PEM.
    """
    key = public_keys.printed(outputs, PUBLIC_KEY, _WHOLE)
    if len(key) != 32:
        raise public_keys.refused(outputs, PUBLIC_KEY, A_PUBLIC_KEY(kind="WireGuard"), ("`wg genkey`", "`wg pubkey`"))
    return key_encapsulation.with_key(PublicIdentity({PUBLIC_KEY: base64.b64encode(key).decode()}), outputs)
