"""A key and self-signed certificate for TLS, made on the host that owns them."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PublicIdentity
from app.domain.commands import CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import certificates
from vpn_adapters.shared.certificates import CERTIFICATE
from vpn_adapters.shared.messages import MAKE_EC_CERTIFICATE

STEM = "stunnel"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how key and certificate are made, and the certificate printed. The key never leaves the host."""
    make = certificates.make_step(
        MAKE_EC_CERTIFICATE(side=side.upper()),
        link.run_dir,
        STEM,
        f"tunnelmark-{side}",
        digest="sha384",
        key=("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"),
        usage="serverAuth,clientAuth",
        timeout_s=20.0,
    )
    return certificates.recipe(link, STEM, make)


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity with one value: the certificate.

    Raises:
        CommandFailed: The host printed no certificate.
    """
    return PublicIdentity({CERTIFICATE: certificates.parse(outputs)[0]})
