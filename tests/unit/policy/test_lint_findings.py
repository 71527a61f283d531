"""Findings of the linter on single settings."""

from __future__ import annotations

import pytest
from lint_corpus import FOLDER

from app.domain.linting import MASK, ConfigKind, LintFinding
from app.domain.verdicts import FindingQuestion, Verdict
from app.linting.files import LintOptions
from app.policy.lint import lint
from app.policy.messages import CHECK_SPELLING, ON_ONE_NAME
from support.lint_texts import lint_text
from support.message_checks import has_message
from vpn_adapters.config_formats import KINDS


def found(kind: ConfigKind, text: str) -> list[LintFinding]:
    return list(lint(kind, KINDS[kind].parse(text)))


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (ConfigKind.SSH, "ProxyCommand sshpass -p x ssh gw"),
        (ConfigKind.OPENVPN, 'up "curl -u bob:pw https://x"'),
        (ConfigKind.WIREGUARD, "PostUp = wget --password=x https://x"),
        (ConfigKind.STUNNEL, "execArgs = x --pass y"),
        (ConfigKind.PPP, 'connect "chat ssword: y"'),
        (ConfigKind.IPSEC_CONF, 'conn.a.leftupdown="/x --secret y"'),
    ],
)
def test_passwords_in_command_lines_are_reported(kind: ConfigKind, line: str) -> None:
    listed = [one for one in found(kind, line + "\n") if "command line" in one.reason]
    assert [(one.line, one.verdict) for one in listed] == [(1, Verdict.LEGACY)]
    assert MASK in listed[0].value


ONE = [(1, FindingQuestion.INSECURE, Verdict.INSECURE)]
OUTDATED = [(1, FindingQuestion.INSECURE, Verdict.LEGACY)]


@pytest.mark.parametrize(
    ("kind", "line", "setting", "expected"),
    [
        (ConfigKind.OPENVPN, "setenv opt data-ciphers BF-CBC", "data-ciphers", ONE),
        (ConfigKind.OPENVPN, "setenv opt tls-version-min 1.0", "tls-version-min", ONE),
        (ConfigKind.OPENVPN, "setenv opt tls-version-min 1.2", "tls-version-min", []),
        (ConfigKind.OPENVPN, 'push "cipher BF-CBC"', "push.cipher", ONE),
        (ConfigKind.OPENVPN, 'push "auth none"', "push.auth", ONE),
        (ConfigKind.OPENVPN, 'push "cipher AES-256-GCM"', "push.cipher", []),
        (ConfigKind.OPENVPN, "comp-lzo no", "comp-lzo", OUTDATED),
        (ConfigKind.OPENVPN, "compress stub-v2", "compress", OUTDATED),
        (ConfigKind.OPENVPN, "compress stub", "compress", OUTDATED),
        (ConfigKind.OPENVPN, "compress", "compress", OUTDATED),
        (ConfigKind.OPENVPN, "compress lz4-v2", "compress", ONE),
        (ConfigKind.PPP, "deflate 15", "deflate", ONE),
        (ConfigKind.PPP, "bsdcomp 12,9", "bsdcomp", ONE),
        (ConfigKind.PPP, "deflate", "deflate", ONE),
        (ConfigKind.PPP, "deflate 0,0", "deflate", []),
        (ConfigKind.PPP, "predictor1", "predictor1", ONE),
        (ConfigKind.PPP, "nodeflate nobsdcomp", "nodeflate", []),
        (ConfigKind.STUNNEL, "securityLevel = 0", "securityLevel", ONE),
        (ConfigKind.STUNNEL, "securityLevel = 1", "securityLevel", OUTDATED),
        (ConfigKind.STUNNEL, "securityLevel = 2", "securityLevel", []),
        (ConfigKind.STUNNEL, "exec = /usr/sbin/pppd", "exec", OUTDATED),
        (ConfigKind.STUNNEL, "execArgs = sh -c 'exec pppd notty'", "execArgs", OUTDATED),
        (ConfigKind.STUNNEL, "exec = /bin/sh", "exec", []),
        (ConfigKind.STUNNEL, "pty = yes", "pty", []),
    ],
)
def test_one_setting(
    kind: ConfigKind, line: str, setting: str, expected: list[tuple[int, FindingQuestion, Verdict]]
) -> None:
    listed = [
        one for one in found(kind, line + "\n") if one.setting == setting and one.question is FindingQuestion.INSECURE
    ]
    assert [(one.line, one.question, one.verdict) for one in listed] == expected


def test_a_pppd_of_stunnel_is_found_once() -> None:
    listed = found(ConfigKind.STUNNEL, "exec = /usr/sbin/pppd\nexecArgs = pppd notty\npty = yes\n")
    assert [(one.setting, one.verdict) for one in listed] == [("exec", Verdict.LEGACY)]
    assert "WireGuard" in listed[0].replacement


def test_what_is_deployed_behind_deflate_is_read() -> None:
    assert "require-pap" in {one.setting for one in found(ConfigKind.PPP, "deflate 15 require-pap\n")}


@pytest.mark.parametrize(
    ("child", "conn", "expected"),
    [
        ("replay_window = 0", "", {("connections.a.children.b.replay_window", "insecure")}),
        ("replay_window = 64", "rekey_time = 4h", set()),
        ("rekey_time = 0s", "", {("connections.a.children.b.rekey_time", "legacy")}),
        ("rekey_time = 0\nlife_time = 1h", "", set()),
        ("mode = tunnel", "rekey_time = 0", {("connections.a.rekey_time", "legacy")}),
        ("mode = tunnel", "rekey_time = 0\nreauth_time = 4h", set()),
        ("mode = tunnel", "rekey_time = 0\nreauth_time = 0", {("connections.a.rekey_time", "legacy")}),
    ],
)
def test_replay_and_rekeying_of_swanctl(child: str, conn: str, expected: set[tuple[str, str]]) -> None:
    text = f"connections {{ a {{ version = 2\n {conn}\n children {{ b {{ {child}\n }} }} }} }}"
    listed = found(ConfigKind.SWANCTL, text)
    assert {(one.setting, str(one.verdict)) for one in listed if one.question is FindingQuestion.INSECURE} == expected


CERTIFICATES = FOLDER.parent / "certificates"


@pytest.mark.parametrize("block", ["ca", "cert", "extra-certs"])
@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("p256-sha256", []),
        ("rsa-1024-sha1", ["RSA key below 2048 bits", "signed with MD5 or SHA-1"]),
        ("root-rsa-512-md5", ["RSA key below 2048 bits", "signs itself with MD5 or SHA-1"]),
    ],
)
def test_inline_certificates(block: str, name: str, reasons: list[str]) -> None:
    pem = (CERTIFICATES / f"{name}.pem").read_text(encoding="utf-8")
    listed = [one for one in found(ConfigKind.OPENVPN, f"<{block}>\n{pem}</{block}>\n") if one.setting == block]
    assert len(listed) == len(reasons)
    assert all(reason in one.reason for reason, one in zip(reasons, listed, strict=True))
    assert all(one.line == 1 for one in listed)


def test_every_certificate_of_a_block_is_inspected() -> None:
    good, bad = (
        (CERTIFICATES / f"{name}.pem").read_text(encoding="utf-8") for name in ("p256-sha256", "rsa-1024-sha1")
    )
    listed = found(ConfigKind.OPENVPN, f"<ca>\n{good}broken\n{bad}</ca>\n")
    assert [one.value for one in listed if one.setting == "ca"] == [
        "EC 256 bits signed with sha256; RSA 1024 bits signed with sha1, inline"
    ] * 2


@pytest.mark.parametrize(
    ("kind", "text", "setting"),
    [
        (ConfigKind.IPSEC_CONF, "conn a\n esp=null-sha256-modp2048!\n", "conn.a.esp"),
        (
            ConfigKind.SWANCTL,
            "connections { a { version = 2\n children { b { esp_proposals = null-sha256-x25519\n } } } }",
            "connections.a.children.b.esp_proposals",
        ),
    ],
)
def test_null_in_proposals_is_no_encryption(kind: ConfigKind, text: str, setting: str) -> None:
    listed = [one for one in found(kind, text) if one.setting == setting and one.question is FindingQuestion.INSECURE]
    assert [(one.verdict, one.line) for one in listed] == [(Verdict.UNPROTECTED, 2)]
    assert has_message(ON_ONE_NAME)(listed[0].reason)


@pytest.mark.parametrize("esp", ["aes_gcm256;dh20", "aes_gcm256", "aes_gcm256+aes_gcm128-null-dh20+dh21"])
def test_good_proposals_of_libreswan_are_good(esp: str) -> None:
    text = f"conn a\n ikev2=insist\n ike=aes_gcm256-sha2_512;dh20\n esp={esp}\n"
    listed = found(ConfigKind.IPSEC_CONF, text)
    assert [one for one in listed if one.question in (FindingQuestion.INSECURE, FindingQuestion.MISSING)] == []
    assert not any("exclamation" in one.reason for one in listed)
    assert not any(has_message(CHECK_SPELLING)(one.reason) for one in listed)


@pytest.mark.parametrize(
    ("side", "verdict", "word", "replacement"),
    [
        ("client", Verdict.INSECURE, "pose as the server", "remote-cert-tls server"),
        ("tls-client", Verdict.INSECURE, "pose as the server", "remote-cert-tls server"),
        ("server 10.0.0.0 255.0.0.0", Verdict.LEGACY, "log in as a client", "remote-cert-tls client"),
        ("mode server\ntls-server", Verdict.LEGACY, "log in as a client", "remote-cert-tls client"),
        ("tls-server", Verdict.LEGACY, "log in as a client", "remote-cert-tls client"),
    ],
)
def test_what_a_certificate_may_be_used_for_is_reported_for_the_side(
    side: str, verdict: Verdict, word: str, replacement: str
) -> None:
    listed = [one for one in found(ConfigKind.OPENVPN, f"{side}\nca x\n") if one.setting == "remote-cert-tls"]
    assert [(one.verdict, one.replacement) for one in listed] == [(verdict, replacement)]
    assert word in listed[0].reason
    checked = found(ConfigKind.OPENVPN, f"{side}\nca x\n{replacement}\n")
    assert not any(one.setting == "remote-cert-tls" for one in checked)


@pytest.mark.parametrize(
    ("line", "is_reported"),
    [
        ("passphrase=", False),
        ('passphrase=""', False),
        ("passphrase= ", False),
        ("passphrase=x", True),
        ("passphrase=#x", True),
    ],
)
def test_an_empty_passphrase_is_none(line: str, is_reported: bool) -> None:
    listed = [one.setting for one in found(ConfigKind.FREELAN, f"[security]\n{line}\n") if "pass" in one.setting]
    assert ("security.passphrase" in listed) is is_reported
    assert bool(listed) is is_reported


def test_guidelines_of_ike_and_esp_are_not_mixed_up() -> None:
    text = "conn a\n keyexchange=ikev1\n aggressive=yes\n ike=3des-md5-modp2048!\n esp=3des-md5!\n"
    found = lint_text(text, "ipsec.conf", LintOptions(guidelines=("rfc-8221", "rfc-8247")))
    sources = dict.fromkeys((one.setting for one in found.findings), "")
    for one in found.findings:
        sources[one.setting] += one.source
    assert "RFC 8221, " not in sources["conn.a.ike"]
    assert "RFC 8247, " not in sources["conn.a.esp"]
    assert "RFC 8247, September" in sources["conn.a.ike"]
    assert "RFC 8221, October" in sources["conn.a.esp"]
    (aggressive,) = (one for one in found.findings if one.setting == "conn.a.aggressive")
    assert aggressive.replacement == "keyexchange=ikev2"


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("[lns default]\nlocal ip = 10.0.0.1\n", {"require authentication", "challenge"}),
        ("[lns default]\nlocal ip = 10.0.0.1\nrequire auth = yes\nchallenge = yes\n", set()),
        ("[lac plant]\nlns = 192.0.2.1\nrequire authentication = no\n", {"challenge"}),
    ],
)
def test_a_server_of_l2tp_has_to_demand_a_login_and_a_client_has_not(text: str, missing: set[str]) -> None:
    findings = list(lint(ConfigKind.XL2TPD, KINDS[ConfigKind.XL2TPD].parse(text)))
    assert {one.setting for one in findings if one.question is FindingQuestion.MISSING} == missing
    assert not any("authentication" in one.setting for one in findings if one.question is FindingQuestion.INSECURE)


def test_every_keyword_of_xl2tpd_is_a_setting() -> None:
    lines = ("no ip range = 10.0.0.9", "no lac = 10.0.0.9", "remote ip = 10.0.0.9", "defaultroute = yes", "rx bps = 9")
    reading = KINDS[ConfigKind.XL2TPD].read("\n".join(("[lns default]", *lines)))
    assert reading.lines[1:] == lines
