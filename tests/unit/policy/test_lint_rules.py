"""Findings of the linter, by rules that are data."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lint_corpus import BAD, GOOD, KIND_OF, text_of

from app.domain.adapters import Setting
from app.domain.errors import Bug, InvalidOption
from app.domain.linting import MASK, ConfigKind, LintFinding
from app.domain.structured import structured
from app.domain.verdicts import FindingQuestion, Verdict
from app.linting.files import LintOptions
from app.linting.messages import FIRST_FINDINGS_ONLY
from app.policy import ANOTHER_VPN, GUIDELINES
from app.policy.lint import MAX_FINDINGS, lint, rule_sets
from app.policy.lint.algorithms import own_names
from app.policy.lint.names import split_names
from app.policy.lint.rules import LintRule, _converter
from app.policy.messages import CHECK_SPELLING, GUIDELINE_UNKNOWN
from support.lint_texts import lint_text
from support.message_checks import has_message
from vpn_adapters.config_formats import KINDS

ALL_RULES = [(kind, rule) for kind, rules in rule_sets().items() for rule in rules.rules]


def found(kind: ConfigKind, text: str, **versions: str) -> list[LintFinding]:
    return list(lint(kind, KINDS[kind].parse(text), versions=versions))


def words(findings: list[LintFinding]) -> set[tuple[int, str, str, str]]:
    return {(one.line, one.setting, str(one.question), str(one.verdict)) for one in findings}


def test_every_kind_has_rules() -> None:
    assert set(rule_sets()) == set(ConfigKind)


def test_every_rule_has_reason_source_and_a_verdict_that_fits_its_question() -> None:
    for kind, rule in ALL_RULES:
        assert rule.reason.endswith((".", ")")), (kind, rule.reason)
        assert rule.source, (kind, rule.reason)
        if rule.question in (FindingQuestion.GUIDELINE, FindingQuestion.SLOW):
            assert rule.verdict is Verdict.ACCEPTABLE, (kind, rule.reason)
        else:
            assert rule.verdict.severity >= Verdict.LEGACY.severity, (kind, rule.reason)


def _read(row: dict[str, object]) -> LintRule:
    return structured(LintRule, row, "lint_x.toml", _converter, fault=Bug)


def test_a_field_of_a_rule_tells_whether_its_replacement_is_a_line_to_add() -> None:
    row = {"settings": ["auth"], "question": "missing", "verdict": "legacy", "reason": "R.", "source": "S"}
    missing = row | {"missing": True, "replacement": "auth by another VPN's key"}
    assert _read(missing).is_addition
    assert not _read(missing | {"adds": False}).is_addition
    assert not _read(row).is_addition
    for wrong, words in (({"adds": True}, "adds"), ({"colour": "red"}, "colour"), ({"policy": "rot13"}, "rot13")):
        with pytest.raises(Bug, match=rf"^lint_x\.toml .*{words}"):
            _read(row | wrong)
    assert not [rule for _, rule in ALL_RULES if rule.is_addition and ANOTHER_VPN in rule.replacement]


def test_words_of_files_alone_have_reasons_and_sources() -> None:
    assert all(one.reason and one.source for one in own_names().values())


@pytest.mark.parametrize("name", GOOD)
def test_nothing_is_wrong_with_good_files(name: str) -> None:
    file = lint_text(text_of(name), name)
    assert file.kind is KIND_OF[name]
    assert [one for one in file.findings if one.question in (FindingQuestion.INSECURE, FindingQuestion.MISSING)] == []
    assert file.is_passed


@pytest.mark.parametrize("name", BAD)
def test_bad_files_do_not_pass(name: str) -> None:
    file = lint_text(text_of(name), name)
    assert file.kind is KIND_OF[name]
    assert not file.is_passed
    for one in file.findings:
        assert one.reason
        assert one.source
        assert 0 <= one.line <= len(file.lines)
        assert "canary" not in repr(one).lower()


EXPECTED = {
    "bad/openvpn-old-client.ovpn": {
        (0, "remote-cert-tls", "missing", "insecure"),
        (4, "cipher", "insecure", "insecure"),
        (5, "auth", "insecure", "insecure"),
        (6, "comp-lzo", "insecure", "insecure"),
        (7, "tls-version-min", "insecure", "insecure"),
        (8, "tls-cipher", "insecure", "insecure"),
        (9, "script-security", "insecure", "legacy"),
        (10, "duplicate-cn", "insecure", "legacy"),
        (11, "management", "insecure", "insecure"),
        (15, "dh", "insecure", "insecure"),
        (17, "key", "insecure", "legacy"),
    },
    "bad/openvpn-static.conf": {
        (0, "cipher", "missing", "insecure"),
        (5, "secret", "insecure", "insecure"),
        (6, "compress", "insecure", "insecure"),
    },
    "bad/openvpn-unclosed.conf": {
        (3, "cipher", "insecure", "unprotected"),
        (4, "auth", "insecure", "insecure"),
        (5, "secret", "insecure", "insecure"),
    },
    "bad/swanctl.conf": {
        (3, "connections.old.version", "insecure", "legacy"),
        (4, "connections.old.aggressive", "insecure", "insecure"),
        (5, "connections.old.proposals", "insecure", "insecure"),
        (11, "connections.old.children.net.esp_proposals", "missing", "legacy"),
        (13, "connections.old.children.net.start_action", "guideline", "acceptable"),
        (6, "connections.old.local.auth", "guideline", "acceptable"),
    },
    "bad/ipsec.conf": {
        (3, "conn.old.keyexchange", "insecure", "legacy"),
        (4, "conn.old.aggressive", "insecure", "insecure"),
        (6, "conn.old.ike", "insecure", "insecure"),
        (7, "conn.old.esp", "insecure", "insecure"),
        (8, "conn.old.compress", "insecure", "insecure"),
        (10, "conn.old.auto", "guideline", "acceptable"),
    },
    "bad/ipsec.secrets": {(1, "PSK", "guideline", "acceptable"), (2, "XAUTH", "insecure", "legacy")},
    "bad/tinc.conf": {
        (4, "Cipher", "insecure", "insecure"),
        (5, "Digest", "insecure", "insecure"),
        (6, "MACLength", "insecure", "insecure"),
        (7, "Compression", "insecure", "insecure"),
        (8, "ExperimentalProtocol", "insecure", "legacy"),
        (9, "PrivateKey", "insecure", "legacy"),
    },
    "bad/hosts/gw1": {
        (0, "cipher", "missing", "insecure"),
        (0, "maclength", "missing", "insecure"),
        (2, "RSA public key", "insecure", "insecure"),
        (2, "RSA public key", "insecure", "legacy"),
    },
    "bad/hosts/gw2": {(3, "Cipher", "insecure", "unprotected"), (5, "MACLength", "insecure", "insecure")},
    "bad/freelan.cfg": {
        (3, "client.protocol", "insecure", "insecure"),
        (4, "client.disable_peer_verification", "insecure", "insecure"),
        (9, "fscp.elliptic_curve_capability", "insecure", "legacy"),
        (10, "fscp.cipher_capability", "missing", "legacy"),
        (16, "security.passphrase", "insecure", "legacy"),
        (18, "security.certificate_validation_method", "insecure", "insecure"),
    },
    "bad/sshd_config": {
        (1, "Protocol", "insecure", "insecure"),
        (2, "HostKey", "insecure", "insecure"),
        (3, "PermitRootLogin", "insecure", "legacy"),
        (4, "PermitEmptyPasswords", "insecure", "insecure"),
        (5, "PasswordAuthentication", "guideline", "acceptable"),
        (6, "PermitTunnel", "guideline", "acceptable"),
        (7, "Ciphers", "insecure", "insecure"),
        (8, "MACs", "insecure", "insecure"),
        (9, "KexAlgorithms", "insecure", "insecure"),
        (10, "HostKeyAlgorithms", "insecure", "insecure"),
        (11, "Compression", "insecure", "legacy"),
    },
    "bad/ssh_config": {
        (2, "StrictHostKeyChecking", "insecure", "insecure"),
        (3, "UserKnownHostsFile", "insecure", "insecure"),
        (4, "ForwardAgent", "insecure", "legacy"),
        (5, "Ciphers", "insecure", "insecure"),
    },
    "bad/wireguard.conf": {
        (3, "SaveConfig", "guideline", "acceptable"),
        (4, "PostUp", "insecure", "legacy"),
        (7, "presharedkey", "guideline", "acceptable"),
        (9, "AllowedIPs", "guideline", "acceptable"),
    },
    "bad/stunnel.conf": {
        (1, "sslVersion", "insecure", "insecure"),
        (2, "options", "insecure", "insecure"),
        (7, "verify", "insecure", "insecure"),
        (8, "ciphers", "insecure", "insecure"),
    },
    "bad/pptpd.conf": {(3, "localip", "insecure", "insecure")},
    "bad/ppp-options": {
        (2, "require-mschap-v2", "insecure", "insecure"),
        (3, "require-mppe-128", "insecure", "insecure"),
        (4, "require-pap", "insecure", "insecure"),
        (5, "noauth", "insecure", "legacy"),
        (6, "show-password", "insecure", "insecure"),
        (7, "password", "insecure", "legacy"),
        (8, "plugin", "insecure", "insecure"),
    },
    "bad/chap-secrets": {(2, "secret", "insecure", "legacy")},
    "bad/fastd.conf": {
        (5, "method", "insecure", "unprotected"),
        (6, "method", "insecure", "unprotected"),
        (7, "drop capabilities", "insecure", "legacy"),
        (9, "on verify", "guideline", "acceptable"),
        (10, "forward", "guideline", "acceptable"),
    },
    "bad/vtund.conf": {
        (4, "site.passwd", "insecure", "insecure"),
        (6, "site.proto", "slow", "acceptable"),
        (7, "site.compress", "insecure", "insecure"),
        (8, "site.encrypt", "insecure", "insecure"),
        (12, "plain.encrypt", "insecure", "unprotected"),
    },
    "bad/xl2tpd.conf": {
        (8, "lns.local ip", "insecure", "unprotected"),
        (9, "lns.require authentication", "insecure", "insecure"),
        (10, "lns.require pap", "insecure", "insecure"),
        (11, "lns.challenge", "insecure", "legacy"),
        (16, "challenge", "missing", "insecure"),
        (17, "lac.lns", "insecure", "unprotected"),
        (18, "lac.require chap", "insecure", "insecure"),
    },
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_found_in_bad_files(name: str) -> None:
    file = lint_text(text_of(name), name)
    assert EXPECTED[name] <= words(list(file.findings))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('secret "CANARY";\n', set()),
        ('interface "x";\nbind any:1;\nsecret "CANARY";\n', {"method", "user"}),
        ('bind any:1;\nsecret "CANARY";\nmethod "aes128-gcm";\ndrop capabilities force;\n', set()),
    ],
)
def test_fastd_is_asked_for_method_and_user_where_it_is_set_up(text: str, missing: set[str]) -> None:
    listed = found(ConfigKind.FASTD, text)
    assert {one.setting for one in listed if one.question is FindingQuestion.MISSING} == missing


class TestOpenVpnByVersion:
    SERVER = "mode server\ntls-server\ndev tap\npeer-fingerprint x\ntls-version-min 1.2\n"
    TO_POINT = "tls-client\ndev tap\npeer-fingerprint x\ntls-version-min 1.2\n"

    @pytest.mark.parametrize(
        ("text", "version", "is_missing"),
        [
            (SERVER, "2.3.18", True),
            (SERVER, "2.4.12", True),
            (SERVER, "2.5.1", False),
            (TO_POINT, "2.5.1", True),
            (TO_POINT, "2.6.14", False),
            (SERVER, "2.6", False),
            (SERVER, "", True),
        ],
    )
    def test_a_file_without_ciphers(self, text: str, version: str, is_missing: bool) -> None:
        versions = {"openvpn": version} if version else {}
        listed = [one for one in found(ConfigKind.OPENVPN, text, **versions) if one.question is FindingQuestion.MISSING]
        assert any("BF-CBC" in one.reason and one.setting == "cipher" for one in listed) is is_missing

    def test_tls_before_1_2_by_version(self) -> None:
        text = "client\nremote x\npeer-fingerprint x\ndata-ciphers AES-256-GCM\n"
        assert ("tls-version-min", "insecure") in {
            (o.setting, o.verdict) for o in found(ConfigKind.OPENVPN, text, openvpn="2.5")
        }
        assert [o for o in found(ConfigKind.OPENVPN, text, openvpn="2.6") if o.setting == "tls-version-min"] == []

    def test_a_cipher_without_authentication_needs_a_digest(self) -> None:
        listed = found(ConfigKind.OPENVPN, self.SERVER + "cipher AES-256-CBC\n")
        assert (0, "auth", "missing", "legacy") in words(listed)
        assert (0, "auth", "missing", "legacy") not in words(
            found(ConfigKind.OPENVPN, self.SERVER + "cipher AES-256-GCM\n")
        )

    @pytest.mark.parametrize("needed", ["tls-crypt FILE", "tls-crypt-v2 FILE", "tls-auth FILE 1", "peer-fingerprint x"])
    def test_what_keeps_strangers_from_the_tls_library(self, needed: str) -> None:
        text = "client\ntls-version-min 1.2\ndata-ciphers AES-256-GCM\n"
        assert (0, "tls-crypt", "missing", "legacy") in words(found(ConfigKind.OPENVPN, text))
        assert (0, "tls-crypt", "missing", "legacy") not in words(found(ConfigKind.OPENVPN, text + needed + "\n"))


def test_guidelines_are_answered_apart_and_only_where_they_are_about_it() -> None:
    text = "connections { a { version = 2\n proposals = 3des-sha1-modp1024 } }"
    listed = lint(ConfigKind.SWANCTL, KINDS[ConfigKind.SWANCTL].parse(text), guidelines=["rfc-8247"])
    of_guideline = [one for one in listed if one.question is FindingQuestion.GUIDELINE]
    assert of_guideline
    assert all(one.source.startswith("RFC 8247") for one in of_guideline)
    without = lint(ConfigKind.SWANCTL, KINDS[ConfigKind.SWANCTL].parse(text), guidelines=[])
    assert [one for one in without if one.question is FindingQuestion.GUIDELINE] == []
    openvpn = lint(ConfigKind.OPENVPN, [Setting(1, "cipher", "BF-CBC")], guidelines=["rfc-8247"])
    assert not any("RFC 8247" in one.source for one in openvpn)


def test_unknown_guidelines_are_refused() -> None:
    with pytest.raises(InvalidOption, check=has_message(GUIDELINE_UNKNOWN)):
        lint(ConfigKind.OPENVPN, [], guidelines=["bsi-of-old"])


def test_names_that_no_one_knows_are_reported() -> None:
    (listed,) = [
        one
        for one in found(ConfigKind.TINC, "Name = a\nConnectTo = b\nStrictSubnets = yes\nCipher = rot13\n")
        if one.line == 4
    ]
    assert has_message(CHECK_SPELLING)(listed.reason)


@pytest.mark.parametrize(
    ("style", "value", "names"),
    [
        ("colon", "AES-256-GCM:?BF-CBC:DEFAULT", ["AES-256-GCM", "BF-CBC"]),
        ("ssh", "-3des-cbc,hmac-md5", []),
        ("ssh", "^aes256-gcm@openssh.com, ssh-*", ["aes256-gcm@openssh.com"]),
        ("proposals", "aes256-sha2_256-modp2048!, default", ["aes256", "sha2_256", "modp2048"]),
        ("proposals", "aes256gcm16-prfsha384-ke1_mlkem768", ["aes256gcm16", "sha384", "mlkem768"]),
        ("proposals", "null-sha256-modp2048", ["null-encryption", "sha256", "modp2048"]),
        ("proposals", "aes256gcm16-x25519-ke1_none", ["aes256gcm16", "x25519"]),
        ("ipsec-proposals", "null-sha1!", ["null-encryption", "sha1"]),
        ("ipsec-proposals", "aes256-null", ["aes-256-cbc", "null-authentication"]),
        ("ipsec-proposals", "aes_gcm256-null", ["aes-256-gcm"]),
        ("ipsec-proposals", "aes_gcm256;dh20", ["aes-256-gcm", "ecp384"]),
        ("ipsec-proposals", "aes_gcm256-sha2_512;dh20", ["aes-256-gcm", "sha2_512", "ecp384"]),
        (
            "ipsec-proposals",
            "aes_gcm_c_256+aes_ccm_a128-sha2_512+sha2-dh19+dh31",
            ["aes-256-gcm", "aes-128-ccm8", "sha2_512", "sha2-256", "ecp256", "x25519"],
        ),
        ("ipsec-proposals", "3des-md5;modp1024,aes-sha1-none", ["3des", "md5", "modp1024", "aes-128-cbc", "sha1"]),
        ("ipsec-proposals", "null_auth_aes_gmac_256-null", ["aes-256-gmac"]),
        ("ipsec-proposals", "aes256gcm16-prfsha384-ecp384!", ["aes256gcm16", "sha384", "ecp384"]),
        ("tls", "HIGH:!RC4:@SECLEVEL=0", ["tls-keyword-high", "tls-keyword-seclevel=0"]),
        ("tls", "-MD5:ECDHE+AESGCM", ["tls-keyword-ecdhe", "tls-keyword-aesgcm"]),
        ("digest", "none", ["null-authentication"]),
        ("word", "aes-256-cbc extra", ["aes-256-cbc"]),
    ],
)  # fmt: skip
def test_names_in_settings(style: str, value: str, names: list[str]) -> None:
    assert [name for _, name in split_names(style, value)] == names


def test_no_file_gets_findings_without_end() -> None:
    file = lint_text("client\ndev tun\n" + "comp-lzo yes\n" * 5000)
    assert len(file.findings) == MAX_FINDINGS
    assert any(has_message(FIRST_FINDINGS_ONLY)(note) for note in file.notes)


NAMES = sorted({name.last for _, rule in ALL_RULES for name in rule.names})


@settings(max_examples=2 * settings.default.max_examples)
@given(
    st.lists(
        st.builds(
            Setting,
            st.integers(1, 9),
            st.one_of(st.text(max_size=30), st.sampled_from(NAMES)),
            st.one_of(st.text(max_size=60), st.sampled_from(["none", "yes", "a,b-c!", "AES:BF-CBC", "1" * 500, MASK])),
        ),
        max_size=12,
    ),
    st.sampled_from(ConfigKind),
    st.sampled_from(["", "2.4", "x", "9" * 300, "1.0.36"]),
)
def test_no_setting_makes_the_linter_fail(parsed: list[Setting], kind: ConfigKind, version: str) -> None:
    listed = lint(kind, parsed, guidelines=list(GUIDELINES), versions={"openvpn": version, "tinc": version})
    assert all(one.reason and one.source for one in listed)


def test_options_reach_the_rules() -> None:
    text = "mode server\ntls-server\ndev tap\npeer-fingerprint x\ntls-version-min 1.2\nuser nobody\n"
    assert lint_text(text, "", LintOptions(versions={"openvpn": "2.6"}, guidelines=())).findings == ()
    assert lint_text(text, "", LintOptions(versions={"openvpn": "2.4"}, guidelines=())).findings != ()
