"""Censuses over two hosts, with the real parts; also as a program of its own that a test can kill."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from lab_campaign import HEADER, Found, find_out
from lab_sessions import connected
from pair_files import load_pair

from app.domain.cancel import CancelToken
from app.domain.census import CensusRecord
from app.domain.commands import SessionPair
from app.domain.events import AttemptEnded, AttemptStarted, CensusEvent
from app.domain.hosts import PairSpec
from app.measurement import tunnels
from app.measurement.census import Census, find_unfinished, plan_census
from app.measurement.control import CampaignControl
from app.measurement.engine import CampaignHosts, run_campaign
from app.storage import Store
from vpn_adapters.registry import ADAPTERS

VERSION = "0.1.0"


def run(
    pair: PairSpec,
    sessions: SessionPair,
    found: Found,
    store: Store,
    names: Sequence[str],
    *,
    solution: str = "openvpn-udp",
    token: CancelToken | None = None,
    emit: Callable[[CensusEvent], None] = lambda _: None,
) -> CensusRecord:
    """Run a census of some options, going on with an unfinished one."""
    plan = plan_census(pair, ADAPTERS, found.facts, solutions=[solution], names=names)
    return run_campaign(
        Census,
        plan,
        CampaignHosts(sessions, ADAPTERS, found.link, found.facts, HEADER),
        store=store,
        control=CampaignControl(token=token),
        emit=emit,
        version=VERSION,
        resume_id=find_unfinished(store, plan, found.facts, VERSION),
    )


def main() -> None:
    """Run a census until it is killed: file of the pair, database, seconds of lease, names of options."""
    file, database, lease_s, *names = sys.argv[1:]
    tunnels.LEASE_S = int(lease_s)
    pair = load_pair(Path(file))

    def emit(event: CensusEvent) -> None:
        if isinstance(event, AttemptStarted):
            print("started", event.title.partition(": ")[2], flush=True)
        elif isinstance(event, AttemptEnded):
            print("ended", event.attempt.name, event.attempt.status.value, flush=True)

    with Store.open(Path(database)) as store, connected(pair, Path(database).parent) as sessions:
        run(pair, sessions, find_out(pair, sessions), store, names, emit=emit)


if __name__ == "__main__":
    main()
