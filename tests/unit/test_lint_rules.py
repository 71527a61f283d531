"""What the linter says, by rules that are data."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lint_corpus import BAD, FOLDER, GOOD, KIND_OF, text_of

from app.compose.linting import LintOptions, lint_text
from app.domain.adapters import Setting
from app.domain.errors import InvalidOption
from app.domain.linting import MASK, ConfigKind, FileAccess, LintFinding
from app.domain.verdicts import Question, Verdict
from app.policy import GUIDELINES
from app.policy.lint import MAX_FINDINGS, key_files, lint, rule_sets
from app.policy.lint.algorithms import own_names
from app.policy.lint.names import split_names
from vpn_adapters.configs import KINDS

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
        if rule.question in (Question.GUIDELINE, Question.SLOW):
            assert rule.verdict is Verdict.ACCEPTABLE, (kind, rule.reason)
        else:
            assert rule.verdict.severity >= Verdict.LEGACY.severity, (kind, rule.reason)


def test_words_of_files_alone_have_reasons_and_sources() -> None:
    assert all(one.reason and one.source for one in own_names().values())


@pytest.mark.parametrize("name", GOOD)
def test_nothing_is_wrong_with_good_files(name: str) -> None:
    file = lint_text(text_of(name), name)
    assert file.kind is KIND_OF[name]
    assert [one for one in file.findings if one.question in (Question.INSECURE, Question.MISSING)] == []
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
    "bad/vtund.conf": {
        (4, "site.passwd", "insecure", "insecure"),
        (6, "site.proto", "slow", "acceptable"),
        (7, "site.compress", "insecure", "insecure"),
        (8, "site.encrypt", "insecure", "insecure"),
        (12, "plain.encrypt", "insecure", "unprotected"),
    },
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_found_in_bad_files(name: str) -> None:
    file = lint_text(text_of(name), name)
    assert EXPECTED[name] <= words(list(file.findings))


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
        said = [one for one in found(ConfigKind.OPENVPN, text, **versions) if one.question is Question.MISSING]
        assert any("BF-CBC" in one.reason and one.setting == "cipher" for one in said) is is_missing

    def test_tls_before_1_2_by_version(self) -> None:
        text = "client\nremote x\npeer-fingerprint x\ndata-ciphers AES-256-GCM\n"
        assert ("tls-version-min", "insecure") in {
            (o.setting, o.verdict) for o in found(ConfigKind.OPENVPN, text, openvpn="2.5")
        }
        assert [o for o in found(ConfigKind.OPENVPN, text, openvpn="2.6") if o.setting == "tls-version-min"] == []

    def test_a_cipher_without_authentication_needs_a_digest(self) -> None:
        said = found(ConfigKind.OPENVPN, self.SERVER + "cipher AES-256-CBC\n")
        assert (0, "auth", "missing", "legacy") in words(said)
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
    said = lint(ConfigKind.SWANCTL, KINDS[ConfigKind.SWANCTL].parse(text), guidelines=["rfc-8247"])
    of_guideline = [one for one in said if one.question is Question.GUIDELINE]
    assert of_guideline
    assert all(one.source.startswith("RFC 8247") for one in of_guideline)
    without = lint(ConfigKind.SWANCTL, KINDS[ConfigKind.SWANCTL].parse(text), guidelines=[])
    assert [one for one in without if one.question is Question.GUIDELINE] == []
    openvpn = lint(ConfigKind.OPENVPN, [Setting(1, "cipher", "BF-CBC")], guidelines=["rfc-8247"])
    assert not any("RFC 8247" in one.source for one in openvpn)


def test_unknown_guidelines_are_refused() -> None:
    with pytest.raises(InvalidOption, match="no guideline"):
        lint(ConfigKind.OPENVPN, [], guidelines=["bsi-of-old"])


def test_names_that_nobody_knows_are_said() -> None:
    (said,) = [
        one
        for one in found(ConfigKind.TINC, "Name = a\nConnectTo = b\nStrictSubnets = yes\nCipher = rot13\n")
        if one.line == 4
    ]
    assert "does not know this name" in said.reason


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


class TestPermissions:
    def test_a_file_with_a_secret_that_all_can_read(self) -> None:
        (said,) = [
            one
            for one in lint(ConfigKind.WIREGUARD, [Setting(2, "PrivateKey", MASK)], own_access=FileAccess(0o644))
            if one.line == 0
        ]
        assert (said.question, said.verdict) == (Question.INSECURE, Verdict.INSECURE)
        assert "0644" in said.reason

    def test_a_file_without_a_secret_may_be_read(self) -> None:
        assert lint(ConfigKind.WIREGUARD, [Setting(2, "ListenPort", "1")], own_access=FileAccess(0o644)) == ()

    def test_keys_that_a_file_names(self) -> None:
        parsed = KINDS[ConfigKind.OPENVPN].parse("client\nkey own.key\ntls-crypt ta.key\n<key>\nx\n</key>\n")
        assert [path for _, path in key_files(ConfigKind.OPENVPN, parsed)] == ["own.key", "ta.key"]
        said = lint(ConfigKind.OPENVPN, parsed, access={"own.key": FileAccess(0o600), "ta.key": FileAccess(0o664)})
        assert [one.line for one in said if "can read it" in one.reason] == [3]

    @pytest.mark.parametrize(
        ("access", "words"),
        [
            (FileAccess(0o600, "0", "0"), []),
            (FileAccess(0o400, "root", "root"), []),
            (FileAccess(0o640, "root", "root"), []),
            (FileAccess(0o600, "1000", "1000", user="1000"), []),
            (FileAccess(0o660, "0", "100"), ["the group 100 can read and change it (mode 0660)"]),
            (FileAccess(0o640, "root", "users"), ["the group users can read it (mode 0640)"]),
            (FileAccess(0o620, "0", "100"), ["the group 100 can change it (mode 0620)"]),
            (FileAccess(0o660), ["its group can read and change it (mode 0660)"]),
            (FileAccess(0o602, "0", "0"), ["every user of this computer can change it (mode 0602)"]),
            (FileAccess(0o604, "0", "0"), ["every user of this computer can read it (mode 0604)"]),
            (FileAccess(0o666, "0", "0"), ["every user of this computer can read and change it (mode 0666)"]),
            (
                FileAccess(0o600, "1001", "0", user="1000"),
                ["it belongs to another user (1001), who can read and change it (mode 0600)"],
            ),
            (
                FileAccess(0o644, "bob", "root", user="alice"),
                [
                    "every user of this computer can read it (mode 0644)",
                    "it belongs to another user (bob), who can read and change it (mode 0644)",
                ],
            ),
        ],
    )
    def test_who_may_read_and_change_a_key(self, access: FileAccess, words: list[str]) -> None:
        parsed = KINDS[ConfigKind.OPENVPN].parse("client\nkey own.key\n")
        said = [
            one for one in lint(ConfigKind.OPENVPN, parsed, access={"own.key": access}) if "is secret" in one.reason
        ]
        assert [one.reason for one in said] == [f"own.key is secret, and {word}." for word in words]
        assert {(one.line, one.question) for one in said} <= {(2, Question.INSECURE)}
        own = lint(ConfigKind.WIREGUARD, [Setting(2, "PrivateKey", MASK)], own_access=access)
        assert [one.reason for one in own] == [f"The file holds a secret (line 2), and {word}." for word in words]

    def test_a_file_that_all_can_change(self) -> None:
        (said,) = lint(ConfigKind.WIREGUARD, [Setting(2, "ListenPort", "1")], own_access=FileAccess(0o646, "0", "0"))
        assert (said.line, said.verdict, said.replacement) == (0, Verdict.INSECURE, "chmod o-w")


def test_no_file_gets_findings_without_end() -> None:
    file = lint_text("client\ndev tun\n" + "comp-lzo yes\n" * 5000)
    assert len(file.findings) == MAX_FINDINGS
    assert any("Only the first" in note for note in file.notes)


NAMES = sorted({name.last for _, rule in ALL_RULES for name in rule.names})


@settings(max_examples=300)
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
    said = lint(kind, parsed, guidelines=list(GUIDELINES), versions={"openvpn": version, "tinc": version})
    assert all(one.reason and one.source for one in said)


def test_options_reach_the_rules() -> None:
    text = "mode server\ntls-server\ndev tap\npeer-fingerprint x\ntls-version-min 1.2\nuser nobody\n"
    assert lint_text(text, "", LintOptions(versions={"openvpn": "2.6"}, guidelines=())).findings == ()
    assert lint_text(text, "", LintOptions(versions={"openvpn": "2.4"}, guidelines=())).findings != ()


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
def test_passwords_in_command_lines_are_said(kind: ConfigKind, line: str) -> None:
    said = [one for one in found(kind, line + "\n") if "command line" in one.reason]
    assert [(one.line, one.verdict) for one in said] == [(1, Verdict.LEGACY)]
    assert MASK in said[0].value


ONE = [(1, Question.INSECURE, Verdict.INSECURE)]
OUTDATED = [(1, Question.INSECURE, Verdict.LEGACY)]


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
    ],
)
def test_one_setting(kind: ConfigKind, line: str, setting: str, expected: list[tuple[int, Question, Verdict]]) -> None:
    said = [one for one in found(kind, line + "\n") if one.setting == setting and one.question is Question.INSECURE]
    assert [(one.line, one.question, one.verdict) for one in said] == expected


def test_what_stands_behind_deflate_is_read() -> None:
    assert (1, "require-pap", "insecure", "insecure") in words(found(ConfigKind.PPP, "deflate 15 require-pap\n"))


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
    said = found(ConfigKind.SWANCTL, text)
    assert {(one.setting, str(one.verdict)) for one in said if one.question is Question.INSECURE} == expected


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
    said = [one for one in found(ConfigKind.OPENVPN, f"<{block}>\n{pem}</{block}>\n") if one.setting == block]
    assert len(said) == len(reasons)
    assert all(reason in one.reason for reason, one in zip(reasons, said, strict=True))
    assert all(one.line == 1 for one in said)


def test_every_certificate_of_a_block_is_looked_at() -> None:
    good, bad = (
        (CERTIFICATES / f"{name}.pem").read_text(encoding="utf-8") for name in ("p256-sha256", "rsa-1024-sha1")
    )
    said = found(ConfigKind.OPENVPN, f"<ca>\n{good}broken\n{bad}</ca>\n")
    assert [one.value for one in said if one.setting == "ca"] == [
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
    said = [one for one in found(kind, text) if one.setting == setting and one.question is Question.INSECURE]
    assert [(one.verdict, one.line) for one in said] == [(Verdict.UNPROTECTED, 2)]
    assert "can be read" in said[0].reason


@pytest.mark.parametrize("esp", ["aes_gcm256;dh20", "aes_gcm256", "aes_gcm256+aes_gcm128-null-dh20+dh21"])
def test_good_proposals_of_libreswan_are_good(esp: str) -> None:
    text = f"conn a\n ikev2=insist\n ike=aes_gcm256-sha2_512;dh20\n esp={esp}\n"
    said = found(ConfigKind.IPSEC_CONF, text)
    assert [one for one in said if one.question in (Question.INSECURE, Question.MISSING)] == []
    assert not any("exclamation" in one.reason for one in said)
    assert not any("does not know this name" in one.reason for one in said)


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
def test_what_a_certificate_may_be_used_for_is_said_for_the_side(
    side: str, verdict: Verdict, word: str, replacement: str
) -> None:
    said = [one for one in found(ConfigKind.OPENVPN, f"{side}\nca x\n") if one.setting == "remote-cert-tls"]
    assert [(one.verdict, one.replacement) for one in said] == [(verdict, replacement)]
    assert word in said[0].reason
    checked = found(ConfigKind.OPENVPN, f"{side}\nca x\n{replacement}\n")
    assert not any(one.setting == "remote-cert-tls" for one in checked)


@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("passphrase=", False),
        ('passphrase=""', False),
        ("passphrase= ", False),
        ("passphrase=x", True),
        ("passphrase=#x", True),
    ],
)
def test_an_empty_passphrase_is_none(line: str, is_said: bool) -> None:
    said = [one.setting for one in found(ConfigKind.FREELAN, f"[security]\n{line}\n") if "pass" in one.setting]
    assert ("security.passphrase" in said) is is_said
    assert bool(said) is is_said
