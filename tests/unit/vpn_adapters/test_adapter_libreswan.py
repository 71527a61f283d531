"""IPsec by Libreswan: which `ipsec` a host has, its words for algorithms, and what is never touched in the kernel."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.deployment.choice import NEVER_DEPLOYED
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.script_files import adapter_script
from app.domain.solutions import OptionKind
from app.domain.verdicts import Verdict
from app.policy import UNKNOWN_REASON, judge, judge_suite
from support.adapter_cases import LIBRESWAN_PLATFORM, facts, recorded, request, result
from vpn_adapters.ipsec import adapter as strongswan
from vpn_adapters.libreswan import adapter, render
from vpn_adapters.libreswan.algorithms import CIPHERS, INTEGRITIES, esp_words

HOST = facts(LIBRESWAN_PLATFORM)
SHELLS = pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])

CONNECTION = """\
#2: "tunnelmark":500 ESTABLISHED_CHILD_SA (established Child SA); REKEY in 27957s; newest; IKE SA #1; idle;
"tunnelmark":   policy: IKEv2+ECDSA+ENCRYPT+TRANSPORT+PFS+UP+IKE_FRAG_ALLOW+ESN_NO+ESN_YES;
"tunnelmark":   IKEv2 algorithm newest: AES_GCM_16_256-HMAC_SHA2_384-DH31
"tunnelmark":   ESP algorithms: AES_GCM_16_256-NONE-DH31
"tunnelmark":   ESP algorithm newest: {esp}; pfsgroup=<Phase1>
"""
"""Source: whack of Libreswan 5.2 on Debian 13."""


@pytest.mark.parametrize(
    "version",
    [
        "Linux strongSwan U5.9.8/K6.1.0-26-amd64\nUniversity of Applied Sciences Rapperswil",
        "Linux Openswan U2.6.38",
        "",
    ],
)
def test_the_same_command_of_another_ipsec_is_not_taken_for_it(version: str) -> None:
    support = adapter.parse_discovery({**recorded(LIBRESWAN_PLATFORM)["libreswan"], "ipsec": result(version)})
    assert [part.what for part in support.missing] == ["libreswan"]
    assert not support.is_available


def test_a_version_that_takes_no_keys_in_pem_is_refused_in_words() -> None:
    old = {**recorded(LIBRESWAN_PLATFORM)["libreswan"], "ipsec": result("Linux Libreswan 4.10 (netkey) on 6.1.0")}
    support = adapter.parse_discovery(old)
    assert (support.is_available, support.version, support.missing) == (False, "4.10", ())
    assert "Update it to 5" in support.note


def test_it_is_sound_and_never_deployed() -> None:
    suites = adapter.suites(HOST, HOST)
    verdicts = {suite.name: judge_suite(suite, adapter.info)[0] for suite in suites}
    assert verdicts == dict.fromkeys(("aes-256-gcm", "chacha20-poly1305", "aes-128-gcm"), Verdict.ACCEPTABLE)
    assert "ipsec" in NEVER_DEPLOYED["libreswan"]
    assert not set(strongswan.info.design) & set(NEVER_DEPLOYED)


def test_frames_cost_what_strongswan_s_do() -> None:
    both = (
        (adapter.plan(request(adapter, adapter.suites(HOST, HOST)[0]))),
        (strongswan.plan(request(strongswan, strongswan.suites(facts(), facts())[0]))),
    )
    found = {(one.overhead_bytes, one.largest_unfragmented_frame_bytes, *one.overhead_by_frame.items()) for one in both}
    assert len(found) == 1


def test_what_was_negotiated_has_to_be_what_was_asked_for() -> None:
    for suite in adapter.suites(HOST, HOST):
        plan = adapter.plan(request(adapter, suite))
        words = esp_words(suite.settings["esp"])
        assert words is not None
        assert plan.a.negotiated is not None
        pattern = plan.a.negotiated.stdout_pattern
        assert re.search(pattern, CONNECTION.format(esp=words.shown))
        assert not re.search(pattern, CONNECTION.format(esp="AES_CBC_128-HMAC_SHA1_96"))
        for wanted in ("TRANSPORT", "ESTABLISHED_CHILD_SA", "DH31\n"):
            assert not re.search(pattern, CONNECTION.format(esp=words.shown).replace(wanted, "else"))


def test_census_has_every_kind_and_each_is_planned_under_its_own_name() -> None:
    options = adapter.census(HOST, HOST)
    assert {option.kind for option in options} == set(OptionKind)
    assert [option.name for option in options] == [*CIPHERS, *INTEGRITIES]
    names = [option.suite.name for option in options] + [suite.name for suite in adapter.suites(HOST, HOST)]
    assert len(set(names)) == len(names)
    assert {
        name for option in options for name in option.suite.algorithms if judge(name).reason == UNKNOWN_REASON
    } == set()
    for option in options:
        config = render.config(request(adapter, option.suite), Side.A).decode()
        assert f"    esp={option.suite.settings['esp']};dh31\n" in config
        assert f"    leftid=@a.{option.suite.name}.tunnelmark\n" in config


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("chacha20_poly1305", "CHACHA20_POLY1305_256-NONE"),
        ("null-sha1", "NULL_000-HMAC_SHA1_96"),
        ("3des-sha1", "3DES_CBC_192-HMAC_SHA1_96"),
        ("aes128-md5", "AES_CBC_128-HMAC_MD5_96"),
        ("aes_ccm_a256", "AES_CCM_8_256-NONE"),
        ("aes_gmac128", "NULL_AUTH_AES_GMAC_128-NONE"),
    ],
)
def test_tunnels_show_their_algorithms_in_other_words_than_proposals(written: str, shown: str) -> None:
    # Source: whack of Libreswan 5.2, of tunnels between two gateways of Debian 13.
    words = esp_words(written)
    assert words is not None
    assert words.shown == shown


def test_proposal_that_is_none_is_refused() -> None:
    suite = adapter.suites(HOST, HOST)[0]
    for written in ("rot13", "aes128-rot13", "aes 128"):
        with pytest.raises(InvalidPlan):
            adapter.plan(request(adapter, replace(suite, settings={"esp": written})))


def test_its_number_of_states_is_one_that_libreswan_takes() -> None:
    link = request(adapter, adapter.suites(HOST, HOST)[0]).link
    for tunnel_id in (1, 16_383, 16_384, 2**32 - 1):
        assert 1 <= render.reqid(replace(link, names=replace(link.names, l2tp_tunnel_id=tunnel_id))) <= 16_383


@SHELLS
@pytest.mark.parametrize(
    ("policies", "states", "is_empty"),
    [
        ("SPD IN  0 OUT 0 FWD 0", "SAD count 0", True),
        ("SPD IN  0 OUT 1 FWD 0", "SAD count 0", False),
        ("SPD IN  2 OUT 2 FWD 0", "SAD count 0", False),
        ("SPD IN  0 OUT 0 FWD 0", "SAD count 10", False),
        ("", "", False),
    ],
)
def test_nothing_is_started_or_made_where_the_kernel_has_ipsec_of_others(
    tmp_path: Path, shell: tuple[str, ...], policies: str, states: str, is_empty: bool
) -> None:
    ip = tmp_path / "ip"
    ip.write_text(f'#!/bin/sh\ncase $2 in policy) echo "\t {policies}" ;; *) echo "\t {states}" ;; esac\n')
    ip.chmod(0o755)
    folder = tmp_path / "tunnel"
    folder.mkdir()
    for script in ("make-key.sh", "start.sh"):
        text = adapter_script("libreswan", script).replace("modprobe", ": modprobe")
        done = subprocess.run(
            [*shell, "-c", text, "sh", str(folder)],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0, "no Libreswan is here"
        assert ("has policies or states of IPsec already" in done.stderr) is not is_empty, done.stderr
        assert bool(list(folder.iterdir())) is is_empty


@SHELLS
@pytest.mark.parametrize("was_started", [True, False])
def test_nothing_is_removed_from_the_kernel_unless_ours_was_started(
    tmp_path: Path, shell: tuple[str, ...], was_started: bool
) -> None:
    ip = tmp_path / "ip"
    ip.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    ip.chmod(0o755)
    folder = tmp_path / "tunnel"
    folder.mkdir()
    if was_started:
        (folder / "kernel-is-ours").touch()
    # No process is searched for: there may be a Libreswan on the computer of these tests.
    text = (
        adapter_script("libreswan", "stop.sh").replace("/proc/[0-9]*", "/proc/none").replace("/proc/net/xfrm_stat", "/")
    )
    words = [str(folder), "77", "192.0.2.1", "192.0.2.2", "115"]
    subprocess.run([*shell, "-c", text, "sh", *words], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=True)
    asked = (tmp_path / "asked").read_text().splitlines() if was_started else []
    assert (tmp_path / "asked").exists() is was_started
    assert not (folder / "kernel-is-ours").exists()
    assert all("reqid 77" in one or "proto 115" in one or "ipv6-icmp type 13" in one for one in asked)
    assert not any("flush" in one for one in asked)
    assert len(asked) == (14 if was_started else 0)


def run(folder: Path, shell: tuple[str, ...], script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a script with the programs that a test has made in place of Libreswan's."""
    text = adapter_script("libreswan", script).replace("/usr/libexec/ipsec", str(folder.parent))
    text = text.replace("modprobe", ": modprobe")
    argv = [*shell, "-c", text, "sh", str(folder), *words]
    env = {"PATH": f"{folder.parent}:/usr/bin:/bin"}
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=120)


def program(folder: Path, name: str, body: str) -> None:
    """Make a program that a script finds in place of Libreswan's."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def tunnel(tmp_path: Path) -> Path:
    """Return a tunnel's folder beside programs of which pluto does nothing and addconn takes the connection."""
    folder = tmp_path / "tunnel"
    (folder / "pluto").mkdir(parents=True)
    program(tmp_path, "pluto", "exit 0")
    program(tmp_path, "addconn", """echo '"tunnelmark": added IKEv2 connection'""")
    program(tmp_path, "ip", 'case $2 in policy) echo "SPD IN 0 OUT 0 FWD 0" ;; *) echo "SAD count 0" ;; esac')
    return folder


@SHELLS
def test_a_connection_that_is_not_taken_is_an_error_with_its_reason(tunnel: Path, shell: tuple[str, ...]) -> None:
    assert run(tunnel, shell, "load.sh").returncode == 0
    program(tunnel.parent, "addconn", "echo \"failed to add connection: ESP algorithm 'rot13' is not recognized\"")
    done = run(tunnel, shell, "load.sh")
    assert (done.returncode, "'rot13' is not recognized" in done.stderr) == (1, True)


@SHELLS
@pytest.mark.parametrize(
    ("answers", "status", "attempts"),
    [
        (["#2: initiator established Child SA using #1"], 0, 1),
        # The peer still has another suite's connection: it is asked again.
        (["#1: encountered fatal error in state IKE_AUTH_I", "#4: initiator established Child SA using #3"], 0, 2),
        # Both have agreed on IKE, and the suite does not work.
        (["#2: IKE_AUTH response rejected Child SA with NO_PROPOSAL_CHOSEN"], 1, 1),
    ],
)
def test_what_the_peer_answers_decides_whether_it_is_asked_again(
    tunnel: Path, shell: tuple[str, ...], answers: list[str], status: int, attempts: int
) -> None:
    for number, answer in enumerate(answers, start=1):
        (tunnel / f"answer-{number}").write_text(f'"tunnelmark" {answer}\n')
    program(
        tunnel.parent,
        "whack",
        f"""case $* in *--initiate*) ;; *) exit 0 ;; esac
echo asked >> {tunnel}/asked
cat {tunnel}/answer-$(wc -l < {tunnel}/asked)""",
    )
    done = run(tunnel, shell, "initiate.sh", "10")
    assert done.returncode == status, done.stderr
    assert len((tunnel / "asked").read_text().split()) == attempts
    assert ("rejected Child SA" in done.stderr) is (status == 1)


@SHELLS
def test_a_peer_that_never_answers_is_given_up(tunnel: Path, shell: tuple[str, ...]) -> None:
    program(tunnel.parent, "whack", "case $* in *--initiate*) exec sleep 600 ;; esac")
    text = adapter_script("libreswan", "initiate.sh").replace("/usr/libexec/ipsec", str(tunnel.parent))
    assert "+ 6))" in text, "an attempt is not cut short, so here it is given no time"
    argv = [*shell, "-c", text.replace("+ 6))", "+ 0))"), "sh", tunnel, "0"]
    assert subprocess.run(argv, capture_output=True, check=False, timeout=120).returncode == 1


@SHELLS
@pytest.mark.parametrize(
    ("log", "problem"),
    [
        ("adding interface eth1 192.0.2.1:UDP/500\nadding interface eth1 192.0.2.1:UDP/4500 (NAT)", ""),
        ("bind() for eth1 192.0.2.1:UDP/500 failed: Address already in use", "Address already in use"),
    ],
)
def test_pluto_counts_as_started_once_it_listens(tunnel: Path, shell: tuple[str, ...], log: str, problem: str) -> None:
    body = f"""echo '{log}' >> {tunnel}/pluto.log
exec python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("{tunnel}/pluto/pluto.ctl")'"""
    program(tunnel.parent, "pluto", body)
    done = run(tunnel, shell, "start.sh")
    assert (done.returncode, problem in done.stderr) == (int(bool(problem)), True)
    assert (tunnel / "kernel-is-ours").exists(), "what pluto left in the kernel is removed even if it did not listen"


@SHELLS
def test_pluto_that_ends_at_once_is_reported_with_its_last_words(tunnel: Path, shell: tuple[str, ...]) -> None:
    program(tunnel.parent, "pluto", "echo 'NSS initialization failed' >&2; exit 1")
    done = run(tunnel, shell, "start.sh")
    assert (done.returncode, "NSS initialization failed" in done.stderr) == (1, True)


def test_both_sides_have_the_same_connection_from_their_own_end() -> None:
    asked = request(adapter, adapter.suites(HOST, HOST)[0])
    a, b = (dict(re.findall(r"^    (\w+)=(.+)$", render.config(asked, side).decode(), re.MULTILINE)) for side in Side)
    swapped = {
        one.replace("left", "+").replace("right", "left").replace("+", "right"): value for one, value in b.items()
    }
    different = {name for name in a if name not in {"listen", "leftupdown"} and a[name] != swapped.get(name)}
    assert different == set()
    assert (a["leftid"], a["rightid"]) == ("@a.aes-256-gcm.tunnelmark", "@b.aes-256-gcm.tunnelmark")
    assert a["leftpubkey"] != a["rightpubkey"]
    assert (a["auto"], a["type"], a["keyexchange"]) == ("ignore", "transport", "ikev2")
