"""tinc: what OpenSSL lists, what tinc reports, files, arithmetic, the census and the key."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.adapters import PlanRequest
from app.domain.errors import CommandFailed, InvalidPlan
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.solutions import CensusOption, OptionKind
from app.domain.verdicts import Verdict
from app.policy import judge_suite
from support.adapter_cases import facts, recorded, request, result
from support.message_checks import has_message
from vpn_adapters.shared.messages import KERNEL_MODULE_PART, TINC_TOO_NEW
from vpn_adapters.tinc import adapter, identity
from vpn_adapters.tinc.discovery import listed, parse
from vpn_adapters.tinc.numbers import cipher_number, digest_bytes, digest_number, padding_block_bytes
from vpn_adapters.tinc.plan import Cost

PLATFORMS = pytest.mark.parametrize("platform", ["debian-11", "debian-13"])
REPORT = (
    "2026-11-21 03:27:32 tinc[630]:  tunnelmark_b at 192.0.2.2 port 21655 cipher 427 digest 672 maclength 32 "
    "compression 0 options 0 status 001a nexthop tunnelmark_b via tunnelmark_b pmtu 1518 (min 0 max 1518)\n"
)
"""As tinc 1.0.36 wrote it on Debian 11 and 13."""


def census(platform: str) -> dict[str, CensusOption]:
    host = facts(platform)
    return {option.suite.name: option for option in adapter.census(host, host)}


def default_request() -> PlanRequest:
    return request(adapter, adapter.suites(facts(), facts())[0])


def negotiated(plan_request: PlanRequest) -> str:
    check = adapter.plan(plan_request).a.negotiated
    assert check is not None
    return check.stdout_pattern


class TestDiscovery:
    @PLATFORMS
    def test_of_both_platforms(self, platform: str) -> None:
        support = parse(recorded(platform)["tinc"])
        assert support.is_available
        assert support.version == "1.0.36"
        assert {"AES-256-CBC", "BF-CBC", "ChaCha20"} <= set(support.ciphers)
        assert {"SHA1", "SHA256", "whirlpool"} <= set(support.digests)
        assert len({name.lower() for name in support.ciphers}) == len(support.ciphers)
        assert not any(name[0].isdigit() for name in (*support.ciphers, *support.digests))

    def test_tinc_1_1_is_not_offered_and_says_why(self) -> None:
        answers = dict(recorded("debian-13")["tinc"])
        support = parse({**answers, "version": result("tinc version 1.1pre18 (built Jan  1 2024, protocol 17.7)\n")})
        assert not support.is_available
        assert support.version == "1.1pre18"
        assert has_message(TINC_TOO_NEW)(support.note)

    @pytest.mark.parametrize(
        ("question", "what"),
        [
            ("version", "tinc"),
            ("openssl", "openssl"),
            ("ip", "iproute2"),
            ("modules", KERNEL_MODULE_PART(module="tun")),
        ],
    )
    def test_names_what_is_missing(self, question: str, what: str) -> None:
        answers = {**recorded("debian-13")["tinc"], question: result(stderr="not found", exit_status=127)}
        assert [part.what for part in parse(answers).missing] == [what]


class TestListed:
    def test_openssl_1_1_1(self) -> None:
        names, aliases = listed("AES-128-CBC\nRSA-SHA1 => SHA1\nRSA-SHA1-2 => RSA-SHA1\nSHA1\naes-128-cbc\n")
        assert names == ("AES-128-CBC", "RSA-SHA1", "RSA-SHA1-2", "SHA1")
        assert aliases == {"RSA-SHA1": "SHA1", "RSA-SHA1-2": "SHA1"}

    def test_openssl_3(self) -> None:
        text = (
            "Legacy:\n  AES-128-CBC\n  aes128 => AES-128-CBC\nProvided:\n"
            "  { 2.16.840.1.101.3.4.1.2, AES-128-CBC, AES128, other } @ default\n"
            "  { AES-128-SIV, SIV2 } @ default\n  NULL @ default\n"
        )
        names, aliases = listed(text)
        assert names == ("AES-128-CBC", "aes128", "other", "AES-128-SIV", "SIV2", "NULL")
        assert aliases == {"aes128": "AES-128-CBC", "other": "AES-128-CBC", "SIV2": "AES-128-SIV"}

    def test_names_that_point_at_each_other_come_to_an_end(self) -> None:
        assert listed("AA => BB\nBB => AA\n")[0] == ("AA", "BB")

    @given(text=st.text() | st.text(alphabet="{}@,=> \nAb1-."))
    def test_never_raises(self, text: str) -> None:
        names, aliases = listed(text)
        assert set(aliases) <= set(names)
        assert all(re.fullmatch(r"[A-Za-z0-9_/.-]+", name) for name in names)


class TestNumbers:
    def test_are_openssls(self) -> None:
        assert (cipher_number("aes-256-cbc"), cipher_number("none"), cipher_number("nosuch")) == (427, 0, None)
        assert (digest_number("SHA256"), digest_number("none"), digest_number("nosuch")) == (672, 0, None)

    @PLATFORMS
    def test_hardly_any_name_that_tinc_can_find_is_unknown(self, platform: str) -> None:
        support = facts(platform).solutions["tinc"]
        known = [name for name in support.ciphers if cipher_number(name) is not None]
        assert len(known) >= 120

    @pytest.mark.parametrize(
        ("name", "block"), [("AES-128-CBC", 16), ("BF-CBC", 8), ("des-ede3", 8), ("AES-256-CTR", 1), ("RC4", 1)]
    )
    def test_blocks(self, name: str, block: int) -> None:
        assert padding_block_bytes(name) == block

    def test_unknown_digest_gets_no_longer_mac_than_any_has(self) -> None:
        assert digest_bytes("nosuch") == 16


class TestCensus:
    @PLATFORMS
    def test_every_name_with_the_studys_partner(self, platform: str) -> None:
        host = facts(platform)
        options = census(platform)
        support = host.solutions["tinc"]
        assert len(options) == len(adapter.census(host, host)) == len(support.ciphers) + len(support.digests) + 2
        for option in options.values():
            settings = option.suite.settings
            if option.kind is OptionKind.MAC:
                assert (settings["cipher"], settings["digest"]) == ("AES-128-CBC", option.name)
            else:
                assert (settings["cipher"], settings["digest"]) == (option.name, "SHA1")
            assert adapter.plan(request(adapter, option.suite, platform=platform)).a.steps

    def test_alias_is_marked_and_keeps_the_others_number_and_length(self) -> None:
        option = census("debian-11")["mac-rsa-sha512"]
        assert option.alias_of == "SHA512"
        assert (option.suite.settings["digest-number"], option.suite.settings["mac-length"]) == ("674", "64")

    def test_none_is_unprotected(self) -> None:
        options = census("debian-11")
        assert {name for name, option in options.items() if option.is_unprotected} == {"cipher-none", "mac-none"}
        assert options["mac-none"].suite.settings["mac-length"] == "0"


class TestNegotiated:
    def test_report_of_udp_with_what_was_asked_for(self) -> None:
        assert re.search(negotiated(default_request()), REPORT)

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("cipher 427", "cipher 419"),
            ("digest 672", "digest 64"),
            ("maclength 32", "maclength 4"),
            ("status 001a", "status 0018"),  # no key: frames go over TCP
            ("status 001a", "status 000a"),  # not reached
            ("status 001a", "status 003a"),  # reached through another node
            ("options 0", "options 2"),  # TCP only
            ("options 0", "options 4"),  # larger frames go over TCP
            ("options 0", "options c"),
            ("192.0.2.2", "192.0.2.9"),
        ],
    )
    def test_anything_else_is_not_what_was_asked_for(self, old: str, new: str) -> None:
        assert old in REPORT
        assert not re.search(negotiated(default_request()), REPORT.replace(old, new))

    def test_unknown_number_is_any_but_none(self) -> None:
        good = default_request()
        suite = replace(good.suite, settings={**good.suite.settings, "cipher-number": "any"})
        pattern = negotiated(replace(good, suite=suite))
        assert re.search(pattern, REPORT)
        assert not re.search(pattern, REPORT.replace("cipher 427", "cipher 0"))


class TestPlan:
    def test_protocol_is_legacy_and_the_default_not_worse(self) -> None:
        assert judge_suite(adapter.suites(facts(), facts())[0], adapter.info)[0] is Verdict.LEGACY

    def test_macs_are_whole_and_large_frames_do_not_go_over_tcp(self) -> None:
        plan = adapter.plan(default_request())
        for end in (plan.a, plan.b):
            hosts = [file.content.decode().splitlines() for file in end.files if "/hosts/" in file.path]
            assert len(hosts) == 2
            assert all({"MACLength = 32", "PMTUDiscovery = no", "TCPOnly = no"} <= set(lines) for lines in hosts)

    def test_b_calls_a_and_starts_last(self) -> None:
        plan = adapter.plan(default_request())
        assert [step.title.split()[0] for step in plan.a.steps] == ["Make", "Start", "Give"]
        assert [step.title.split()[0] for step in plan.b.steps] == ["Make", "Give", "Start"]
        assert b"ConnectTo" not in plan.a.files[0].content
        assert b"ConnectTo = tunnelmark_a" in plan.b.files[0].content

    @pytest.mark.parametrize("value", ["AES-256-CBC\nScriptsInterpreter = sh", "a b", ""])
    def test_setting_that_is_not_one_word_is_refused(self, value: str) -> None:
        good = default_request()
        with pytest.raises(InvalidPlan):
            adapter.plan(replace(good, suite=replace(good.suite, settings={**good.suite.settings, "cipher": value})))

    def test_overhead_as_captured_on_debian_11_and_13(self) -> None:
        # By hand, with a MAC of 16 bytes: 60 → 138, 1000 → 1066; a stream cipher 1000 → 1062; SHA-512 whole 1114.
        assert 60 + Cost(16, 16).at(60) == 138
        assert 1000 + Cost(16, 16).at(1000) == 1066
        assert 1000 + Cost(1, 16).at(1000) == 1062
        assert 1000 + Cost(16, 64).at(1000) == 1114

    @pytest.mark.parametrize("block", [1, 8, 16])
    def test_largest_frame_fits_and_one_byte_more_does_not(self, block: int) -> None:
        cost = Cost(block, 32)
        largest = cost.largest_unfragmented_frame_bytes(1500)
        assert largest + cost.at(largest) <= 1514 < largest + 1 + cost.at(largest + 1)


class TestIdentity:
    def test_key_remains_and_its_public_part_is_read(self, tmp_path: Path) -> None:
        link = Link("192.0.2.1", "192.0.2.2", run_dir=str(tmp_path))
        recipe = identity.recipe(link, Side.A)
        (step,) = recipe.steps
        quick = ("2048" if word == "3072" else word for word in step.command.argv)
        subprocess.run(list(quick), check=True, capture_output=True)
        assert (tmp_path / "tinc" / "rsa_key.priv").stat().st_mode & 0o077 == 0
        shown = subprocess.run(recipe.public["rsa-public-key"].argv, check=True, capture_output=True, text=True).stdout
        assert identity.parse({"rsa-public-key": result(shown)}).values["rsa-public-key"] == shown.strip()
        assert step.undo is not None
        for _ in range(2):
            subprocess.run(step.undo.argv, check=True)
        assert list(tmp_path.iterdir()) == []

    def test_private_key_is_refused(self) -> None:
        with pytest.raises(CommandFailed):
            identity.parse({"rsa-public-key": result("-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----")})
