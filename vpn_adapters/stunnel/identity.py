"""A key and self-signed certificate for TLS, made on the host that owns them."""

from __future__ import annotations

from app.domain.adapters import IdentityRecipe
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import certificates

STEM = "stunnel"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how key and certificate are made, and the certificate printed. The key never leaves the host."""
    return certificates.tls_recipe(link, side, STEM)
