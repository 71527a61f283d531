"""PPTP: what a host's answers mean, its configuration, the guard around the frames, and that it is never deployed."""

from __future__ import annotations

import pytest

from app.discovery.candidates import missing_parts
from app.domain.adapters import PlanRequest
from app.domain.hosts import Side
from app.domain.verdicts import Verdict
from app.policy import judge_suite
from support.adapter_cases import LEGACY_PLATFORM, facts, recorded, request, result
from vpn_adapters.pptp import SUITE, adapter

HOST = facts(LEGACY_PLATFORM)


def asked() -> PlanRequest:
    return request(adapter, SUITE)


def test_nothing_is_installed_for_it_on_a_host_without_it() -> None:
    support = adapter.parse_discovery(recorded("debian-13")["pptp"])
    assert {part.what for part in support.missing} >= {"pptpd", "pptp", "pppd", "kernel module ppp_mppe"}
    assert {part.package for part in support.missing} == {""}
    assert "pptp" not in {part.needed_for for part in missing_parts(facts("debian-13"))}


@pytest.mark.parametrize("what", ["pptpd", "pptp", "pppd", "unshare", "nft"])
def test_a_host_that_lacks_a_program_cannot_do_it(what: str) -> None:
    answers = {**recorded(LEGACY_PLATFORM)["pptp"], what: result(stderr="not found", exit_status=127)}
    support = adapter.parse_discovery(answers)
    assert [part.what for part in support.missing] == ["nftables" if what == "nft" else what]


def test_its_suite_is_insecure() -> None:
    verdict, findings = judge_suite(SUITE, adapter.info, guidelines=())
    assert verdict is Verdict.INSECURE
    assert {one.subject for one in findings} >= {"MPPE-128", "MS-CHAPv2", "pptp"}


def test_a_listens_at_its_own_address_and_b_leaves_no_route() -> None:
    plan = adapter.plan(asked())
    assert "listen 192.0.2.1" in plan.a.files[0].content.decode().splitlines()
    assert plan.a.listens == (("tcp", 1723),)
    assert plan.b.listens == ()
    calls = [line for line in plan.b.files[0].content.decode().splitlines() if line.startswith("pty ")]
    assert calls == ['pty "pptp 192.0.2.1 --nolaunchpppd --nohostroute --logstring tmklow0"']


@pytest.mark.parametrize("side", list(Side))
def test_encryption_is_demanded_on_both_sides_and_the_login_by_a(side: Side) -> None:
    lines = adapter.plan(asked()).on(side).files[-1].content.decode().splitlines()
    assert {"require-mppe-128", "nomppe-stateful", "refuse-mschap", "mtu 1463", "mru 1463"} <= set(lines)
    assert ("require-mschap-v2" in lines) == (side is Side.A)


def test_the_session_waits_for_the_call_and_comes_after_its_guard() -> None:
    guard, _, session = adapter.plan(asked()).a.steps
    assert "tmklow0" in guard.command.argv
    assert session.forward_retry_s >= 30
    assert session.command.argv[-1].endswith("/ppp.secret")
