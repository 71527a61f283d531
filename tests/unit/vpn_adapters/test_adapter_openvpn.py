from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import PlanRequest
from app.domain.errors import InvalidPlan
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.linting import MASK
from app.domain.solutions import Carrier, Suite
from support.adapter_cases import CERTIFICATES, facts, recorded, request, result
from support.message_checks import has_message
from vpn_adapters.openvpn import identity, tcp_adapter, udp_adapter
from vpn_adapters.openvpn.config_reader import read
from vpn_adapters.openvpn.discovery import parse
from vpn_adapters.shared.messages import KERNEL_MODULE_PART, OPENVPN_TOO_OLD


def default_request(carrier: Carrier = Carrier.UDP) -> PlanRequest:
    adapter = udp_adapter if carrier is Carrier.UDP else tcp_adapter
    return request(adapter, adapter.suites(facts(), facts())[0])


def config_lines(carrier: Carrier, side: Side) -> list[str]:
    adapter = udp_adapter if carrier is Carrier.UDP else tcp_adapter
    (file,) = adapter.plan(default_request(carrier)).on(side).files
    return file.content.decode().splitlines()


def with_support(host: HostFacts, **changes: object) -> HostFacts:
    name = "openvpn-udp"
    return replace(host, solutions={**host.solutions, name: replace(host.solutions[name], **changes)})


LISTS = ("ciphers", "digests", "legacy-ciphers", "legacy-digests")


class TestDiscovery:
    def test_of_debian_13(self) -> None:
        support = parse(recorded("debian-13")["openvpn-udp"], "openvpn-udp")
        assert support.version == "2.6.14"
        assert len(support.ciphers) == 84
        assert "AES-256-GCM" in support.ciphers
        assert "CHACHA20-POLY1305" in support.ciphers
        assert "The" not in support.ciphers
        assert len(support.digests) == len(set(support.digests)) == 29
        assert "SHA2-256/192" in support.digests
        assert support.features[:5] == (
            "peer-fingerprint",
            "tls-group:secp384r1",
            "tls-1.3",
            "tls-group:X25519",
            "tls-group:X25519MLKEM768",
        )
        legacy = {feature.removeprefix("needs-legacy-provider:") for feature in support.features[5:]}
        assert len(legacy) == 22
        assert {"BF-CBC", "DES-CBC", "SEED-CBC", "RC2-40-CBC", "MD4", "WHIRLPOOL"} <= legacy
        assert not {"AES-128-CBC", "RIPEMD160", "DES-EDE3-CBC"} & legacy

    def test_of_debian_11(self) -> None:
        support = parse(recorded("debian-11")["openvpn-udp"], "openvpn-udp")
        assert support.is_available
        assert support.version == "2.5.1"
        assert len(support.ciphers) == 80
        assert len(support.digests) == 37
        assert {"BF-CBC", "RC2-40-CBC", "CHACHA20-POLY1305"} <= set(support.ciphers)
        assert {"RSA-SHA512/256", "id-rsassa-pkcs1-v1_5-with-sha3-256", "whirlpool"} <= set(support.digests)
        assert support.features == ("tls-group:secp384r1", "tls-1.3", "tls-group:X25519")

    def test_older_openvpn_is_unavailable_and_says_why(self) -> None:
        answers = dict(recorded("debian-13")["openvpn-udp"])
        old = (
            "OpenVPN 2.4.12 x86_64-pc-linux-gnu [SSL (OpenSSL)] [LZO] [LZ4] [EPOLL]\n"
            "library versions: OpenSSL 1.1.1w  11 Sep 2023, LZO 2.10\n"
        )
        support = parse({**answers, "version": result(old, exit_status=1)}, "openvpn-udp")
        assert not support.is_available
        assert support.version == "2.4.12"
        assert has_message(OPENVPN_TOO_OLD, major="2", minor="4")(support.note)
        assert support.missing == ()
        assert "peer-fingerprint" not in support.features
        assert "tls-group:X25519MLKEM768" not in support.features

    def test_openssl_program_newer_than_openvpns_library_brings_no_hybrid(self) -> None:
        answers = dict(recorded("debian-13")["openvpn-udp"])
        text = answers["version"].stdout.replace("OpenSSL 3.5.7", "OpenSSL 3.0.2")
        assert "tls-group:X25519MLKEM768" not in parse({**answers, "version": result(text)}, "openvpn-udp").features

    @pytest.mark.parametrize("library", ["mbed TLS 3.6.2", "OpenSSL 1.0.1t  3 May 2016", "OpenSSL 1.x"])
    def test_other_tls_libraries_are_an_obstacle(self, library: str) -> None:
        answers = dict(recorded("debian-13")["openvpn-udp"])
        text = answers["version"].stdout.replace("OpenSSL 3.5.7 9 Jun 2026", library)
        support = parse({**answers, "version": result(text)}, "openvpn-udp")
        assert not support.is_available
        assert "TLS library" in support.note
        assert not [feature for feature in support.features if feature.startswith("tls")]

    def test_older_openssl_has_tls_1_2_and_p_384(self) -> None:
        answers = dict(recorded("debian-13")["openvpn-udp"])
        text = answers["version"].stdout.replace("OpenSSL 3.5.7 9 Jun 2026", "OpenSSL 1.0.2k-fips  26 Jan 2017")
        support = parse({**answers, "version": result(text)}, "openvpn-udp")
        assert support.is_available
        assert support.features[:2] == ("peer-fingerprint", "tls-group:secp384r1")
        assert "tls-1.3" not in support.features

    @pytest.mark.parametrize(
        "hostile",
        [
            "AES-128-CBC  (128 bit key\n" * 5,
            "AES-256-GCM; rm -rf /  (128 bit key, x)\n",
            "$(reboot)  (128 bit key, 128 bit block)\n../../etc  (1 bit key)\n",
            "A" * 200_000,
            "\x00\ud800\u202e  (9 bit key",
            "SHA1\n160 bit digest size\n'; DROP  0 bit digest size\n-- 5 bit digest size\n",
        ],
    )
    def test_hostile_lists_give_names_that_are_single_words(self, hostile: str) -> None:
        answers = dict(recorded("debian-13")["openvpn-udp"])
        support = parse({**answers, **{key: result(hostile) for key in LISTS}}, "openvpn-udp")
        for name in (*support.ciphers, *support.digests):
            assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_/.-]*", name)
            assert len(name) <= 64
        assert len(set(support.ciphers)) == len(support.ciphers)
        host = with_support(facts(), ciphers=support.ciphers, digests=support.digests)
        for option in udp_adapter.census(host, host):
            assert "/" not in option.suite.name

    def test_confinement_by_apparmor_is_an_obstacle(self) -> None:
        answers = {**recorded("debian-13")["openvpn-udp"], "apparmor": result("confined\n")}
        support = parse(answers, "openvpn-udp")
        assert not support.is_available
        assert "AppArmor" in support.note

    @pytest.mark.parametrize(
        ("question", "what"),
        [("version", "openvpn"), ("openssl", "openssl"), ("modules", KERNEL_MODULE_PART(module="tun"))],
    )
    def test_names_what_is_missing(self, question: str, what: str) -> None:
        answers = {**recorded("debian-13")["openvpn-udp"], question: result(stderr="not found", exit_status=127)}
        assert [part.what for part in parse(answers, "openvpn-udp").missing] == [what]


class TestSuites:
    @pytest.mark.parametrize(
        ("aes_a", "aes_b", "first"),
        [
            (True, True, "aes-256-gcm"),
            (True, False, "chacha20-poly1305"),
            (False, True, "chacha20-poly1305"),
            (False, False, "chacha20-poly1305"),
        ],
    )
    def test_default_follows_the_cpus(self, aes_a: bool, aes_b: bool, first: str) -> None:
        suites = udp_adapter.suites(facts(has_aes=aes_a), facts(has_aes=aes_b))
        assert suites[0].name == first
        assert suites[0].is_default
        assert {suite.name for suite in suites} == {"aes-256-gcm", "chacha20-poly1305", "aes-128-gcm"}

    def test_hybrid_key_exchange_only_where_both_have_it(self) -> None:
        old = with_support(facts(), features=("peer-fingerprint", "tls-1.3", "tls-group:X25519"))
        assert udp_adapter.suites(facts(), facts())[0].settings["tls-groups"] == "X25519MLKEM768"
        assert udp_adapter.suites(facts(), old)[0].settings["tls-groups"] == "X25519"

    def test_only_ciphers_that_both_list(self) -> None:
        poor = with_support(facts(), ciphers=("aes-128-gcm", "AES-256-CBC"))
        suites = udp_adapter.suites(facts(), poor)
        assert [(suite.name, suite.is_default) for suite in suites] == [("aes-128-gcm", True)]

    def test_tls_1_2_where_one_host_has_no_newer(self) -> None:
        old = with_support(facts(), features=("tls-group:secp384r1",))
        suite = udp_adapter.suites(facts(), old)[0]
        assert "TLS-1.2" in suite.algorithms
        assert "P-384" in suite.algorithms
        assert suite.settings["tls-cipher"] == "TLS-ECDHE-ECDSA-WITH-AES-256-GCM-SHA384"
        assert "tls-ciphersuites" not in suite.settings

    def test_none_without_a_common_group(self) -> None:
        host = with_support(facts(), features=("tls-1.3",))
        assert udp_adapter.suites(facts(), host) == ()
        assert udp_adapter.census(facts(), host) == ()

    @pytest.mark.parametrize("platforms", [("debian-11", "debian-11"), ("debian-11", "debian-13")])
    def test_default_of_older_pairs(self, platforms: tuple[str, str]) -> None:
        a, b = (facts(platform) for platform in platforms)
        assert udp_adapter.suites(a, b)[0].settings == {
            "data-ciphers": "AES-256-GCM",
            "auth": "SHA256",
            "tls-version": "1.3",
            "tls-ciphersuites": "TLS_AES_256_GCM_SHA384",
            "tls-groups": "X25519",
        }


class TestConfig:
    @pytest.mark.parametrize("carrier", [Carrier.UDP, Carrier.TCP])
    def test_pins_the_peer_and_the_ciphers(self, carrier: Carrier) -> None:
        for side in Side:
            lines = config_lines(carrier, side)
            pinned = identity.parse({"certificate": result(CERTIFICATES[side.other])}).values["fingerprint"]
            assert f"peer-fingerprint {pinned}" in lines
            assert "tls-version-min 1.3" in lines
            assert "data-ciphers AES-256-GCM" in lines
            assert "tls-groups X25519MLKEM768" in lines
            assert "allow-compression no" in lines
            assert not any(line.startswith(("ca ", "comp-lzo", "compress")) for line in lines)

    def test_nagle_is_off_at_both_hosts_of_tcp(self) -> None:
        for side in Side:
            assert "socket-flags TCP_NODELAY" in config_lines(Carrier.TCP, side)
            assert not any("NODELAY" in line for line in config_lines(Carrier.UDP, side))

    @pytest.mark.parametrize("carrier", [Carrier.UDP, Carrier.TCP])
    def test_client_never_waits_long_before_it_tries_again(self, carrier: Carrier) -> None:
        assert {"connect-retry 1 1", "connect-timeout 5"} <= set(config_lines(carrier, Side.B))
        assert not any(line.startswith("connect-") for line in config_lines(carrier, Side.A))

    def test_client_takes_no_routes_or_addresses_from_its_server(self) -> None:
        lines = config_lines(Carrier.UDP, Side.B)
        assert "route-nopull" in lines
        assert "pull-filter ignore ifconfig" in lines

    def test_server_listens_on_the_underlay_only(self) -> None:
        assert "local 192.0.2.1" in config_lines(Carrier.UDP, Side.A)
        assert "local 192.0.2.1" in config_lines(Carrier.TCP, Side.A)

    @pytest.mark.parametrize("value", ["AES-256-GCM\nup /bin/sh", "a b", "", "x;y", 'x"'])
    def test_setting_that_is_not_one_word_is_refused(self, value: str) -> None:
        good = default_request()
        suite = replace(good.suite, settings={**good.suite.settings, "data-ciphers": value})
        with pytest.raises(InvalidPlan):
            udp_adapter.plan(replace(good, suite=suite))

    def test_suite_of_another_solution_is_refused(self) -> None:
        with pytest.raises(InvalidPlan):
            udp_adapter.plan(replace(default_request(), suite=Suite(name="x", title="x")))


class TestPlan:
    def test_only_the_ports_that_are_used_are_listened_on(self) -> None:
        udp, tcp = udp_adapter.plan(default_request()), tcp_adapter.plan(default_request(Carrier.TCP))
        assert udp.a.listens == (("udp", 21194),)
        assert udp.b.listens == ()
        assert tcp.a.listens == (("tcp", 21195),)
        assert tcp.b.listens == ()

    def test_server_starts_before_its_interface_is_set_up_and_the_client_after(self) -> None:
        made = udp_adapter.plan(default_request())
        assert [step.title.split()[0] for step in made.a.steps] == ["Make", "Start", "Give"]
        assert [step.title.split()[0] for step in made.b.steps] == ["Make", "Give", "Start"]

    def test_negotiated_cipher_must_be_the_one_asked_for(self) -> None:
        check = udp_adapter.plan(default_request()).b.negotiated
        assert check is not None
        log = (
            "Control Channel: TLSv1.3, cipher TLSv1.3 TLS_AES_256_GCM_SHA384, peer certificate: 384 bits\n"
            "PUSH: Received control message: 'PUSH_REPLY,ping 2,peer-id 0,cipher AES-256-GCM,tun-mtu 1500'\n"
            "Data Channel: cipher 'AES-256-GCM', peer-id: 0\n"
        )
        assert re.search(check.stdout_pattern, log)
        assert not re.search(check.stdout_pattern, log.replace("'AES-256-GCM'", "'AES-128-GCM'"))
        assert not re.search(check.stdout_pattern, log.replace("TLSv1.3", "TLSv1.2"))

    def test_servers_pushed_cipher_must_be_the_one_asked_for(self) -> None:
        check = udp_adapter.plan(default_request()).a.negotiated
        assert check is not None
        log = (
            "Control Channel: TLSv1.3, cipher TLSv1.3 TLS_AES_256_GCM_SHA384, peer certificate: 384 bits\n"
            "SENT CONTROL [tunnelmark-b]: 'PUSH_REPLY,ping 2,peer-id 0,cipher AES-256-GCM,tun-mtu 1500' (status=1)\n"
        )
        assert re.search(check.stdout_pattern, log)
        assert not re.search(check.stdout_pattern, log.replace("cipher AES-256-GCM", "cipher AES-128-GCM"))


class TestIdentity:
    def test_fingerprint_is_openssls(self, tmp_path: Path) -> None:
        link = Link("192.0.2.1", "192.0.2.2", run_dir=str(tmp_path))
        recipe = identity.recipe(link, Side.A)
        for step in recipe.steps:
            subprocess.run(step.command.argv, check=True, capture_output=True)
        shown = subprocess.run(recipe.public["certificate"].argv, check=True, capture_output=True, text=True).stdout
        reported = subprocess.run(
            ["openssl", "x509", "-in", f"{tmp_path}/openvpn.crt", "-noout", "-fingerprint", "-sha256"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("=")[1]
        found = identity.parse({"certificate": result("Welcome!\n" + shown)})
        assert found.values["fingerprint"] == reported.strip()
        assert found.values["certificate"].split() == shown.split()

    def test_key_is_for_root_alone_and_undo_leaves_nothing(self, tmp_path: Path) -> None:
        link = Link("192.0.2.1", "192.0.2.2", run_dir=str(tmp_path))
        (step,) = identity.recipe(link, Side.B).steps
        subprocess.run(step.command.argv, check=True, capture_output=True)
        assert (tmp_path / "openvpn.key").stat().st_mode & 0o077 == 0
        assert step.undo is not None
        for _ in range(2):
            subprocess.run(step.undo.argv, check=True)
        assert list(tmp_path.iterdir()) == []

    def test_certificate_is_p_384_and_can_sign_no_others(self, tmp_path: Path) -> None:
        link = Link("192.0.2.1", "192.0.2.2", run_dir=str(tmp_path))
        (step,) = identity.recipe(link, Side.A).steps
        subprocess.run(step.command.argv, check=True, capture_output=True)
        text = subprocess.run(
            ["openssl", "x509", "-in", f"{tmp_path}/openvpn.crt", "-noout", "-text"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        assert "NIST CURVE: P-384" in text
        assert "CA:FALSE" in text
        assert text.count("Basic Constraints") == 1
        assert "CN = tunnelmark-a" in text


class TestParseConfig:
    def test_inline_blocks_comments_and_quotes(self) -> None:
        text = (
            "\ufeff# a comment\n"
            "client\n"
            "remote vpn.example 1194 # trailing\n"
            "auth-user-pass \"C:\\\\my file\" 'x y'\n"
            "; another\n"
            "<key>\n-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n</key>\n"
            "<ca>\nPUBLIC\n</ca>\n"
            "<connection>\nremote other 443\n</connection>\n"
            "--cipher BF-CBC\r\n"
            "<tls-crypt>\nNEVER CLOSED\n"
        )
        found = [(one.line, one.name, one.value) for one in read(text).settings]
        assert found == [
            (2, "client", ""),
            (3, "remote", "vpn.example 1194"),
            (4, "auth-user-pass", "C:\\my file x y"),
            (6, "key", MASK),
            (11, "ca", "inline"),
            (15, "remote", "other 443"),
            (17, "cipher", "BF-CBC"),
            (18, "tls-crypt", MASK),
        ]

    def test_reads_what_we_render(self) -> None:
        (file,) = udp_adapter.plan(default_request()).a.files
        found = {one.name: one.value for one in read(file.content.decode()).settings}
        assert found["data-ciphers"] == "AES-256-GCM"
        assert found["local"] == "192.0.2.1"
        assert found["dev-type"] == "tap"
