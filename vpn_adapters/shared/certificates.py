"""A key with a self-signed certificate, made on the host that owns them, for programs that pin the peer's certificate.

The certificate is valid from 1970 on. A gateway without a battery for its clock starts with a time in the past, and may
get the right one only through the tunnel: a certificate that began when it was made would keep that tunnel down.
Nothing is lost, because the peer is known by this very certificate, which no authority has issued.

Source: openssl-ca(1): `-startdate` is known since OpenSSL 0.9.8, `-not_before` of `openssl req` since 3.4 alone;
`-days` counts from now. RFC 5280 section 4.1.2.5.1: two digits of a year from 50 on belong to 19YY.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.adapters import IdentityRecipe, PlanStep, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import ITS_CERTIFICATE, MAKE_EC_CERTIFICATE

BEGINNING = "700101000000Z"
"""The first second that Linux's clock can show, as UTCTime."""

DAYS = 3650

CERTIFICATE = "certificate"


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
) -> PlanStep:
    """Return the step that makes `STEM.key` and `STEM.crt`.

    Args:
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
    return PlanStep(
        title=title,
        command=root_script("shared", "make-certificate.sh", *words, timeout_s=timeout_s),
        undo=Command(("rm", "-rf", *leftovers), timeout_s=5.0, is_root=True),
    )


def key_path(link: Link, stem: str) -> str:
    """Return where the private key lies on its host."""
    return f"{link.run_dir}/{stem}.key"


def certificate_path(link: Link, stem: str) -> str:
    """Return where the host's own certificate lies."""
    return f"{link.run_dir}/{stem}.crt"


def recipe(link: Link, stem: str, make: PlanStep) -> IdentityRecipe:
    """Return the recipe of a step from `make_step`: the certificate is printed, the key does not leave the host."""
    argv = ("cat", certificate_path(link, stem))
    show = Command(argv, timeout_s=5.0, is_root=True, max_output_bytes=16_384)
    return IdentityRecipe(steps=(make,), public={CERTIFICATE: show})


def tls_recipe(link: Link, side: Side, stem: str) -> IdentityRecipe:
    """Return how a P-384 key for TLS and its certificate are made, for a program that serves and calls."""
    make = make_step(
        MAKE_EC_CERTIFICATE(side=side.upper()),
        link.run_dir,
        stem,
        f"tunnelmark-{side}",
        digest="sha384",
        key=("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"),
        usage="serverAuth,clientAuth",
        timeout_s=20.0,
    )
    return recipe(link, stem, make)


def identity(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity with one value: the certificate in PEM, nothing before or after it.

    Raises:
        CommandFailed: The host printed no certificate.
    """
    return PublicIdentity({CERTIFICATE: parse(outputs)[0]})


def parse(outputs: Mapping[str, CommandResult]) -> tuple[str, bytes]:
    """Return the certificate in PEM, nothing before or after it, and in its DER form.

    Raises:
        CommandFailed: The host printed no certificate.
    """
    commands = ("`openssl ca -selfsign`",)
    der = public_keys.printed_der(outputs, CERTIFICATE, public_keys.CERTIFICATE, ITS_CERTIFICATE(), commands)
    return public_keys.pem(public_keys.CERTIFICATE, der) + "\n", der
