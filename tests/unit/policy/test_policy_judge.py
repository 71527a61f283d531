from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.solutions import Carrier, SecurityProperties, SolutionInfo, Space, Suite
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy import POLICY_NAME, UNKNOWN_REASON, findings, judge, judge_suite
from app.policy.combinations import COMBINATIONS


def info(*, is_unprotected: bool = False) -> SolutionInfo:
    security = SecurityProperties(True, True, True, True, True)
    return SolutionInfo("x", "X", "X.", Space.USER, Carrier.UDP, security, 1, 1, is_unprotected=is_unprotected)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("AES-256-GCM", Verdict.RECOMMENDED),
        ("aes-128-gcm", Verdict.RECOMMENDED),
        ("id-aes256-CCM", Verdict.RECOMMENDED),
        ("aes256gcm16", Verdict.RECOMMENDED),
        ("CHACHA20-POLY1305", Verdict.RECOMMENDED),
        ("ChaCha20-Poly1305", Verdict.RECOMMENDED),
        ("X25519MLKEM768", Verdict.RECOMMENDED),
        ("TLS-1.3", Verdict.RECOMMENDED),
        ("SHA256", Verdict.RECOMMENDED),
        ("SHA512/256", Verdict.RECOMMENDED),
        ("ARIA-256-GCM", Verdict.ACCEPTABLE),
        ("CAMELLIA-128-CBC", Verdict.LEGACY),
        ("AES-256-CBC", Verdict.LEGACY),
        ("AES-256-CFB", Verdict.LEGACY),
        ("AES-256-OFB", Verdict.LEGACY),
        ("SHA1", Verdict.LEGACY),
        ("RSA-SHA1-2", Verdict.LEGACY),
        ("AES-256-CFB1", Verdict.INSECURE),
        ("AES-256-CFB8", Verdict.INSECURE),
        ("BF-CBC", Verdict.INSECURE),
        ("bf-cbc", Verdict.INSECURE),
        ("blowfish", Verdict.INSECURE),
        ("blowfish128", Verdict.INSECURE),
        ("DES-CBC", Verdict.INSECURE),
        ("DES-EDE3-CBC", Verdict.INSECURE),
        ("3des", Verdict.INSECURE),
        ("DESX-CBC", Verdict.INSECURE),
        ("RC2-40-CBC", Verdict.INSECURE),
        ("RC4", Verdict.INSECURE),
        ("CAST5-CBC", Verdict.INSECURE),
        ("IDEA-CBC", Verdict.INSECURE),
        ("MD5", Verdict.INSECURE),
        ("MD4", Verdict.INSECURE),
        ("NULL", Verdict.INSECURE),
        ("TLSv1.1", Verdict.INSECURE),
        ("none", Verdict.UNPROTECTED),
        ("ESP_NULL", Verdict.UNPROTECTED),
        ("aes256gmac", Verdict.UNPROTECTED),
        ("rc2-40", Verdict.INSECURE),
        ("rc4-40", Verdict.INSECURE),
        ("arcfour256", Verdict.INSECURE),
        ("CAST5", Verdict.INSECURE),
        ("cast128", Verdict.INSECURE),
        ("IDEA", Verdict.INSECURE),
        ("desx", Verdict.INSECURE),
        ("DES-EDE3-CFB1", Verdict.INSECURE),
        ("ARIA-192-CFB8", Verdict.INSECURE),
        ("hmac-md5-96-etm@openssh.com", Verdict.INSECURE),
        ("pptp", Verdict.INSECURE),
        ("MPPE-128", Verdict.INSECURE),
        ("openvpn-static-key", Verdict.INSECURE),
        ("comp-lzo", Verdict.INSECURE),
        ("compression", Verdict.INSECURE),
        ("TLSv1.0", Verdict.INSECURE),
        ("SSLv3", Verdict.INSECURE),
        ("ssh-1", Verdict.INSECURE),
        ("modp1024", Verdict.INSECURE),
        ("modp1536", Verdict.INSECURE),
        ("modp1024s160", Verdict.INSECURE),
        ("modp2048s256", Verdict.INSECURE),
        ("diffie-hellman-group1-sha1", Verdict.INSECURE),
        ("RSA-1024", Verdict.INSECURE),
        ("rsa-2047", Verdict.INSECURE),
        ("ssh-dss", Verdict.INSECURE),
        ("ike-aggressive-mode", Verdict.INSECURE),
        ("hmac-sha1-etm@openssh.com", Verdict.LEGACY),
        ("prfsha1", Verdict.LEGACY),
        ("encrypt-and-mac", Verdict.LEGACY),
        ("macsec-static-keys", Verdict.LEGACY),
        ("tinc-1.0-protocol", Verdict.LEGACY),
        ("psk-without-pfs", Verdict.LEGACY),
        ("IKEv1", Verdict.LEGACY),
        ("ripemd160", Verdict.LEGACY),
        ("WHIRLPOOL", Verdict.LEGACY),
        ("sect571k1", Verdict.LEGACY),
        ("aes128", Verdict.LEGACY),
        ("camellia-256-ctr", Verdict.LEGACY),
        ("SM4-CBC", Verdict.LEGACY),
        ("SEED-OFB", Verdict.LEGACY),
        ("aes128ctr", Verdict.LEGACY),
        ("psk", Verdict.ACCEPTABLE),
        ("rsa-2048", Verdict.ACCEPTABLE),
        ("modp2048", Verdict.ACCEPTABLE),
        ("SHAKE128", Verdict.ACCEPTABLE),
        ("KECCAK-KMAC-256", Verdict.ACCEPTABLE),
        ("umac-64@openssh.com", Verdict.ACCEPTABLE),
        ("macsec-mka", Verdict.LEGACY),
        ("modp4096", Verdict.RECOMMENDED),
        ("rsa-4096", Verdict.RECOMMENDED),
        ("AES_GCM_16-256", Verdict.RECOMMENDED),
        ("gcm-aes-xpn-256", Verdict.RECOMMENDED),
        ("chacha20-poly1305@openssh.com", Verdict.RECOMMENDED),
        ("hmac-sha2-512-etm@openssh.com", Verdict.RECOMMENDED),
        ("x25519", Verdict.RECOMMENDED),
        ("ecp384", Verdict.RECOMMENDED),
        ("P-256", Verdict.RECOMMENDED),
        ("mlkem768x25519-sha256", Verdict.RECOMMENDED),
        ("ke1_mlkem768", Verdict.RECOMMENDED),
        ("ML-DSA-65", Verdict.RECOMMENDED),
        ("ecdhe_rsa_aes256_gcm_sha384", Verdict.RECOMMENDED),
    ],
)
def test_verdicts(name: str, verdict: Verdict) -> None:
    finding = judge(name)
    assert finding.verdict is verdict
    assert finding.subject == name
    assert finding.reason != UNKNOWN_REASON
    assert finding.source
    assert finding.replacement or verdict is Verdict.RECOMMENDED


def test_cipher_with_mode_is_as_bad_as_the_worse_of_them() -> None:
    assert "SWEET32" in judge("BF-CBC").reason
    assert "not authenticate" in judge("AES-128-CBC").reason
    assert "per bit" in judge("AES-128-CFB1").reason


def test_unknown_name_is_neither_good_nor_bad_but_unknown() -> None:
    finding = judge("ROT13-XYZ")
    assert finding.verdict is Verdict.UNKNOWN
    assert finding.verdict.needs_reason
    assert not finding.verdict.is_deployable
    assert finding.reason == UNKNOWN_REASON
    assert POLICY_NAME in finding.source


@pytest.mark.parametrize("name", ["", "-", "---", "aes-256-", "-gcm", "AES-256-GCM-GCM", "x" * 10_000, "\x00", "é"])
def test_strange_names_are_unknown(name: str) -> None:
    assert judge(name).reason == UNKNOWN_REASON


def test_suite_is_as_bad_as_its_worst_part() -> None:
    suite = Suite("s", "S", algorithms=("TLS-1.3", "AES-256-CBC", "SHA256"))
    verdict, findings = judge_suite(suite, info())
    assert verdict is Verdict.LEGACY
    assert [finding.subject for finding in findings] == list(suite.algorithms)
    worse = Suite("s", "S", algorithms=(*suite.algorithms, "MD5"))
    assert judge_suite(worse, info())[0] is Verdict.INSECURE
    none = Suite("s", "S", algorithms=("none", "MD5"))
    assert judge_suite(none, info())[0] is Verdict.UNPROTECTED


def test_solution_without_cryptography_is_unprotected_whatever_its_suite_says() -> None:
    verdict, findings = judge_suite(Suite("s", "S", algorithms=("AES-256-GCM",)), info(is_unprotected=True))
    assert verdict is Verdict.UNPROTECTED
    assert findings[0].verdict is Verdict.UNPROTECTED


def test_protected_suite_that_names_nothing_is_unknown() -> None:
    verdict, findings = judge_suite(Suite("nothing", "S"), info())
    assert verdict is Verdict.UNKNOWN
    assert findings[0].reason == UNKNOWN_REASON


def test_design_of_a_solution_is_part_of_every_suite() -> None:
    suite = Suite("s", "S", algorithms=("AES-256-GCM",))
    old = replace(info(), design=("tinc-1.0-protocol",))
    assert judge_suite(suite, info())[0] is Verdict.RECOMMENDED
    verdict, found = judge_suite(suite, old)
    assert verdict is Verdict.LEGACY
    assert [finding.subject for finding in found] == ["AES-256-GCM", "tinc-1.0-protocol"]
    assert judge_suite(Suite("nothing", "S"), old)[0] is Verdict.UNKNOWN
    bad = Suite("bad", "S", algorithms=("ROT13-XYZ", "MD5"))
    assert judge_suite(bad, info())[0] is Verdict.INSECURE


def test_cfb8_is_insecure_and_slow_and_the_two_are_kept_apart() -> None:
    found = findings("CAMELLIA-256-CFB8")
    assert [(one.question, one.verdict) for one in found] == [
        (FindingQuestion.INSECURE, Verdict.INSECURE),
        (FindingQuestion.SLOW, Verdict.ACCEPTABLE),
    ]
    assert "slow on every computer" in found[1].reason


@pytest.mark.parametrize(
    ("design", "algorithms", "fault"),
    [
        (("SSH-2",), ("aes128-cbc", "hmac-sha2-256"), "encrypt-and-mac"),
        (("SSH-2",), ("aes128-cbc", "hmac-sha2-256-etm@openssh.com"), ""),
        (("SSH-2",), ("aes256-gcm@openssh.com",), ""),
        (("IKEv2",), ("aes128", "sha256"), ""),
        (("tinc-1.0-protocol",), ("AES-256-OFB", "SHA256"), "tinc-ofb"),
        (("tinc-1.0-protocol",), ("AES-256-CBC", "SHA256"), ""),
        ((), ("AES-256-OFB", "hmac-sha2-256"), ""),
    ],
)
def test_faults_of_a_protocol_with_certain_algorithms(
    design: tuple[str, ...], algorithms: tuple[str, ...], fault: str
) -> None:
    solution = replace(info(), design=design)
    verdict, found = judge_suite(Suite("s", "S", algorithms=algorithms), solution)
    extra = [one for one in found if one.subject not in (*algorithms, *design)]
    assert [one.subject for one in extra] == ([fault] if fault else [])
    assert all(verdict.severity >= one.verdict.severity for one in extra)


def test_meanings_of_combinations_are_known() -> None:
    assert [one.means for one in COMBINATIONS if judge(one.means).reason == UNKNOWN_REASON] == []


def test_a_replacement_is_a_name_that_people_use() -> None:
    (finding,) = (one for one in findings("macsec-mka") if one.question is FindingQuestion.INSECURE)
    assert finding.replacement == "MACsec with MKA from EAP-TLS"
    assert findings("BF-CBC")[0].replacement == "AES-256-GCM"
