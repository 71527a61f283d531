"""fastd's key, made on the host that owns it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanStep, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import A_PUBLIC_KEY, MAKE_FASTD_KEY
from vpn_adapters.shared.public_keys import refused
from vpn_adapters.shared.rendering import run_file

PUBLIC_KEY = "hex-public-key"

_HEX = re.compile(r"[0-9a-f]{64}")

key_path = run_file("fastd.key")
"""Path of the secret on each host, as a line of fastd's configuration."""


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how the key is made, and its public part printed. The secret never leaves the host."""
    path = key_path(link)
    make = PlanStep(
        title=MAKE_FASTD_KEY(side=side.upper()),
        command=root_script("fastd", "make-key.sh", path, timeout_s=30.0),
        undo=Command(("rm", "-f", path), timeout_s=5.0, is_root=True),
    )
    show = Command(
        ("fastd", "--machine-readable", "--show-key", "--config", path),
        timeout_s=10.0,
        is_root=True,
        max_output_bytes=4096,
    )
    return IdentityRecipe(steps=(make,), public={PUBLIC_KEY: show})


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity with one value: the key, 64 hexadecimal digits.

    Raises:
        CommandFailed: The host printed no public key.
    """
    result = outputs.get(PUBLIC_KEY)
    key = result.stdout.strip() if result is not None else ""
    if _HEX.fullmatch(key) is None:
        commands = ("`fastd --generate-key`", "`fastd --show-key`")
        raise refused(outputs, PUBLIC_KEY, A_PUBLIC_KEY(kind="Curve25519"), commands)
    return PublicIdentity({PUBLIC_KEY: key})
