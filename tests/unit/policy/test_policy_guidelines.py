from __future__ import annotations

import re
from datetime import date

import pytest

from app.domain.errors import Bug, InvalidOption
from app.domain.solutions import Carrier, SecurityProperties, SolutionInfo, Space, Suite
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy import (
    DEFAULT_GUIDELINES,
    GUIDELINES,
    Guideline,
    GuidelineStatus,
    check_guidelines,
    findings,
    judge,
    judge_suite,
)
from app.policy.guidelines import _read
from app.policy.messages import GUIDELINE_UNKNOWN, OUTSIDE_SINCE, OUTSIDE_UNTIL
from app.policy.names import find_rows
from support.message_checks import has_message

ALL = pytest.mark.parametrize("guideline", GUIDELINES.values(), ids=GUIDELINES.keys())
EVERY = tuple(GUIDELINES)


def info(name: str = "ipsec", *design: str) -> SolutionInfo:
    security = SecurityProperties(True, True, True, True, True)
    return SolutionInfo(name, "X", "X.", Space.USER, Carrier.UDP, security, 1, 1, design=design)


def outside(name: str, guideline: str, solution: str = "") -> bool:
    return any(
        finding.question is FindingQuestion.GUIDELINE
        for finding in findings(name, guidelines=(guideline,), solution=solution)
    )


@ALL
def test_guideline_is_named_dated_and_versioned(guideline: Guideline) -> None:
    assert re.fullmatch(r"[a-z0-9-]+", guideline.id)
    assert guideline.title
    assert guideline.version
    assert guideline.scope
    assert date(2010, 1, 1) < guideline.published < date(2026, 12, 31)
    assert "://" not in guideline.citation
    assert guideline.rules or guideline.allowed or guideline.refusal


@ALL
def test_every_statement_has_a_sentence_and_a_place(guideline: Guideline) -> None:
    for rule in (*guideline.rules, *(allowed.rule for allowed in guideline.allowed)):
        assert rule.reason.endswith(".") or rule.status is GuidelineStatus.EXPIRING
        assert rule.section
        assert (rule.year is not None) or rule.status is not GuidelineStatus.EXPIRING
        assert not rule.replacement or judge(rule.replacement).verdict is Verdict.RECOMMENDED


@ALL
def test_what_a_guideline_puts_forward_is_not_outside_of_it(guideline: Guideline) -> None:
    statements = (*guideline.rules, *(allowed.rule for allowed in guideline.allowed))
    for replacement in {rule.replacement for rule in statements if rule.replacement}:
        assert guideline.outside(find_rows(replacement)) is None, replacement


def test_defaults_exist_and_leave_alone_what_is_recommended() -> None:
    assert set(DEFAULT_GUIDELINES) <= set(GUIDELINES)
    for name in ("AES-256-GCM", "ChaCha20-Poly1305", "X25519", "P-384", "SHA256", "Ed25519", "modp3072", "ML-KEM-768"):
        assert judge(name).verdict is Verdict.RECOMMENDED


@pytest.mark.parametrize(
    ("name", "guideline", "expected"),
    [
        ("AES-256-GCM", "bsi-tr-02102-1", False),
        ("aes128gcm8", "bsi-tr-02102-1", True),
        ("AES-256-OFB", "bsi-tr-02102-1", True),
        ("ChaCha20-Poly1305", "bsi-tr-02102-1", True),
        ("ChaCha20-Poly1305", "bsi-tr-02102-2", True),
        ("ChaCha20-Poly1305", "rfc-8221", False),
        ("CAMELLIA-256-CBC", "bsi-tr-02102-3", True),
        ("rsa-2048", "bsi-tr-02102-1", True),
        ("rsa-3072", "bsi-tr-02102-1", False),
        ("rsa-2048", "nist-sp-800-57", True),
        ("modp2048", "rfc-8247", False),
        ("modp1024", "rfc-8247", True),
        ("modp2048s256", "rfc-8247", True),
        ("3des-cbc", "rfc-8221", True),
        ("bf-cbc", "rfc-8221", True),
        ("cast128", "rfc-8221", True),
        ("aes256", "rfc-8221", False),
        ("hmac-md5", "rfc-8221", True),
        ("sha1", "rfc-8221", False),
        ("sha1", "bsi-tr-02102-3", True),
        ("DES-EDE3-CBC", "nist-sp-800-131a", True),
        ("hmac-sha1", "nist-sp-800-131a", False),
        ("ssh-rsa", "nist-sp-800-131a", True),
        ("diffie-hellman-group1-sha1", "rfc-9142", True),
        ("diffie-hellman-group14-sha1", "rfc-9142", False),
        ("curve25519-sha256", "rfc-9142", False),
        ("ssh-ed25519", "bsi-tr-02102-4", True),
        ("TLSv1.1", "bsi-tr-02102-2", True),
        ("TLSv1.2", "bsi-tr-02102-2", False),
        ("ikev1", "rfc-8247", True),
        ("mlkem512", "bsi-tr-02102-1", True),
        ("x25519mlkem768", "bsi-tr-02102-1", False),
        ("pptp", "iec-62443", True),
        ("AES-256-CBC", "iec-62443", False),
    ],
)
def test_who_is_outside_of_what(name: str, guideline: str, expected: bool) -> None:
    assert outside(name, guideline) is expected


def test_questions_are_kept_apart() -> None:
    own, *others = findings("ChaCha20-Poly1305", guidelines=EVERY)
    assert (own.question, own.verdict) == (FindingQuestion.INSECURE, Verdict.RECOMMENDED)
    assert others
    assert {(one.question, one.verdict) for one in others} == {(FindingQuestion.GUIDELINE, Verdict.ACCEPTABLE)}
    assert len({one.source for one in others}) == len(others)


def test_outside_a_chosen_guideline_only_is_acceptable_and_insecure_remains_insecure() -> None:
    assert judge("ChaCha20-Poly1305", guidelines=()).verdict is Verdict.RECOMMENDED
    found = judge("ChaCha20-Poly1305", guidelines=("bsi-tr-02102-1",))
    assert found.verdict is Verdict.ACCEPTABLE
    assert found.question is FindingQuestion.GUIDELINE
    assert "BSI TR-02102-1, 2025-01" in found.source
    assert found.replacement == "AES-256-GCM"
    assert judge("bf-cbc", guidelines=EVERY).verdict is Verdict.INSECURE
    assert judge("bf-cbc", guidelines=EVERY).question is FindingQuestion.INSECURE


def test_suite_is_judged_by_the_guidelines_that_are_about_its_solution() -> None:
    suite = Suite("s", "S", algorithms=("ChaCha20-Poly1305", "SHA256"))
    chosen = ("bsi-tr-02102-3",)
    assert judge_suite(suite, info("ipsec"), guidelines=chosen)[0] is Verdict.ACCEPTABLE
    assert judge_suite(suite, info("wireguard"), guidelines=chosen)[0] is Verdict.RECOMMENDED
    assert outside("ChaCha20-Poly1305", "bsi-tr-02102-3", "ipsec")
    assert not outside("ChaCha20-Poly1305", "bsi-tr-02102-3", "ssh")


def test_design_is_judged_by_guidelines_too() -> None:
    suite = Suite("s", "S", algorithms=("AES-256-GCM",))
    _, found = judge_suite(suite, info("ipsec", "ikev1"), guidelines=("rfc-8247",))
    assert ("ikev1", FindingQuestion.GUIDELINE) in {(one.subject, one.question) for one in found}


def test_years_are_reported() -> None:
    assert has_message(OUTSIDE_UNTIL, year=2030)(findings("rsa-2048", guidelines=("nist-sp-800-57",))[1].reason)
    assert has_message(OUTSIDE_SINCE, year=2023)(findings("cast5", guidelines=("rfc-8221",))[1].reason)


def test_unknown_guideline_is_refused_by_name() -> None:
    for call in (lambda: judge("AES-256-GCM", guidelines=("rfc-1",)), lambda: check_guidelines(["rfc-1"])):
        with pytest.raises(InvalidOption, check=has_message(GUIDELINE_UNKNOWN, unknown=("rfc-1",))) as caught:
            call()
        assert "rfc-8221" in caught.value.hint


@pytest.mark.parametrize(
    "raw",
    [
        {"id": "x"},
        {"id": "x", "title": "X", "version": "1", "published": date(2020, 1, 1), "scope": "s", "citation": "c", "n": 1},
        {"rule": [{"names": ["rot13"], "status": "forbidden", "reason": "R.", "section": "1"}]},
        {"rule": [{"names": ["aes-256"], "status": "perhaps", "reason": "R.", "section": "1"}]},
    ],
)
def test_malformed_guideline_is_a_bug(raw: dict[str, object]) -> None:
    with pytest.raises(Bug, match=r"guidelines\.toml"):
        _read(raw)
