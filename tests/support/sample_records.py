"""Synthetic campaigns for tests: every figure in them is made up from a seeded generator, none was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from app.domain.capture import BreakVerdict, CaptureReport, LeakVerdict
from app.domain.hosts import (
    HostFacts,
    HostSpec,
    InitSystem,
    Nic,
    PackageManager,
    PairSpec,
    Privilege,
    SolutionSupport,
    Tool,
    ToolFlavour,
)
from app.domain.path_note import PathNote
from app.domain.profiles import FRAME_BYTES, Profile, ProfileName
from app.domain.results import (
    LOST_RTT_US,
    Attempt,
    AttemptKey,
    AttemptStatus,
    CampaignPlan,
    CampaignRecord,
    CampaignStatus,
    Candidate,
    CpuUsage,
    LatencySeries,
    PlannedItem,
    ThroughputSeries,
)
from app.domain.verdicts import Finding, Verdict
from support.sample_captures import capture_report

STARTED = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Model:
    """Centre of the made-up figures of one candidate.

    Attributes:
        candidate: The candidate.
        base_ms: RTT of the smallest frame.
        per_kb_ms: What each further 1000 bytes cost.
        mbit_s: Throughput.
        busy_pct: CPU during throughput.
        overhead_bytes: Bytes per frame.
        failure: Reason and message; empty if it completes.
    """

    candidate: Candidate
    base_ms: float
    per_kb_ms: float
    mbit_s: float
    busy_pct: float
    overhead_bytes: int
    failure: tuple[str, str] = ("", "")


BASELINE = Candidate("baseline", "none", "Bare underlay", Verdict.UNPROTECTED, (), is_unprotected=True)
L2TP = Candidate("l2tp", "none", "L2TPv3 without encryption", Verdict.UNPROTECTED, (), is_unprotected=True)
WIREGUARD = Candidate("wireguard", "chacha20-poly1305", "WireGuard, ChaCha20-Poly1305", Verdict.RECOMMENDED)
OPENVPN_UDP = Candidate("openvpn-udp", "aes-256-gcm", "OpenVPN over UDP, AES-256-GCM", Verdict.RECOMMENDED)
OPENVPN_TCP = Candidate("openvpn-tcp", "aes-256-gcm", "OpenVPN over TCP, AES-256-GCM", Verdict.ACCEPTABLE)
BLOWFISH = Candidate(
    "openvpn-udp",
    "bf-cbc",
    "OpenVPN over UDP, BF-CBC",
    Verdict.INSECURE,
    (
        Finding(
            "BF-CBC", Verdict.INSECURE, "Blocks of 64 bits can be matched after 32 GB.", "CVE-2016-6329", "AES-256-GCM"
        ),
    ),
    is_listed_only=True,
)

MODELS: tuple[Model, ...] = (
    Model(BASELINE, 0.42, 0.10, 404.0, 31.0, 0),
    Model(L2TP, 0.55, 0.13, 210.0, 44.0, 54),
    Model(WIREGUARD, 0.98, 0.34, 42.0, 71.0, 114),
    Model(OPENVPN_UDP, 1.35, 0.42, 31.0, 88.0, 83),
    Model(OPENVPN_TCP, 1.44, 0.47, 24.0, 92.0, 97),
    Model(
        BLOWFISH, 0, 0, 0, 0, 0, ("tunnel-down", "OpenVPN on gateway-a ended at once: cipher BF-CBC is not in OpenSSL.")
    ),
)


def pair(*, is_lab: bool = True, label_a: str = "gateway-a", label_b: str = "gateway-b") -> PairSpec:
    """Return a pair that exists nowhere."""
    return PairSpec(
        "lab:practice" if is_lab else "plant-north",
        HostSpec(label_a, "192.0.2.10", 22, "root"),
        HostSpec(label_b, "192.0.2.11", 22, "root"),
        "198.51.100.1",
        "198.51.100.2",
        is_lab=is_lab,
    )


def facts(hostname: str = "gw-a", *, has_aes: bool = True) -> HostFacts:
    """Return what could have been found on a host."""
    return HostFacts(
        collected_at=STARTED,
        hostname=hostname,
        os_id="debian",
        os_name="Debian GNU/Linux 13 (trixie)",
        kernel="6.12.48+deb13-cloud-amd64",
        architecture="x86_64",
        cpu_model="QEMU TCG CPU version 2.5+",
        cpu_count=1,
        cpu_flags=("aes", "avx2") if has_aes else (),
        is_virtual=True,
        memory_total_mib=610,
        memory_available_mib=420,
        nics=(
            Nic("eth0", "52:54:00:00:00:01", 1500, None, is_up=True, addresses=("10.0.2.15/24",)),
            Nic("eth1", "52:54:00:00:00:02", 1500, 1000, is_up=True, addresses=("198.51.100.1/24",)),
        ),
        clock_offset_ms=1.8,
        clock_error_ms=0.9,
        init_system=InitSystem.SYSTEMD,
        privilege=Privilege.ROOT,
        user="root",
        package_manager=PackageManager.APT,
        tools={
            "ping": Tool("ping", ToolFlavour.IPUTILS, "iputils 20240905", "/usr/bin/ping"),
            "iperf3": Tool("iperf3", ToolFlavour.STANDARD, "3.18", "/usr/bin/iperf3"),
        },
        kernel_modules=("wireguard", "l2tp_eth", "tun"),
        disk_free_mib={"/": 512, "/run": 60, "/tmp": 300},
        load_1min=0.12,
        solutions={
            "wireguard": SolutionSupport("wireguard", is_available=True, version="1.0.20210914"),
            "openvpn-udp": SolutionSupport("openvpn-udp", is_available=True, version="2.6.14"),
        },
    )


def latency_series(
    rng: np.random.Generator, frame_bytes: int, mean_ms: float, pings: int, lost: int = 0
) -> LatencySeries:
    """Return one series with a tail to the right, as round-trip times have it."""
    rtt_us = (1000 * mean_ms * (0.85 + rng.gamma(1.5, 0.1, pings))).astype(np.uint32)
    if lost:
        rtt_us[rng.choice(pings, lost, replace=False)] = LOST_RTT_US
    return LatencySeries(frame_bytes, pings, pings - lost, 0, rtt_us)


def configuration(solution: str) -> tuple[PlannedItem, ...]:
    """Return what could have been configured."""
    if solution == "baseline":
        return ()
    items = []
    for side in ("a", "b"):
        items += [
            PlannedItem(
                side,
                "file",
                f"/run/tunnelmark/tunnel/{solution}.conf",
                "# Generated by Tunnelmark.\n[Interface]\nListenPort = 21820\n\n[Peer]\nAllowedIPs = 198.18.1.2/32\n",
            ),
            PlannedItem(
                side, "command", "Make the interface", f"ip link add tmk0 type {solution} id 7301 peer_id 7301"
            ),
            PlannedItem(side, "undo", "Remove the interface", "ip link delete tmk0"),
        ]
    return tuple(items)


def attempt(
    model: Model,
    key: AttemptKey,
    rng: np.random.Generator,
    pings: int,
    *,
    factor: float = 1.0,
    lost: int = 0,
    sizes: Sequence[int] = FRAME_BYTES,
) -> Attempt:
    """Return one made-up attempt; `factor` stretches all its times."""
    started = STARTED + timedelta(seconds=40 * key.position)
    ended = started + timedelta(seconds=35)
    items = configuration(model.candidate.solution)
    if model.failure[0]:
        reason, message = model.failure
        log = "2026-03-04 09:31:12 Cipher BF-CBC not supported\n2026-03-04 09:31:12 Exiting due to fatal error\n"
        return Attempt(key, AttemptStatus.FAILED, reason, message, started, ended, configuration=items, daemon_log=log)
    busy = model.busy_pct * rng.normal(1, 0.02)
    usage = CpuUsage(busy, busy * 0.1, busy * 0.6, busy * 0.3, 0.0, 6.0)
    if model.candidate.solution.startswith("openvpn"):
        usage = CpuUsage(busy, busy * 0.5, busy * 0.35, busy * 0.15, 0.0, 6.0)
    rates = {name: model.mbit_s * rng.normal(1, 0.02) for name in ("a_to_b", "b_to_a")}
    return Attempt(
        key,
        AttemptStatus.COMPLETED,
        "",
        "",
        started,
        ended,
        latency=tuple(
            latency_series(rng, size, factor * (model.base_ms + model.per_kb_ms * size / 1000), pings, lost)
            for size in sizes
        ),
        throughput=tuple(ThroughputSeries(name, rate, (rate,) * 3, 1.0, 2) for name, rate in rates.items()),
        cpu_latency={"a": usage, "b": usage},
        cpu_throughput={"a": usage, "b": usage},
        path=PathNote(
            1500, 1500, 400 if model.overhead_bytes else 0, 1514 - model.overhead_bytes, model.overhead_bytes
        ),
        setup_s=2.1,
        cleanup_s=1.3,
        probe_s=28.0,
        configuration=items,
        negotiated="" if model.candidate.solution == "baseline" else "TLSv1.3, TLS_AES_256_GCM_SHA384",
        capture=_capture(model) if key.round == 1 else None,
    )


def _capture(model: Model) -> CaptureReport:
    verdict = LeakVerdict.EXEMPT if model.candidate.is_unprotected else LeakVerdict.PROTECTED
    return capture_report(model.overhead_bytes, verdict, is_open=False)


def with_open_device(record: CampaignRecord) -> CampaignRecord:
    """Return a comparison in which every tunnel lets frames out when its device is deleted on B."""

    def opened(capture: CaptureReport | None) -> CaptureReport | None:
        if capture is None or capture.leak is None or not capture.leak.broken:
            return capture
        *closed, last = capture.leak.broken
        last = replace(last, verdict=BreakVerdict.FAILS_OPEN, clear_marks={"a": 0, "b": 8})
        return replace(capture, leak=replace(capture.leak, broken=(*closed, last)))

    attempts = tuple(replace(one, capture=opened(one.capture)) for one in record.attempts)
    return replace(record, attempts=attempts)


def plan_keys(candidates: Sequence[Candidate], rounds: int) -> tuple[AttemptKey, ...]:
    """Return the order of attempts: the baseline begins every round and ends the last one."""
    keys: list[AttemptKey] = []
    for number in range(1, rounds + 1):
        keys += [AttemptKey(0, one.solution, one.suite, "as-found", number) for one in candidates]
    if any(one.solution == "baseline" for one in candidates):
        keys.append(AttemptKey(0, "baseline", "none", "as-found", rounds))
    return tuple(AttemptKey(i, key.solution, key.suite, key.condition, key.round) for i, key in enumerate(keys))


def sample_record(
    *,
    rounds: int = 3,
    pings: int = 200,
    seed: int = 1,
    noise: float = 0.02,
    models: Sequence[Model] = MODELS,
    is_lab: bool = True,
    status: CampaignStatus = CampaignStatus.COMPLETED,
    attempts_kept: int | None = None,
    deadline_ms: float | None = 5.0,
    facts_by_side: Mapping[str, HostFacts] | None = None,
    pair_spec: PairSpec | None = None,
) -> CampaignRecord:
    """Return a whole synthetic campaign.

    Args:
        rounds: Rounds.
        pings: Echo requests per size.
        seed: Of the generator; the same arguments always give the same record.
        noise: Standard deviation of the factor by which a whole attempt is slower or faster.
        models: What is compared.
        is_lab: Whether the pair says it is a lab.
        status: Of the campaign.
        attempts_kept: Only so many attempts are there; None means all.
        deadline_ms: Deadline in the plan.
        facts_by_side: Facts instead of the usual ones.
        pair_spec: A pair instead of the usual one.

    Returns:
        The record.
    """
    rng = np.random.default_rng(seed)
    candidates = tuple(model.candidate for model in models)
    by_key = {(model.candidate.solution, model.candidate.suite): model for model in models}
    keys = plan_keys(candidates, rounds)
    attempts = tuple(
        attempt(by_key[key.solution, key.suite], key, rng, pings, factor=float(rng.normal(1, noise))) for key in keys
    )[:attempts_kept]
    return CampaignRecord(
        campaign_id=7,
        plan=CampaignPlan(
            pair_spec or pair(is_lab=is_lab),
            Profile(ProfileName.CUSTOM, pings, 3, rounds),
            candidates,
            keys,
            (40.0,) * len(keys),
            deadline_ms=deadline_ms,
        ),
        status=status,
        started_at=STARTED,
        ended_at=None if status is CampaignStatus.RUNNING else attempts[-1].ended_at if attempts else STARTED,
        facts=facts_by_side or {"a": facts("gw-a"), "b": facts("gw-b")},
        attempts=attempts,
        tunnelmark_version="0.1.0",
    )


HOSTILE = '<script>alert(1)</script>&"\'`${x_{#eval("1")}$ \\frac @ref <a> \x1b[31m\x00\u202eevil\ud800'
"""Hostile output of a host or file: markup of HTML, of typst and of mathematics, control characters, reversed text."""


def with_late_replies(record: CampaignRecord, solution: str) -> CampaignRecord:
    """Return a record in which one in 50 replies of a solution came 50 times later."""

    def late(one: LatencySeries) -> LatencySeries:
        rtt_us = np.where(np.arange(one.rtt_us.size) % 50 == 0, one.rtt_us * 50, one.rtt_us)
        return replace(one, rtt_us=rtt_us.astype(np.uint32))

    attempts = tuple(
        replace(one, latency=tuple(map(late, one.latency))) if one.key.solution == solution else one
        for one in record.attempts
    )
    return replace(record, attempts=attempts)


def hostile_record() -> CampaignRecord:
    """Return a campaign in which every text that hosts, files or users give is hostile."""
    models = tuple(
        replace(
            model,
            candidate=replace(
                model.candidate,
                title=f"{model.candidate.title} {HOSTILE}",
                findings=(Finding(HOSTILE, Verdict.ACCEPTABLE, HOSTILE, HOSTILE, HOSTILE),),
            ),
            failure=(HOSTILE, HOSTILE) if model.failure[0] else model.failure,
        )
        for model in MODELS
    )
    evil_facts = replace(
        facts(HOSTILE),
        os_name=HOSTILE,
        kernel=HOSTILE,
        cpu_model=HOSTILE,
        nics=(Nic(HOSTILE, HOSTILE, 1500, 1000, is_up=True),),
        tools={
            HOSTILE: Tool(HOSTILE, ToolFlavour.IPUTILS, HOSTILE),
            "ping": Tool("ping", ToolFlavour.IPUTILS, HOSTILE),
        },
        solutions={HOSTILE: SolutionSupport(HOSTILE, is_available=True, version=HOSTILE)},
        firewall=(HOSTILE,),
    )
    record = sample_record(
        models=models,
        facts_by_side={"a": evil_facts, "b": evil_facts},
        pair_spec=replace(pair(label_a=HOSTILE, label_b=HOSTILE), name=HOSTILE),
    )
    attempts = tuple(
        replace(
            one,
            negotiated=HOSTILE,
            daemon_log=HOSTILE,
            doubts=(HOSTILE,),
            configuration=(PlannedItem("a", "file", HOSTILE, HOSTILE), PlannedItem("b", HOSTILE, HOSTILE, HOSTILE)),
            latency=tuple(replace(series, note=HOSTILE) for series in one.latency),
            capture=capture_report(66, note=HOSTILE) if one.capture is not None else None,
        )
        for one in record.attempts
    )
    return replace(record, attempts=attempts, note=HOSTILE)
