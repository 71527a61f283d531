"""The password that both sides share: made on A, given to B."""

from __future__ import annotations

from app.domain.adapters import IdentityRecipe
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.shared import shared_secrets
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.rendering import run_file

secret_path = run_file("vtund.password")
"""Path of the password on both hosts, as a line of vtund's configuration."""


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how the password is made on A, and where it goes on B. It is new for every tunnel."""
    path = secret_path(link)
    return shared_secrets.recipe(
        side,
        path,
        root_script("shared/vtund", "make-password.sh", path),
        title=mark("Make the password that both sides share"),
        what=mark("Password of 256 bits from which VTun's key comes"),
    )
