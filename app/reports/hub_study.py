"""Study of a hub: texts of its outcome, JSON for programs, one HTML page for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from app.domain.hub_study import HubBound, HubKind, HubResult, HubWindow
from app.domain.results import CpuUsage
from app.ranking.hub_study import HUB_STUDY, hub_study_source, in_order, published_rate, published_rates
from app.ranking.study_maps import hub_maps
from app.reports.files import write_atomically
from app.reports.heat_map_view import heat_html
from app.reports.html_page import render_page
from app.reports.hub_figure import hub_svg
from app.reports.svg import PAGE
from app.storage.lab_results import HubResults
from app.wording.language import mark, tr
from app.wording.local_forms import decimal, local_figure
from app.wording.messages import local_text

HUB_NOTES = (
    mark(
        "Clients are namespaces on B, each with an address of its own. A rate counts only if each attempt had an "
        "answer through the new session, and the hub's own count of the window is at least as high."
    ),
    mark(
        "The study's hub had one core of an Intel Core i7-6700K. Read the limits and the shares of the CPU, not the "
        "rates."
    ),
    mark("≥: the hub can do more. It had CPU left, and the clients' computer was the limit, or neither was."),
)
"""Differences to the study."""

KINDS: Mapping[HubKind, str] = {
    HubKind.FLOOD: mark("key exchanges per second, all of which succeed"),
    HubKind.RECOVERY: mark("clients back in time after a restart of the hub"),
    HubKind.THROUGHPUT: mark("Mbit/s between two clients"),
}
BOUNDS: Mapping[HubBound, str] = {
    HubBound.HUB: mark("the hub's CPU"),
    HubBound.CLIENTS: mark("the clients' CPU"),
    HubBound.LIMITER: mark("a limiter of the program"),
    HubBound.TIME: mark("the time"),
    HubBound.NONE: mark("neither CPU: each client makes its attempts in turn"),
}

HEADINGS = (
    mark("solution"),
    mark("figure"),
    mark("own"),
    mark("published"),
    mark("limit"),
    mark("hub: user, system, interrupts, idle %"),
    mark("clients: idle %"),
)


def figure_rows(results: HubResults) -> list[tuple[str, ...]]:
    """Return a row of figures for each cell that was measured; `*` after one that was disturbed."""
    rows: list[tuple[str, ...]] = []
    for one in in_order(results.results):
        published = published_rate(one.cell)
        there = "–" if published is None else decimal(published.rate_s, 0)
        limit = limit_words(one) if one.value is not None else "–"
        idle = "–" if one.clients_cpu is None else decimal(100.0 - one.clients_cpu.busy_pct, 0)
        name = one.cell.title
        rows.append((name, tr(KINDS[one.cell.kind]), value_words(one), there, limit, _shares(one.hub_cpu), idle))
    return rows


AT_LEAST = "≥\N{NO-BREAK SPACE}"
"""Before a figure that a hub can exceed."""


def limit_words(result: HubResult) -> str:
    """Return the limit of a result's figure; of a restart, of which all clients came back, their number."""
    if result.bound is not HubBound.NONE or result.cell.kind is HubKind.FLOOD:
        return tr(BOUNDS[result.bound])
    return tr("number of clients") if result.cell.kind is HubKind.RECOVERY else tr("neither CPU")


def value_words(result: HubResult) -> str:
    """Return a result's figure, with `≥` where the hub can do more, and `*` where this computer had other work."""
    if result.value is None:
        return "–"
    is_number = result.cell.kind is HubKind.RECOVERY
    figure = decimal(result.value, 0) if is_number else local_figure(result.value, 3)
    return f"{AT_LEAST * result.is_lower_bound}{figure}{'*' * result.is_disturbed}"


def _shares(cpu: CpuUsage | None) -> str:
    if cpu is None:
        return "–"
    parts = (cpu.user_pct, cpu.system_pct, cpu.softirq_pct, 100.0 - cpu.busy_pct)
    return ", ".join(decimal(one, 0) for one in parts)


TRY_HEADINGS = (
    mark("solution"),
    mark("rate per s"),
    mark("attempts"),
    mark("succeeded (clients)"),
    mark("seen by the hub"),
    mark("late s"),
    mark("duration ms"),
    mark("hub: user, system, interrupts, idle %"),
    mark("clients: idle %"),
)


def try_rows(results: HubResults) -> list[tuple[str, ...]]:
    """Return a row for each rate that was tried, in order; the last one of a solution is the long window."""
    rows = []
    for one in in_order(results.results):
        windows = (*one.windows, *((one.window,) if one.window is not None else ()))
        rows += [_try_row(one.cell.title, window) for window in windows]
    return rows


def _try_row(name: str, window: HubWindow) -> tuple[str, ...]:
    return (
        name,
        local_figure(window.rate_s, 3),
        *(str(number) for number in (window.attempts, window.by_clients, window.by_hub)),
        decimal(window.lag_s, 2),
        "–" if window.duration_s is None else decimal(1e3 * window.duration_s, 0),
        _shares(window.hub),
        "–" if window.clients is None else decimal(100.0 - window.clients.busy_pct, 0),
    )


def lines(results: HubResults) -> list[str]:
    """Return sentences on the results: published figures beside own ones, limiters, faults."""
    found = []
    for one in in_order(results.results):
        name = one.cell.title
        published = published_rate(one.cell)
        if published is not None and one.value is not None:
            form = tr("{solution}: {own} key exchanges per second of {clients} clients; study: {there} of {others}.")
            own, there = value_words(one), decimal(published.rate_s, 0)
            found.append(
                form.format(solution=name, own=own, clients=one.clients, there=there, others=published.clients)
            )
        if one.outages_s and one.value:
            form = tr("{solution}: {back} of {clients} clients were back, after {first} to {last} s.")
            back = one.outages_s[: int(one.value or 0)]  # the shortest first; the others were back too late
            first, last = (decimal(back[at], 1) for at in (0, -1))
            found.append(form.format(solution=name, back=len(back), clients=one.clients, first=first, last=last))
        acted = tr("{solution}: a limiter acted: {words}")
        found += [acted.format(solution=name, words=words) for words in _limiters(one)]
        if one.message:
            found.append(f"{name}: {local_text(one.message)}")
    return found


def _limiters(result: HubResult) -> Sequence[str]:
    windows = (*result.windows, *((result.window,) if result.window is not None else ()))
    return tuple(dict.fromkeys(words for window in windows for words in window.limiters))


def hub_study_data(results: HubResults) -> dict[str, object]:
    """Return the outcome as data for programs."""
    return {
        "format": 1,
        "study": HUB_STUDY,
        "source": hub_study_source(),
        "pair": results.pair,
        "part": results.part,
        "version": results.version,
        "published": [asdict(one) for one in published_rates()],
        "results": [{**asdict(one), "is_lower_bound": one.is_lower_bound} for one in in_order(results.results)],
    }


@dataclass(frozen=True, slots=True)
class _Figure:
    title: str
    svg: str
    caption: str


def cpu_caption(window: HubWindow) -> str:
    """Return what a hub was asked for while its CPU was as drawn."""
    return tr("{rate} key exchanges per second for {seconds} s; what is left of 100 % is idle.").format(
        rate=local_figure(window.rate_s, 3), seconds=decimal(window.seconds, 0)
    )


def _figures(results: HubResults) -> list[_Figure]:
    found = []
    for number, one in enumerate(in_order(results.results)):
        if not one.cpu or one.window is None:
            continue
        title = one.cell.title
        caption = cpu_caption(one.window)
        name = "hub" + "abcdefghijklmnopqrstuvwxyz"[number]
        found.append(_Figure(title, hub_svg(one.cpu, PAGE, name=name, description=f"{title}: {caption}"), caption))
    return found


def write_hub_study(results: HubResults, path: Path) -> None:
    """Write the outcome as an HTML page.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: Nothing can be written there.
    """
    page = render_page(
        "hub_study.html.j2",
        results=results,
        source=hub_study_source(),
        headings=HEADINGS,
        rows=figure_rows(results),
        figures=_figures(results),
        try_headings=TRY_HEADINGS,
        tries=try_rows(results),
        maps=heat_html(hub_maps(results.results), is_folded=True),
        lines=lines(results),
        notes=HUB_NOTES,
    )
    write_atomically(path, page.encode())
