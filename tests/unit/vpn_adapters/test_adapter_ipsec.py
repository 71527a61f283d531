"""IPsec: what hosts offer, the table of ESP's algorithms, what it costs, and how configurations are read."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.adapters import Purpose
from app.domain.errors import InvalidPlan
from app.domain.hosts import HostFacts, Side
from app.domain.linting import MASK
from app.domain.solutions import OptionKind
from app.domain.verdicts import PostQuantum
from app.policy import UNKNOWN_REASON, judge, post_quantum
from support.adapter_cases import facts, recorded, request, result
from vpn_adapters.ipsec import adapter
from vpn_adapters.ipsec.swanctl_reader import read
from vpn_adapters.shared.strongswan import discovery, overhead
from vpn_adapters.shared.strongswan.algorithms import proposal_of
from vpn_adapters.shared.strongswan.suites import has_ppk

NAMES = ("debian-11", "debian-13")


def with_features(host: HostFacts, *features: str) -> HostFacts:
    support = replace(host.solutions["ipsec"], features=features)
    return replace(host, solutions={**host.solutions, "ipsec": support})


def with_answers(**changed: str) -> tuple[str, ...]:
    answers = {**recorded("debian-13")["ipsec"], **{name: result(text) for name, text in changed.items()}}
    return adapter.parse_discovery(answers).features


def test_negotiation_is_what_both_have() -> None:
    old, new = facts("debian-11"), facts("debian-13")
    chosen = {
        name: adapter.suites(*pair)[0].settings["ike"]
        for name, pair in {"new": (new, new), "old": (old, old), "mixed": (old, new)}.items()
    }
    assert chosen["new"] == "aes256gcm16-prfsha384-x25519"
    assert chosen["old"] == chosen["mixed"] == "chacha20poly1305-prfsha384-x25519"


def test_ml_kem_is_offered_only_where_it_can_be_used() -> None:
    plugins = adapter.discovery()["plugins"]
    assert plugins
    assert discovery.ML_KEM not in with_answers()
    newer = "strongSwan 6.0.2 swanctl\n"
    assert discovery.ML_KEM in with_answers(swanctl=newer)
    assert discovery.ML_KEM not in with_answers(swanctl=newer, openssl="OpenSSL 3.0.17 1 Jul 2025\n")
    old = recorded("debian-13")["ipsec"]["plugins"].stdout
    assert discovery.ML_KEM in with_answers(plugins=old + "libstrongswan-ml.so\n")
    assert discovery.ML_KEM not in with_answers(
        swanctl="strongSwan 5.9.1 swanctl\n", plugins=old + "libstrongswan-ml.so\n"
    )


def test_hybrid_is_negotiated_where_both_have_it() -> None:
    host = facts("debian-13")
    hybrid = with_features(host, *host.solutions["ipsec"].features, discovery.ML_KEM)
    suite = adapter.suites(hybrid, hybrid)[0]
    assert suite.settings["ike"].endswith("-x25519-ke1_mlkem768")
    assert "ML-KEM-768" in suite.algorithms
    made = replace(request(adapter, suite), facts_a=hybrid, facts_b=hybrid)
    assert b"esp_proposals = aes256gcm16-x25519-ke1_mlkem768\n" in adapter.plan(made).a.files[1].content
    assert "ML-KEM-768" not in adapter.suites(hybrid, host)[0].algorithms
    assert not any(map(has_ppk, adapter.suites(hybrid, hybrid))), "a key exchange of its own is better"


def test_ppk_is_offered_where_both_can_derive_it_and_required_then() -> None:
    new, old = facts(), facts("debian-11")
    plain, *_, hybrid = adapter.suites(new, new)
    assert (plain.is_default, has_ppk(plain), hybrid.is_default, has_ppk(hybrid)) == (True, False, False, True)
    assert (post_quantum(plain, adapter.info), post_quantum(hybrid, adapter.info)) == (
        PostQuantum.NONE,
        PostQuantum.STORED,
    )
    for hosts in ((new, old), (old, new), (old, old)):
        assert not any(map(has_ppk, adapter.suites(*hosts)))
    assert discovery.PPK not in with_answers(swanctl="strongSwan 5.6.3 swanctl\n")
    assert discovery.PPK not in with_answers(kem="")
    for suite in (plain, hybrid):
        made = request(adapter, suite)
        for side in Side:
            wanted = b"ppk_required = yes" in adapter.plan(made).on(side).files[1].content
            assert wanted is has_ppk(suite)
            recipe = adapter.identity(made, side)
            assert len(recipe.encapsulated) == (has_ppk(suite) and side is Side.A)
            assert recipe.shared == (), "nothing secret passes through this process"


def test_ppk_counts_only_where_the_daemon_used_it() -> None:
    plain, *_, hybrid = adapter.suites(facts(), facts())
    shown = (
        "tunnelmark: #1, ESTABLISHED, IKEv2\n  AES_GCM_16-256/PRF_HMAC_SHA2_384/CURVE_25519{}\n"
        "  tunnelmark: #1, INSTALLED, TRANSPORT, ESP:AES_GCM_16-256\n"
    )
    for suite, used in ((plain, ""), (hybrid, "/PPK")):
        pattern = adapter.plan(request(adapter, suite)).a.negotiated.stdout_pattern
        assert re.search(pattern, shown.format(used))
        assert not re.search(pattern, shown.format("/PPK" if not used else ""))


def test_of_a_tunnel_that_remains_one_host_goes_on_asking() -> None:
    host = facts("debian-13")
    measured = request(adapter, adapter.suites(host, host)[0])
    supervisor = adapter.plan(replace(measured, purpose=Purpose.DEPLOYMENT))
    for end, plan in ((supervisor.a, True), (supervisor.b, False), (adapter.plan(measured).a, False)):
        assert (b"keyingtries = 0\n" in end.files[1].content) is plan


def test_host_without_a_plugin_for_curves_gets_others() -> None:
    host = facts("debian-13")
    plain = with_features(host, discovery.ECDSA, discovery.ECP384, discovery.CBC)
    suite = adapter.suites(plain, host)[0]
    assert suite.settings["ike"] == "aes256-sha384-ecp384"
    script = adapter.identity(replace(request(adapter, suite), facts_a=plain), Side.A).steps[0].command.argv
    assert script[-1] == "ecdsa"
    assert adapter.suites(with_features(host, discovery.ECDSA), host) == ()


@pytest.mark.parametrize("platform", NAMES)
def test_census_has_every_kind_and_unique_suites(platform: str) -> None:
    host = facts(platform)
    options = adapter.census(host, host)
    names = [option.suite.name for option in options] + [suite.name for suite in adapter.suites(host, host)]
    assert len(set(names)) == len(names)
    assert {option.kind for option in options} == set(OptionKind)
    assert {option.name for option in options if option.is_unprotected} == {
        "null",
        "none",
        "aes128gmac",
        "aes192gmac",
        "aes256gmac",
    }
    unknown = [name for option in options for name in option.suite.algorithms if judge(name).reason == UNKNOWN_REASON]
    assert unknown == []


def test_every_census_option_can_be_planned_and_negotiates_its_own_name() -> None:
    host = facts("debian-13")
    patterns = set()
    for option in adapter.census(host, host):
        plan = adapter.plan(request(adapter, option.suite))
        for side in Side:
            assert plan.on(side).negotiated is not None
        assert plan.a.negotiated is not None
        patterns.add(plan.a.negotiated.stdout_pattern)
        config = plan.a.files[1].content.decode()
        assert f"esp_proposals = {option.suite.settings['esp']}-x25519\n" in config
        assert f"id = a.{option.suite.name}.tunnelmark\n" in config
    # HMAC-SHA-1 with AES-128-CBC is there as a cipher and as a MAC.
    assert len(patterns) == len(adapter.census(host, host)) - 1


@pytest.mark.parametrize(
    ("keywords", "outer_bytes"),
    [
        ("aes128gcm8", 1070),
        ("aes128gcm12", 1074),
        ("aes256gcm16", 1078),
        ("aes256-sha256", 1098),
        ("aes128ctr-sha256", 1078),
        ("3des-sha256", 1082),
        ("null-sha256", 1070),
        ("aes128-md5", 1094),
        ("aes128-sha1_160", 1102),
        ("aes128-sha384", 1106),
        ("aes128-sha512", 1114),
    ],
)
def test_overhead_is_the_measured_one(keywords: str, outer_bytes: int) -> None:
    # Measured with L2TPv3 over IP on Debian 13: length on the underlay of a frame of 1000 bytes without a cookie, which
    # is what a frame of 992 bytes and its cookie of 8 make.
    proposal = proposal_of(keywords)
    assert proposal is not None
    assert 992 + overhead.overhead_bytes(proposal, 992, 16) == outer_bytes
    largest = overhead.largest_unfragmented_frame_bytes(proposal, 1500, 16)
    assert overhead.packet_bytes(proposal, largest, 16) <= 1500 < overhead.packet_bytes(proposal, largest + 1, 16)


def test_proposal_that_is_none_is_refused() -> None:
    assert proposal_of("aes128-nothing") is None
    suite = adapter.suites(facts("debian-13"), facts("debian-13"))[0]
    with pytest.raises(InvalidPlan):
        adapter.plan(request(adapter, replace(suite, settings={**suite.settings, "esp": "rot13"})))
    with pytest.raises(InvalidPlan):
        adapter.plan(request(adapter, replace(suite, settings={**suite.settings, "ike": "x y"})))


def test_only_one_side_asks_and_nothing_traps() -> None:
    plan = adapter.plan(request(adapter, adapter.suites(facts("debian-13"), facts("debian-13"))[0]))
    scripts = {
        side: next(step for step in plan.on(side).steps if step.depends_on_suite).command.argv[2] for side in Side
    }
    assert "--initiate" in scripts[Side.A]
    assert "--initiate" not in scripts[Side.B]
    for side in Side:
        assert b"start_action = none\n" in plan.on(side).files[1].content
        assert ("udp", 500) in plan.on(side).listens


def test_guard_is_there_first_and_goes_last() -> None:
    plan = adapter.plan(request(adapter, adapter.suites(facts("debian-13"), facts("debian-13"))[0]))
    for side in Side:
        assert "rt ipsec missing" in plan.on(side).steps[0].command.argv[2]


def test_configuration_is_read_with_its_sections_and_without_secrets() -> None:
    text = """connections {
  l2 { # a comment
    version = 2
    local { auth = pubkey
      id = gw1 }
    children { frames { esp_proposals = aes256gcm16 } }
  }
}
secrets {
  ike-1 {
    secret = "open sesame"
  }
}
"""
    found = {setting.name: (setting.line, setting.value) for setting in read(text).settings}
    assert found["connections.l2.version"] == (3, "2")
    assert found["connections.l2.local.id"] == (5, "gw1")
    assert found["connections.l2.children.frames.esp_proposals"] == (6, "aes256gcm16")
    assert found["secrets.ike-1.secret"] == (11, MASK)


@given(st.text(alphabet='{}=#" \n\\abcsecret0'))
def test_any_text_can_be_read(text: str) -> None:
    for setting in read(text).settings:
        assert setting.name
