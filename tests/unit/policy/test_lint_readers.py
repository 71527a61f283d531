"""Readers of configuration files: what they find, what they mask, and that nothing makes them fail."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lint_corpus import KIND_OF, text_of

from app.domain.linting import MASK, ConfigKind
from vpn_adapters.config_formats import KINDS, sniff_kind
from vpn_adapters.shared.config_parsing.messages import INCLUDES_SKIPPED

CANARY = re.compile(r"(?i)canary|cana04")


def settings_of(kind: ConfigKind, text: str) -> list[tuple[int, str, str]]:
    return [(one.line, one.name, one.value) for one in KINDS[kind].parse(text)]


def test_every_kind_has_a_reader() -> None:
    assert set(KINDS) == set(ConfigKind)


@pytest.mark.parametrize("name", KIND_OF)
def test_kind_is_found_from_content_alone(name: str) -> None:
    assert sniff_kind(text_of(name)) is KIND_OF[name]


@pytest.mark.parametrize("name", KIND_OF)
def test_kind_is_found_with_the_path(name: str) -> None:
    assert sniff_kind(text_of(name), name) is KIND_OF[name]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "Hello, this is a letter.\nIt has two lines.\n", "{}", "<html></html>", "a=b\n"]
)
def test_other_texts_are_no_configuration(text: str) -> None:
    assert sniff_kind(text, "/home/user/letter.txt") is None


@pytest.mark.parametrize(
    "text",
    [
        "site { passwd x; type tun; }\n",
        "site {passwd x;}",
        "lion {\n  PASSWD x;\n}\n",
        "site { type tun; proto udp; up { }; }",
        "lion {\n keepalive yes;\n persist yes;\n}\n",
    ],
)
def test_a_small_vtund_conf_is_known_under_any_name(text: str) -> None:
    assert sniff_kind(text, "/home/user/tunnel.txt") is ConfigKind.VTUND


@pytest.mark.parametrize(
    "text",
    [
        "server {\n  listen 80;\n  keepalive_timeout 65;\n  proxy_pass http://x;\n}\n",
        "upstream a { server x; keepalive 32; }\n",
        'zone "x" { type master; file "y"; };\n',
        "int main() { pass(); return 0; }\n",
        "; type your text here; pass it on\n",
    ],
)
def test_other_files_with_braces_are_no_vtund_conf(text: str) -> None:
    assert sniff_kind(text, "/home/user/other.txt") is None


_FAMILIES = (
    (ConfigKind.WIREGUARD, ConfigKind.FREELAN, ConfigKind.STUNNEL),
    (ConfigKind.SSH, ConfigKind.SSHD),
    (ConfigKind.TINC, ConfigKind.TINC_HOST),
)
"""Kinds of files that a user may take for each other."""


@pytest.mark.parametrize("name", KIND_OF)
def test_no_secret_leaves_the_reader(name: str) -> None:
    """Read as what it is, and as what a user may take it for by mistake."""
    text, really = text_of(name), KIND_OF[name]
    for kind in {really, *(one for family in _FAMILIES if really in family for one in family)}:
        reading = KINDS[kind].read(text)
        assert not CANARY.search(repr(reading)), kind
        assert len(reading.lines) == len(text.split("\n")), kind


@pytest.mark.parametrize("kind", ConfigKind)
@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PRIVATE KEY-----\nCANARYCANARY\n-----END PRIVATE KEY-----\n",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nCANARYCANARY\n",
        "# password = CANARY\n",
        "# PresharedKey=CANARY\n",
        "  ;psk: CANARY\n",
        "0123456789abcdef0123456789abcdefCANARY0123456789abcdef\n".replace("CANARY", "cana04"),
        "remote https://user:CANARY@proxy.example.org/\n",
    ],
)
def test_secrets_are_masked_wherever_they_are(kind: ConfigKind, text: str) -> None:
    assert not CANARY.search(repr(KINDS[kind].read("dev tun\n" + text + "verb 3\n")))


def test_openvpn_words_quotes_and_options_with_dashes() -> None:
    found = settings_of(ConfigKind.OPENVPN, "--cipher 'AES-256-GCM' # x\nremote \"a b\" 1 ;c\n\\\n")
    assert found[:2] == [(1, "cipher", "AES-256-GCM"), (2, "remote", "a b 1")]


def test_openvpn_tells_the_size_of_an_inline_group() -> None:
    # 512 bits, made for this test and used nowhere.
    group = "MEYCQQDtJHRtrsJyHHI6dHyoBhbOCFvDmPo9pVMmFo2cLKBMG9VZdJGCOJYxHj9oTQqGMRnW0HqAkWFUQ4LlxGt1sVPrAgEC"
    (found,) = settings_of(
        ConfigKind.OPENVPN, f"<dh>\n-----BEGIN DH PARAMETERS-----\n{group}\n-----END DH PARAMETERS-----\n</dh>"
    )
    assert found == (1, "dh", "512 bits, inline")


def test_swanctl_names_sections_and_says_what_it_did_not_read() -> None:
    text = "connections {\n l2t {\n  children { l2t { esp_proposals = aes256gcm16-x25519 } }\n }\n}\ninclude x/*.conf\n"
    reading = KINDS[ConfigKind.SWANCTL].read(text)
    assert [(one.line, one.name) for one in reading.settings] == [
        (3, "connections.l2t.children.l2t.esp_proposals"),
        (6, "include"),
    ]
    assert reading.notes == (INCLUDES_SKIPPED(files="x/*.conf"),)


def test_swanctl_secrets_over_several_lines_are_masked_in_all_of_them() -> None:
    reading = KINDS[ConfigKind.SWANCTL].read('secrets {\n ike { secret = "ab\ncd\nef" }\n}\n')
    assert reading.lines[1:4] == (f" ike {{ secret = {MASK}", MASK, MASK)


@pytest.mark.parametrize("kind", [ConfigKind.SWANCTL, ConfigKind.VTUND])
@pytest.mark.parametrize("text", ["a { " * 20_000, "}" * 20_000, "a {" * 100 + "b = c;" + "}" * 200])
def test_nesting_without_end_is_reported(kind: ConfigKind, text: str) -> None:
    assert any("closed" in note or "closes" in note for note in KINDS[kind].read(text).notes)


def test_tinc_tells_key_sizes() -> None:
    assert (2, "RSA public key", "1024 bits") in settings_of(ConfigKind.TINC_HOST, text_of("bad/hosts/gw1"))


def test_wireguard_keeps_public_keys() -> None:
    found = settings_of(ConfigKind.WIREGUARD, text_of("good/wireguard.conf"))
    assert (2, "PrivateKey", MASK) in found
    assert any(name == "PublicKey" and value.startswith("PUBLIC") for _, name, value in found)


def test_lines_for_showing_have_no_control_characters() -> None:
    for form in KINDS.values():
        reading = form.read("dev \x1b[31mtun\x07\r\n\x00\u202e\n")
        assert all(line.isprintable() for line in reading.lines)
        assert all(one.name.isprintable() and one.value.isprintable() for one in reading.settings)


PIECES = st.sampled_from(
    [
        "client\n", "dev tun\n", "<key>\n", "</key>\n", "<connection>", "cipher BF-CBC\n", "[Peer]\n", "[Interface]\n",
        "PrivateKey = x\n", "connections {\n", "}\n", "{", "}", "=", ":", ";",
        '"', "'", "\\", "#", "\x00", "\r", "\ufeff",
        'secrets { ike { secret = "', "conn x\n", " ike=aes!\n", ': PSK "', "Cipher = none\n", "\u2028",
        "-----BEGIN RSA PUBLIC KEY-----\n",
        "-----END", "-----BEGIN PRIVATE KEY-----\n", "include ", "a { encrypt ", "password ", "Ciphers +a,b\n",
        "@SECLEVEL=0",
        "A" * 5000,
        "\n" * 50, "\t", " ", "MACLength = 99999999999999999999\n", "ciphers = ALL:-:+:!\n", "0x", "é", "𐀀", "\ud7ff",
    ]
)  # fmt: skip


@settings(max_examples=3 * settings.default.max_examples)
@given(st.one_of(st.text(max_size=400), st.lists(PIECES, max_size=30).map("".join)), st.sampled_from(ConfigKind))
@example("'", ConfigKind.OPENVPN)
@example("conn\tx\n\tike=", ConfigKind.IPSEC_CONF)
def test_no_text_makes_a_reader_fail(text: str, kind: ConfigKind) -> None:
    reading = KINDS[kind].read(text)
    count = len(reading.lines)
    assert all(1 <= one.line <= count for one in reading.settings)
    assert all(line.isprintable() for line in reading.lines)
    assert [one.line for one in reading.settings] == sorted(one.line for one in reading.settings)
    assert sniff_kind(text) in (None, *ConfigKind)


@given(
    st.from_regex(r"[A-Za-z0-9]{20,40}", fullmatch=True),
    st.sampled_from(
        [
            (ConfigKind.WIREGUARD, "[Interface]\nPrivateKey = {}\n"),
            (ConfigKind.WIREGUARD, "[Peer]\npresharedkey={} # old\n"),
            (ConfigKind.OPENVPN, "<tls-crypt>\n{}\n</tls-crypt>\n"),
            (ConfigKind.OPENVPN, "auth-token {}\n"),
            (ConfigKind.SWANCTL, "secrets {{ ike-a {{ secret = {} }} }}\n"),
            (ConfigKind.SWANCTL, 'secrets {{ pkcs8-a {{ secret = "{}\nx" }}\n'),
            (ConfigKind.IPSEC_SECRETS, 'a b : PSK "{}"\n'),
            (ConfigKind.IPSEC_SECRETS, ": PSK {}\n"),
            (ConfigKind.TINC, "PrivateKey = {}\n"),
            (ConfigKind.FREELAN, "[security]\npassphrase={}\n"),
            (ConfigKind.PPP, "password {}\n"),
            (ConfigKind.PPP, "user server {} *\n"),
            (ConfigKind.VTUND, "a {{ passwd {}; }}\n"),
            (ConfigKind.VTUND, "a {{ type tun\n passwd {}; }}\n"),
            (ConfigKind.SWANCTL, "secrets {{ ike {{ id = a secret = {} }}\n"),
            (ConfigKind.VTUND, 'a {{ pass "{}"; type tun; }}\n'),
        ]
    ),
)
def test_any_secret_is_masked(secret: str, place: tuple[ConfigKind, str]) -> None:
    kind, text = place
    assert secret not in repr(KINDS[kind].read(text.format(secret)))


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (ConfigKind.SSH, "Host x\n ProxyCommand sshpass -p CANARY ssh -W %h:%p gw"),
        (ConfigKind.SSH, 'ProxyCommand sshpass -v -p "CANARY two CANARY" ssh gw'),
        (ConfigKind.SSH, "ProxyCommand sshpass -pCANARY ssh gw"),
        (ConfigKind.SSH, "ProxyCommand env SSHPASS=CANARY sshpass -e ssh gw"),
        (ConfigKind.SSH, "ProxyCommand plink -pw CANARY gw"),
        (ConfigKind.SSH, "SetEnv API_KEY=CANARY"),
        (ConfigKind.SSH, 'Match exec "curl --user bob:CANARY https://x"'),
        (ConfigKind.SSH, "ProxyCommand ncat --proxy-auth bob:CANARY --proxy x %h %p"),
        (ConfigKind.SSH, "ProxyCommand socat - PROXY:x:%h:%p,proxyauth=bob:CANARY"),
        (ConfigKind.OPENVPN, 'up "curl -d {\\"password\\":\\"CANARY\\"} https://x"'),
        (ConfigKind.OPENVPN, "config https://bob:CANARY@x/y"),
        (ConfigKind.PPP, 'connect \'chat "" AT+CPIN="CANARY" OK\''),
        (ConfigKind.SSHD, "ForceCommand /bin/login --password=CANARY"),
        (ConfigKind.OPENVPN, 'up "curl -u bob:CANARY https://x/"'),
        (ConfigKind.OPENVPN, 'up "curl -ubob:CANARY https://x/"'),
        (ConfigKind.OPENVPN, "down '/bin/x --http-password CANARY'"),
        (ConfigKind.OPENVPN, "route-up \"/bin/x --token='CANARY CANARY'\""),
        (ConfigKind.OPENVPN, 'up "mysql -u x -pCANARY db"'),
        (ConfigKind.OPENVPN, 'up "ldapsearch -D x -w CANARY"'),
        (ConfigKind.OPENVPN, "up \"curl -H 'Authorization: Bearer CANARY' https://x\""),
        (ConfigKind.OPENVPN, 'up "curl https://bob:a@b/CANARY@x/"'),
        (ConfigKind.OPENVPN, 'up "echo CANARY | sudo -S x"'),
        (ConfigKind.OPENVPN, 'plugin /usr/lib/openvpn/auth.so "login bob password CANARY"'),
        (ConfigKind.OPENVPN, "plugin /usr/lib/openvpn/auth.so CANARY"),
        (ConfigKind.OPENVPN, "plugin /usr/lib/openvpn/auth.so /etc/x.conf CANARY"),
        (ConfigKind.OPENVPN, 'push "auth-token CANARY"'),
        (ConfigKind.OPENVPN, 'push "setenv-safe PASSWORD CANARY"'),
        (ConfigKind.OPENVPN, "http-proxy-option CUSTOM-HEADER Proxy-Authorization 'Basic CANARY'"),
        (ConfigKind.OPENVPN, "pkcs11-id 'pkcs11:model=x;pin-value=CANARY'"),
        (ConfigKind.STUNNEL, "engineCtrl = PIN:CANARY"),
        (ConfigKind.STUNNEL, "key = pkcs11:token=x;object=y?pin-value=CANARY"),
        (ConfigKind.STUNNEL, "exec = /bin/x\nexecArgs = x --pass CANARY"),
        (ConfigKind.WIREGUARD, "[Interface]\nPostUp = wget --password=CANARY https://x"),
        (ConfigKind.SWANCTL, "connections { a { children { b { updown = /bin/x --password CANARY\n } } } }"),
        (ConfigKind.SWANCTL, 'connections { a { children { b { updown = "/bin/x -u bob:CANARY"\n } } } }'),
        (ConfigKind.IPSEC_CONF, 'conn a\n leftupdown="/bin/x --secret CANARY"'),
        (ConfigKind.IPSEC_CONF, "conn a\n leftxauthpassword=CANARY"),
        (ConfigKind.IPSEC_CONF, 'conn a\n xauthpasswd = "CANARY CANARY"'),
        (ConfigKind.STUNNEL, "[a]\nmyPassword = CANARY"),
        (ConfigKind.TINC, "KeyPassphrase = CANARY"),
        (ConfigKind.PPP, 'connect "/usr/sbin/chat ogin: bob ssword: CANARY"'),
        (ConfigKind.PPP, "plugin radius.so CANARY"),
        (ConfigKind.VTUND, 'a { type tun; up { program "curl -u bob:CANARY x" wait; }; }'),
        (ConfigKind.TINC, "Proxy = socks5 h 1080 bob CANARY"),
        (ConfigKind.FREELAN, "[client]\nserver_endpoint=https://bob:CANARY@x/"),
    ],
)
def test_secrets_in_command_lines_are_masked(kind: ConfigKind, line: str) -> None:
    reading = KINDS[kind].read(line + "\n")
    assert not CANARY.search(repr(reading))
    assert MASK in repr(reading)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (ConfigKind.SSH, "ProxyCommand ssh -W %h:%p -p 2222 gw"),
        (ConfigKind.SSH, "PreferredAuthentications password,publickey"),
        (ConfigKind.SSHD, "AuthorizedKeysCommand /usr/bin/sss_ssh_authorizedkeys"),
        (ConfigKind.SSHD, "PasswordAuthentication no"),
        (ConfigKind.OPENVPN, "auth-user-pass /etc/openvpn/login"),
        (ConfigKind.OPENVPN, "askpass /etc/openvpn/pass"),
        (ConfigKind.OPENVPN, "plugin /usr/lib/openvpn/ldap.so /etc/openvpn/ldap.conf"),
        (ConfigKind.OPENVPN, "up /etc/openvpn/update-resolv-conf"),
        (ConfigKind.OPENVPN, 'push "route 10.0.0.0 255.255.255.0"'),
        (ConfigKind.STUNNEL, "PSKsecrets = /etc/stunnel/psk.txt"),
        (ConfigKind.STUNNEL, "connect = 192.0.2.1:4433"),
        (ConfigKind.WIREGUARD, "PostUp = iptables -A FORWARD -i %i -j ACCEPT"),
        (ConfigKind.WIREGUARD, "PostUp = wg set %i private-key /etc/wireguard/own.key"),
        (ConfigKind.IPSEC_CONF, "conn a\n authby=secret"),
    ],
)
def test_what_is_no_secret_is_shown(kind: ConfigKind, line: str) -> None:
    reading = KINDS[kind].read(line + "\n")
    assert "\n".join(reading.lines) == line + "\n"
    assert MASK not in repr(reading.settings)
