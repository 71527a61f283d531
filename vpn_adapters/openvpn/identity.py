"""OpenVPN's key and self-signed certificate, made on the host that owns them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PublicIdentity
from app.domain.commands import CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import certificates
from vpn_adapters.shared.certificates import CERTIFICATE

FINGERPRINT = "fingerprint"

STEM = "openvpn"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how key and certificate are made, and the certificate printed. The key never leaves the host."""
    return certificates.tls_recipe(link, side, STEM)


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity with `certificate` (PEM) and `fingerprint`: the SHA-256 of its DER form, in upper-case hex.

    Raises:
        CommandFailed: The host printed no certificate.
    """
    pem, der = certificates.parse(outputs)
    return PublicIdentity({CERTIFICATE: pem, FINGERPRINT: hashlib.sha256(der).digest().hex(":").upper()})
