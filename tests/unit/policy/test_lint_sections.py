"""Each service, session, connection and child of a file is judged by itself, with what it takes over from others."""

from __future__ import annotations

import time

import pytest

from app.domain.linting import ConfigKind, LintFinding
from app.policy.lint import lint
from vpn_adapters.config_formats import KINDS


def found(kind: ConfigKind, text: str) -> list[LintFinding]:
    return list(lint(kind, KINDS[kind].parse(text)))


def listed(kind: ConfigKind, text: str, setting: str, question: str) -> list[tuple[int, str]]:
    return [
        (one.line, str(one.verdict))
        for one in found(kind, text)
        if one.setting.lower() == setting.lower() and one.question == question
    ]


class TestStunnel:
    GOOD = "[a]\nclient = yes\nconnect = x:1\nverifyPeer = yes\n"

    def test_a_service_that_checks_nothing_beside_one_that_checks(self) -> None:
        text = self.GOOD + "[b]\nclient = yes\nconnect = y:1\n"
        assert listed(ConfigKind.STUNNEL, text, "verify", "missing") == [(5, "insecure")]

    def test_a_server_beside_a_client(self) -> None:
        text = self.GOOD + "[b]\naccept = 1\nconnect = y:1\n"
        assert listed(ConfigKind.STUNNEL, text, "verify", "missing") == [(5, "legacy")]

    def test_a_name_that_is_checked_in_another_service(self) -> None:
        text = self.GOOD + "checkHost = x\n[b]\nclient = yes\nconnect = y:1\nverifyChain = yes\n"
        assert listed(ConfigKind.STUNNEL, text, "checkhost", "missing") == [(6, "insecure")]

    def test_options_before_the_first_service_hold_for_all(self) -> None:
        text = "verifyPeer = yes\n[a]\nclient = yes\nconnect = x:1\n[b]\nclient = yes\nconnect = y:1\n"
        assert listed(ConfigKind.STUNNEL, text, "verify", "missing") == []

    def test_a_service_has_the_last_word(self) -> None:
        text = "client = yes\n[a]\nclient = no\naccept = 1\nconnect = x:1\n[b]\nconnect = y:1\n"
        assert listed(ConfigKind.STUNNEL, text, "verify", "missing") == [(2, "legacy"), (6, "insecure")]

    def test_a_file_without_services_is_one(self) -> None:
        assert listed(ConfigKind.STUNNEL, "client = yes\nconnect = x:1\n", "verify", "missing") == [(0, "insecure")]


class TestVtund:
    def test_a_session_without_encryption_beside_one_with(self) -> None:
        text = "tun1 { passwd a; type tun; encrypt yes; }\ntun2 { passwd b; type tun; }\n"
        assert listed(ConfigKind.VTUND, text, "tun2.encrypt", "missing") == [(2, "unprotected")]
        assert listed(ConfigKind.VTUND, text, "tun1.encrypt", "missing") == []

    def test_defaults_hold_for_sessions(self) -> None:
        text = "options { port 1; }\ndefault { encrypt aes256cbc; }\ntun1 { passwd a; type tun; }\n"
        assert listed(ConfigKind.VTUND, text, "tun1.encrypt", "missing") == []

    def test_defaults_are_no_session(self) -> None:
        text = "default { type tun; }\ntun1 { passwd a; encrypt yes; }\ntun2 { passwd b; }\n"
        missing = [one.setting for one in found(ConfigKind.VTUND, text) if one.question == "missing"]
        assert missing == ["tun2.encrypt"]

    def test_names_with_dots_are_kept_apart(self) -> None:
        text = "gw.one { passwd a; type tun; encrypt yes; }\ngw.two { passwd b; type tun; }\n"
        assert listed(ConfigKind.VTUND, text, '"gw.two".encrypt', "missing") == [(2, "unprotected")]


class TestSwanctl:
    def test_a_child_in_transport_mode_does_not_speak_for_others(self) -> None:
        text = """connections { a { version = 2
 children {
  one { mode = transport
   start_action = trap }
  two { mode = tunnel
   start_action = start }
  three { mode = transport
   start_action = start } } } }
"""
        starts = [one.line for one in found(ConfigKind.SWANCTL, text) if one.setting.endswith("start_action")]
        assert starts == [8]

    def test_a_connection_without_version_beside_one_with(self) -> None:
        text = "connections {\n a { version = 2\n }\n b { mobike = no\n }\n}\n"
        assert listed(ConfigKind.SWANCTL, text, "connections.b.version", "missing") == [(4, "legacy")]
        assert listed(ConfigKind.SWANCTL, text, "connections.a.version", "missing") == []

    TEMPLATE = """base {
  version = 2
  proposals = 3des-md5-modp1024
}
connections {
  a : base { mobike = no
  }
  b : connections.a { proposals = aes256gcm16-prfsha384-x25519
  }
}
"""

    def test_what_a_template_says_counts(self) -> None:
        assert [one for one in found(ConfigKind.SWANCTL, self.TEMPLATE) if one.question == "missing"] == []

    def test_what_is_wrong_in_a_template_is_reported_where_it_is_up_and_once(self) -> None:
        lines = [one.line for one in found(ConfigKind.SWANCTL, self.TEMPLATE) if one.setting.endswith("proposals")]
        assert set(lines) == {3}
        twice = self.TEMPLATE.replace("b : connections.a { proposals = aes256gcm16-prfsha384-x25519", "b : base {")
        assert found(ConfigKind.SWANCTL, twice).count(found(ConfigKind.SWANCTL, self.TEMPLATE)[0]) == 1

    def test_children_take_over_from_templates_too(self) -> None:
        text = """child-base { mode = transport
}
connections { a { version = 2
  children { c : child-base { start_action = start
  } } } }
"""
        assert [one.line for one in found(ConfigKind.SWANCTL, text) if one.setting.endswith("start_action")] == [4]


class TestIpsecConf:
    def test_a_transport_connection_does_not_speak_for_others(self) -> None:
        text = "conn a\n type=transport\n auto=route\nconn b\n type=tunnel\n auto=start\n"
        assert listed(ConfigKind.IPSEC_CONF, text, "conn.b.auto", "guideline") == []

    def test_defaults_and_included_sections_count(self) -> None:
        text = "conn %default\n type=transport\nconn a\n auto=start\nconn b\n type=tunnel\n auto=start\n"
        assert listed(ConfigKind.IPSEC_CONF, text, "conn.a.auto", "guideline") == [(4, "acceptable")]
        assert listed(ConfigKind.IPSEC_CONF, text, "conn.b.auto", "guideline") == []
        also = "conn x.y\n type=transport\nconn a\n also=x.y\n auto=start\n"
        assert listed(ConfigKind.IPSEC_CONF, also, "conn.a.auto", "guideline") == [(5, "acceptable")]

    def test_what_is_nearer_counts(self) -> None:
        text = "conn %default\n type=transport\nconn m\n type=tunnel\nconn a\n also=m\n auto=start\n"
        assert listed(ConfigKind.IPSEC_CONF, text, "conn.a.auto", "guideline") == []


class TestSharedSecretWithoutForwardSecrecy:
    CONN = "connections {{ a {{ version = 2\n local {{ auth = {auth}\n }}\n children {{\n {children}\n }} }} }}\n"

    def missing(self, auth: str, *children: str) -> list[tuple[int, str]]:
        text = self.CONN.format(auth=auth, children="\n".join(children))
        name = "connections.a.children.c{}.esp_proposals"
        return [
            one for n in range(len(children)) for one in listed(ConfigKind.SWANCTL, text, name.format(n), "missing")
        ]

    def test_each_child_without_a_group(self) -> None:
        children = (
            "c0 { esp_proposals = aes256gcm16-x25519\n }",
            "c1 { mode = tunnel\n }",
            "c2 { esp_proposals = default\n }",
            "c3 { esp_proposals = aes256gcm16\n }",
            "c4 { mode = drop\n }",
        )
        assert [verdict for _, verdict in self.missing("psk", *children)] == ["legacy"] * 3
        assert [line for line, _ in self.missing("psk", *children)] == [7, 9, 11]

    def test_with_certificates_the_defaults_are_left_alone(self) -> None:
        assert self.missing("pubkey", "c0 { mode = tunnel\n }", "c1 { esp_proposals = default\n }") == []

    def test_one_good_proposal_does_not_speak_for_another(self) -> None:
        child = "c0 { esp_proposals = aes256gcm16-x25519, aes128gcm16\n }"
        assert self.missing("pubkey", child) == [(5, "legacy")]

    @pytest.mark.parametrize(
        ("conn", "expected"),
        [
            (" auto=start\n leftauth=psk\n rightauth=psk\n", [(1, "legacy")]),
            (" auto=start\n keyexchange=ikev2\n authby=secret\n", [(1, "legacy")]),
            (" auto=start\n keyexchange=ikev2\n authby=secret\n esp=aes256gcm16-x25519!\n", []),
            (" auto=start\n ikev2=insist\n authby=secret\n", []),
            (" keyexchange=ikev2\n authby=secret\n", []),
            (" auto=start\n leftauth=pubkey\n", []),
        ],
    )
    def test_of_ipsec_conf(self, conn: str, expected: list[tuple[int, str]]) -> None:
        assert listed(ConfigKind.IPSEC_CONF, "conn a\n" + conn, "conn.a.esp", "missing") == expected


def test_what_a_match_block_says_is_judged_whatever_is_up_before_it() -> None:
    text = "PermitRootLogin no\nPasswordAuthentication no\nMatch User x\n PermitRootLogin yes\n"
    assert listed(ConfigKind.SSHD, text, "PermitRootLogin", "insecure") == [(4, "legacy")]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ConfigKind.IPSEC_CONF, "conn a\n" * 40_000),
        (ConfigKind.IPSEC_CONF, "".join(f"conn a{n}\n also=a{n + 1}\n" for n in range(5000))),
        (ConfigKind.IPSEC_CONF, "conn %default\n" + " left=1\n" * 20_000 + "conn a\nconn b\n" * 5000),
        (ConfigKind.SWANCTL, "a : b { }\nb : a { x { } }\nconnections { " + "c : a, b { }\n" * 10_000 + "}"),
        (ConfigKind.VTUND, "default { type tun; }\n" + "".join(f"s{n} {{ passwd x; }}\n" for n in range(5000))),
        (ConfigKind.STUNNEL, "client = yes\n" * 3000 + "[a]\n" * 3000),
    ],
)
def test_sections_without_end_take_no_time_without_end(kind: ConfigKind, text: str) -> None:
    settings = KINDS[kind].parse(text)
    started = time.process_time()
    lint(kind, settings)
    assert time.process_time() - started < 5
