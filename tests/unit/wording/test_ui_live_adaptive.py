"""The run page during an adaptive comparison, whose rounds and requests have no fixed number."""

from __future__ import annotations

from adaptive_stage import AdaptiveStage, FakeProbes

from app.domain.events import CycleEnded, Event, Progress, StageStarted
from app.domain.events import Stage as Step
from app.domain.profiles import BLOCK_PINGS, CHECK_BLOCKS
from app.domain.results import CampaignStatus
from app.ranking.messages import SLOWER_THAN
from support.message_checks import shows
from ui.common.candidate_rows import RowState
from ui.common.sample_model import LiveModel
from ui.common.stage_texts import place_text
from ui.comparison.run_table import state_text
from ui.comparison.run_words import running_text


class Watched:
    """An adaptive comparison of which every event goes into a live model."""

    def __init__(self) -> None:
        self.model = LiveModel()
        self.heads: list[str] = []
        self.states: list[str] = []
        self.places: list[str] = []
        self.loads: list[tuple[str, int]] = []

    def run(self) -> CampaignStatus:
        stage = AdaptiveStage(on_event=self.feed, probes=FakeProbes(noise=0.05))
        return stage.compare().status

    def feed(self, event: Event) -> None:
        if isinstance(event, StageStarted) and event.stage is Step.PACKET_TESTS:
            key = self.model.running_key()
            self.loads.append((key[0] if key else "", len(self.model.throughput("a_to_b"))))
        self.model.feed(event)
        rows = self.model.rows()
        self.heads.append(running_text(self.model, rows))
        self.states += [state_text(row) for row in rows]
        self.places.append(place_text(rows))


def test_the_head_names_the_round_and_no_number_of_requests() -> None:
    seen = Watched()
    assert seen.run() is CampaignStatus.COMPLETED
    assert any(text.startswith("Round 1: ") for text in seen.heads)
    assert not any(" B, " in text or "1\u202f400" in text for text in seen.heads)
    assert "" not in seen.heads
    seen.model.feed(Progress(0.5, 10.0, "round 2: cycle 3, 2 of 10 good"))
    assert running_text(seen.model, seen.model.rows()) == "Round 2: cycle 3, 2 of 10 good"
    assert {"round 1", "round 2"} <= set(seen.places)


def test_replies_are_counted_and_have_no_percentiles_of_all_candidates_together() -> None:
    seen = Watched()
    seen.run()
    figures = seen.model.figures()
    cycles = sum(int(curve.cycle.size) for curve in seen.model.ratios()[:1])
    assert figures.count >= cycles * 3 * sum(BLOCK_PINGS)
    assert figures.expected == 0
    assert figures.p50_ms != figures.p50_ms


def test_states_name_rounds_that_were_needed_and_why_a_candidate_left() -> None:
    seen = Watched()
    seen.run()
    assert any(text.endswith("(round 2)") for text in seen.states)
    assert not any("/8" in text or "of 8" in text for text in seen.states)
    rows = seen.model.rows()
    assert {row.state for row in rows} == {RowState.DONE}
    assert all("rounds)" in state_text(row) for row in rows)
    assert any(shows(state_text(row), SLOWER_THAN.text) for row in rows)


def test_throughput_on_show_is_that_of_one_candidate() -> None:
    seen = Watched()
    seen.run()
    assert seen.loads
    assert all(seconds <= 1 for _, seconds in seen.loads), "of the candidate before nothing is left"


def test_curves_have_the_cycles_that_the_stored_rounds_count() -> None:
    model = LiveModel()
    seen: dict[str, int] = {}

    def feed(event: Event) -> None:
        model.feed(event)
        if isinstance(event, CycleEnded) and event.round == event.cycle == 1:
            seen.update({curve.key[0]: curve.cycle.size for curve in model.ratios()})

    first = 2 * CHECK_BLOCKS + 1  # after those that show whether tunnels change each other
    record = AdaptiveStage(on_event=feed, probes=FakeProbes(slow_cycles={first})).compare()
    assert set(seen.values()) == {1}, "the first cycle cannot be known to be slow"
    for curve in model.ratios():
        blocks = [one for attempt in record.attempts_of(curve.key) for one in attempt.blocks]
        assert curve.cycle.size == sum(one.is_counted for one in blocks) < len(blocks)
