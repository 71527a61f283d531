from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.domain.adapters import Carrier, SecurityProperties, SolutionInfo, Space, Suite
from app.domain.verdicts import Verdict
from app.policy import POLICY_NAME, UNKNOWN_REASON, judge, judge_suite

RECORDED = Path(__file__).parents[1] / "contract" / "recorded"


def info(*, is_unprotected: bool = False) -> SolutionInfo:
    security = SecurityProperties(True, True, True, True, True)
    return SolutionInfo("x", "X", "X.", Space.USER, Carrier.UDP, security, 1, 1, is_unprotected=is_unprotected)


def recorded_names() -> list[str]:
    ciphers = (RECORDED / "openvpn-2.6.14-legacy-ciphers.txt").read_text(encoding="utf-8")
    digests = (RECORDED / "openvpn-2.6.14-legacy-digests.txt").read_text(encoding="utf-8")
    older = (RECORDED / "openvpn-2.5.1-names.txt").read_text(encoding="utf-8").split()
    names = re.findall(r"^(\S+)  \(\d+ bit key", ciphers, re.MULTILINE)
    names += re.findall(r"^(\S+) \d+ bit digest size$", digests, re.MULTILINE)
    return sorted({*names, *older})


@pytest.mark.parametrize("name", recorded_names())
def test_every_name_that_openvpn_lists_is_known(name: str) -> None:
    assert judge(name).reason != UNKNOWN_REASON


def test_recordings_are_as_long_as_they_were() -> None:
    assert len(recorded_names()) == 131


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


def test_unknown_name_is_insecure_and_says_that_it_is_unknown() -> None:
    finding = judge("ROT13-XYZ")
    assert finding.verdict is Verdict.INSECURE
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
    assert verdict is Verdict.INSECURE
    assert findings[0].reason == UNKNOWN_REASON
