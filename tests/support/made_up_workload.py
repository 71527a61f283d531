"""A workload that exists in tests alone, with a comparison that ran it."""

from __future__ import annotations

from dataclasses import replace

from app.domain.results import AttemptStatus, CampaignRecord
from app.domain.workloads import FigureKind, WorkloadResult
from app.probes.workloads import Workload
from support.sample_records import sample_record

MADE_UP = Workload(
    name="made-up",
    title="Made-up work",
    figures=(
        FigureKind("jobs", "Jobs in a minute", "jobs/min", is_lower_better=False),
        FigureKind("idle-share", "Share of idle time", "%", is_lower_better=True),
        FigureKind("s", "Length of a job", "s", is_lower_better=True),
    ),
    run=lambda _path: {},
    seconds=3.0,
    source="A test",
    heading="Jobs",
)

JOBS = {"wireguard": 10.0, "openvpn-udp": 30.0, "openvpn-tcp": 20.0}
"""Mean of the main figure by solution; others have none."""


def made_up_record() -> CampaignRecord:
    """Return a comparison of two rounds in which some candidates did the made-up work: 1 less and 1 more than JOBS."""
    record = sample_record(rounds=2)
    attempts = []
    for one in record.attempts:
        mean = JOBS.get(one.key.solution)
        if mean is not None and one.status is AttemptStatus.COMPLETED:
            jobs = mean + (1.0 if one.key.round == 2 else -1.0)
            one = replace(one, workloads=(WorkloadResult("made-up", {"jobs": jobs, "idle-share": 25.0, "s": 2.5}),))
        attempts.append(one)
    return replace(record, plan=replace(record.plan, workloads=("made-up",)), attempts=tuple(attempts))
