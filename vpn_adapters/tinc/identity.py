"""tinc's RSA key, made on the host that owns it."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanStep, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import A_PUBLIC_KEY, MAKE_RSA_KEY
from vpn_adapters.shared.rendering import run_file

RSA_KEY = "rsa-public-key"

KEY_BITS = 3072
"""The least that guidelines take for today's keys; 4096 takes a small host several seconds more.

Source: BSI TR-02102-1 section 2.3.1, NIST SP 800-57 part 1 table 2.
"""

folder = run_file("tinc")
"""Folder of tinc's configuration on each host."""


def node_name(side: Side) -> str:
    """Return what a side is called among tinc's nodes: letters, digits and underscores. Source: tinc.conf(5)."""
    return f"tunnelmark_{side}"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how the key is made, and its public part printed. The private key never leaves the host."""
    path = f"{folder(link)}/rsa_key.priv"
    make = PlanStep(
        title=MAKE_RSA_KEY(bits=KEY_BITS, side=side.upper()),
        command=root_script("tinc", "make-key.sh", folder(link), str(KEY_BITS), timeout_s=30.0),
        undo=Command(("rm", "-rf", folder(link)), timeout_s=5.0, is_root=True),
    )
    show = Command(("openssl", "rsa", "-in", path, "-pubout"), timeout_s=10.0, is_root=True, max_output_bytes=16_384)
    return IdentityRecipe(steps=(make,), public={RSA_KEY: show})


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity with one value: the key in PEM.

    Raises:
        CommandFailed: The host printed no public key.
    """
    commands = ("`openssl genrsa`", "`openssl rsa -pubout`")
    der = public_keys.printed_der(outputs, RSA_KEY, public_keys.PUBLIC_KEY, A_PUBLIC_KEY(kind="RSA"), commands)
    return PublicIdentity({RSA_KEY: public_keys.pem(public_keys.PUBLIC_KEY, der)})
