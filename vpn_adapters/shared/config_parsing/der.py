"""Size of a public key or a Diffie-Hellman group: the first number in its DER structure."""

from __future__ import annotations

import base64
import binascii
import re

_FRAME = re.compile(r"-----(?:BEGIN|END)[^-]{0,60}-----")
_MAX_CHARACTERS = 65_536


def key_size_of_pem(text: str) -> int | None:
    """Return the size of `DH PARAMETERS` or an `RSA PUBLIC KEY` in bits.

    Both are a SEQUENCE whose first INTEGER is the modulus. Source: PKCS #3 section 9, RFC 8017 appendix A.1.1, ITU-T
    X.690 section 8.

    Args:
        text: In PEM's frame.

    Returns:
        Bits; None where it is something else or broken.
    """
    body = re.sub(r"\s+", "", _FRAME.sub("", text[:_MAX_CHARACTERS]))
    try:
        der = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return None
    outer = _value(der, 0x30)
    number = _value(outer, 0x02) if outer is not None else None
    return int.from_bytes(number, "big").bit_length() if number else None


def _value(data: bytes, tag: int) -> bytes | None:
    """Return the content of the structure that begins here, if it has that tag."""
    if len(data) < 2 or data[0] != tag:
        return None
    length, start = data[1], 2
    if length & 0x80:
        count = length & 0x7F
        if not 0 < count <= 4 or len(data) < 2 + count:
            return None
        length, start = int.from_bytes(data[2 : 2 + count], "big"), 2 + count
    return data[start : start + length] if len(data) >= start + length else None
