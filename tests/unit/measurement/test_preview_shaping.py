"""Files and commands of a candidate, with those that shape the link of hosts of the user's own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_services import discovery
from sample_records import pair

from app.discovery.pair_discovery import Discovery
from app.domain.condition_files import presets
from app.domain.conditions import Condition
from app.domain.hosts import Nic
from app.services.wiring import Services
from app.tunnel.messages import SHAPE_WAY
from support import adapter_cases
from support.message_checks import has_message

GEO = presets()["geo"]
SHAPES = has_message(SHAPE_WAY)


def found(services: Services, *, is_lab: bool) -> Discovery:
    """Return facts about two hosts, as recorded on real ones, joined by addresses of their own."""
    hosts, own = discovery(pair(is_lab=is_lab)), "192.0.2.1"
    nic = Nic("eth1", "52:54:00:00:00:02", 1500, 1000, is_up=True, addresses=(f"{own}/24",))
    seen = replace(adapter_cases.facts(), nics=(nic,))
    known = replace(hosts, a=replace(hosts.a, facts=seen), b=replace(hosts.b, facts=seen), candidates=(), defaults=())
    return services.judge_again(replace(known, link=replace(known.link, underlay_a=own, underlay_b=own)))


@pytest.mark.parametrize(
    ("is_lab", "condition", "is_shaped"), [(False, GEO, True), (False, None, False), (True, GEO, False)]
)
@pytest.mark.parametrize("solution", ["baseline", "wireguard"])
def test_own_hosts_show_what_shapes_their_link(
    services: Services, is_lab: bool, condition: Condition | None, is_shaped: bool, solution: str
) -> None:
    hosts = found(services, is_lab=is_lab)
    candidate = next(one for one in hosts.candidates if one.solution == solution)
    items = services.preview(hosts, (candidate.solution, candidate.suite), condition)
    shaping = [one for one in items if SHAPES(one.title)]
    assert [(one.side, one.kind) for one in shaping] == (
        [("a", "command"), ("a", "undo"), ("b", "command"), ("b", "undo")] if is_shaped else []
    )
    assert all("delay 250000us" in one.text for one in shaping if one.kind == "command")
