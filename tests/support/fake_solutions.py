"""Made-up hosts and solutions that the window's tests show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sample_records import BLOWFISH, MODELS, OPENVPN_TCP, facts

from app.discovery.pair_discovery import Discovery, HostCheck
from app.domain.hosts import HostFacts, MissingPart, Nic, PairSpec, Side, SolutionSupport
from app.domain.link import Link
from app.domain.mesh import MeshEffort, PerSite
from app.domain.results import Candidate
from app.domain.solutions import Carrier, SecurityProperties, SolutionInfo, Space
from app.domain.verdicts import Finding, FindingQuestion, Verdict
from app.policy import DEFAULT_GUIDELINES

OLD_SERVER = "port 1194\nproto udp\ndev tap\ncipher BF-CBC\ndata-ciphers AES-256-GCM:CHACHA20-POLY1305\n"
"""Content of /etc/openvpn/old.conf on both hosts."""


def host_facts(side: Side) -> HostFacts:
    found = facts(f"gw-{side.value}", has_aes=side is Side.A)
    address = "198.51.100.1/24" if side is Side.A else "198.51.100.2/24"
    nics = (found.nics[0], Nic("eth1", "52:54:00:00:00:02", 1500, 1000, is_up=True, addresses=(address,)))
    tinc = SolutionSupport("tinc", is_available=False, missing=(MissingPart("tincd", "tinc", "tinc"),))
    return replace(found, nics=nics, solutions={**found.solutions, "tinc": tinc})


def _info(name: str, title: str, summary: str, space: Space, carrier: Carrier, **words: bool) -> SolutionInfo:
    is_plain = words.get("is_unprotected", False)
    security = SecurityProperties(not is_plain, not is_plain, not is_plain, not is_plain, not is_plain)
    limits = () if is_plain else ("Keys that were made once are used until somebody changes them.",)
    mesh = MeshEffort(PerSite(0, 1), PerSite(2, -2), PerSite(1, 0))
    return SolutionInfo(
        name,
        title,
        summary,
        space,
        carrier,
        security,
        0 if is_plain else 1,
        0 if is_plain else 2,
        is_plain,
        limits,
        design=("one-stream",) if carrier is Carrier.TCP else (),
        routing="" if is_plain else "one tunnel interface per peer, joined by a bridge",
        mesh=None if is_plain else mesh,
    )


SOLUTIONS = {
    info.name: info
    for info in (
        _info("baseline", "Bare underlay", "The link as it is.", Space.NONE, Carrier.NONE, is_unprotected=True),
        _info("l2tp", "L2TPv3", "Frames in IP, unencrypted.", Space.NONE, Carrier.IP, is_unprotected=True),
        _info("wireguard", "WireGuard", "Carries L2TPv3, which carries the frames.", Space.KERNEL, Carrier.UDP),
        _info("openvpn-udp", "OpenVPN over UDP", "TLS 1.3 and a tap interface.", Space.USER, Carrier.UDP),
        _info("openvpn-tcp", "OpenVPN over TCP", "The same in one TCP connection.", Space.USER, Carrier.TCP),
        _info("tinc", "tinc", "A mesh.", Space.USER, Carrier.UDP),
    )
}


def _candidate(candidate: Candidate, guidelines: Sequence[str]) -> Candidate:
    """Return a candidate with findings; the BSI's guideline on TLS has something against TCP."""
    is_weak = candidate == BLOWFISH
    own = Finding(
        candidate.suite,
        Verdict.RECOMMENDED if candidate == OPENVPN_TCP else candidate.verdict,
        "Blocks of 64 bits can be matched." if is_weak else "Nothing speaks against it.",
        "CVE-2016-6329" if is_weak else "RFC 8439",
        "AES-256-GCM" if is_weak else "",
    )
    if candidate != OPENVPN_TCP:
        return replace(candidate, findings=(own,))
    stream = Finding("one-stream", Verdict.RECOMMENDED, "A lost packet holds up all others.", "RFC 793")
    if "bsi-tr-02102-2" not in guidelines:
        return replace(candidate, verdict=Verdict.RECOMMENDED, findings=(own, stream))
    outside = Finding(
        candidate.suite, Verdict.ACCEPTABLE, "It is not listed.", "BSI TR-02102-2, 3.3", "", FindingQuestion.GUIDELINE
    )
    return replace(candidate, verdict=Verdict.ACCEPTABLE, findings=(own, outside, stream))


def discovery(
    pair: PairSpec, missing_on_b: tuple[MissingPart, ...] = (), guidelines: Sequence[str] = DEFAULT_GUIDELINES
) -> Discovery:
    candidates = tuple(_candidate(model.candidate, guidelines) for model in MODELS)
    defaults = tuple(
        (c.solution, c.suite) for c in candidates if c.solution != "l2tp" and c.verdict is not Verdict.INSECURE
    )
    return Discovery(
        pair=pair,
        a=HostCheck(Side.A, host_facts(Side.A), (), ()),
        b=HostCheck(Side.B, host_facts(Side.B), missing_on_b, ("The host is busy (load 0.90 on 1 core).",)),
        link=Link(pair.underlay_a, pair.underlay_b),
        clock_difference_ms=1.2,
        candidates=candidates,
        defaults=defaults,
        solutions=SOLUTIONS,
        unavailable={"tinc": "A lacks tincd; B lacks tincd"},
    )
