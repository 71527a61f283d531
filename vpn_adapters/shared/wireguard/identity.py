"""A WireGuard key, made on the host that owns it, and a pre-shared key that both hosts derive by ML-KEM-768.

A makes an ML-KEM key pair. Its public key goes to B, which encapsulates a secret for it; the ciphertext goes to A,
which decapsulates the same secret and erases its private key. Each host keeps the secret as WireGuard's pre-shared key.
Both values that travel are public, and are authenticated by the SSH connections that carry them.

Source: FIPS 203; openssl-pkeyutl(1) of OpenSSL 3.5, -encap and -decap.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

from app.domain.adapters import (
    EncapsulatedSecret,
    IdentityRecipe,
    PlanRequest,
    PlanStep,
    PublicIdentity,
    shell_step_argv,
)
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import A_PUBLIC_KEY, MAKE_KEM_KEY, MAKE_WIREGUARD_KEY
from vpn_adapters.shared.wireguard.protocol import has_kem

PUBLIC_KEY = "public-key"
KEM_KEY = "ml-kem-public-key"
KEM_OWNER = Side.A

_WHOLE = re.compile(r"\A\s*(\S+)\s*\Z")
_KEM_HEAD = bytes.fromhex("308204b2300b0609608648016503040402038204a100")
"""SubjectPublicKeyInfo around the key. Source: RFC 9935, id-alg-ml-kem-768 (2.16.840.1.101.3.4.4.2)."""
_KEM_KEY_BYTES = 1184
"""Source: FIPS 203, table 3."""


def key_path(link: Link) -> str:
    """Return where the private key lies on its host."""
    return f"{link.run_dir}/wireguard.key"


def psk_path(link: Link) -> str:
    """Return where the pre-shared key lies on both hosts."""
    return f"{link.run_dir}/wireguard.psk"


def recipe(request: PlanRequest, side: Side) -> IdentityRecipe:
    """Return how the key is made and its public part printed. The private key never leaves the host."""
    link = request.link
    path = key_path(link)
    make = PlanStep(
        title=MAKE_WIREGUARD_KEY(side=side.upper()),
        command=root_script("shared/wireguard", "make-key.sh", path),
        undo=Command(("rm", "-f", path), timeout_s=5.0, is_root=True),
    )
    show = Command(shell_step_argv('wg pubkey < "$1"', path), timeout_s=10.0, is_root=True, max_output_bytes=4096)
    if side is not KEM_OWNER or not has_kem(request.suite):
        return IdentityRecipe(steps=(make,), public={PUBLIC_KEY: show})
    step, show_kem, secret = _kem(link, side)
    return IdentityRecipe(steps=(make, step), public={PUBLIC_KEY: show, KEM_KEY: show_kem}, encapsulated=(secret,))


def _kem(link: Link, side: Side) -> tuple[PlanStep, Command, EncapsulatedSecret]:
    path, psk = f"{link.run_dir}/ml-kem.key", psk_path(link)
    step = PlanStep(
        title=MAKE_KEM_KEY(side=side.upper()),
        command=root_script("shared/wireguard", "make-kem-key.sh", path),
        undo=Command(("rm", "-f", path), timeout_s=5.0, is_root=True),
    )
    show = Command(("openssl", "pkey", "-in", path, "-pubout"), timeout_s=10.0, is_root=True, max_output_bytes=4096)
    secret = EncapsulatedSecret(
        title=mark("Pre-shared key of WireGuard, from ML-KEM-768"),
        public=KEM_KEY,
        encapsulate=root_script("shared/wireguard", "encapsulate.sh", psk),
        decapsulate=root_script("shared/wireguard", "decapsulate.sh", psk, path),
    )
    return step, show, secret


def parse(outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the identity: `public-key`, and `ml-kem-public-key` in PEM where the host has made one.

    Raises:
        CommandFailed: The host printed no Curve25519 key in base64, or no ML-KEM-768 key in PEM.
    """
    key = public_keys.printed(outputs, PUBLIC_KEY, _WHOLE)
    if len(key) != 32:
        raise public_keys.refused(outputs, PUBLIC_KEY, A_PUBLIC_KEY(kind="WireGuard"), ("`wg genkey`", "`wg pubkey`"))
    values = {PUBLIC_KEY: base64.b64encode(key).decode()}
    if KEM_KEY in outputs:
        values[KEM_KEY] = _kem_key(outputs)
    return PublicIdentity(values)


def _kem_key(outputs: Mapping[str, CommandResult]) -> str:
    what, commands = A_PUBLIC_KEY(kind="ML-KEM-768"), ("`openssl genpkey -algorithm ML-KEM-768`", "`openssl pkey`")
    der = public_keys.printed_der(outputs, KEM_KEY, public_keys.PUBLIC_KEY, what, commands)
    if not der.startswith(_KEM_HEAD) or len(der) != len(_KEM_HEAD) + _KEM_KEY_BYTES:
        raise public_keys.refused(outputs, KEM_KEY, what, commands)
    return public_keys.pem(public_keys.PUBLIC_KEY, der) + "\n"
