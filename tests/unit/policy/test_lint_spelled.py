"""Replacements of algorithms: written as the program of the file writes them, and accepted by it."""

from __future__ import annotations

import re
import ssl
import subprocess

import pytest

from app.domain.adapters import Setting
from app.domain.linting import ConfigKind
from app.domain.verdicts import FindingQuestion
from app.linting.files import LintOptions
from app.policy.lint.algorithms import Usage, judge_setting
from app.policy.lint.rules import AlgorithmSetting, rule_sets
from support.lint_texts import lint_text

SETTINGS = [(kind, one) for kind, rules in rule_sets().items() for one in rules.algorithms if one.spelled]
NEWER_THAN_HERE = {"mlkem768x25519-sha256"}
"""Names of OpenSSH 9.9, which Debian 12 does not have."""


def test_every_kind_with_algorithms_spells_them() -> None:
    assert [
        (kind, one.style) for kind, rules in rule_sets().items() for one in rules.algorithms if not one.spelled
    ] == [(kind, "word") for kind in (ConfigKind.TINC, ConfigKind.TINC_HOST)], "tinc's cipher has a single replacement"


@pytest.mark.parametrize(("kind", "setting"), SETTINGS, ids=lambda one: getattr(one, "style", one))
def test_what_is_spelled_is_not_judged_insecure_itself(kind: ConfigKind, setting: AlgorithmSetting) -> None:
    for written in setting.spelled.values():
        values = [written.partition(" (")[0], *re.findall(r"Libreswan: ([^)]*)", written)]
        for value in values:
            found = judge_setting(Setting(1, setting.names[0].last, value), setting.style, Usage(), guidelines=())
            bad = [one.reason for one in found if one.question is FindingQuestion.INSECURE]
            # ecdhe_rsa_… is a whole TLS suite for freelan, whose RSA certificates have 3072 bits.
            assert bad == [], f"{kind}: {value}"


def test_ssh_knows_what_is_spelled() -> None:
    queries = {"ciphers": "cipher", "macs": "mac", "kexalgorithms": "kex", "hostkeyalgorithms": "HostKeyAlgorithms"}
    checked = set()
    for setting in rule_sets()[ConfigKind.SSHD].algorithms:
        query = queries[setting.names[0].last]
        known = subprocess.run(["ssh", "-Q", query], capture_output=True, text=True, check=True).stdout.split()
        assert set(setting.spelled.values()) - NEWER_THAN_HERE <= set(known)
        checked.add(query)
    assert checked == set(queries.values())


def test_openssl_knows_what_is_spelled() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    always = {one["name"] for one in context.get_ciphers()}
    for setting in rule_sets()[ConfigKind.STUNNEL].algorithms:
        for name in setting.spelled.values():
            if setting.style == "tls" and not name.startswith("@"):
                context.set_ciphers(name)
            elif setting.style == "tls13":
                assert name in always
    with pytest.raises(ssl.SSLError):
        context.set_ciphers("AES-256-GCM")


@pytest.mark.parametrize(
    ("name", "line", "instead"),
    [
        ("sshd_config", "Ciphers aes128-cbc,3des-cbc", {"aes256-gcm@openssh.com"}),
        ("sshd_config", "MACs hmac-md5", {"hmac-sha2-256-etm@openssh.com"}),
        ("sshd_config", "KexAlgorithms diffie-hellman-group1-sha1", {"curve25519-sha256"}),
        ("sshd_config", "HostKeyAlgorithms ssh-dss", {"ssh-ed25519"}),
        ("tinc.conf", "Digest = none", {"sha256"}),
        ("tinc.conf", "Cipher = blowfish", {"aes-256-cbc"}),
        ("client.ovpn", "dev tap\nremote gw\ncipher BF-CBC", {"AES-256-GCM"}),
        ("client.ovpn", "dev tap\nremote gw\nauth MD5", {"SHA256"}),
    ],
)
def test_replacements_can_be_copied_into_the_file(name: str, line: str, instead: set[str]) -> None:
    found = lint_text(line + "\n", name, LintOptions()).findings
    wanted = line.splitlines()[-1].replace("=", " ").split()[0].lower()
    written = {
        one.replacement for one in found if one.setting.lower() == wanted and one.question is FindingQuestion.INSECURE
    }
    assert written == instead


def test_proposals_of_both_programs_are_named() -> None:
    text = "conn a\n    ike=3des-md5-modp1024!\n    keyexchange=ikev2\n"
    found = lint_text(text, "ipsec.conf", LintOptions()).findings
    written = {one.replacement for one in found if one.setting.endswith("ike") and one.replacement}
    assert {"aes256gcm16 (Libreswan: aes_gcm256)", "curve25519 (Libreswan: dh31)"} <= written
