"""Blocks that end early: requests that were not sent are neither sent nor lost."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import sample_records as sample
from adaptive_stage import AdaptiveStage, FakeProbes

from app.domain import events
from app.domain.profiles import BLOCK_PINGS, CHECK_BLOCKS
from app.domain.results import LOST_RTT_US, Attempt, Block
from app.probes.blocks import TargetBlock
from app.ranking.controllers import arrivals_of
from app.ranking.sample_history import sample_history
from app.reports.csv_report import write_samples_csv
from app.reports.figure_data import history_data
from app.storage.codec import from_json, to_json
from app.wording.numbers import grouped

SENT = (70, 30, 0, 0, 0, 0, 0)
GIVEN_UP = 2 * CHECK_BLOCKS + 2
"""Cycle in which a candidate is given up after 100 requests."""


@dataclass
class GivingUp(FakeProbes):
    """Probes that give a candidate up in one cycle: of its second size 10 replies came, of later ones none was sent."""

    def _block(self, solution: str, number: int) -> TargetBlock:
        block = super()._block(solution, number)
        if solution != "wireguard" or number != GIVEN_UP:
            return block
        first, second, *others = (one.copy() for one in block.rtt_us)
        second[10:] = LOST_RTT_US
        for one in others:
            one[:] = LOST_RTT_US
        return replace(block, rtt_us=(first, second, *others), sent=SENT)


def measured() -> tuple[AdaptiveStage, Attempt]:
    stage = AdaptiveStage(candidates=(sample.WIREGUARD, sample.OPENVPN_UDP), probes=GivingUp())
    record = stage.compare()
    return stage, next(one for one in record.attempts if one.key.solution == "wireguard" and one.key.round == 1)


def test_they_are_no_part_of_sent_and_lost() -> None:
    stage, attempt = measured()
    whole = len(attempt.blocks) - 1
    assert [one.sent for one in attempt.latency] == [
        whole * count + sent for count, sent in zip(BLOCK_PINGS, SENT, strict=True)
    ]
    assert sum(one.sent - one.received for one in attempt.latency) == 20
    assert [block.sent for block in attempt.blocks] == [SENT if block.cycle == 2 else () for block in attempt.blocks]
    live = [event for event in stage.of(events.RttSamples) if event.key == attempt.key]
    assert sum(np.isnan(event.rtt_ms).sum() for event in live) == 20


def test_they_are_no_loss_in_a_row_and_no_outage() -> None:
    _stage, attempt = measured()
    found = arrivals_of([attempt])
    assert found is not None
    assert found.lost_in_a_row == 20
    (second, third) = (sample_history([attempt], size, attempt.started_at) for size in (128, 256))
    assert second is not None
    assert third is not None
    assert [(one.first, one.last) for one in second.outages] == [(70, 89)]
    assert third.outages == ()


def test_they_are_in_no_table_of_samples(tmp_path: Path) -> None:
    stage, attempt = measured()
    (record,) = stage.store.records.values()
    write_samples_csv(replace(record, attempts=(attempt,)), tmp_path / "samples.csv")
    rows = list(csv.DictReader((tmp_path / "samples.csv").read_text("utf-8").splitlines()))
    assert len(rows) == sum(one.sent for one in attempt.latency)
    assert sum(not row["rtt_us"] for row in rows) == 20


def test_they_are_in_no_table_of_a_figure() -> None:
    _stage, attempt = measured()
    second = sample_history([attempt], 128, attempt.started_at)
    assert second is not None
    (row,) = history_data(second).rows
    assert row[1:3] == (grouped(attempt.latency[1].sent), "20")


def test_they_are_stored_and_what_an_earlier_version_stored_is_read() -> None:
    _stage, attempt = measured()
    stored = to_json(attempt.blocks[1])
    assert from_json(Block, stored) == attempt.blocks[1]
    earlier = stored.replace(f',"sent":{list(SENT)}'.replace(" ", ""), "")
    assert earlier != stored
    assert from_json(Block, earlier) == replace(attempt.blocks[1], sent=())
