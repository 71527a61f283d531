"""`tunnelmark study`: published studies, and their tables measured again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.files import write_text
from app.cli.pair_option import find_pair
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import run_cancellable
from app.domain.condition_files import presets
from app.domain.errors import InvalidOption
from app.domain.transfers import TransferCell, TransferResult
from app.measurement.studies import StudyRequest
from app.measurement.transfers import CONGESTION
from app.ranking.published_transfers import STUDY, agreement, published_transfers
from app.storage.study_results import StudyResults
from app.wording.numbers import figure

SATCOM = "satcom-2021"

PARTS: Mapping[str, tuple[str, ...]] = {
    "quick": ("geo", "leo"),
    "no-loss": ("geo", "leo"),
    "loss": ("geo-loss", "leo-loss"),
    "all": ("geo", "leo", "geo-loss", "leo-loss"),
}
"""Conditions by part."""

_LEFT_OUT = (
    "Left out: proxies (PEP at A and B), and CUBIC without HyStart, which is a setting of the whole host. BBR is the "
    "kernel's, version 1; the study had version 2."
)


def cells_of(part: str) -> tuple[TransferCell, ...]:
    """Return the cells of a part that can be measured, in the study's order; `quick` has each VPN with CUBIC only."""
    kinds = ("cubic-hystart",) if part == "quick" else tuple(CONGESTION)
    return tuple(
        cell
        for cell in published_transfers()
        if cell.condition in PARTS[part] and cell.congestion in kinds and cell.proxy == "none"
    )


def show_all(context: Context) -> int:
    """List the studies."""
    published = len(published_transfers())
    table = Table(
        (
            Column("study"),
            Column("what", Kind.PROSE),
            Column("published", Kind.FIGURE),
            Column("source", Kind.PROSE, rank=1),
        )
    )
    table.add_row(SATCOM, "30 MB over satellite links, with and without VPNs", f"{published} times", STUDY)
    table.print(context.out)
    return ExitCode.OK


def show(context: Context) -> int:
    """Print a study's table."""
    _check(context.options.study)
    context.out.print(f"{STUDY}. Seconds to move 30 MB.", markup=False)
    _print_table(context, tuple(published_transfers()), {})
    context.out.print(_LEFT_OUT, markup=False)
    return ExitCode.OK


def run(context: Context) -> int:
    """Measure a part of a study's table on a practice lab, and print it beside the published one."""
    options = context.options
    _check(options.study)
    cells = cells_of(options.part)
    with context.services() as services:
        pair = find_pair(context, services)
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, tell: services.discover(pair, token=token, on_progress=tell))
        request = StudyRequest(options.study, cells, is_fresh=options.fresh)
        results = run_cancellable(
            lambda token: services.run_study(
                found,
                request,
                token=token,
                say=lambda text: context.err.print(text, markup=False),
                on_result=lambda result: context.err.print(_words(result), markup=False),
            ),
            context.prompts,
        )
    _print_results(context, results, cells)
    if options.json:
        write_text(options.json, json.dumps(as_json(results, cells), indent=2))
    is_whole = all(cell in results.times_s() for cell in cells)
    return ExitCode.OK if is_whole else ExitCode.INCOMPLETE


def as_json(results: StudyResults, cells: Sequence[TransferCell]) -> dict[str, object]:
    """Return results beside published ones, for programs."""
    own, published = results.times_s(), published_transfers()
    agreed = agreement({cell: own[cell] for cell in cells if cell in own}, published)
    messages = {one.cell: one for one in results.results}
    return {
        "format": 1,
        "study": results.study,
        "pair": results.pair,
        "version": results.version,
        "cells": [
            {
                "condition": cell.condition,
                "congestion": cell.congestion,
                "solution": cell.solution,
                "seconds": own.get(cell),
                "published_s": published[cell],
                "retransmits": messages[cell].retransmits if cell in messages else None,
                "sender_congestion": messages[cell].congestion if cell in messages else None,
                "message": messages[cell].message if cell in messages else "not measured",
            }
            for cell in cells
        ],
        "rtt_ms": results.rtt_ms or {},
        "pairs": agreed.pairs,
        "same_order": agreed.same,
        "rank_correlation": agreed.correlation,
    }


def _check(study: str) -> None:
    if study != SATCOM:
        raise InvalidOption(f"There is no study named {study}.", hint=f"Studies: {SATCOM}.")


def _words(result: TransferResult) -> str:
    if result.seconds is None:
        return f"  failed: {result.message}"
    again = "" if result.retransmits is None else f", {result.retransmits} segments sent again"
    return f"  {figure(result.seconds, 3)} s{again}, {result.congestion or 'unknown congestion control'}"


def _print_results(context: Context, results: StudyResults, cells: Sequence[TransferCell]) -> None:
    own, published = results.times_s(), published_transfers()
    for condition, rtt_ms in (results.rtt_ms or {}).items():
        asked_ms = presets()[condition].rtt_ms
        seen = f"round trip {figure(rtt_ms, 3)} ms at least on the bare link"
        context.out.print(f"{condition}: {seen}, {figure(asked_ms, 3)} ms asked for on the average.", markup=False)
    _print_table(context, cells, own)
    agreed = agreement({cell: own[cell] for cell in cells if cell in own}, published)
    if agreed.pairs:
        share = figure(100 * agreed.same / agreed.pairs, 3)
        text = f"Order: {agreed.same} of {agreed.pairs} pairs that differ by more than 5 % in the study ({share} %)"
        rank = "" if agreed.correlation is None else f"; rank correlation {figure(agreed.correlation, 2)}"
        context.out.print(f"{text} come out as published{rank}.", markup=False)
    for one, other in agreed.against[:5]:
        context.out.print(f"Other order: {_name(one)} and {_name(other)}.", markup=False)
    context.out.print(_LEFT_OUT, markup=False)


def _name(cell: TransferCell) -> str:
    return f"{cell.condition} {CONGESTION.get(cell.congestion, cell.congestion)} {cell.solution}"


def _print_table(context: Context, cells: Sequence[TransferCell], own: Mapping[TransferCell, float]) -> None:
    columns = [Column("condition"), Column("congestion control"), Column("VPN"), Column("PEP")]
    columns += [Column("own s", Kind.FIGURE)] if own else []
    table = Table((*columns, Column("published s", Kind.FIGURE)))
    published = published_transfers()
    for cell in cells:
        mine = [figure(own[cell], 3) if cell in own else "–"] if own else []
        table.add_row(cell.condition, cell.congestion, cell.solution, cell.proxy, *mine, figure(published[cell], 3))
    table.print(context.out)
