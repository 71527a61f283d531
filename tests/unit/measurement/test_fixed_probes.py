"""Fixed rounds: each begins with another frame size, and only the TCP of the study counts from its start."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sample_records as sample
from campaign_stage import Stage

from app.domain.commands import Command
from app.domain.link import FRAME_TO_PAYLOAD_BYTES
from app.domain.profiles import FRAME_BYTES, ProfileName
from app.domain.results import CampaignPlan


class Named(Stage):
    """A comparison with the name of a profile."""

    name = ProfileName.CUSTOM

    def plan(self) -> CampaignPlan:
        plan = super().plan()
        return replace(plan, profile=replace(plan.profile, name=self.name))


def watched(stage: Stage) -> list[tuple[str, ...]]:
    """Return the command lines that A gets, as the comparison sends them."""
    seen: list[tuple[str, ...]] = []

    def interfere(side: str, command: Command) -> None:
        if side == "a":
            seen.append(command.argv)

    stage.pair.interfere = interfere
    return seen


def test_each_round_begins_with_another_size_and_is_stored_in_the_usual_order() -> None:
    stage = Stage(candidates=(sample.WIREGUARD,), rounds=3)
    seen = watched(stage)
    record = stage.run()

    sizes = [[int(size) for size in argv[5].split()] for argv in seen if any("warm-up" in word for word in argv)]
    in_order = [size - FRAME_TO_PAYLOAD_BYTES for size in FRAME_BYTES]
    assert sizes == [in_order[first:] + in_order[:first] for first in range(3)]
    for attempt in record.attempts:
        assert tuple(one.frame_bytes for one in attempt.latency) == FRAME_BYTES


@pytest.mark.parametrize("name", [ProfileName.QUICK, ProfileName.STANDARD, ProfileName.PAPER])
def test_tcp_counts_from_its_start_in_the_study_alone(name: ProfileName) -> None:
    stage = Named(candidates=(sample.WIREGUARD,))
    stage.name = name
    seen = watched(stage)
    stage.run()

    (client,) = [argv for argv in seen if "iperf3" in argv]
    assert ("-O" not in client) is (name is ProfileName.PAPER)
