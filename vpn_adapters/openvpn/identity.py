"""OpenVPN's key and self-signed certificate, made on the host that owns them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import textwrap
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import certificates

CERTIFICATE = "certificate"
FINGERPRINT = "fingerprint"

_STEM = "openvpn"

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END CERTIFICATE-----")


def key_path(link: Link) -> str:
    """Return where the private key lies on its host."""
    return f"{link.run_dir}/{_STEM}.key"


def certificate_path(link: Link) -> str:
    """Return where the host's own certificate lies."""
    return f"{link.run_dir}/{_STEM}.crt"


def common_name(side: Side) -> str:
    """Return the name in the certificate of one side; it is only for people who read logs."""
    return f"tunnelmark-{side}"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how key and certificate are made, and the certificate printed. The key never leaves the host."""
    make = certificates.make_step(
        f"Make a P-384 key that stays on host {side.upper()}, and a self-signed certificate",
        link.run_dir,
        _STEM,
        common_name(side),
        digest="sha384",
        key=("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"),
        usage="serverAuth,clientAuth",
        timeout_s=20.0,
    )
    show = Command(("cat", certificate_path(link)), timeout_s=5.0, is_root=True, max_output_bytes=16_384)
    return IdentityRecipe(steps=(make,), public={CERTIFICATE: show})


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Read the certificate and take its fingerprint, the SHA-256 of its DER form.

    Args:
        outputs: What the recipe's public commands printed.

    Returns:
        The identity with `certificate` (PEM) and `fingerprint` (upper-case hex with colons).

    Raises:
        CommandFailed: It is not a certificate.
    """
    result = outputs.get(CERTIFICATE)
    match = _PEM.search(result.stdout) if result else None
    try:
        der = base64.b64decode("".join(match.group(1).split()), validate=True) if match else b""
    except (binascii.Error, ValueError):
        der = b""
    # A certificate is a DER SEQUENCE (X.690 section 8.9).
    if not der.startswith(b"\x30"):
        raise CommandFailed(
            "The host did not print its certificate.",
            hint="Check that `openssl ca -selfsign` works there.",
            context={"stderr": result.stderr[-500:] if result else ""},
        )
    # Lines of 64 characters. Source: RFC 7468 section 2.
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    pem = f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"
    return PublicIdentity({CERTIFICATE: pem, FINGERPRINT: hashlib.sha256(der).digest().hex(":").upper()})
