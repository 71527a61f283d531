"""freelan's key and self-signed certificate, made on the host that owns them."""

from __future__ import annotations

import base64
import binascii
import re
import textwrap
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PublicIdentity, Step, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import Link

CERTIFICATE = "certificate"

# freelan knows RSA alone. A configuration of its own: the system's openssl.cnf would add a second basicConstraints
# (OpenSSL 1.1.1). The key cannot issue further certificates, so that the peer's certificate can be trusted by itself.
_MAKE_SCRIPT = """\
set -e
umask 077
printf '%s\\n' \
  '[req]' 'distinguished_name = name' 'prompt = no' 'x509_extensions = extensions' \
  '[name]' "CN = $2" \
  '[extensions]' 'basicConstraints = critical,CA:FALSE' 'keyUsage = critical,digitalSignature' \
  'subjectKeyIdentifier = hash' > "$1/freelan-openssl.cnf"
openssl req -x509 -config "$1/freelan-openssl.cnf" -newkey rsa:3072 -sha256 -nodes -days 3650 \
  -keyout "$1/freelan.key" -out "$1/freelan.crt" 2>"$1/freelan-openssl.log" \
  || { cat "$1/freelan-openssl.log" >&2; exit 1; }
"""
_LEFTOVERS = ("freelan.key", "freelan.crt", "freelan-openssl.cnf", "freelan-openssl.log")

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END CERTIFICATE-----")


def key_path(link: Link) -> str:
    """Return where the private key lies on its host."""
    return f"{link.run_dir}/freelan.key"


def certificate_path(link: Link) -> str:
    """Return where the host's own certificate lies."""
    return f"{link.run_dir}/freelan.crt"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how key and certificate are made, and the certificate printed. The key never leaves the host."""
    make = Step(
        title=f"Make an RSA key of 3072 bits that stays on host {side.upper()}, and a self-signed certificate",
        command=Command(
            shell_step_argv(_MAKE_SCRIPT, link.run_dir, f"tunnelmark-{side}"),
            timeout_s=30.0,
            is_root=True,
        ),
        undo=Command(("rm", "-f", *(f"{link.run_dir}/{name}" for name in _LEFTOVERS)), timeout_s=5.0, is_root=True),
    )
    show = Command(("cat", certificate_path(link)), timeout_s=5.0, is_root=True, max_output_bytes=16_384)
    return IdentityRecipe(steps=(make,), public={CERTIFICATE: show})


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Read the certificate.

    Args:
        outputs: What the recipe's public commands printed.

    Returns:
        The identity with `certificate` (PEM, nothing before or after it).

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
            hint="Check that `openssl req -x509` works there.",
            context={"stderr": result.stderr[-500:] if result else ""},
        )
    # Lines of 64 characters. Source: RFC 7468 section 2.
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    return PublicIdentity({CERTIFICATE: f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"})
