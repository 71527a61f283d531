"""A secret that both hosts derive by ML-KEM-768 with OpenSSL, kept in a file for root alone.

A makes an ML-KEM key pair. Its public key goes to B, which encapsulates a secret for it; the ciphertext goes to A,
which decapsulates the same secret and erases its private key. Both values that travel are public, and are authenticated
by the SSH connections that carry them.

Source: FIPS 203; openssl-pkeyutl(1) of OpenSSL 3.5, -encap and -decap.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from app.domain.adapters import EncapsulatedSecret, IdentityRecipe, PlanStep, PublicIdentity
from app.domain.commands import Command, CommandResult
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared import discovering, public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import A_PUBLIC_KEY, MAKE_KEM_KEY

ML_KEM = "ml-kem-768"
"""Feature of a host whose OpenSSL can do it."""
KEM_KEY = "ml-kem-public-key"
KEM_OWNER = Side.A

_FOLDER = "shared"
_LINE = re.compile(r"[ ,]ML-KEM-768[ ,].*@ default$", re.MULTILINE)
"""OpenSSL's own, not that of another provider, which may write keys in another way."""
_HEAD = bytes.fromhex("308204b2300b0609608648016503040402038204a100")
"""SubjectPublicKeyInfo around the key. Source: RFC 9935, id-alg-ml-kem-768 (2.16.840.1.101.3.4.4.2)."""
_KEY_BYTES = 1184
"""Source: FIPS 203, table 3."""

QUERIES: Mapping[str, Command] = {"kem": discovering.query("openssl", "list", "-kem-algorithms")}


def is_able(outputs: Mapping[str, CommandResult]) -> bool:
    """Whether a host's OpenSSL can do it.

    Source: `{ 2.16.840.1.101.3.4.4.2, id-alg-ml-kem-768, ML-KEM-768, MLKEM768 } @ default` (OpenSSL 3.5).
    """
    return _LINE.search(discovering.text_of(outputs, "kem")) is not None


def with_secret(recipe: IdentityRecipe, link: Link, side: Side, path: str, title: str) -> IdentityRecipe:
    """Return a recipe with what one host does for the secret.

    Args:
        path: File for the secret on both hosts, 32 bytes in base64; `path` and more is used meanwhile.
        title: What the secret is, for people.
    """
    if side is not KEM_OWNER:
        return recipe
    key = f"{link.run_dir}/ml-kem.key"
    step = PlanStep(
        title=MAKE_KEM_KEY(side=side.upper()),
        command=root_script(_FOLDER, "kem-make-key.sh", key),
        undo=Command(("rm", "-f", key), timeout_s=5.0, is_root=True),
    )
    show = Command(("openssl", "pkey", "-in", key, "-pubout"), timeout_s=10.0, is_root=True, max_output_bytes=4096)
    secret = EncapsulatedSecret(
        title=title,
        public=KEM_KEY,
        encapsulate=root_script(_FOLDER, "kem-encapsulate.sh", path),
        decapsulate=root_script(_FOLDER, "kem-decapsulate.sh", path, key),
    )
    return replace(recipe, steps=(*recipe.steps, step), public={**recipe.public, KEM_KEY: show}, encapsulated=(secret,))


def with_key(identity: PublicIdentity, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return an identity with `ml-kem-public-key` in PEM, where the host has made one.

    Raises:
        CommandFailed: The host printed no ML-KEM-768 key in PEM.
    """
    if KEM_KEY not in outputs:
        return identity
    what, commands = A_PUBLIC_KEY(kind="ML-KEM-768"), ("`openssl genpkey -algorithm ML-KEM-768`", "`openssl pkey`")
    der = public_keys.printed_der(outputs, KEM_KEY, public_keys.PUBLIC_KEY, what, commands)
    if not der.startswith(_HEAD) or len(der) != len(_HEAD) + _KEY_BYTES:
        raise public_keys.refused(outputs, KEM_KEY, what, commands)
    return PublicIdentity({**identity.values, KEM_KEY: public_keys.pem(public_keys.PUBLIC_KEY, der) + "\n"})
