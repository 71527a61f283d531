"""Order that the extended industrial study states: MACsec over L2TP is ahead of both settings with WireGuard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from app.domain.node_study import NodeResult
from app.ranking import node_study
from app.ranking.node_study import Figure, OrderVerdict, PublishedPair, own_pairs

AHEAD, WITH_WIREGUARD = "macsec-l2tp", ("macsec-over-wireguard", "macsec-plus-wireguard")
STATED = tuple(PublishedPair(figure, AHEAD, behind) for behind in WITH_WIREGUARD for figure in Figure)


def printed_against(order: Sequence[Any]) -> list[str]:
    """Return the figures in which printed verdicts contradict the order; undecided ones do not.

    Args:
        order: `order` of the study's JSON.
    """
    printed = {
        (one["published"]["figure"], one["published"]["ahead"], one["published"]["behind"]): one for one in order
    }
    wanted = [(figure.value, AHEAD, WITH_WIREGUARD[0]) for figure in Figure]
    assert set(wanted) <= set(printed), "the study has a pair for each figure"
    return [key[0] for key in wanted if printed[key]["verdict"] == OrderVerdict.NO]


def rounds_against(results: Sequence[NodeResult]) -> list[PublishedPair]:
    """Return the pairs of the order that rounds contradict, by the rule of the program's own verdicts.

    Published are the pairs with the first of the two settings with WireGuard alone; these are all.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_study, "published_pairs", lambda: STATED)
        return [one.published for one in own_pairs(results) if one.verdict is OrderVerdict.NO]
