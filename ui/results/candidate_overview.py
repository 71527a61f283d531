"""One candidate at a glance: verdict, proofs, figures, path and versions, warnings."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.domain.capture import CaptureReport
from app.domain.hosts import DIRECTIONS
from app.domain.ranking import Estimate
from app.domain.results import Attempt
from app.domain.verdicts import deciding_finding
from app.ranking.rounds import SIDES
from app.ranking.warnings import candidate_warnings
from app.wording.findings import replacement_words
from app.wording.local_forms import decimal
from app.wording.messages import local_name, local_text
from ui.common.basics import WIDE_PX, Card, ScrollPage, column, holder, icon_label, label, row
from ui.common.candidate_rows import Key
from ui.common.texts import NONE, count, mbit_s, ms, pct, ratio, tr
from ui.common.theme import GRID
from ui.common.verdicts import VerdictLabel, verdict_appearance
from ui.plots.result_data import ResultData
from ui.results.capture_appearances import proof_appearances

Fact = tuple[str, str]
"""Name and value."""


class CandidateOverview(ScrollPage):
    """Cards in two columns."""

    def __init__(self) -> None:
        super().__init__(QWidget(), WIDE_PX)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_candidate(self, data: ResultData, key: Key) -> None:
        """Show a candidate."""
        result, report = data.result(key), data.captures.get(key)
        has_figures = bool(result.latency or result.throughput_mbit_s)
        warnings = candidate_warnings(data.record, result)
        left = [self._warnings(warnings)] if warnings else []
        left += [self._verdict(data, key), self._proofs(report)]
        if has_figures and not warnings:
            left.append(self._warnings(()))
        measured = self._measured(data, key) if has_figures else self._nothing_measured()
        columns = (column(*cards, 0, spacing_px=2 * GRID) for cards in (left, [measured, self._built(data, key)]))
        self.show_content(holder(row(*((one, 1) for one in columns), margin_px=GRID, spacing_px=2 * GRID), "page"))

    def _verdict(self, data: ResultData, key: Key) -> Card:
        candidate, card = data.candidate(key), Card(tr("Verdict"), "shield")
        card.body.addWidget(VerdictLabel(verdict_appearance(candidate.verdict)))
        deciding = deciding_finding(candidate.findings)
        if candidate.is_unprotected:
            self._add_text(card, tr("Reference only: unencrypted, never recommended or deployed."))
        elif deciding is None:
            self._add_text(card, tr("No known weaknesses."))
        else:
            self._add_text(card, f"{local_name(deciding.subject)}: {local_text(deciding.reason)}")
            self._add_text(card, f"{tr('Source')}: {local_text(deciding.source)}", "muted")
            if deciding.replacement:
                self._add_text(card, f"{tr('Use instead')}: {replacement_words(deciding.replacement)}")
        slow = data.slow.get(key)
        if slow is not None:
            words = local_text(slow.reason), tr("This does not affect verdict or rank.")
            self._with_icon(card, "clock", "legacy", " ".join(words))
        return card

    def _proofs(self, report: CaptureReport | None) -> Card:
        card = Card(tr("Packet tests"), "search")
        if report is None:
            self._add_text(card, tr("Its packets were not captured."), "muted")
            return card
        for title, appearance, sentence in proof_appearances(report):
            self._with_icon(card, appearance.icon, appearance.role, f"{title}: {appearance.word}", "strong")
            self._add_text(card, sentence, "muted")
        return card

    def _warnings(self, warnings: tuple[str, ...]) -> Card:
        card = Card(tr("Warnings"), "warning")
        for text in warnings:
            self._with_icon(card, "warning", "legacy", text)
        if not warnings:
            self._with_icon(card, "check", "good", tr("No warnings."))
        return card

    def _nothing_measured(self) -> Card:
        card = Card(tr("Measured"), "compare")
        self._add_text(card, tr("Nothing was measured."), "muted")
        return card

    def _measured(self, data: ResultData, key: Key) -> Card:
        result = data.result(key)
        words = tr("Throughput A to B"), tr("Throughput B to A")
        throughput = [
            (what, _figure(result.throughput_mbit_s.get(name), mbit_s, "Mbit/s", 1))
            for what, name in zip(words, DIRECTIONS, strict=True)
        ]
        facts: list[Fact] = [
            (tr("Rank"), _rank_words(data, key)),
            (tr("Weighted latency"), _figure(result.weighted_latency_ms, ms, "ms", 2)),
            (tr("× baseline"), ratio(result.latency_vs_baseline)),
            *throughput,
            (tr("× baseline"), ratio(result.throughput_vs_baseline)),
            *((f"CPU {side.upper()}", _figure(result.cpu_pct.get(side), pct, "%", 0)) for side in SIDES),
            (tr("CPU per Mbit/s"), _figure(result.cpu_pct_per_mbit_s, _per_mbit, "%", 2)),
        ]
        return self._facts(Card(tr("Measured"), "compare"), facts)

    def _built(self, data: ResultData, key: Key) -> Card:
        attempts, result = data.record.attempts_of(key), data.result(key)
        report = data.captures.get(key)
        agreed = dict.fromkeys(one.negotiated for one in attempts if one.negotiated)
        versions = [
            f"{side.upper()}: {support.version}"
            for side, facts in sorted(data.record.facts.items())
            if (support := facts.solutions.get(key[0])) is not None and support.version
        ]
        facts: list[Fact] = [
            (tr("Suite"), key[1]),
            (tr("Negotiated"), "\n".join(agreed) or NONE),
            (tr("Versions"), "\n".join(versions) or NONE),
            *_path_facts(attempts),
        ]
        if report is not None and report.advised_inner_mtu_bytes is not None:
            facts.append((tr("Advised MTU"), f"{count(report.advised_inner_mtu_bytes)} {tr('bytes')}"))
        facts += [(tr("Set-up time"), _seconds(result.setup_s)), (tr("Removal time"), _seconds(result.cleanup_s))]
        return self._facts(Card(tr("Tunnel"), "deployment"), facts)

    def _facts(self, card: Card, facts: list[Fact]) -> Card:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID // 2)
        grid.setColumnStretch(1, 1)
        for nth, (what, text) in enumerate(facts):
            grid.addWidget(label(what, "muted", is_wrapping=False), nth, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label(text, is_selectable=True), nth, 1)
        card.body.addLayout(grid)
        return card

    def _add_text(self, card: Card, text: str, variant: str = "") -> None:
        card.body.addWidget(label(text, variant, is_selectable=True))

    def _with_icon(self, card: Card, icon: str, role: str, text: str, variant: str = "") -> None:
        words = label(text, variant, is_selectable=True)
        line = row(icon_label(icon, role), (words, 1))
        line.setAlignment(words, Qt.AlignmentFlag.AlignTop)
        card.body.addLayout(line)


def _rank_words(data: ResultData, key: Key) -> str:
    place = next(one for one in data.ranking.ranking if (one.solution, one.suite) == key)
    if place.rank is None:
        return tr("none")
    if not place.tied_with:
        return str(place.rank)
    return tr("%1, shared: the difference to %2 is not significant", place.rank, "; ".join(place.tied_with))


def _path_facts(attempts: tuple[Attempt, ...]) -> list[Fact]:
    notes = [one.path for one in attempts if one.path is not None]
    if not notes:
        return []
    last, unit = notes[-1], tr("bytes")
    facts: list[Fact] = [
        (tr("MTU inside"), f"{count(last.inner_mtu_bytes)} {unit}"),
        (tr("MTU of the underlay"), f"{count(last.underlay_mtu_bytes)} {unit}"),
    ]
    if last.overhead_bytes is not None:
        facts.append((tr("Overhead by calculation"), f"{count(last.overhead_bytes)} {tr('bytes per frame')}"))
    if last.largest_unfragmented_frame_bytes is not None:
        facts.append((tr("Largest whole frame"), f"{count(last.largest_unfragmented_frame_bytes)} {unit}"))
    if last.fit is not None:
        mss = count(last.fit.mss_ipv4_bytes), count(last.fit.mss_ipv6_bytes)
        facts.append((tr("TCP MSS without fragments"), tr("%1 bytes over IPv4, %2 over IPv6", *mss)))
    made = [one.fragments_created for one in notes if one.fragments_created is not None]
    if made:
        facts.append((tr("IP fragments made"), count(sum(made))))
    return facts


def _figure(estimate: Estimate | None, text_of: Callable[[float | None], str], unit: str, digits: int) -> str:
    if estimate is None:
        return NONE
    mean = text_of(estimate.mean)
    if estimate.ci is None:
        return f"{mean}  ({tr('one round, no interval')})"
    low, high = estimate.ci
    interval = f"{decimal(low, digits)} – {decimal(high, digits)} {unit}"
    return f"{mean}  (95 %: {interval}, {count(estimate.rounds)} {tr('rounds')})"


def _per_mbit(value: float | None) -> str:
    return NONE if value is None else f"{decimal(value, 2)} %"


def _seconds(value: float | None) -> str:
    return NONE if value is None else f"{decimal(value, 1)} s"
