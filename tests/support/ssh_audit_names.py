"""ssh-audit's verdicts on OpenSSH's names beside ours, for a test and for the table in docs/policy.md."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ssh_audit.ssh2_kexdb import SSH2_KexDB

from app.domain.solutions import Suite
from app.domain.verdicts import Verdict
from app.policy import judge_suite
from support.algorithm_names import names
from vpn_adapters.registry import ADAPTERS

LISTED = Path(__file__).parents[1] / "unit" / "recorded" / "ssh_audit_differences.toml"
PARTS = ("kex", "key", "enc", "mac")
NOT_POST_QUANTUM = SSH2_KexDB.WARN_NOT_PQ_SAFE
"""A property of ours beside the verdict, and no part of it."""

AGREES: Mapping[str, frozenset[Verdict]] = {
    "fail": frozenset({Verdict.INSECURE, Verdict.UNPROTECTED}),
    "warn": frozenset({Verdict.LEGACY, Verdict.ACCEPTABLE}),
    "good": frozenset({Verdict.ACCEPTABLE, Verdict.RECOMMENDED}),
}
"""ssh-audit's word to verdicts of ours that agree with it. Acceptable means that something better is known, or that
hardly any program has it: ssh-audit warns of some of that, and of some it does not."""

XMSS = ("ssh-xmss@openssh.com", "ssh-xmss-cert-v01@openssh.com")
"""Names of an OpenSSH that was built with XMSS. Source: OpenSSH 8.4, sshkey.c, WITH_XMSS; removed in 10.1."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference, for some names.

    Attributes:
        part: ssh-audit's table.
        names: As OpenSSH writes them.
        theirs: fail, warn or good.
        ours: The verdict.
        reason: Ours, one sentence.
    """

    part: str
    names: tuple[str, ...]
    theirs: str
    ours: Verdict
    reason: str


def differences() -> tuple[Difference, ...]:
    """Return the differences that are listed."""
    rows = tomllib.loads(LISTED.read_text(encoding="utf-8"))["difference"]
    return tuple(
        Difference(row["part"], tuple(row["names"]), row["theirs"], Verdict(row["ours"]), row["reason"]) for row in rows
    )


def difference_table() -> str:
    """Return the differences as a table."""
    lines = ["| names | ssh-audit | here | why |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {', '.join(f'`{name}`' for name in one.names)} | {one.theirs} | {one.ours} | {one.reason} |"
        for one in differences()
    ]
    return "\n".join(lines)


def openssh_names() -> tuple[tuple[str, str], ...]:
    """Return every name of OpenSSH 8.4 to 10.0 with ssh-audit's table that has it; an empty part where none has."""
    listed = (*names("openssh-kex-keys"), *names("openssh-8.4-10.0-ciphers-macs"), *XMSS)
    return tuple((part_of(name), name) for name in listed)


def part_of(name: str) -> str:
    """Return the table of a name, by ssh-audit; `none` is in two of them."""
    tables = SSH2_KexDB.get_db()
    return "enc" if name == "none" else next((part for part in PARTS if name in tables[part]), "")


def theirs(part: str, name: str) -> str:
    """Return ssh-audit's word: fail, warn or good. What it says of quantum computers is left out."""
    entry = [*SSH2_KexDB.get_db()[part][name], [], [], []]
    if entry[1]:
        return "fail"
    return "warn" if [one for one in entry[2] if one != NOT_POST_QUANTUM] else "good"


def is_post_quantum_there(name: str) -> bool:
    """Whether ssh-audit does not warn that a key exchange gives way to a quantum computer."""
    entry = [*SSH2_KexDB.get_db()["kex"][name], [], [], []]
    return NOT_POST_QUANTUM not in entry[2]


def ours(part: str, name: str) -> Verdict:
    """Return our verdict on a name as it is used in SSH: a cipher with a MAC over the ciphertext."""
    beside = ("hmac-sha2-256-etm@openssh.com",) if part == "enc" else ()
    suite = Suite(name, name, algorithms=(name, *beside))
    return judge_suite(suite, ADAPTERS["ssh"].info, guidelines=())[0]
