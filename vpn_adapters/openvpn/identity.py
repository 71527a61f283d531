"""OpenVPN's key and self-signed certificate, made on the host that owns them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import textwrap
from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PublicIdentity, Step, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import Link

CERTIFICATE = "certificate"
FINGERPRINT = "fingerprint"

# A configuration of its own: the system's openssl.cnf would add a second basicConstraints (OpenSSL 1.1.1), and may be
# missing. The key cannot issue further certificates, so that a peer may also be trusted by its certificate alone.
_MAKE_SCRIPT = """\
set -e
umask 077
printf '%s\\n' \
  '[req]' 'distinguished_name = name' 'prompt = no' 'x509_extensions = extensions' \
  '[name]' "CN = $2" \
  '[extensions]' 'basicConstraints = critical,CA:FALSE' 'keyUsage = critical,digitalSignature' \
  'extendedKeyUsage = serverAuth,clientAuth' 'subjectKeyIdentifier = hash' > "$1/openssl.cnf"
openssl req -x509 -config "$1/openssl.cnf" -newkey ec -pkeyopt ec_paramgen_curve:P-384 -sha384 -nodes -days 3650 \
  -keyout "$1/openvpn.key" -out "$1/openvpn.crt" 2>"$1/openssl.log" || { cat "$1/openssl.log" >&2; exit 1; }
"""

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END CERTIFICATE-----")


def key_path(link: Link) -> str:
    """Return where the private key lies on its host."""
    return f"{link.run_dir}/openvpn.key"


def certificate_path(link: Link) -> str:
    """Return where the host's own certificate lies."""
    return f"{link.run_dir}/openvpn.crt"


def common_name(side: Side) -> str:
    """Return the name in the certificate of one side; it is only for people who read logs."""
    return f"tunnelmark-{side}"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how key and certificate are made, and the certificate printed. The key never leaves the host."""
    leftovers = (key_path(link), certificate_path(link), f"{link.run_dir}/openssl.cnf", f"{link.run_dir}/openssl.log")
    make = Step(
        title=f"Make a P-384 key that stays on host {side.upper()}, and a self-signed certificate",
        command=Command(
            shell_step_argv(_MAKE_SCRIPT, link.run_dir, common_name(side)),
            timeout_s=20.0,
            is_root=True,
        ),
        undo=Command(("rm", "-f", *leftovers), timeout_s=5.0, is_root=True),
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
            hint="Check that `openssl req -x509` works there.",
            context={"stderr": result.stderr[-500:] if result else ""},
        )
    # Lines of 64 characters. Source: RFC 7468 section 2.
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    pem = f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"
    return PublicIdentity({CERTIFICATE: pem, FINGERPRINT: hashlib.sha256(der).digest().hex(":").upper()})
