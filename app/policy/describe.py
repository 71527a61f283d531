"""Facts of the policy about an algorithm beyond its verdict."""

from __future__ import annotations

from dataclasses import dataclass

from app.policy.data import PolicyRow
from app.policy.messages import IN_MODE, PARTS
from app.policy.names import find_rows, size_in_name

_AEAD_MODES = frozenset({"gcm", "gcm12", "gcm8", "ccm", "ocb", "siv", "poly1305"})


@dataclass(frozen=True, slots=True)
class Description:
    """An algorithm in words.

    Attributes:
        name: As it was asked for.
        title: For people, for example `AES-256 in GCM`.
        kind: cipher, aead, mac, key-exchange, signature, protocol, option, or suite for a whole TLS suite.
        key_bits: Key size in bits; None where that means nothing.
        block_bits: Block size in bits; None where there is none.
        names: Other names that the policy knows its parts by, normalised.
    """

    name: str
    title: str
    kind: str
    key_bits: int | None
    block_bits: int | None
    names: tuple[str, ...]


def describe(name: str) -> Description | None:
    """Return what is known of an algorithm; None where the policy does not know the name.

    Args:
        name: As any program writes it, for example `CAMELLIA-256-CFB8`.
    """
    rows = find_rows(name)
    if not rows:
        return None
    ciphers = [row for row in rows if row.kind == "cipher"]
    main = ciphers[0] if ciphers else rows[0]
    return Description(
        name=name,
        title=_title(rows),
        kind=_kind(rows),
        key_bits=size_in_name(name) or main.key_bits,
        block_bits=main.block_bits,
        names=tuple(one for row in rows for one in row.names),
    )


def _title(rows: tuple[PolicyRow, ...]) -> str:
    if len(rows) == 2 and rows[1].kind == "mode":
        cipher, mode = rows
        is_one_name = mode.title == "Poly1305"
        return f"{cipher.title}-{mode.title}" if is_one_name else IN_MODE(cipher=cipher.title, mode=mode.title)
    return PARTS(parts=tuple(row.title for row in rows))


def _kind(rows: tuple[PolicyRow, ...]) -> str:
    if len(rows) == 1:
        return rows[0].kind
    if len(rows) == 2 and rows[1].kind == "mode":
        return "aead" if rows[1].names[0] in _AEAD_MODES else "cipher"
    return "suite"
