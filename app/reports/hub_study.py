"""Study of a hub: texts and drawings of its outcome, and its figures as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from app.domain.hub_study import HubBound, HubCell, HubKind, HubResult, HubWindow
from app.domain.results import CpuUsage
from app.ranking.hub_study import in_order, published_rate, published_rates
from app.ranking.workloads import AT_LEAST
from app.reports.hub_figure import hub_svg
from app.reports.study_view import suite_lines
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
    mark("≥: the hub is likely to do more. It had CPU left, and the clients' computer was the limit, or neither was."),
)
"""Differences to the study."""

KINDS: Mapping[HubKind, str] = {
    HubKind.FLOOD: mark("key exchanges per second, all of which succeed"),
    HubKind.RECOVERY: mark("clients back within {seconds} s after a restart of the hub"),
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
        rows.append((name, kind_words(one.cell), value_words(one), there, limit, _shares(one.hub_cpu), idle))
    return rows


def kind_words(cell: HubCell) -> str:
    """Return what a cell's figure is, of a restart with the time that clients had."""
    return tr(KINDS[cell.kind]).format(seconds=cell.within_s)


def limit_words(result: HubResult) -> str:
    """Return the limit of a result's figure; of a restart, of which all clients came back, their number."""
    if result.bound is not HubBound.NONE or result.cell.kind is HubKind.FLOOD:
        return tr(BOUNDS[result.bound])
    if result.cell.kind is HubKind.RECOVERY:
        return tr("more clients could not be measured") if result.message else tr("number of clients")
    return tr("neither CPU")


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
    """Return sentences on the results: suites, published figures beside own ones, limiters, faults."""
    found = suite_lines((one.cell.title, one.suite) for one in in_order(results.results))
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
            form = tr(
                "{solution}: {back} of {clients} clients were back within {seconds} s, after {first} to {last} s."
            )
            back = one.outages_s[: int(one.value or 0)]  # the shortest first; the others were back too late
            first, last = (decimal(back[at], 1) for at in (0, -1))
            words = {"back": len(back), "clients": one.clients, "seconds": one.cell.within_s}
            found.append(form.format(solution=name, first=first, last=last, **words))
        acted = tr("{solution}: a limiter acted: {words}")
        found += [acted.format(solution=name, words=words) for words in _limiters(one)]
        if one.message:
            found.append(f"{_name(one)}: {local_text(one.message)}")
    return found


def _name(result: HubResult) -> str:
    """Return the name of a result's solution, of a restart with the time that clients had."""
    cell = result.cell
    return cell.title if cell.within_s is None else f"{cell.title}, {within_words(cell)}"


def within_words(cell: HubCell) -> str:
    """Return the time that clients had to be back after a restart; empty where there was none."""
    return tr("within {seconds} s").format(seconds=cell.within_s) if cell.within_s is not None else ""


def _limiters(result: HubResult) -> Sequence[str]:
    windows = (*result.windows, *((result.window,) if result.window is not None else ()))
    return tuple(dict.fromkeys(words for window in windows for words in window.limiters))


def hub_data(results: HubResults) -> dict[str, object]:
    """Return what this study alone has as data for programs."""
    return {
        "published": [asdict(one) for one in published_rates()],
        "results": [{**asdict(one), "is_lower_bound": one.is_lower_bound} for one in in_order(results.results)],
    }


@dataclass(frozen=True, slots=True)
class CpuFigure:
    """CPU of a hub as it is drawn on a page.

    Attributes:
        title: Name of the solution.
        svg: The drawing.
        caption: What the hub was asked for meanwhile.
    """

    title: str
    svg: str
    caption: str


def cpu_caption(window: HubWindow) -> str:
    """Return what a hub was asked for while its CPU was as drawn."""
    return tr("{rate} key exchanges per second for {seconds} s; what is left of 100 % is idle.").format(
        rate=local_figure(window.rate_s, 3), seconds=decimal(window.seconds, 0)
    )


def cpu_figures(results: HubResults) -> list[CpuFigure]:
    """Return a figure of the CPU of each hub of which it is known."""
    found = []
    for number, one in enumerate(in_order(results.results)):
        if not one.cpu or one.window is None:
            continue
        title = one.cell.title
        caption = cpu_caption(one.window)
        name = "hub" + "abcdefghijklmnopqrstuvwxyz"[number]
        found.append(CpuFigure(title, hub_svg(one.cpu, PAGE, name=name, description=f"{title}: {caption}"), caption))
    return found
