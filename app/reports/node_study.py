"""Study with nodes behind both gateways: texts of its outcome, and its figures as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from app.domain.node_study import FORGED, Hop, HopInjection, HopReport, NodeResult
from app.ranking.node_study import (
    Faster,
    Figure,
    OrderVerdict,
    OwnPair,
    Reason,
    faster_than_baseline,
    node_settings,
    own_pairs,
    setting_figures,
)
from app.reports.study_view import suite_lines
from app.storage.lab_results import NodeResults
from app.wording.language import mark, tr
from app.wording.local_forms import decimal, local_figure

NODE_NOTES = (
    mark(
        "Nodes are namespaces on the gateways: the gateways' CPU includes what nodes encrypt. The study had computers "
        "of their own for them, faster than its gateways, so that its gateways only relayed what nodes had encrypted."
    ),
    mark("Read the order and the ratios, not the figures. The study's Figure 4 has no numbers in its text."),
    mark("Keys of nodes' frames are static and new for each tunnel; the study's were set by hand."),
)
"""Differences to the study."""

MACHINE_NOTES = (
    mark(
        "Nodes are machines of their own: the gateways' CPU is what gateways do alone, as in the study. Its nodes were "
        "faster than its gateways; these share the cores of one computer with them."
    ),
    *NODE_NOTES[1:],
)
"""Differences to the study where the nodes are machines of their own."""

VERDICTS: Mapping[OrderVerdict, str] = {
    OrderVerdict.YES: mark("came out"),
    OrderVerdict.NO: mark("did not come out"),
    OrderVerdict.UNDECIDED: mark("undecided"),
}
FIGURES: Mapping[Figure, str] = {Figure.THROUGHPUT: mark("throughput"), Figure.LATENCY: mark("latency")}
BOUNDS: Mapping[str, str] = {"about": mark("about {ratio}"), "almost": mark("almost {ratio}")}
HOPS: Mapping[Hop, str] = {
    Hop.CABLE_A: mark("cable of LAN A"),
    Hop.UNDERLAY: mark("underlay"),
    Hop.CABLE_B: mark("cable of LAN B"),
}
REASONS: Mapping[Reason, str] = {
    Reason.BY_CHANCE: mark("too few rounds agree to exclude chance"),
    Reason.SENT_AGAIN: mark(
        "TCP sent many more segments again without protection, as where its rate control is disturbed by queues, which "
        "the study supposes"
    ),
    Reason.NOT_SENT_AGAIN: mark(
        "TCP did not send more segments again without protection: these figures do not support the study's supposition "
        "that its rate control is disturbed"
    ),
    Reason.CPU_FREE: mark("the gateways' CPU was not the limit without protection, as in the study"),
    Reason.CPU_FULL: mark("the gateways' CPU was the limit without protection, unlike in the study"),
}


def suites(results: Iterable[NodeResult]) -> list[str]:
    """Return the suites of the tunnels between the gateways, as sentences."""
    titles = {one.name: one.title for one in node_settings()}
    text = tr("The tunnel between the gateways of {setting}")
    return suite_lines((text.format(setting=titles.get(one.setting, one.setting)), one.suite) for one in results)


def order_line(pair: OwnPair) -> str:
    """Return how a published pair came out, as a sentence."""
    titles = {one.name: one.title for one in node_settings()}
    published, ratio = pair.published, "–" if pair.ratio is None else decimal(pair.ratio, 2)
    there = tr("only its order") if published.is_in_text else tr("not in the text")
    if published.ratio is not None:
        there = tr(BOUNDS[published.bound]).format(ratio=decimal(published.ratio, 1))
    text = tr(
        "{figure}: {ahead} ahead of {behind}: {verdict}, in {agreeing} of {rounds} rounds; ratio {own}, study: {there}."
    )
    line = text.format(
        figure=tr(FIGURES[published.figure]),
        ahead=titles[published.ahead],
        behind=titles[published.behind],
        verdict=tr(VERDICTS[pair.verdict]),
        agreeing=pair.agreeing,
        rounds=pair.rounds,
        own=ratio,
        there=there,
    )
    return f"{line} {tr('This computer had other work meanwhile.')}" if pair.is_disturbed else line


def faster_line(one: Faster) -> str:
    """Return that a protected setting was faster than the one without protection, and what own figures say of it."""
    titles = {setting.name: setting.title for setting in node_settings()}
    text = tr("{figure}: {setting} was {percent} % better than without protection, in {agreeing} of {rounds} rounds")
    line = text.format(
        figure=tr(FIGURES[one.figure]),
        setting=titles[one.setting],
        percent=decimal(one.percent, 0),
        agreeing=one.agreeing,
        rounds=one.rounds,
    )
    return f"{line}: {'; '.join(tr(REASONS[reason]) for reason in one.reasons)}." if one.reasons else f"{line}."


HOP_HEADINGS = (
    mark("setting"),
    mark("hop"),
    mark("nodes' MAC addresses"),
    mark("payload"),
    mark("forged frames"),
    mark("replayed frames"),
)


def hop_rows(results: NodeResults) -> list[tuple[str, ...]]:
    """Return a row for each setting and hop: what an observer sees, and what became of frames sent there."""
    rows: list[tuple[str, ...]] = []
    found = {one.setting: one.hops for one in results.results if one.hops is not None}
    for setting in node_settings():
        report = found.get(setting.name)
        if report is None:
            continue
        for seen in report.seen:
            by_kind = {one.kind: one for one in report.injected if one.hop is seen.hop}
            cells = (
                _sight(is_seen=seen.has_addresses, report=report),
                _sight(is_seen=seen.has_payload, report=report),
                *(_fate(by_kind.get(kind), report) for kind in (FORGED, "replayed")),
            )
            rows.append((setting.title, tr(HOPS[seen.hop]), *cells))
    return rows


def _sight(*, is_seen: bool, report: HopReport) -> str:
    if is_seen:
        return tr("visible")
    return tr("hidden") if report.is_proof else tr("not proven")


def _fate(one: HopInjection | None, report: HopReport) -> str:
    if one is not None and one.accepted:
        return tr("accepted")
    if one is None or not one.sent or not report.is_proof:
        return tr("not proven")
    return tr("relayed, refused by the node") if one.relayed else tr("refused")


FIGURE_HEADINGS = (
    mark("setting"),
    mark("rounds"),
    mark("latency ms"),
    mark("A->B Mbit/s"),
    mark("B->A Mbit/s"),
    mark("CPU % latency A, B"),
    mark("CPU % TCP A, B"),
)


def figure_rows(results: NodeResults) -> list[tuple[str, ...]]:
    """Return a row of figures for each setting that has some; `*` after rounds that were disturbed."""
    found = setting_figures(results.results)
    rows: list[tuple[str, ...]] = []
    for setting in node_settings():
        own = found.get(setting.name)
        if own is None:
            rows.append((setting.title, "0", *("–",) * 5))
            continue
        rates = [local_figure(own.mbit_s[way], 3) if way in own.mbit_s else "–" for way in ("a_to_b", "b_to_a")]
        cpu = [_both(one) for one in (own.cpu_latency_pct, own.cpu_tcp_pct)]
        rows.append(
            (setting.title, f"{own.rounds}{'*' * own.is_disturbed}", local_figure(own.latency_ms, 3), *rates, *cpu)
        )
    return rows


def _both(cpu: Mapping[str, float]) -> str:
    return ", ".join(decimal(cpu[side], 0) if side in cpu else "–" for side in ("a", "b"))


def failures(results: NodeResults) -> list[NodeResult]:
    """Return the rounds with a message: without figures, or not with all of them."""
    return [one for one in results.results if one.message]


def node_data(results: NodeResults) -> dict[str, object]:
    """Return what this study alone has as data for programs."""
    return {
        "settings": [asdict(one) for one in node_settings()],
        "figures": {name: asdict(one) for name, one in setting_figures(results.results).items()},
        "order": [asdict(one) for one in own_pairs(results.results)],
        "faster_than_baseline": [asdict(one) for one in faster_than_baseline(results.results)],
        "results": [asdict(one) for one in results.results],
    }
