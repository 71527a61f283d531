"""Verdicts on a mode with the MAC beside it, in suites and in configuration files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.adapters import Setting
from app.domain.linting import ConfigKind
from app.domain.solutions import Carrier, SecurityProperties, SolutionInfo, Space, Suite
from app.domain.verdicts import Finding, FindingQuestion, Verdict, by_weight, deciding_finding
from app.policy import COMPOSITIONS, UNKNOWN_REASON, judge, judge_suite
from app.policy.data import tables
from app.policy.lint import lint

OVER_CIPHERTEXT = "MAC over the ciphertext"
OVER_PLAINTEXT = "covers the plaintext"
NOTHING = "Does not authenticate"
INFO = SolutionInfo("x", "X", "X.", Space.USER, Carrier.UDP, SecurityProperties(True, True, True, True, True), 1, 1)


def deciding(design: tuple[str, ...], algorithms: tuple[str, ...]) -> tuple[Verdict, str]:
    """Return the verdict on a suite and the reason that decides."""
    verdict, found = judge_suite(Suite("s", "S", algorithms=algorithms), replace(INFO, design=design))
    finding = deciding_finding(found)
    assert finding is not None
    assert finding.verdict is verdict
    return verdict, finding.reason


@pytest.mark.parametrize(
    ("design", "algorithms", "verdict", "reason"),
    [
        (("SSH-2",), ("aes256-ctr", "hmac-sha2-256-etm@openssh.com"), Verdict.ACCEPTABLE, OVER_CIPHERTEXT),
        (("SSH-2",), ("aes256-ctr", "hmac-sha2-256"), Verdict.LEGACY, OVER_PLAINTEXT),
        (("SSH-2",), ("aes256-ctr",), Verdict.LEGACY, NOTHING),
        (("SSH-2",), ("aes256-ctr", "hmac-md5-etm@openssh.com"), Verdict.INSECURE, "MD5"),
        (("IKEv2", "ESP"), ("AES-256-CBC", "HMAC-SHA256", "X25519"), Verdict.ACCEPTABLE, OVER_CIPHERTEXT),
        (("IKEv2", "ESP"), ("AES-256-CTR", "HMAC-SHA256"), Verdict.ACCEPTABLE, OVER_CIPHERTEXT),
        (("ESP",), ("AES-128-CBC", "SHA384", "null-authentication"), Verdict.INSECURE, "changed on the way"),
        (("ESP",), ("AES-128-CBC", "HMAC-SHA1"), Verdict.LEGACY, "SHA-1"),
        (("ESP",), ("CAMELLIA-256-CBC", "SHA256"), Verdict.ACCEPTABLE, "Camellia"),
        (("openvpn-data-channel",), ("AES-256-CBC", "SHA256", "TLS-1.3"), Verdict.ACCEPTABLE, OVER_CIPHERTEXT),
        (("openvpn-data-channel",), ("AES-256-CFB", "SHA256"), Verdict.LEGACY, NOTHING),
        (("openvpn-data-channel",), ("AES-256-OFB", "SHA256"), Verdict.LEGACY, NOTHING),
        (("openvpn-data-channel",), ("AES-256-CFB8", "SHA256"), Verdict.INSECURE, "per byte"),
        (("openvpn-data-channel",), ("BF-CBC", "SHA256"), Verdict.INSECURE, "SWEET32"),
        (("openvpn-data-channel",), ("DES-EDE3-CBC", "SHA256"), Verdict.INSECURE, "SWEET32"),
        (("tinc-1.0-protocol",), ("AES-256-CBC", "SHA256"), Verdict.LEGACY, "No forward secrecy"),
        (("tinc-1.0-protocol",), ("AES-256-CTR", "SHA256"), Verdict.LEGACY, NOTHING),
        (("tinc-1.0-protocol",), ("AES-256-CBC", "SHA256", "mac-32-bits"), Verdict.INSECURE, "forged packet"),
        (("tinc-1.0-protocol",), ("AES-256-OFB", "SHA256"), Verdict.INSECURE, "key stream"),
        ((), ("AES-256-CBC", "SHA256"), Verdict.LEGACY, NOTHING),
    ],
)
def test_suite_is_judged_as_a_whole(
    design: tuple[str, ...], algorithms: tuple[str, ...], verdict: Verdict, reason: str
) -> None:
    found, why = deciding(design, algorithms)
    assert found is verdict
    # Camellia itself is acceptable, and so is its mode: the cipher comes first.
    assert reason in why or (reason == "Camellia" and "studied less than AES" in why)


@pytest.mark.parametrize("name", ["AES-256-CBC", "aes256-ctr"])
def test_cipher_without_a_solution_keeps_its_verdict(name: str) -> None:
    assert judge(name).verdict is Verdict.LEGACY
    assert judge(name).reason.startswith(NOTHING)


def test_compositions_speak_of_what_the_policy_knows() -> None:
    for one in COMPOSITIONS:
        assert judge(one.design).reason != UNKNOWN_REASON
        assert set(one.modes) <= set(tables().modes)
        assert one.reason.endswith(".")
        assert one.sources
        assert judge(one.replacement).verdict is Verdict.RECOMMENDED


def reasons(kind: ConfigKind, *settings: tuple[str, str], name: str) -> list[str]:
    """Return what the linter finds wrong with the setting of a name."""
    written = [Setting(line, *pair) for line, pair in enumerate(settings, start=1)]
    found = lint(kind, written, guidelines=())
    return [one.reason for one in found if one.setting == name and one.question is FindingQuestion.INSECURE]


ESP = "connections.a.children.b.esp_proposals"
IKE = "connections.a.proposals"


@pytest.mark.parametrize(
    ("kind", "settings", "reason"),
    [
        (ConfigKind.OPENVPN, (("cipher", "AES-256-CBC"), ("auth", "SHA256")), ""),
        (ConfigKind.OPENVPN, (("cipher", "AES-256-CBC"),), ""),
        (ConfigKind.OPENVPN, (("cipher", "AES-256-CBC"), ("auth", "none")), NOTHING),
        (ConfigKind.OPENVPN, (("cipher", "AES-256-CFB"), ("auth", "SHA256")), NOTHING),
        (ConfigKind.OPENVPN, (("cipher", "BF-CBC"), ("auth", "SHA256")), "SWEET32"),
        (ConfigKind.SWANCTL, ((ESP, "aes256-sha256-x25519"),), ""),
        (ConfigKind.SWANCTL, ((ESP, "aes256ctr-sha256,aes128-x25519"),), NOTHING),
        (ConfigKind.SWANCTL, ((ESP, "aes256"),), NOTHING),
        (ConfigKind.SWANCTL, ((ESP, "3des-sha256"),), "SWEET32"),
        (ConfigKind.SWANCTL, ((IKE, "aes256-sha256-x25519"),), ""),
        (ConfigKind.SWANCTL, ((IKE, "aes256-prfsha256-x25519"),), NOTHING),
        (ConfigKind.IPSEC_CONF, (("conn.a.esp", "aes256-sha256!"),), ""),
        (ConfigKind.IPSEC_CONF, (("conn.a.esp", "aes256-null"),), NOTHING),
        (ConfigKind.SSHD, (("Ciphers", "aes256-ctr"), ("MACs", "hmac-sha2-256-etm@openssh.com")), ""),
        (ConfigKind.SSHD, (("Ciphers", "aes256-ctr"), ("MACs", "hmac-sha2-256")), OVER_PLAINTEXT),
        (
            ConfigKind.SSHD,
            (("Ciphers", "aes256-ctr"), ("MACs", "hmac-sha2-256-etm@openssh.com,hmac-sha2-512")),
            OVER_PLAINTEXT,
        ),
        (
            ConfigKind.SSHD,
            (("Ciphers", "aes256-ctr"), ("MACs", "+hmac-sha2-256-etm@openssh.com")),
            OVER_PLAINTEXT,
        ),
        (ConfigKind.SSHD, (("Ciphers", "aes256-ctr"),), OVER_PLAINTEXT),
        (ConfigKind.TINC, (("Cipher", "aes-256-cbc"), ("Digest", "sha256")), ""),
        (ConfigKind.TINC, (("Cipher", "aes-256-cbc"), ("Digest", "none")), NOTHING),
        (ConfigKind.STUNNEL, (("ciphers", "ECDHE-RSA-AES256-SHA384"),), NOTHING),
    ],
)
def test_file_is_judged_by_the_composition(
    kind: ConfigKind, settings: tuple[tuple[str, str], ...], reason: str
) -> None:
    found = reasons(kind, *settings, name=settings[0][0])
    assert any(reason in one for one in found) if reason else found == []


def finding(subject: str, verdict: Verdict, question: FindingQuestion = FindingQuestion.INSECURE) -> Finding:
    return Finding(subject, verdict, "Because.", "here", question=question)


def test_deciding_finding_is_the_worst_that_counts() -> None:
    good = finding("good", Verdict.RECOMMENDED)
    guideline = finding("guideline", Verdict.ACCEPTABLE, FindingQuestion.GUIDELINE)
    own = finding("own", Verdict.ACCEPTABLE)
    again = finding("again", Verdict.ACCEPTABLE)
    slow = finding("slow", Verdict.INSECURE, FindingQuestion.SLOW)
    old = finding("old", Verdict.LEGACY)
    assert deciding_finding([slow, good, guideline, own, again]) is own
    assert deciding_finding([slow, good, guideline]) is guideline
    assert deciding_finding([guideline, own, old, slow]) is old
    assert deciding_finding([slow]) is None
    assert deciding_finding([]) is None
    assert by_weight([slow, good, guideline, own, again, old]) == (old, own, again, guideline, good, slow)
