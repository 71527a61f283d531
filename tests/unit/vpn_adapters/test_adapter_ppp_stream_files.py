"""PPP over SSH and stunnel with PPP: their files in full, sizes of every frame, suites, and the path of a program."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import Adapter, EndpointPlan, PlanRequest
from app.domain.hosts import Side
from app.domain.profiles import FRAME_BYTES
from support.adapter_cases import LEGACY_PLATFORM, facts, recorded, request, result
from vpn_adapters.ppp_ssh import adapter as ppp_ssh
from vpn_adapters.shared import discovering
from vpn_adapters.shared.openssh import identity
from vpn_adapters.stunnel import adapter as stunnel

HOST = facts(LEGACY_PLATFORM)
FOLDER = "/run/tunnelmark/tunnel"
BOTH = pytest.mark.parametrize("adapter", [ppp_ssh, stunnel], ids=lambda one: one.info.name)


def asked(adapter: Adapter, suite: str = "aes-256-gcm") -> PlanRequest:
    return request(adapter, next(one for one in adapter.suites(HOST, HOST) if one.name == suite))


def settings_of(end: EndpointPlan, name: str) -> list[str]:
    text = next(one for one in end.files if one.path.endswith(f"/{name}")).content.decode()
    return [line for line in text.splitlines() if not line.startswith("#")]


TRUST = [
    f"cert = {FOLDER}/stunnel.crt",
    f"key = {FOLDER}/stunnel.key",
    f"CAfile = {FOLDER}/peer.crt",
    "verifyPeer = yes",
    "sslVersion = TLSv1.3",
    "ciphersuites = TLS_AES_256_GCM_SHA384",
    "curves = X25519",
    "socket = l:TCP_NODELAY=1",
    "socket = r:TCP_NODELAY=1",
    "TIMEOUTclose = 1",
]
PROCESS = [
    "pid =",
    "syslog = no",
    "debug = info",
    f"output = {FOLDER}/stunnel.log",
]


def test_stunnel_of_a_starts_pppd_by_its_path_and_b_serves_the_pppd_that_starts_it() -> None:
    plan = stunnel.plan(asked(stunnel))
    assert settings_of(plan.a, "stunnel.conf") == [
        "foreground = yes",
        *PROCESS,
        "[tmklow0]",
        "accept = 192.0.2.1:21195",
        *TRUST,
        "exec = /usr/sbin/pppd",
        f"execArgs = pppd file {FOLDER}/ppp.options",
        "pty = yes",
    ]
    assert settings_of(plan.b, "stunnel.conf") == [
        *PROCESS,
        "client = yes",
        "connect = 192.0.2.1:21195",
        "local = 192.0.2.2",
        *TRUST,
        "sni =",
        "TIMEOUTconnect = 5",
    ]


@BOTH
def test_pppd_is_started_where_discovery_found_it(adapter: Adapter) -> None:
    name = adapter.info.name
    answers = recorded(LEGACY_PLATFORM)[name]
    support = adapter.parse_discovery({**answers, "path": result("/opt/sbin/pppd\n")})
    elsewhere = replace(HOST, solutions={**HOST.solutions, name: support})
    there = asked(adapter)
    plan = adapter.plan(replace(there, facts_a=elsewhere, facts_b=elsewhere))
    assert plan.b.steps[1].command.argv[-3:] == ("/opt/sbin/pppd", "file", f"{FOLDER}/ppp.options")
    if adapter is stunnel:
        assert "exec = /opt/sbin/pppd" in settings_of(plan.a, "stunnel.conf")
    else:
        command = f"exec /opt/sbin/pppd notty file {FOLDER}/ppp.options"
        assert f"ForceCommand {command}" in settings_of(plan.a, "sshd_config")
        assert f'command="{command}"' in "".join(settings_of(plan.a, "authorized_keys"))
    for facts_a, facts_b in ((elsewhere, HOST), (HOST, elsewhere)):
        mixed = adapter.plan(replace(there, facts_a=facts_a, facts_b=facts_b))
        is_there = "/opt/sbin/pppd" in mixed.b.steps[1].command.argv
        assert is_there == (facts_b is elsewhere), "each host's own"


@BOTH
def test_pppd_is_started_at_its_usual_place_where_its_path_is_not_known(adapter: Adapter) -> None:
    name = adapter.info.name
    answers = {**recorded(LEGACY_PLATFORM)[name], "path": result(exit_status=127)}
    unknown = replace(HOST, solutions={**HOST.solutions, name: adapter.parse_discovery(answers)})
    plan = adapter.plan(replace(asked(adapter), facts_b=unknown))
    assert "/usr/sbin/pppd" in plan.b.steps[1].command.argv


@BOTH
def test_options_of_pppd_on_both_sides(adapter: Adapter) -> None:
    call = {
        "ppp-ssh": f'pty "ssh -F {FOLDER}/ssh_config -E {FOLDER}/ssh.log tunnelmark-peer"',
        "stunnel": f'pty "stunnel {FOLDER}/stunnel.conf"',
    }[adapter.info.name]
    common = [
        "asyncmap 0",
        "noccp",
        "ifname tmklow0",
        "nodetach",
        "nodefaultroute",
        "noproxyarp",
        "noipv6",
        "novj",
        "mtu 1554",
        "mru 1554",
        "lcp-echo-interval 10",
        "lcp-echo-failure 3",
        "hide-password",
        f"logfile {FOLDER}/ppp.log",
    ]
    plan = adapter.plan(asked(adapter))
    a, b = (settings_of(plan.on(side), "ppp.options") for side in Side)
    assert a == ["noauth", "local", "198.18.1.1:198.18.1.2", *common]
    calls = [call, "persist", "maxfail 0", "holdoff 1"]
    assert b == ["noauth", "local", "198.18.1.2:198.18.1.1", *calls, *common]


@pytest.mark.parametrize(
    ("adapter", "suite", "outer"),
    [
        (ppp_ssh, "aes-256-gcm", (214, 278, 406, 662, 1174, 1542, 1654)),
        (ppp_ssh, "aes-128-gcm", (214, 278, 406, 662, 1174, 1542, 1654)),
        (ppp_ssh, "chacha20-poly1305", (206, 270, 398, 654, 1166, 1542, 1654)),
        (stunnel, "aes-256-gcm", (188, 256, 384, 640, 1152, 1528, 1642)),
        (stunnel, "aes-128-gcm", (188, 256, 384, 640, 1152, 1528, 1642)),
        (stunnel, "chacha20-poly1305", (188, 256, 384, 640, 1152, 1528, 1642)),
    ],
)
def test_every_frame_size_as_captured_if_it_were_one_segment(
    adapter: Adapter, suite: str, outer: tuple[int, ...]
) -> None:
    plan = adapter.plan(asked(adapter, suite))
    assert tuple(size + plan.overhead_by_frame[size] for size in FRAME_BYTES) == outer
    assert plan.largest_unfragmented_frame_bytes is None, "a stream cuts frames as it likes"


@BOTH
@pytest.mark.parametrize(
    ("aes_a", "aes_b", "first"),
    [
        (True, True, "aes-256-gcm"),
        (True, False, "chacha20-poly1305"),
        (False, False, "chacha20-poly1305"),
    ],
)
def test_default_follows_the_cpus(adapter: Adapter, aes_a: bool, aes_b: bool, first: str) -> None:
    hosts = facts(LEGACY_PLATFORM, has_aes=aes_a), facts(LEGACY_PLATFORM, has_aes=aes_b)
    names = [one.name for one in adapter.suites(*hosts)]
    assert names[0] == first
    assert set(names) == {"aes-256-gcm", "chacha20-poly1305", "aes-128-gcm"}


def test_a_cipher_that_one_stunnel_does_not_list_is_not_offered() -> None:
    support = replace(HOST.solutions["stunnel"], ciphers=("TLS_AES_128_GCM_SHA256",))
    other = replace(HOST, solutions={**HOST.solutions, "stunnel": support})
    assert [one.name for one in stunnel.suites(HOST, other)] == ["aes-128-gcm"]


def test_sshd_and_ssh_themselves_read_the_files_so(tmp_path: Path) -> None:
    sshd = shutil.which("sshd", path="/usr/sbin:/sbin:/usr/bin:/usr/local/sbin")
    assert sshd is not None
    if os.geteuid() == 0:  # from whom alone sshd wants it, where none has been started yet
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    wanted = asked(ppp_ssh)
    suite = replace(wanted.suite, settings={**wanted.suite.settings, "kex": "curve25519-sha256"})
    link = replace(wanted.link, run_dir=str(tmp_path), underlay_a="127.0.0.1", underlay_b="127.0.0.1")
    plan = ppp_ssh.plan(replace(wanted, link=link, suite=suite))
    for file in (*plan.a.files, *plan.b.files):
        Path(file.path).write_bytes(file.content)
    (step,) = identity.recipe(link, Side.A).steps
    subprocess.run(step.command.argv, check=True, capture_output=True)
    server = [sshd, "-T", "-f", f"{tmp_path}/sshd_config", "-C", "user=root,host=x,addr=127.0.0.1"]
    client = ["ssh", "-G", "-F", f"{tmp_path}/ssh_config", "tunnelmark-peer"]
    shown = [
        subprocess.run(argv, check=True, capture_output=True, text=True).stdout.lower().splitlines()
        for argv in (server, client)
    ]
    assert {
        f"forcecommand exec /usr/sbin/pppd notty file {tmp_path}/ppp.options".lower(),
        "permitrootlogin forced-commands-only",
        "passwordauthentication no",
        "permittunnel no",
        "permittty no",
        "allowtcpforwarding no",
    } <= set(shown[0])
    assert {
        "stricthostkeychecking true",
        "hostkeyalias tunnelmark-peer",
        "tunnel false",
        "batchmode yes",
    } <= set(shown[1])


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])
def test_a_program_is_found_where_only_root_has_it_on_his_path(shell: tuple[str, ...], tmp_path: Path) -> None:
    program = tmp_path / "pppd-of-a-test"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    argv = [shutil.which(shell[0]) or "", *shell[1:], "-c", *discovering.path_query(program.name).argv[2:]]
    done = subprocess.run(argv, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert discovering.path_in(result(done.stdout), program.name) == str(program)
    missing = subprocess.run(argv, env={"PATH": "/nowhere"}, capture_output=True, text=True, check=False)
    assert missing.returncode != 0
    assert discovering.path_in(result(missing.stdout, exit_status=127), program.name) == ""
