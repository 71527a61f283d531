"""MACsec: what hosts offer, and where its keys go."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import TunnelPlan
from app.domain.hosts import HostFacts, Side
from app.domain.script_files import adapter_script
from app.domain.verdicts import Verdict
from app.policy import judge_suite
from support.adapter_cases import facts, recorded, request, result
from vpn_adapters.macsec import adapter, discovery

SECRET = "5a" * 32
STATIC_SCRIPT = adapter_script("macsec", "static.sh")
FAKE_IP = """#!/bin/sh
printf '%s\\n' "$*" >> "$SEEN/argv"
if [ "$*" = "-batch -" ]; then cat >> "$SEEN/batch"; fi
"""


def with_features(host: HostFacts, *features: str) -> HostFacts:
    support = replace(host.solutions["macsec"], features=features)
    return replace(host, solutions={**host.solutions, "macsec": support})


@pytest.mark.parametrize("platform", ["debian-11", "debian-13"])
def test_agreed_keys_are_the_default_and_static_ones_the_rest(platform: str) -> None:
    suites = adapter.suites(facts(platform), facts(platform))
    assert suites[0].name == "mka-gcm-aes-128"
    assert [suite.name for suite in suites if suite.is_default] == ["mka-gcm-aes-128"]
    verdicts = {suite.name: judge_suite(suite, adapter.info)[0] for suite in suites[1:]}
    assert set(verdicts.values()) == {Verdict.LEGACY}


def test_without_wpa_supplicant_static_keys_are_left_best_first() -> None:
    host = with_features(facts("debian-13"))
    assert [suite.name for suite in adapter.suites(host, facts("debian-13"))] == [
        "gcm-aes-xpn-256",
        "gcm-aes-256",
        "gcm-aes-xpn-128",
        "gcm-aes-128",
    ]
    mixed = adapter.suites(facts("debian-11"), with_features(facts("debian-13")))
    assert [suite.name for suite in mixed] == ["gcm-aes-256", "gcm-aes-128"]


def test_cipher_of_mka_can_be_chosen_where_both_hosts_can() -> None:
    host = with_features(facts("debian-13"), discovery.MKA, discovery.MKA_256)
    suites = adapter.suites(host, host)
    assert suites[0].name == "mka-gcm-aes-256"
    made = replace(request(adapter, suites[0]), facts_a=host, facts_b=host)
    assert b"macsec_csindex=1\n" in adapter.plan(made).a.files[0].content
    old = request(adapter, next(suite for suite in suites if suite.name == "mka-gcm-aes-128"))
    assert b"csindex" not in adapter.plan(old).a.files[0].content


@pytest.mark.parametrize("version", ["2.8", "2.9"])
def test_mka_of_2_9_does_not_agree_with_that_of_2_10(version: str) -> None:
    answers = recorded("debian-11")["macsec"]
    older = result(answers["supplicant"].stdout.replace("v2.9", f"v{version}"))
    support = adapter.parse_discovery({**answers, "supplicant": older})
    old, new = with_features(facts("debian-11"), *support.features), facts("debian-13")
    assert adapter.suites(old, facts("debian-11"))[0].name == "mka-gcm-aes-128"
    for pair in ((old, new), (new, old)):
        suites = adapter.suites(*pair)
        assert [suite.name for suite in suites] == ["gcm-aes-256", "gcm-aes-128"]
        assert judge_suite(suites[0], adapter.info)[0] is Verdict.LEGACY


def test_supplicant_without_the_driver_is_no_mka() -> None:
    answers = {**recorded("debian-13")["macsec"], "supplicant": result("wpa_supplicant v2.10\n  wired = Wired\n")}
    assert adapter.parse_discovery(answers).features == ()


def test_census_is_what_ip_lists() -> None:
    old, new = facts("debian-11"), facts("debian-13")
    assert [option.name for option in adapter.census(old, old)] == ["gcm-aes-256", "gcm-aes-128"]
    assert len(adapter.census(new, new)) == 4
    assert len(adapter.census(old, new)) == 2


def test_only_a_makes_the_secret_and_no_file_has_it() -> None:
    suite = adapter.suites(facts("debian-13"), facts("debian-13"))[0]
    made = request(adapter, suite)
    assert len(adapter.identity(made, Side.A).shared) == 1
    assert adapter.identity(made, Side.B).shared == ()
    assert b"mka_cak=(put in on the host)\n" in adapter.plan(made).a.files[0].content


def run_static(folder: Path, side: Side, suite_name: str) -> list[str]:
    """Run the step that makes the interface, with an `ip` that only writes down what it gets; return its batch."""
    suite = next(one for one in adapter.suites(facts("debian-13"), facts("debian-13")) if one.name == suite_name)
    command = next(
        step for step in adapter.plan(request(adapter, suite)).on(side).steps if step.depends_on_suite
    ).command
    argv = list(command.argv)
    assert argv[2] == STATIC_SCRIPT
    argv[argv.index("/run/tunnelmark/tunnel")] = str(folder)
    (folder / "batch").unlink(missing_ok=True)
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, text in (("ip", FAKE_IP), ("modprobe", "#!/bin/sh\n"), ("udevadm", "#!/bin/sh\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "SEEN": str(folder)}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return (folder / "batch").read_text().splitlines()


def key_of(line: str) -> str:
    return line.rpartition(" ")[2]


@pytest.mark.parametrize(
    ("name", "digits"), [("gcm-aes-128", 32), ("gcm-aes-256", 64), ("gcm-aes-xpn-128", 32), ("gcm-aes-xpn-256", 64)]
)
def test_both_hosts_derive_the_same_keys_and_never_the_same_twice(tmp_path: Path, name: str, digits: int) -> None:
    folders = {side: tmp_path / side for side in Side}
    for folder in folders.values():
        folder.mkdir()
    # As it was made on A, and as it arrived on B.
    (folders[Side.A] / "macsec.secret").write_text(SECRET)
    (folders[Side.B] / "macsec.secret").write_text(f"{SECRET}\n")
    keys: list[str] = []
    for _ in range(3):
        a, b = (run_static(folders[side], side, name) for side in Side)
        assert len(a) == len(b) == 3
        assert key_of(a[0]) == key_of(b[2])
        assert key_of(a[2]) == key_of(b[0])
        keys += [key_of(a[0]), key_of(a[2])]
        if "xpn" in name:
            assert a[0].split("salt ")[1][:24] == b[0].split("salt ")[1][:24]
            assert "ssci 1" in a[0]
            assert "ssci 2" in b[0]
    assert len(set(keys)) == 6
    assert all(len(key) == digits for key in keys)
    for folder in folders.values():
        seen = (folder / "argv").read_text()
        assert not any(key in seen for key in [*keys, SECRET])


def test_mka_has_the_same_key_again_so_that_one_host_can_be_restarted_alone(tmp_path: Path) -> None:
    (tmp_path / "macsec.secret").write_text(SECRET)
    suite = adapter.suites(facts("debian-13"), facts("debian-13"))[0]
    plan = adapter.plan(request(adapter, suite))
    assert plan.why_not_restart == ""
    (tmp_path / "wpa_supplicant.conf").write_bytes(plan.a.files[0].content)
    keys = {agreed_key(tmp_path, plan) for _ in range(2)}
    assert len(keys) == 1
    assert len(keys.pop()) == 64
    for one in adapter.suites(facts("debian-13"), facts("debian-13")):
        is_static = not one.name.startswith("mka-")
        assert bool(adapter.plan(request(adapter, one)).why_not_restart) == is_static


def agreed_key(folder: Path, plan: TunnelPlan) -> str:
    """Run the step that makes the interface, without its programs; return the key that wpa_supplicant would read."""
    argv = list(next(step for step in plan.a.steps if step.depends_on_suite).command.argv)
    argv[argv.index("/run/tunnelmark/tunnel")] = str(folder)
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name in ("ip", "modprobe", "udevadm", "wpa_supplicant"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}"}
    subprocess.run(argv, env=environment, check=True, timeout=120)
    lines = (folder / "wpa_supplicant.secret").read_text().splitlines()
    return next(line.rpartition("=")[2] for line in lines if "mka_cak=" in line)


def test_refused_keys_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "macsec.secret").write_text(SECRET)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (
        ("ip", '#!/bin/sh\n[ "$*" != "-batch -" ] || { cat; cat >&2; exit 1; }\n'),
        ("modprobe", "#!/bin/sh\n"),
    ):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    words = (
        str(tmp_path),
        "low",
        "tmk0",
        "02:00:00:00:00:01",
        "02:00:00:00:00:02",
        "gcm-aes-128",
        "1500",
        "198.18.0.1/24",
    )
    done = subprocess.run(
        ["sh", "-c", STATIC_SCRIPT, "tunnelmark", *words, "32", "a-to-b", "b-to-a", "", ""],
        env={"PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "the kernel did not take MACsec's keys for gcm-aes-128\n"


def test_overhead_is_the_measured_one() -> None:
    # 1000 → 1074 bytes, measured with MACsec over L2TPv3/IP on Debian 13; since then a cookie of 8 is added.
    plan = adapter.plan(request(adapter, adapter.suites(facts("debian-13"), facts("debian-13"))[0]))
    assert plan.overhead_bytes == 74 + 8
    assert plan.largest_unfragmented_frame_bytes == 1500 - 60 - 8
