"""Options of a run: what the user chose."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conditions import Condition
from app.domain.profiles import Profile
from app.domain.workloads import TRANSFER_MB


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The user's options for a run.

    Attributes:
        profile: Thoroughness.
        deadline_ms: RTT above which a reply is late, in ms; None where that does not matter.
        min_rate_mbit_s: Throughput in Mbit/s that a VPN must reach in each direction; None where that does not matter.
        load_cap_mbit_s: Limit for throughput probes in Mbit/s; None means none.
        has_load_consent: Whether the user agreed to load on a live link.
        condition: Condition of the link that is emulated meanwhile; None for the link as it is.
        may_shape: Whether the user agreed that hosts of their own shape what they send to each other.
        workloads: Names of workloads that are run besides.
        transfer_mb: Size of the file of the workload transfer, in MB.
        seed: Seed of the order of candidates; None draws one.
    """

    profile: Profile
    deadline_ms: float | None = None
    min_rate_mbit_s: float | None = None
    load_cap_mbit_s: float | None = None
    has_load_consent: bool = False
    condition: Condition | None = None
    may_shape: bool = False
    workloads: tuple[str, ...] = ()
    transfer_mb: int = TRANSFER_MB
    seed: int | None = None
