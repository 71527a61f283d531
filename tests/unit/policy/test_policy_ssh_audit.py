"""Our verdicts on OpenSSH's algorithms agree with ssh-audit's, but for listed differences with a reason each."""

from __future__ import annotations

import re

import pytest

from app.domain.solutions import Suite
from app.domain.verdicts import PostQuantum, Verdict
from app.policy import UNKNOWN_REASON, judge, post_quantum
from support.ssh_audit_names import (
    AGREES,
    PARTS,
    differences,
    is_post_quantum_there,
    openssh_names,
    ours,
    part_of,
    theirs,
)
from vpn_adapters.registry import ADAPTERS

ALL = openssh_names()
LISTED = {(one.part, name): one for one in differences() for name in one.names}


def test_every_kind_of_name_is_compared() -> None:
    parts = [part for part, _ in ALL]
    assert {
        part: parts.count(part) >= least for part, least in zip(PARTS, (16, 20, 12, 16), strict=True)
    } == dict.fromkeys(PARTS, True)
    assert [name for part, name in ALL if not part] == []
    assert {name for _, name in ALL} >= {"sntrup4591761x25519-sha512@tinyssh.org", "ssh-dss", "mlkem768x25519-sha256"}


@pytest.mark.parametrize(("part", "name"), ALL, ids=[name for _, name in ALL])
def test_verdict_agrees_or_the_difference_is_listed(part: str, name: str) -> None:
    assert judge(name, guidelines=()).reason != UNKNOWN_REASON
    word, verdict = theirs(part, name), ours(part, name)
    listed = LISTED.get((part, name))
    if verdict in AGREES[word]:
        assert listed is None, f"{name} is listed as a difference and is none: {word}, {verdict}"
    else:
        assert listed is not None, f"{name}: ssh-audit says {word}, we say {verdict}; list it with our reason"
        assert (listed.theirs, listed.ours) == (word, verdict)


def test_what_is_listed_is_compared_once_with_a_sentence() -> None:
    assert set(LISTED) <= set(ALL)
    assert sum(len(one.names) for one in differences()) == len(LISTED)
    for one in differences():
        assert re.fullmatch(r"[A-Z][^|\n]{20,160}\.", one.reason)


@pytest.mark.parametrize("name", [name for part, name in ALL if part == "kex"])
def test_post_quantum_agrees(name: str) -> None:
    suite = Suite(name, name, algorithms=(name,))
    is_ours = post_quantum(suite, ADAPTERS["ssh"].info) is not PostQuantum.NONE
    assert is_ours == is_post_quantum_there(name)


def test_encrypt_and_mac_is_what_ssh_audit_warns_of() -> None:
    for name in ("hmac-sha2-256", "hmac-sha2-512", "umac-128@openssh.com"):
        assert theirs("mac", name) == "warn"
        assert ours("mac", name) is Verdict.LEGACY
    assert part_of("none") == "enc"
