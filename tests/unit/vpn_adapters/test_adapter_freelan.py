"""freelan: what a host's answers mean, what is offered, the configuration, and what hostile hosts make of it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.adapters import PlanRequest, find_suite
from app.domain.errors import CommandFailed, InvalidPlan
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.profiles import FRAME_BYTES
from app.domain.solutions import Suite
from app.policy import UNKNOWN_REASON, judge
from support.adapter_cases import CERTIFICATES, facts, recorded, request, result
from vpn_adapters.freelan import adapter
from vpn_adapters.freelan.suites import CIPHER_SUITES, CURVES
from vpn_adapters.shared.messages import KERNEL_MODULE_PART

HOST = facts("debian-11")
LOG = """\
2026-11-21T03:14:44.044931 [INFORMATION] Accepting PRESENTATION from 192.0.2.2:21000 (CN=B): first presentation.
2026-11-21T03:14:44.370311 [IMPORTANT] Session established with 192.0.2.2:21000.
2026-11-21T03:14:44.370819 [INFORMATION] Cipher suite: ecdhe_rsa_aes256_gcm_sha384
2026-11-21T03:14:44.370985 [INFORMATION] Elliptic curve: secp384r1
"""
"""As freelan 2.2.0 wrote it on A of the practice lab."""


def default_request() -> PlanRequest:
    return request(adapter, adapter.suites(HOST, HOST)[0])


def asked(name: str) -> PlanRequest:
    suite = find_suite(adapter, HOST, HOST, name)
    assert suite is not None
    return request(adapter, suite)


def config(plan_request: PlanRequest, side: Side = Side.A) -> list[str]:
    return adapter.plan(plan_request).on(side).files[0].content.decode().splitlines()


class TestDiscovery:
    def test_debian_11_has_it(self) -> None:
        support = HOST.solutions["freelan"]
        assert (support.is_available, support.version) == (True, "2.2.0")

    def test_debian_13_lacks_it_and_no_package_is_named_that_is_not_there(self) -> None:
        support = facts("debian-13").solutions["freelan"]
        assert not support.is_available
        assert [(part.what, part.package) for part in support.missing] == [("freelan", "")]
        assert "Debian 11" in support.note

    def test_where_the_archive_has_it_the_package_is_named(self) -> None:
        answers = {**recorded("debian-11")["freelan"], "version": result(stderr="not found", exit_status=127)}
        support = adapter.parse_discovery(answers)
        assert [(part.what, part.package) for part in support.missing] == [("freelan", "freelan")]
        assert support.note == ""

    @pytest.mark.parametrize(
        ("question", "what"),
        [("openssl", "openssl"), ("ip", "iproute2"), ("modules", KERNEL_MODULE_PART(module="tun"))],
    )
    def test_each_missing_part_is_named(self, question: str, what: str) -> None:
        answers = {**recorded("debian-11")["freelan"], question: result(stderr="not found", exit_status=127)}
        support = adapter.parse_discovery(answers)
        assert not support.is_available
        assert [part.what for part in support.missing] == [what]

    def test_one_that_cannot_be_held_to_a_curve_is_refused_in_words(self) -> None:
        answers = {
            **recorded("debian-11")["freelan"],
            "version": result("freelan 2.0.0 (2.0) Thu 1 Jan 2015\n"),
            "options": result("  --fscp.cipher_suite_capability arg\n"),
        }
        support = adapter.parse_discovery(answers)
        assert not support.is_available
        assert "2.2" in support.note


class TestSuites:
    def test_strongest_first_and_one_default(self) -> None:
        suites = adapter.suites(HOST, HOST)
        assert [suite.name for suite in suites] == [
            "aes-256-gcm-secp384r1",
            "aes-128-gcm-secp384r1",
            "aes-256-gcm-secp521r1",
            "aes-128-gcm-secp521r1",
        ]
        assert [suite.is_default for suite in suites] == [True, False, False, False]

    def test_a_binary_curve_is_never_offered_but_in_the_census(self) -> None:
        assert not any("sect571k1" in suite.algorithms for suite in adapter.suites(HOST, HOST))
        assert sum("sect571k1" in option.suite.algorithms for option in adapter.census(HOST, HOST)) == 2

    def test_census_is_every_suite_with_every_curve_and_all_are_known_to_the_policy(self) -> None:
        options = adapter.census(HOST, HOST)
        assert len(options) == len(CIPHER_SUITES) * len(CURVES) == 6
        assert len({option.suite.name for option in options}) == len({option.name for option in options}) == 6
        for option in options:
            assert [name for name in option.suite.algorithms if judge(name).reason == UNKNOWN_REASON] == []

    def test_nothing_where_one_host_has_no_freelan(self) -> None:
        assert adapter.suites(HOST, facts("debian-13")) == ()
        assert adapter.census(facts("debian-13"), HOST) == ()


class TestPlan:
    def test_an_option_of_the_census_is_held_to_its_suite_and_curve(self) -> None:
        lines = config(asked("aes-128-gcm-sect571k1"))
        assert [line for line in lines if "capability" in line] == [
            "cipher_suite_capability=ecdhe_rsa_aes128_gcm_sha256",
            "elliptic_curve_capability=sect571k1",
        ]

    def test_the_peer_s_certificate_is_the_only_authority(self) -> None:
        end = adapter.plan(default_request()).a
        own, peer = end.files
        assert f"authority_certificate_file={peer.path}" in own.content.decode().splitlines()
        assert CERTIFICATES[Side.B] in peer.content.decode()
        assert CERTIFICATES[Side.A] not in peer.content.decode()

    @pytest.mark.parametrize("side", list(Side))
    def test_what_freelan_does_beside_a_tunnel_is_off(self, side: Side) -> None:
        lines = config(default_request(), side)
        for line in ("upnp_enabled=no", "dhcp_proxy_enabled=no", "accept_contacts=no", "relay_mode_enabled=no"):
            assert line in lines
        assert lines.count("enabled=no") == 2
        assert f"listen_on=192.0.2.{1 if side is Side.A else 2}:21000" in lines

    @pytest.mark.parametrize(
        ("log", "is_as_asked"),
        [
            (LOG, True),
            (LOG.replace("aes256", "aes128"), False),
            (LOG.replace("secp384r1", "sect571k1"), False),
            (LOG.replace("192.0.2.2", "192.0.2.9"), False),
            ("Cipher suite: ecdhe_rsa_aes256_gcm_sha384\nElliptic curve: secp384r1\n", False),
        ],
    )
    def test_negotiated_reads_the_log(self, log: str, is_as_asked: bool) -> None:
        check = adapter.plan(default_request()).a.negotiated
        assert check is not None
        words = re.compile(check.command.argv[2])
        shown = "".join(f"{line}\n" for line in log.splitlines() if words.search(line))
        assert (re.search(check.stdout_pattern, shown) is not None) == is_as_asked

    def test_overhead_is_the_same_for_every_frame(self) -> None:
        plan = adapter.plan(default_request())
        assert (plan.overhead_bytes, dict(plan.overhead_by_frame)) == (68, {})
        assert plan.largest_unfragmented_frame_bytes == 1446
        assert max(FRAME_BYTES) > 1446

    def test_only_the_daemon_is_started_anew_for_another_suite(self) -> None:
        one, other = (adapter.plan(asked(name)).a for name in ("aes-256-gcm-secp384r1", "aes-128-gcm-sect571k1"))
        assert [step.title for step in one.steps if step.depends_on_suite] == ["Start freelan"]
        assert [step.undo for step in one.steps] == [step.undo for step in other.steps]

    def test_other_names_and_ports_are_taken(self) -> None:
        link = Link(underlay_a="10.0.0.1", underlay_b="10.0.0.2", run_dir="/run/tunnelmark/other")
        plan = adapter.plan(replace(default_request(), link=link))
        assert "contact=10.0.0.2:21000" in plan.a.files[0].content.decode()
        assert all(file.path.startswith("/run/tunnelmark/other/") for file in plan.b.files)

    def test_a_suite_without_settings_is_refused(self) -> None:
        with pytest.raises(InvalidPlan):
            adapter.plan(replace(default_request(), suite=Suite(name="x", title="x")))


class TestIdentity:
    def test_what_surrounds_a_certificate_is_left_out(self) -> None:
        shown = f"secret\n[server]\n{CERTIFICATES[Side.A]}[client]\n"
        assert adapter.parse_identity({"certificate": result(shown)}).values == {"certificate": CERTIFICATES[Side.A]}

    @settings(deadline=None)
    @given(text=st.text() | st.text(alphabet="-BEGINCRTFAD \n=+/aMC"))
    def test_hostile_output_is_refused_or_a_certificate(self, text: str) -> None:
        try:
            values = adapter.parse_identity({"certificate": result(text)}).values
        except CommandFailed:
            return
        lines = values["certificate"].splitlines()
        assert (lines[0], lines[-1]) == ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        assert all(re.fullmatch(r"[A-Za-z0-9+/=]+", line) for line in lines[1:-1])
