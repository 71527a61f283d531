"""VPN solutions, and the choices in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.mesh import MeshEffort

BASELINE = "baseline"
"""Name of the bare underlay, which everything else is compared with."""


class Space(StrEnum):
    """Place of the encryption."""

    KERNEL = "kernel"
    USER = "user"
    NONE = "none"


class Carrier(StrEnum):
    """Carrier of a solution's packets on the underlay."""

    NONE = "none"
    UDP = "udp"
    TCP = "tcp"
    IP = "ip"
    ESP = "esp"
    ETHERNET = "ethernet"


@dataclass(frozen=True, slots=True)
class SecurityProperties:
    """Promises of a solution for the traffic inside it."""

    has_confidentiality: bool
    has_integrity: bool
    has_authentication: bool
    has_anti_replay: bool
    has_forward_secrecy: bool


@dataclass(frozen=True, slots=True)
class SolutionInfo:
    """Fixed properties of a solution.

    Attributes:
        name: Stable name, for example `openvpn-udp`.
        title: Name for people.
        summary: One sentence.
        space: Where encryption happens.
        carrier: What its packets travel in.
        security: What it promises.
        files_per_site: Configuration files per site.
        keys_per_site: Keys per site, its own and the peer's public one.
        is_unprotected: Whether it has no cryptography on purpose (a reference, never recommended or deployed).
        limitations: Findings a user must know that no setting can avoid, as sentences.
        sources: Where all this is stated.
        design: Names of what every suite of it contains whatever is chosen, as the policy knows them, for example
            `tinc-1.0-protocol`; they are judged with each suite.
        routing: How frames find their way, in a few words.
        mesh: What a full mesh of N sites takes; None where there is none.
    """

    name: str
    title: str
    summary: str
    space: Space
    carrier: Carrier
    security: SecurityProperties
    files_per_site: int
    keys_per_site: int
    is_unprotected: bool = False
    limitations: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    design: tuple[str, ...] = ()
    routing: str = ""
    mesh: MeshEffort | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """A cryptographic choice within a solution.

    Attributes:
        name: Stable name within the solution, for example `aes-256-gcm`.
        title: Name for people, for example `AES-256-GCM, X25519, P-384 certificates`.
        algorithms: Every algorithm in it, as the policy knows it, for example `AES-256-GCM`, `TLS-1.3`, `X25519`.
        settings: The adapter's own choices, by option, for example `{"data-ciphers": "AES-256-GCM"}`.
        is_default: Whether this is the safe default for these two hosts.
    """

    name: str
    title: str
    algorithms: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = False


class OptionKind(StrEnum):
    """Options of a program in a cipher census."""

    CIPHER = "cipher"
    MAC = "mac"
    AEAD = "aead"


@dataclass(frozen=True, slots=True)
class CensusOption:
    """One cipher, MAC or AEAD as the program itself lists it on both hosts, with the suite that tries it.

    Attributes:
        name: As the program writes it.
        kind: What it is.
        suite: Brings it up; its name is unique among all suites of the solution. A cipher goes with SHA-1, a MAC with
            AES-128-CBC (the study's partners), as far as the program lets one choose.
        alias_of: The other name of the same algorithm that stands for it; empty where it is not an alias.
        is_unprotected: Whether it leaves plaintext or unauthenticated frames by its meaning (`none`, NULL).
        note: For example where a table of ours, not the program, says that the name exists, with its source.
    """

    name: str
    kind: OptionKind
    suite: Suite
    alias_of: str = ""
    is_unprotected: bool = False
    note: str = ""
