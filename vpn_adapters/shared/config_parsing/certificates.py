"""Facts about certificates within a configuration file: their keys and signatures."""

from __future__ import annotations

import re

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import dsa, ec, rsa

MAX_CERTIFICATES = 16
"""Most certificates that are read of one block; a chain has three or four."""

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]{1,65536}-----END CERTIFICATE-----")


def describe_certificates(text: str) -> tuple[str, ...]:
    """Return a few words on each certificate in PEM, for example `RSA 1024 bits signed with sha1`.

    A self-signed one is called `a root`: no program checks that signature. What cannot be read is left out.
    """
    found: dict[str, None] = {}
    for count, match in enumerate(_CERTIFICATE.finditer(text)):
        if count == MAX_CERTIFICATES:
            break
        try:
            certificate = x509.load_pem_x509_certificate(match[0].encode("ascii"))
            found[_describe(certificate)] = None
        except (ValueError, TypeError, UnsupportedAlgorithm, Warning):
            continue  # broken, or of a kind that the library does not know
    return tuple(one for one in found if one)


def _describe(certificate: x509.Certificate) -> str:
    key = certificate.public_key()
    kind = ""
    if isinstance(key, rsa.RSAPublicKey):
        kind = f"RSA {key.key_size} bits"
    elif isinstance(key, dsa.DSAPublicKey):
        kind = f"DSA {key.key_size} bits"
    elif isinstance(key, ec.EllipticCurvePublicKey):
        kind = f"EC {key.key_size} bits"
    digest = certificate.signature_hash_algorithm
    signed = f"signed with {digest.name}" if digest is not None else ""
    if signed and certificate.subject == certificate.issuer:
        signed = f"a root {signed}"
    return " ".join(filter(None, (kind, signed)))
