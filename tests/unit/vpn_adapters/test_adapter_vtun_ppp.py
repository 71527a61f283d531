"""VTun with PPP: answers of a host, files, steps, sizes of frames, and the cipher that has to be named."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.discovery.candidates import find_candidates, missing_parts
from app.domain.adapters import EndpointPlan, PlanRequest
from app.domain.hosts import Side
from app.domain.profiles import FRAME_BYTES
from app.domain.script_files import adapter_script
from app.domain.verdicts import Verdict
from support.adapter_cases import LEGACY_PLATFORM, facts, recorded, request, result
from vpn_adapters.vtun_ppp import adapter

HOST = facts(LEGACY_PLATFORM)
FOLDER = "/run/tunnelmark/tunnel"
SECRET = "0123456789abcdef" * 4


def asked(suite: str = "aes256cbc") -> PlanRequest:
    return request(adapter, next(one for one in adapter.suites(HOST, HOST) if one.name == suite))


def settings_of(end: EndpointPlan, name: str) -> list[str]:
    text = next(one for one in end.files if one.path.endswith(f"/{name}")).content.decode()
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def test_nothing_is_installed_for_it_on_a_host_without_it() -> None:
    support = adapter.parse_discovery(recorded("debian-13")["vtun-ppp"])
    assert {part.what for part in support.missing} >= {"vtund", "pppd", "kernel module ppp_async"}
    assert {part.package for part in support.missing} == {""}
    assert "vtun-ppp" not in {part.needed_for for part in missing_parts(facts("debian-13"))}


@pytest.mark.parametrize(
    ("question", "lacks"), [("version", "vtund"), ("pppd", "pppd"), ("unshare", "unshare"), ("nft", "nftables")]
)
def test_a_host_that_lacks_a_program_cannot_do_it(question: str, lacks: str) -> None:
    answers = {**recorded(LEGACY_PLATFORM)["vtun-ppp"], question: result(stderr="not found", exit_status=127)}
    support = adapter.parse_discovery(answers)
    assert ([part.what for part in support.missing], support.is_available) == ([lacks], False)


def test_blowfish_is_offered_where_both_have_the_legacy_provider() -> None:
    answers = {**recorded(LEGACY_PLATFORM)["vtun-ppp"], "providers": result("", exit_status=1)}
    without = replace(HOST, solutions={**HOST.solutions, "vtun-ppp": adapter.parse_discovery(answers)})
    assert [suite.name for suite in adapter.suites(HOST, HOST)] == ["aes256cbc", "aes128cbc", "blowfish128ecb"]
    assert [suite.name for suite in adapter.suites(without, HOST)] == ["aes256cbc", "aes128cbc"]


def test_it_is_insecure_and_not_ticked_by_itself() -> None:
    candidates, ticked = find_candidates({"vtun-ppp": adapter}, HOST, HOST, guidelines=())
    assert {one.verdict for one in candidates} == {Verdict.INSECURE}
    assert ticked == ()


@pytest.mark.parametrize(
    ("side", "bind", "wait"),
    [
        (Side.A, ["  bindaddr {", "    addr 192.0.2.1;", "  };"], []),
        (Side.B, [], ['    program "/bin/sleep 3" wait;']),
    ],
    ids=["a", "b"],
)
def test_vtund_starts_pppd_when_its_session_opens_and_b_waits(side: Side, bind: list[str], wait: list[str]) -> None:
    plan = adapter.plan(asked())
    assert settings_of(plan.on(side), "vtund.conf") == [
        "options {",
        "  port 21195;",
        "  timeout 20;",
        "  ppp /usr/sbin/pppd;",
        "  syslog daemon;",
        *bind,
        "}",
        "tunnelmark-tmk0 {",
        "  type tty;",
        "  proto udp;",
        "  compress no;",
        "  encrypt aes256cbc;",
        "  keepalive 10:3;",
        "  persist yes;",
        "  up {",
        *wait,
        f'    ppp "file {FOLDER}/ppp.options";',
        "  };",
        "  down {",
        "  };",
        "}",
    ]


def test_pppd_is_started_where_discovery_found_it() -> None:
    support = replace(HOST.solutions["vtun-ppp"], features=("pppd:/opt/sbin/pppd",))
    elsewhere = replace(HOST, solutions={**HOST.solutions, "vtun-ppp": support})
    plan = adapter.plan(replace(asked(), facts_b=elsewhere))
    own = [next(line for line in settings_of(plan.on(side), "vtund.conf") if " ppp /" in line) for side in Side]
    assert own == ["  ppp /usr/sbin/pppd;", "  ppp /opt/sbin/pppd;"]


def test_both_pppds_have_their_addresses_and_a_asks_for_nothing() -> None:
    plan = adapter.plan(asked())
    a, b = (settings_of(plan.on(side), "ppp.options") for side in Side)
    assert a[:4] == ["noauth", "local", "198.18.1.1:198.18.1.2", "silent"]
    assert b[:3] == ["noauth", "local", "198.18.1.2:198.18.1.1"]
    assert a[4:] == b[3:]
    assert {"asyncmap 0", "ifname tmklow0", "mtu 1554", "nodetach", "nodefaultroute"} <= set(a)
    # vtund asks, and starts pppd with each session: no pppd gives up before its session does.
    assert {"lcp-max-configure 1000", "ipcp-max-configure 1000"} <= set(a)
    assert not [line for line in (*a, *b) if "lcp-echo" in line]


def test_openssl_is_configured_for_blowfish_alone() -> None:
    started = {}
    for name in ("aes256cbc", "blowfish128ecb"):
        plan = adapter.plan(asked(name))
        files = [Path(one.path).name for one in plan.b.files]
        started[name] = (files, f"OPENSSL_CONF={FOLDER}/vtund-openssl.cnf" in plan.b.steps[2].command.argv)
    assert started == {
        "aes256cbc": (["vtund.conf", "ppp.options"], False),
        "blowfish128ecb": (["vtund.conf", "vtund-openssl.cnf", "ppp.options"], True),
    }


def test_a_listens_and_b_calls_after_the_guard_and_before_the_session() -> None:
    plan = adapter.plan(asked())
    live = ("vtund", "-n", "-f", f"{FOLDER}/vtund-live.conf")
    assert plan.a.steps[2].command.argv[-5:] == (*live, "-s")
    assert plan.b.steps[2].command.argv[-6:] == (*live, "tunnelmark-tmk0", "192.0.2.1")
    assert [plan.on(side).listens for side in Side] == [(("tcp", 21195), ("udp", 21195)), ()]
    for side in Side:
        guard, *_, session = plan.on(side).steps
        assert "tmklow0" in guard.command.argv
        assert session.command.argv[-1] == f"{FOLDER}/vtund.password", "what the cookies are made of"


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])
def test_the_password_is_put_into_the_file(tmp_path: Path, shell: tuple[str, ...]) -> None:
    plan = adapter.plan(asked())
    step = plan.a.steps[1]
    argv = [word.replace(FOLDER, str(tmp_path)) for word in step.command.argv[3:]]
    (tmp_path / "vtund.conf").write_bytes(plan.a.files[0].content)
    missing = subprocess.run([*shell, "-c", step.command.argv[2], *argv], capture_output=True, check=False)
    assert (missing.returncode, missing.stderr) == (1, b"there is no password\n")
    (tmp_path / "vtund.password").write_text(f"password {SECRET};\n")
    subprocess.run([*shell, "-c", step.command.argv[2], *argv], check=True)
    live = tmp_path / "vtund-live.conf"
    assert f"  # password\npassword {SECRET};\n  type tty;\n" in live.read_text()
    assert live.stat().st_mode & 0o077 == 0
    assert step.undo is not None
    assert step.undo.argv == ("rm", "-f", f"{FOLDER}/vtund-live.conf")


STUB = """\
#!/bin/sh
printf '%s\\n' "$0" "$@" >> {argv}
exec {program} "$@"
"""
"""A program that writes down its arguments and runs the real one."""


def test_the_password_is_on_no_command_line(tmp_path: Path) -> None:
    folder, argv = tmp_path / "bin", tmp_path / "argv"
    folder.mkdir()
    # The one program that the script starts; `[` and `echo` are dash's own.
    stub = folder / "sed"
    stub.write_text(STUB.format(argv=argv, program=shutil.which("sed")))
    stub.chmod(0o755)
    plan = adapter.plan(asked())
    step = plan.a.steps[1]
    (tmp_path / "vtund.conf").write_bytes(plan.a.files[0].content)
    (tmp_path / "vtund.password").write_text(f"password {SECRET};\n")
    words = [word.replace(FOLDER, str(tmp_path)) for word in step.command.argv[3:]]
    dash = shutil.which("dash")
    assert dash is not None
    subprocess.run([dash, "-c", step.command.argv[2], *words], check=True, env={"PATH": str(folder)})
    assert SECRET in (tmp_path / "vtund-live.conf").read_text()
    called = argv.read_text()
    assert f"{folder}/sed\n" in called
    assert SECRET not in called
    assert not [word for word in step.command.argv if SECRET in word]


def test_the_password_is_made_on_a_alone_and_for_root_alone(tmp_path: Path) -> None:
    assert not adapter.identity(asked(), Side.B).steps
    (secret,) = adapter.identity(asked(), Side.A).shared
    assert secret.path == f"{FOLDER}/vtund.password"
    made = tmp_path / "password"
    subprocess.run(["dash", "-c", adapter_script("shared/vtund", "make-password.sh"), "x", str(made)], check=True)
    assert re.fullmatch(r"password [0-9a-f]{64};\n", made.read_text())
    assert made.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "outer"),
    [
        ("aes256cbc", (172, 236, 364, 620, 1132, 1516, 1628)),
        ("aes128cbc", (172, 236, 364, 620, 1132, 1516, 1628)),
        ("blowfish128ecb", (148, 220, 348, 604, 1116, 1492, 1604)),
    ],
)
def test_every_frame_size_as_captured_if_it_were_alone_in_a_datagram(name: str, outer: tuple[int, ...]) -> None:
    plan = adapter.plan(asked(name))
    assert tuple(size + plan.overhead_by_frame[size] for size in FRAME_BYTES) == outer
    assert plan.largest_unfragmented_frame_bytes is None, "bytes that are sent as two make it depend on the frame"
    assert plan.outer_filter == "udp port 21195"


def test_negotiated_must_be_the_cipher_that_was_asked_for() -> None:
    check = adapter.plan(asked("aes128cbc")).b.negotiated
    assert check is not None
    line = "vtund[c]: tunnelmark-tmk0 tty [265]: AES-128-CBC encryption initialized"
    assert re.search(check.stdout_pattern, line)
    other = line.replace("128", "256")
    assert not re.search(check.stdout_pattern, other)
    assert re.search(check.stdout_pattern, f"{line}\n{line}\n"), "a line for each session"
    for log in (f"{line}\n{other}\n", f"{other}\n{line}\n"):
        assert not re.search(check.stdout_pattern, log), "another call, with another greeting"
