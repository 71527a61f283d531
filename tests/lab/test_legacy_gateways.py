"""VPNs of former times, between gateways that still have them: measured for comparison, and removed without a trace.

Their image is made for these tests alone; in every run, contract tests judge their plans and what was recorded.
"""

from __future__ import annotations

import pytest

from app.domain.adapters import Adapter
from support.adapter_cases import FORMER, facts
from support.bare_tunnel import new_tunnel
from support.lab_pairs import LEGACY, LabPair, LabPairs
from support.tunnel_checks import (
    by_a_transaction,
    check_fails_closed,
    check_undone,
    check_unreadable,
    check_up,
    default_suite,
)
from vpn_adapters.registry import ADAPTERS

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def pair(lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.get(*LEGACY)


@pytest.fixture(params=sorted(FORMER))
def adapter(request: pytest.FixtureRequest) -> Adapter:
    found: str = request.param
    return ADAPTERS[found]


def test_gateways_answer_as_recorded(pair: LabPair) -> None:
    recorded = facts(LEGACY[0])
    for host in pair.facts:
        for name in sorted(FORMER):
            found, known = host.solutions[name], recorded.solutions[name]
            assert (found.is_available, found.features) == (known.is_available, known.features), name


def test_undo_after_some_or_all_steps_leaves_nothing(pair: LabPair, adapter: Adapter) -> None:
    tunnel = new_tunnel(pair.sessions, adapter, default_suite(pair, adapter), pair.facts, pair.link)
    before = tunnel.both(tunnel.snapshot)
    try:
        check_undone(tunnel)
    finally:
        tunnel.undo()
    assert tunnel.both(tunnel.snapshot) == before


def test_it_carries_every_frame_size_unreadably_and_fails_closed(pair: LabPair, adapter: Adapter) -> None:
    with by_a_transaction(pair, adapter) as tunnel:
        check_up(tunnel)
        check_unreadable(tunnel)
        check_fails_closed(tunnel)
