"""freelan's key and self-signed certificate, made on the host that owns them."""

from __future__ import annotations

from app.domain.adapters import IdentityRecipe
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import certificates
from vpn_adapters.shared.messages import MAKE_RSA_CERTIFICATE

STEM = "freelan"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how key and certificate are made, and the certificate printed. The key never leaves the host."""
    make = certificates.make_step(
        MAKE_RSA_CERTIFICATE(side=side.upper()),
        link.run_dir,
        STEM,
        f"tunnelmark-{side}",
        digest="sha256",
        key=("-newkey", "rsa:3072"),  # freelan knows RSA alone
        usage="",
        timeout_s=30.0,
    )
    return certificates.recipe(link, STEM, make)
