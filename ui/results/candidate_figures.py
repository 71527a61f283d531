"""Figures of one candidate: latency per frame size, throughput per direction, CPU per host."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from app.domain.hosts import DIRECTIONS
from app.domain.ranking import CandidateResult, Estimate
from app.ranking.candidates import with_figures
from app.ranking.gates import shown_limits
from app.ranking.rounds import size_estimates
from app.wording.controllers import controller_heads, controller_note, controller_rows
from app.wording.gates import gate_rows
from app.wording.local_forms import decimal
from app.wording.messages import local_text
from ui.common.basics import WIDE_PX, ScrollPage, column, holder, label, show_text
from ui.common.candidate_rows import Key
from ui.common.data_table import DataTable
from ui.common.texts import NONE, count, mbit_s, ms, pct, tr
from ui.common.theme import GRID
from ui.plots.result_data import ResultData

_ROOMY_EM = 64
_P5, _P95, _P99, _P999, _STDEV, _JITTER, _LATE = 5, 7, 8, 9, 11, 12, 13


class CandidateFigures(ScrollPage):
    """Five tables, one under the other.

    Attributes:
        latency: A line per frame size.
        throughput: A line per direction.
        cpu: A line per host.
        gates: A line per condition of hosts and link.
        controllers: A line per setting of a controller.
    """

    def __init__(self) -> None:
        names = (
            tr("Latency per frame size"),
            tr("TCP throughput per direction"),
            tr("CPU during throughput"),
            tr("Conditions while it was measured"),
            tr("Controller connections"),
        )
        interval = tr("95 % interval")
        self.latency = _table(_latency_headers(), range(14), names[0])
        self.latency.set_tips(
            {
                3: tr("Round-trip time, mean of the rounds' means"),
                4: tr("Over rounds; with one round there is none"),
                _JITTER: tr("Mean difference of the round-trip times of successive requests"),
                _LATE: tr("Replies later than the deadline, and requests without reply"),
            }
        )
        self.latency.hide_where_narrow((_P5, _P999, _STDEV, _JITTER), _ROOMY_EM)
        self.latency.fit((_P95, _P99, _LATE))
        self.throughput = _table(
            (tr("Direction"), tr("Mean"), interval, tr("Rounds"), tr("Retransmits")), range(1, 5), names[1]
        )
        self.cpu = _table(
            (tr("Host"), tr("Mean"), interval, tr("user"), tr("system"), tr("softirq")), range(1, 6), names[2]
        )
        self.gates = _table(
            (tr("Condition"), tr("Reading"), tr("Verdict"), tr("Doubted above"), tr("Repeated above")),
            range(3, 5),
            names[3],
        )
        self.controllers = _table(controller_heads(), range(2, 3), names[4])
        self.controller_note = label("", "muted", is_selectable=True)
        self.controller_note.setWordWrap(True)
        tables = (self.latency, self.throughput, self.cpu, self.gates, self.controllers)
        parts = [part for name, table in zip(names, tables, strict=True) for part in (label(name, "heading"), table)]
        self.notes = label("", "muted", is_selectable=True)
        parts.insert(2, self.notes)
        parts.append(self.controller_note)
        super().__init__(holder(column(*parts, 0, margin_px=GRID), "page"), WIDE_PX)

    def show_candidate(self, data: ResultData, key: Key) -> None:
        """Show the figures of a candidate."""
        result = data.result(key)
        attempts = with_figures(data.record.attempts_of(key))
        means = size_estimates(attempts)
        sizes = sorted(result.latency, key=lambda one: one.frame_bytes)
        rows = [
            (
                f"{count(one.frame_bytes)} B",
                count(one.sent),
                count(one.sent - one.received),
                ms(one.mean_ms),
                _interval(means.get(one.frame_bytes), "ms", 2),
                *(ms(value) for value in (one.p5_ms, one.p50_ms, one.p95_ms, one.p99_ms, one.p999_ms)),
                ms(one.max_ms),
                ms(one.stdev_ms),
                ms(one.jitter_ms),
                NONE if one.over_deadline_pct is None else f"{decimal(one.over_deadline_pct, 1)} %",
            )
            for one in sizes
        ]
        _fill(self.latency, rows)
        self.latency.set_column_unused(_LATE, is_unused=data.record.plan.deadline_ms is None)
        has_intervals = any(one.ci is not None for one in means.values())
        for table, place in ((self.latency, 4), (self.throughput, 2), (self.cpu, 2)):
            table.set_column_unused(place, is_unused=not has_intervals)
        notes = [f"{count(one.frame_bytes)} B: {local_text(one.note)}" for one in sizes if one.note]
        show_text(self.notes, "\n".join(notes))
        again = {
            name: [one.retransmits for each in attempts for one in each.throughput if one.direction == name]
            for name in DIRECTIONS
        }
        _fill(self.throughput, _throughput_rows(result, again))
        _fill(self.cpu, _cpu_rows(data, key, result))
        _fill(self.gates, gate_rows(result.gates, shown_limits()))
        _fill(self.controllers, controller_rows(result.controllers))
        self.controller_note.setText(controller_note(result.arrivals, result.restart_outage) if result.arrivals else "")


def _throughput_rows(result: CandidateResult, again: dict[str, list[int | None]]) -> list[tuple[str, ...]]:
    words = {"a_to_b": tr("A to B"), "b_to_a": tr("B to A")}
    return [
        (
            words.get(name, name),
            mbit_s(one.mean),
            _interval(one, "Mbit/s", 1),
            count(one.rounds),
            count(sum(known)) if (known := [value for value in again.get(name, []) if value is not None]) else NONE,
        )
        for name, one in result.throughput_mbit_s.items()
    ]


def _cpu_rows(data: ResultData, key: Key, result: CandidateResult) -> list[tuple[str, ...]]:
    shares = {bar.side: bar.parts_pct for bar in data.cpu if bar.key == key}
    return [
        (
            side.upper(),
            pct(one.mean),
            _interval(one, "%", 0),
            *(pct(value) for value in shares.get(side, (None, None, None))),
        )
        for side, one in result.cpu_pct.items()
    ]


def _interval(estimate: Estimate | None, unit: str, digits: int) -> str:
    if estimate is None or estimate.ci is None:
        return NONE
    low, high = estimate.ci
    return f"{decimal(low, digits)} – {decimal(high, digits)} {unit}"


def _latency_headers() -> tuple[str, ...]:
    return (
        tr("Frame"),
        tr("Sent"),
        tr("Lost"),
        tr("Mean"),
        tr("95 % interval"),
        "5 %",
        tr("Median"),
        "95 %",
        "99 %",
        f"{decimal(99.9, 1)} %",
        tr("Max"),
        tr("Std dev"),
        tr("Jitter"),
        tr("Late"),
    )


def _table(headers: Sequence[str], figures: range, name: str) -> DataTable:
    table = DataTable(headers, figures, name)
    table.horizontalHeader().setMinimumSectionSize(48)
    table.fit()
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return table


def _fill(table: DataTable, rows: Sequence[tuple[str, ...]]) -> None:
    table.show_rows(rows, has_tips=True)
    table.share_width()
    table.setFixedHeight(table.height_for_all_px() if rows else 2 * table.horizontalHeader().sizeHint().height())
