"""A WireGuard key, made on the host that owns it."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanStep, PublicIdentity, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import A_PUBLIC_KEY, MAKE_WIREGUARD_KEY

PUBLIC_KEY = "public-key"

_WHOLE = re.compile(r"\A\s*(\S+)\s*\Z")


def key_path(link: Link) -> str:
    """Return where the private key lies on its host."""
    return f"{link.run_dir}/wireguard.key"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how the key is made and its public part printed. The private key never leaves the host."""
    path = key_path(link)
    make = PlanStep(
        title=MAKE_WIREGUARD_KEY(side=side.upper()),
        command=root_script("shared/wireguard", "make-key.sh", path),
        undo=Command(("rm", "-f", path), timeout_s=5.0, is_root=True),
    )
    show = Command(shell_step_argv('wg pubkey < "$1"', path), timeout_s=10.0, is_root=True, max_output_bytes=4096)
    return IdentityRecipe(steps=(make,), public={PUBLIC_KEY: show})


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity with one value, `public-key`.

    Raises:
        CommandFailed: The host printed no Curve25519 key in base64.
    """
    key = public_keys.printed(outputs, PUBLIC_KEY, _WHOLE)
    if len(key) != 32:
        raise public_keys.refused(outputs, PUBLIC_KEY, A_PUBLIC_KEY(kind="WireGuard"), ("`wg genkey`", "`wg pubkey`"))
    return PublicIdentity({PUBLIC_KEY: base64.b64encode(key).decode()})
