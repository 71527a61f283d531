"""A key with a self-signed certificate, made on the host that owns them, for programs that pin the peer's certificate.

The certificate is valid from 1970 on. A gateway without a battery for its clock starts with a time in the past, and may
get the right one only through the tunnel: a certificate that began when it was made would keep that tunnel down.
Nothing is lost, because the peer is known by this very certificate, which no authority has issued.

Source: openssl-ca(1): `-startdate` is known since OpenSSL 0.9.8, `-not_before` of `openssl req` since 3.4 alone;
`-days` counts from now. RFC 5280 section 4.1.2.5.1: two digits of a year from 50 on belong to 19YY.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.adapters import Step, shell_step_argv
from app.domain.commands import Command
from app.domain.script_files import adapter_script

BEGINNING = "700101000000Z"
"""The first second that Linux's clock can show, as UTCTime."""

DAYS = 3650

_MAKE_SCRIPT = adapter_script("shared", "make-certificate.sh")


def make_step(
    title: str,
    folder: str,
    stem: str,
    common_name: str,
    *,
    digest: str,
    key: Sequence[str],
    usage: str,
    timeout_s: float,
) -> Step:
    """Return the step that makes `STEM.key` and `STEM.crt`.

    Args:
        title: The step's title.
        folder: Where they go; exists on the host, for root alone.
        stem: Name of both files.
        common_name: Name in the certificate, for people who read logs.
        digest: Of the signature, for example `sha384`.
        key: The kind of key, as options of `openssl req`.
        usage: Extended key usage; may be empty.
        timeout_s: How long making the key may take, in seconds.
    """
    extended = f"extendedKeyUsage={usage}" if usage else ""
    words = (folder, stem, common_name, digest, extended, BEGINNING, str(DAYS), *key)
    leftovers = (f"{folder}/{stem}.key", f"{folder}/{stem}.crt", f"{folder}/{stem}-ca")
    return Step(
        title=title,
        command=Command(shell_step_argv(_MAKE_SCRIPT, *words), timeout_s=timeout_s, is_root=True),
        undo=Command(("rm", "-rf", *leftovers), timeout_s=5.0, is_root=True),
    )
