"""L2TPv2 without IPsec: what a host's answers mean, its configuration, and that it is never deployed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.discovery.candidates import missing_parts
from app.domain.hosts import Side
from app.domain.script_files import adapter_script
from support.adapter_cases import LEGACY_PLATFORM, facts, recorded, request, result
from vpn_adapters.shared.security import NO_PROTECTION
from vpn_adapters.xl2tpd import adapter

HOST = facts(LEGACY_PLATFORM)


def test_nothing_is_installed_for_it_on_a_host_without_it() -> None:
    support = adapter.parse_discovery(recorded("debian-13")["xl2tpd"])
    assert {part.what for part in support.missing} >= {"xl2tpd", "pppd", "kernel module l2tp_ppp"}
    assert {part.package for part in support.missing} == {""}
    assert "xl2tpd" not in {part.needed_for for part in missing_parts(facts("debian-13"))}


@pytest.mark.parametrize("what", ["xl2tpd", "pppd", "unshare"])
def test_a_host_that_lacks_a_program_cannot_do_it(what: str) -> None:
    answers = {**recorded(LEGACY_PLATFORM)["xl2tpd"], what: result(stderr="not found", exit_status=127)}
    assert [part.what for part in adapter.parse_discovery(answers).missing] == [what]


def test_a_answers_and_b_calls_each_at_its_own_address() -> None:
    plan = adapter.plan(request(adapter, NO_PROTECTION))
    a, b = (plan.on(side).files[0].content.decode().splitlines() for side in Side)
    assert {
        "listen-addr = 192.0.2.1",
        "[lns default]",
        "ip range = 198.18.1.2-198.18.1.2",
        "require chap = yes",
    } <= set(a)
    assert {"listen-addr = 192.0.2.2", "[lac tmklow0]", "lns = 192.0.2.1", "autodial = yes"} <= set(b)
    assert [plan.on(side).listens for side in Side] == [(("udp", 1701),)] * 2


def test_frames_are_those_of_captures() -> None:
    plan = adapter.plan(request(adapter, NO_PROTECTION))
    assert plan.overhead_bytes == 80
    assert "mtu 1462" in plan.a.files[-1].content.decode().splitlines()


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])
def test_it_gets_no_comment_that_it_refuses(tmp_path: Path, shell: tuple[str, ...]) -> None:
    (tmp_path / "run" / "xl2tpd").mkdir(parents=True)
    program = tmp_path / "xl2tpd"
    program.write_text('#!/bin/sh\ncat "$3"\n')
    program.chmod(0o755)
    config = tmp_path / "xl2tpd.conf"
    config.write_bytes(adapter.plan(request(adapter, NO_PROTECTION)).a.files[0].content)
    script = adapter_script("xl2tpd", "run-xl2tpd.sh").replace("/run/", f"{tmp_path}/run/")
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(
        [*shell, "-c", script, "sh", str(config)], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("[global]\nlisten-addr = 192.0.2.1\n")
