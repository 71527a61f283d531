"""PPP over SSH and stunnel with PPP: answers of a host, files, arithmetic, cookies, and what was negotiated."""

from __future__ import annotations

import re

import pytest

from app.discovery.candidates import find_candidates, missing_parts
from app.domain.adapters import Adapter, EndpointPlan, PlanRequest
from app.domain.hosts import Side
from app.domain.verdicts import Verdict
from support.adapter_cases import LEGACY_PLATFORM, facts, recorded, request, result
from vpn_adapters.ppp_ssh import adapter as ppp_ssh
from vpn_adapters.stunnel import adapter as stunnel

HOST = facts(LEGACY_PLATFORM)
BOTH = pytest.mark.parametrize("adapter", [ppp_ssh, stunnel], ids=lambda one: one.info.name)
LOG = """\
2026.11.27 21:37:41 LOG6[0]: CERT: Locally installed certificate matched
2026.11.27 21:37:41 LOG6[0]: TLS accepted: new session negotiated
2026.11.27 21:37:41 LOG6[0]: TLSv1.3 ciphersuite: TLS_AES_256_GCM_SHA384 (256-bit encryption)
2026.11.27 21:37:41 LOG6[0]: Peer temporary key: X25519, 253 bits
"""
"""As stunnel 5.68 wrote it on Debian 12."""


def asked(adapter: Adapter, suite: str = "") -> PlanRequest:
    suites = adapter.suites(HOST, HOST)
    return request(adapter, next(one for one in suites if (one.name == suite if suite else one.is_default)))


def lines_of(end: EndpointPlan, name: str) -> list[str]:
    return next(one for one in end.files if one.path.endswith(f"/{name}")).content.decode().splitlines()


@BOTH
def test_nothing_is_installed_for_it_on_a_host_without_it(adapter: Adapter) -> None:
    name = adapter.info.name
    support = adapter.parse_discovery(recorded("debian-13")[name])
    assert {part.what for part in support.missing} >= {"pppd", "kernel module ppp_async"}
    assert {part.package for part in support.missing} == {""}
    assert name not in {part.needed_for for part in missing_parts(facts("debian-13"))}


@BOTH
@pytest.mark.parametrize("what", ["pppd", "unshare", "nft", "program"])
def test_a_host_that_lacks_a_program_cannot_do_it(adapter: Adapter, what: str) -> None:
    program = {"ppp-ssh": "version", "stunnel": "stunnel"}[adapter.info.name]
    question = program if what == "program" else what
    answers = {**recorded(LEGACY_PLATFORM)[adapter.info.name], question: result(stderr="not found", exit_status=127)}
    names = {"nft": "nftables", "version": "ssh"}
    support = adapter.parse_discovery(answers)
    assert [part.what for part in support.missing] == [names.get(question, question)]
    assert not support.is_available


@pytest.mark.parametrize("line", ["ciphersuites", "curves"])
def test_a_stunnel_without_tls_1_3_is_too_old(line: str) -> None:
    answers = dict(recorded(LEGACY_PLATFORM)["stunnel"])
    text = answers["stunnel"].stdout + answers["stunnel"].stderr
    old = re.sub(rf"(?m)^{line} .*$", "", text).replace("stunnel 5.68 on", "stunnel 5.30 on")
    support = stunnel.parse_discovery({**answers, "stunnel": result(stderr=old)})
    assert (support.is_available, support.missing) == (False, ())
    assert "5.30" in support.note


@BOTH
def test_it_is_legacy_and_not_ticked_by_itself(adapter: Adapter) -> None:
    candidates, ticked = find_candidates({adapter.info.name: adapter}, HOST, HOST, guidelines=())
    assert {one.verdict for one in candidates} == {Verdict.LEGACY}
    assert len(candidates) == 3
    assert ticked == ()


@BOTH
def test_the_largest_frame_with_a_tag_is_one_packet_of_ppp_on_both_sides(adapter: Adapter) -> None:
    plan = adapter.plan(asked(adapter))
    a, b = (lines_of(plan.on(side), "ppp.options") for side in Side)
    for lines in (a, b):
        assert {"mtu 1554", "mru 1554", "noauth", "noccp", "ifname tmklow0", "asyncmap 0"} <= set(lines)
    assert "198.18.1.1:198.18.1.2" in a
    assert {"198.18.1.2:198.18.1.1", "persist", "maxfail 0"} <= set(b)


@pytest.mark.parametrize(
    ("adapter", "suite", "outer"),
    [
        (ppp_ssh, "chacha20-poly1305", {60: 206, 128: 270, 256: 398, 512: 654, 1024: 1166}),
        (stunnel, "aes-256-gcm", {60: 188, 128: 256, 256: 384, 512: 640, 1024: 1152}),
    ],
    ids=["ppp-ssh", "stunnel"],
)
def test_overhead_as_captured_on_debian_12(adapter: Adapter, suite: str, outer: dict[int, int]) -> None:
    plan = adapter.plan(asked(adapter, suite))
    assert {size: size + plan.overhead_by_frame[size] for size in outer} == outer


def test_ssh_lets_in_one_key_for_one_pppd_and_nothing_else() -> None:
    plan = ppp_ssh.plan(asked(ppp_ssh))
    command = "exec /usr/sbin/pppd notty file /run/tunnelmark/tunnel/ppp.options"
    (key,) = (line for line in lines_of(plan.a, "authorized_keys") if not line.startswith("#"))
    assert key.startswith(f'restrict,from="192.0.2.2",command="{command}" ssh-ed25519 AAAA')
    config = lines_of(plan.a, "sshd_config")
    assert {f"ForceCommand {command}", "PermitTunnel no", "PermitTTY no", "AllowTcpForwarding no"} <= set(config)
    (call,) = (line for line in lines_of(plan.b, "ppp.options") if line.startswith("pty "))
    folder = "/run/tunnelmark/tunnel"
    assert call == f'pty "ssh -F {folder}/ssh_config -E {folder}/ssh.log tunnelmark-peer"'
    assert {"StrictHostKeyChecking yes", "Tunnel no", "RequestTTY no"} <= set(lines_of(plan.b, "ssh_config"))


def test_stunnel_takes_its_peers_certificate_alone_and_only_a_listens() -> None:
    plan = stunnel.plan(asked(stunnel))
    a, b = (lines_of(plan.on(side), "stunnel.conf") for side in Side)
    for lines in (a, b):
        assert {"verifyPeer = yes", "CAfile = /run/tunnelmark/tunnel/peer.crt", "sslVersion = TLSv1.3"} <= set(lines)
    assert {"accept = 192.0.2.1:21195", "pty = yes"} <= set(a)
    assert {"client = yes", "connect = 192.0.2.1:21195", "local = 192.0.2.2"} <= set(b)
    assert not any(line.startswith(("accept", "[")) for line in b), "else any user of B could reach A's pppd"
    assert [plan.on(side).listens for side in Side] == [(("tcp", 21195),), ()]
    peers = [lines_of(plan.on(side), "peer.crt") for side in Side]
    assert peers[0] != peers[1]


@BOTH
def test_cookies_are_made_of_the_same_values_on_both_sides_after_the_guard(adapter: Adapter) -> None:
    plan = adapter.plan(asked(adapter))
    folder = "/run/tunnelmark/tunnel"
    own = {side: [f"{folder}/stunnel.crt", f"{folder}/peer.crt"][:: 1 if side is Side.A else -1] for side in Side}
    for side in Side:
        guard, _, session = plan.on(side).steps
        assert "firewall table" in guard.title
        assert session.forward_retry_s >= 30
        seed = list(session.command.argv[-2:])
        if adapter is stunnel:
            assert seed == own[side]
        else:
            assert seed == list(plan.a.steps[2].command.argv[-2:])
            assert all(word.startswith("ssh-ed25519 AAAA") for word in seed)


def test_negotiated_must_be_what_was_asked_for() -> None:
    check = stunnel.plan(asked(stunnel, "aes-256-gcm")).a.negotiated
    assert check is not None
    assert re.search(check.stdout_pattern, LOG)
    for word, other in (("AES_256", "AES_128"), ("X25519", "X448"), ("TLSv1.3", "TLSv1.2"), ("matched", "refused")):
        assert not re.search(check.stdout_pattern, LOG.replace(word, other)), word
