"""A sample of the census on hosts made of namespaces: what works, fails, is slow, is unprotected; killed, gone on with.

What becomes of options on each platform is in test_openvpn_versions.py and test_adapter_guards.py.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.census import OptionStatus
from app.domain.events import AttemptEnded, AttemptStarted
from app.ranking.census import behind_best, count_census
from app.storage import Store
from support import lab_census
from support.killing import wait_until_back
from support.lab_campaign import Found, find_out
from support.net_bench import NetBench
from support.pair_files import save_pair

pytestmark = pytest.mark.usefixtures("net_unchanged")

ROOT = Path(__file__).parents[2]
LEASE_S = 60
"""So long that no renewal is too late on a busy computer; its end is moved to now, not waited for."""

SAMPLE = ("AES-128-CBC", "AES-128-CFB1", "none", "AES-256-GCM", "SHA256", "SHAKE128")
"""One of each kind; where the host's OpenVPN lists SHAKE128, it crashes with it."""


@pytest.fixture(scope="module")
def found(net: NetBench) -> Found:
    return find_out(net.pair, net.sessions)


def listed(found: Found, *names: str) -> tuple[str, ...]:
    support = found.facts["a"].solutions["openvpn-udp"]
    there = {*support.ciphers, *support.digests, "none"}
    return tuple(name for name in names if name in there)


def test_sample_of_openvpns_options(net: NetBench, found: Found, tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.db") as store:
        record = lab_census.run(net.pair, net.sessions, found, store, listed(found, *SAMPLE))
    assert record.is_complete
    results = {(result.kind.value, result.name): result for result in record.results}
    for key in (("cipher", "AES-128-CBC"), ("aead", "AES-256-GCM"), ("mac", "SHA256"), ("cipher", "AES-128-CFB1")):
        one = results[key]
        assert (one.status, one.received) == (OptionStatus.WORKS, 20), (key, one.reason)
        assert one.sent >= 20  # ping sends one more while an answer is late
        assert one.weighted_latency_ms
        name = key[1] if key[0] != "mac" else "AES-128-CBC"
        assert name in one.negotiated
    # A busy computer may get nothing across in the second of one or another.
    assert any(result.throughput_mbit_s for result in results.values())
    clear, unauthenticated = results["cipher", "none"], results["mac", "none"]
    assert (clear.status, unauthenticated.status) == (OptionStatus.UNPROTECTED, OptionStatus.UNPROTECTED)
    assert "Plaintext was read" in clear.reason
    assert "Plaintext" not in unauthenticated.reason
    (count,) = count_census(record)
    assert count.unprotected == 2
    slow = behind_best(count.options)["openvpn-udp", "cipher-aes-128-cfb1"]
    assert slow.throughput_pct is None or slow.throughput_pct > 0  # over 50 on a computer that does nothing else
    if "SHAKE128" in found.facts["a"].solutions["openvpn-udp"].digests:
        assert results["mac", "SHAKE128"].status is OptionStatus.FAILS
        assert re.search("segfault|EVP_MAC_init failed", results["mac", "SHAKE128"].reason)  # whichever end is first


def test_cancelled_within_seconds_with_both_hosts_rolled_back(net: NetBench, found: Found, tmp_path: Path) -> None:
    token = CancelToken()
    cancelled_s: list[float] = []

    def emit(event: object) -> None:
        if isinstance(event, AttemptStarted) and event.key.position == 1:
            cancelled_s.append(time.monotonic())
            token.cancel()

    with Store.open(tmp_path / "t.db") as store:
        record = lab_census.run(
            net.pair, net.sessions, found, store, listed(found, "AES-128-CBC", "SHA256"), token=token, emit=emit
        )
    assert [result.name for result in record.results] == ["AES-128-CBC"]
    assert not record.is_complete
    assert time.monotonic() - cancelled_s[0] < 60  # 2 s on a machine that does nothing else


@pytest.mark.full
def test_killed_in_the_middle_of_a_switch_the_hosts_roll_back_by_themselves_and_it_goes_on(
    net: NetBench, found: Found, tmp_path: Path
) -> None:
    names = listed(found, "AES-128-CBC", "SHA256")
    database = tmp_path / "t.db"
    process = subprocess.Popen(
        [
            *(sys.executable, str(ROOT / "tests" / "support" / "lab_census.py")),
            *(str(save_pair(net.pair, tmp_path / "pair.json")), str(database), str(LEASE_S), *names),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}:{ROOT / 'tests' / 'support'}"},
    )
    assert process.stdout is not None
    with process.stdout as output:
        reported: list[str] = []
        for line in output:
            reported.append(line)
            if line.startswith(f"started {names[1]}"):
                break
        else:
            pytest.fail("".join(reported))
        process.send_signal(signal.SIGKILL)
        process.wait(120)
    wait_until_back(net.sessions, timeout_s=240.0, ends_leases=True)
    tried: list[str] = []

    def emit(event: object) -> None:
        if isinstance(event, AttemptEnded):
            tried.append(event.attempt.name)

    with Store.open(database) as store:
        record = lab_census.run(net.pair, net.sessions, found, store, names, emit=emit)
    assert record.is_complete
    assert tried == list(names[1:])
    assert {result.status for result in record.results} == {OptionStatus.WORKS}
