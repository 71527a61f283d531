"""Installing what a host lacks, by what its last inspection found."""

from __future__ import annotations

from collections.abc import Sequence

from app.discovery import install, plan_install
from app.discovery.messages import NOT_INSPECTED_YET
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import InvalidPlan
from app.domain.hosts import MissingPart, PairSpec, Side
from app.domain.progress import ProgressSink
from app.storage import Store


def install_on_host(
    session: HostSession,
    store: Store,
    pair: PairSpec,
    side: Side,
    missing: Sequence[MissingPart],
    *,
    token: CancelToken,
    on_progress: ProgressSink,
) -> str:
    """Install packages on a host; return what was done, in words.

    Raises:
        InvalidPlan: The host was not inspected yet.
    """
    facts = store.latest_snapshot(pair.name, side)
    if facts is None:
        raise InvalidPlan(NOT_INSPECTED_YET(host=pair.host(side).label))
    plan = plan_install(facts, missing)
    outcome = install(
        session,
        plan,
        token=token,
        on_line=lambda _stream, line: on_progress(line, None),
        on_change=store.audit,
    )
    return outcome.sentence
