"""Protection of suites against a later quantum computer, and where that is shown."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from plain_data import from_data
from sample_records import sample_record

from app.cli.discovery_text import print_all, print_summary
from app.cli.terminal import CleanConsole
from app.discovery.candidates import find_candidates
from app.domain.hosts import HostSpec, PairSpec
from app.domain.results import CampaignRecord, Candidate
from app.domain.solutions import Suite
from app.domain.verdicts import PostQuantum
from app.policy import post_quantum
from app.ranking import rank
from app.reports import to_html, to_json, write_report
from app.storage.codec import to_data
from support.adapter_cases import all_cases, facts
from support.fake_solutions import discovery
from vpn_adapters.registry import ADAPTERS

pytestmark = pytest.mark.usefixtures("without_figures")

HYBRID, PURE, STORED, SYMMETRIC, NONE = PostQuantum
PAIR = PairSpec("north", HostSpec("gw-a", "10.0.0.1"), HostSpec("gw-b", "10.0.0.2"), "192.0.2.1", "192.0.2.2")


@pytest.mark.parametrize(
    ("solution", "algorithms", "expected"),
    [
        ("ssh", ("aes256-gcm@openssh.com", "mlkem768x25519-sha256", "ssh-ed25519"), HYBRID),
        ("ssh", ("aes256-gcm@openssh.com", "sntrup761x25519-sha512@openssh.com"), HYBRID),
        ("ssh", ("aes256-gcm@openssh.com", "curve25519-sha256"), NONE),
        ("openvpn-udp", ("AES-256-GCM", "TLS-1.3", "X25519MLKEM768"), HYBRID),
        ("openvpn-udp", ("AES-256-GCM", "TLS-1.3", "X25519"), NONE),
        ("openvpn-udp", ("AES-256-CBC", "SHA256", "openvpn-static-key"), SYMMETRIC),
        ("ipsec", ("AES-256-GCM", "SHA384", "X25519", "ML-KEM-768", "Ed25519"), HYBRID),
        ("ipsec", ("AES-256-GCM", "SHA384", "MODP3072", "ML-KEM-512", "Ed25519"), HYBRID),
        ("ipsec", ("AES-256-GCM", "SHA384", "ML-KEM-768", "ECDSA-P-384"), PURE),
        ("ipsec", ("AES-256-GCM", "SHA384", "ML-KEM-1024", "ike-mlkem768-ppk"), PURE),
        ("ipsec", ("AES-256-GCM", "SHA384", "ML-KEM-512", "modp768", "newhope128"), PURE),
        ("ipsec", ("AES-256-GCM", "SHA384", "X25519", "Ed25519"), NONE),
        ("ipsec", ("AES-256-GCM", "SHA384", "X25519", "ppk"), SYMMETRIC),
        ("ipsec", ("AES-256-GCM", "SHA384", "X25519", "ike-mlkem768-ppk"), STORED),
        ("ipsec", ("AES-256-GCM", "SHA384", "X25519", "ML-KEM-768", "ike-mlkem768-ppk"), HYBRID),
        ("ipsec", ("AES-256-GCM", "SHA384", "X25519", "psk"), NONE),
        ("wireguard", ("WireGuard-1", "X25519", "ChaCha20-Poly1305"), NONE),
        ("wireguard", ("WireGuard-1", "X25519", "ChaCha20-Poly1305", "wireguard-psk"), SYMMETRIC),
        ("wireguard", ("WireGuard-1", "X25519", "ChaCha20-Poly1305", "wireguard-mlkem768-psk"), STORED),
        ("macsec", ("AES-256-GCM", "macsec-mka", "AES-CMAC"), SYMMETRIC),
        ("macsec", ("AES-256-GCM", "macsec-static-keys"), SYMMETRIC),
        ("macsec", ("AES-256-GCM", "macsec-mka-eap"), NONE),
        ("tinc", ("AES-256-CBC", "SHA256", "RSA-3072"), NONE),
        ("freelan", ("AES-256-GCM", "P-384", "RSA-3072"), NONE),
        ("baseline", ("mlkem768x25519-sha256",), NONE),
        ("openvpn-udp", ("ROT13-XYZ",), NONE),
    ],
)
def test_suites(solution: str, algorithms: tuple[str, ...], expected: PostQuantum) -> None:
    assert post_quantum(Suite("s", "S", algorithms=algorithms), ADAPTERS[solution].info) is expected


def test_no_suite_that_is_offered_lacks_a_classical_part() -> None:
    assert PURE not in {post_quantum(suite, adapter.info) for adapter, suite in all_cases()}


def test_solutions_with_a_stored_key_have_its_limit() -> None:
    found = {
        adapter.info.name: adapter.info.limitations
        for adapter, suite in all_cases()
        if post_quantum(suite, adapter.info) is STORED
    }
    assert set(found) == {"wireguard", "wireguard-vxlan", "ipsec", "ipsec-gretap"}
    for limitations in found.values():
        assert any("is the same until keys are rotated" in one for one in limitations)


def test_candidates_of_two_hosts_have_it() -> None:
    candidates, _ = find_candidates(ADAPTERS, facts("debian-13"), facts("debian-13"))
    kinds = {(one.solution, one.post_quantum) for one in candidates if not one.is_listed_only}
    assert {("ssh", HYBRID), ("macsec", SYMMETRIC), ("tinc", NONE), ("wireguard", NONE)} <= kinds
    assert all(one.post_quantum is not None for one in candidates)


def test_plans_that_were_made_before_it_was_kept_are_read() -> None:
    (candidate, *_), _ = find_candidates({"ssh": ADAPTERS["ssh"]}, facts("debian-13"), facts("debian-13"))
    data = to_data(candidate)
    assert from_data(Candidate, data) == candidate
    del data["post_quantum"]
    assert from_data(Candidate, data) == replace(candidate, post_quantum=None)


def record_with(value: PostQuantum | None) -> CampaignRecord:
    record = sample_record(pings=30)
    candidates = tuple(replace(one, post_quantum=value) for one in record.plan.candidates)
    return replace(record, plan=replace(record.plan, candidates=candidates))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (HYBRID, "hybrid key exchange"),
        (PURE, "key exchange without a classical part"),
        (STORED, "as long as the pre-shared key, which is on both hosts until keys are rotated, remains secret"),
        (SYMMETRIC, "by pre-shared keys only"),
        (NONE, "Post-quantum: no"),
    ],
)
def test_reports(value: PostQuantum, words: str, tmp_path: Path) -> None:
    record = record_with(value)
    ranking = rank(record)
    assert {one["post_quantum"] for one in to_json(record, ranking)["results"]} == {value.value}
    write_report(record, ranking, tmp_path / "report.csv")
    rows = csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text(encoding="utf-8")))
    assert {row["post_quantum"] for row in rows} == {value.value}
    protected = sum(not one.is_unprotected for one in record.plan.candidates)
    assert to_html(record, ranking).count(words) == protected


def test_reports_of_earlier_comparisons_say_nothing(tmp_path: Path) -> None:
    record = record_with(None)
    ranking = rank(record)
    assert {one["post_quantum"] for one in to_json(record, ranking)["results"]} == {None}
    write_report(record, ranking, tmp_path / "report.csv")
    rows = csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text(encoding="utf-8")))
    assert {row["post_quantum"] for row in rows} == {""}
    assert "Post-quantum" not in to_html(record, ranking)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (HYBRID, "hybrid"),
        (PURE, "without classical part"),
        (STORED, "hybrid with stored key"),
        (SYMMETRIC, "symmetric"),
        (NONE, "no"),
        (None, ""),
    ],
)
@pytest.mark.parametrize("show", [print_summary, print_all])
def test_discover_shows_it_for_each_candidate(show: object, value: PostQuantum | None, word: str) -> None:
    found = discovery(PAIR)
    found = replace(found, candidates=tuple(replace(one, post_quantum=value) for one in found.candidates))
    out = CleanConsole(width=200, file=io.StringIO(), color_system=None)
    assert callable(show)
    show(out, found)
    lines = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    is_table = show is print_summary
    shown = [line for one in found.defaults for line in lines if line.startswith(one[0] if is_table else "    ")]
    protected = [line for line in shown if "baseline" not in line and line.split()[0] not in ("none", "baseline")]
    assert protected
    for line in protected:
        assert (f" {word} " in f"{line} ") if is_table or not word else f"post-quantum: {word})" in line
