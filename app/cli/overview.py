"""`tunnelmark study show` for the overview of 2004: its systems, and how to leave them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.file_study import print_parts
from app.cli.files import STDOUT, write_json
from app.cli.messages import NO_SYSTEM, ONLY_OVERVIEW
from app.cli.names import out_of_range
from app.cli.overview_texts import (
    ALWAYS,
    BY_CARRIED,
    CHOICE_WORDS,
    LEVEL_WORDS,
    OVERVIEW_NOTES,
    PROPERTY_WORDS,
    ROUTING_WORDS,
    STATE_WORDS,
)
from app.cli.tables import Column, Kind, Table
from app.cli.words import word_of
from app.domain.errors import InvalidOption
from app.domain.verdicts import Finding
from app.policy.overview import OVERVIEW, PRINTED_SITES, TITLE, OverviewSystem, PublishedSystem, overview_systems
from app.ranking.comparison_study import comparison_studies
from app.ranking.mean_ranks import mean_ranks
from app.reports.overview import overview_data
from app.services.solutions import solution_titles
from app.wording.language import tr
from app.wording.local_forms import decimal, listed_names
from app.wording.messages import local_text
from app.wording.titles import local_title

LEAST_SITES, MOST_SITES = 2, 1000


def add_row(table: Table) -> None:
    """Add the overview to the list of studies."""
    what = tr("Fifteen open-source VPNs of 2004, what replaces them, and figures of those that still run")
    table.add_row(OVERVIEW, what, tr("{number} systems").format(number=len(overview_systems())), TITLE)


def refuse_options(options: argparse.Namespace) -> None:
    """Refuse the overview's options for a study that has none of them.

    Raises:
        InvalidOption: One was given.
    """
    for name in ("sites", "system"):
        if getattr(options, name) is not None:
            raise InvalidOption(ONLY_OVERVIEW(option=f"--{name}", study=OVERVIEW))


def show(context: CommandContext) -> int:
    """Print all systems, or one with the note on how to leave it."""
    options = context.options
    sites = PRINTED_SITES if options.sites is None else options.sites
    if not LEAST_SITES <= sites <= MOST_SITES:
        raise out_of_range("--sites", sites, LEAST_SITES, MOST_SITES)
    systems = overview_systems() if options.system is None else (_find(options.system),)
    if options.json:
        write_json(options.json, overview_data(systems, sites))
    if options.json == STDOUT:
        return ExitCode.OK
    if options.system is None:
        _print_all(context, systems, sites)
    else:
        _print_one(context, systems[0], sites)
    return ExitCode.OK


def _find(name: str) -> OverviewSystem:
    systems = overview_systems()
    for one in systems:
        if name.lower() in (one.leaving.id, one.published.name.lower()):
            return one
    raise InvalidOption(NO_SYSTEM(name=name, study=OVERVIEW, known=tuple(one.leaving.id for one in systems)))


def _print_all(context: CommandContext, systems: Sequence[OverviewSystem], sites: int) -> None:
    context.out.print(f"{TITLE}.", soft_wrap=True)
    columns = [Column("VPN"), Column(tr("verdict\n2004")), Column(tr("verdict\ntoday")), Column(tr("successor"))]
    columns += [Column(tr("state"), rank=1), Column(tr("tasks\nN = {number}").format(number=sites), Kind.FIGURE)]
    columns += [
        Column(tr("printed\nN = {number}").format(number=PRINTED_SITES), Kind.FIGURE, 2),
        Column(tr("setup"), Kind.FIGURE, 3),
        Column(tr("mean\nrank"), Kind.FIGURE, 4),
    ]
    table = Table(columns, more="--json")
    means = _mean_ranks(systems, sites)
    for one in systems:
        published, leaving = one.published, one.leaving
        table.add_row(
            leaving.id,
            word_of(one.then.verdict),
            "–" if one.now is None else word_of(one.now.verdict),
            leaving.successors[0],
            leaving.heir or tr(STATE_WORDS[leaving.state]),
            published.effort.total(sites),
            f"{published.printed_n10}{'' if published.has_consistent_total else '*'}",
            published.setup_asterisks,
            decimal(means[published.name], 2),
        )
    table.print(context.out)
    for text in OVERVIEW_NOTES:
        context.out.print(tr(text), soft_wrap=True)
    context.out.print(_own_effort(sites), soft_wrap=True)
    text = tr("How to leave one of them: tunnelmark study show {study} --system {name}")
    context.out.print(text.format(study=OVERVIEW, name=systems[0].leaving.id), soft_wrap=True)
    print_parts(context, comparison_studies()[OVERVIEW])


def _mean_ranks(systems: Sequence[OverviewSystem], sites: int) -> Mapping[str, float]:
    """Return the study's heuristic for the two attributes that it prints as numbers, of equal weight."""
    published = [one.published for one in systems]
    setup = {one.name: float(one.setup_asterisks) for one in published}
    tasks = {one.name: float(one.effort.total(sites)) for one in published}
    return mean_ranks({"setup": setup, "tasks": tasks}, {"setup": 1, "tasks": 1})


def _own_effort(sites: int) -> str:
    text = tr(
        "Tunnelmark joins pairs, and writes files and keys itself: {number} sites are {tree} deployments as a tree, "
        "{mesh} each with each. LANs joined by --bridge have to be a tree, because the loop guard separates a ring."
    )
    return text.format(number=sites, tree=sites - 1, mesh=sites * (sites - 1) // 2)


def _print_one(context: CommandContext, system: OverviewSystem, sites: int) -> None:
    published, leaving = system.published, system.leaving
    name = f"{published.name} {published.version}".strip()
    context.out.print(f"{name} ({TITLE})", soft_wrap=True)
    titles = solution_titles()
    successors = [f"{one} ({local_title(titles[one])})" for one in leaving.successors]
    own = tr("none: Tunnelmark does not deploy it")
    if leaving.adapter:
        own = tr("{name}: its current version, set up anew").format(name=leaving.adapter)
    elif leaving.compared:
        own = tr("{name}: measured for comparison, never deployed").format(name=leaving.compared)
    rows = [
        (tr("ciphers, as published"), _ciphers(published)),
        (tr("protection, as published"), _security(published)),
        (tr("setup, as published"), _setup(published)),
        (tr("tasks, N = {number}").format(number=sites), _tasks(published, sites)),
        (tr("verdict 2004"), _verdict(system.then)),
        (tr("today"), f"{local_text(leaving.now)} {_source(leaving.source)}"),
        (tr("verdict today"), "–" if system.now is None else _verdict(system.now)),
        (tr("carried by"), local_text(leaving.carrier)),
        (tr("as a solution"), own),
        (tr("successors"), listed_names(successors)),
        (tr("gain"), local_text(leaving.gain)),
        (tr("first"), local_text(leaving.first)),
        (tr("be careful"), local_text(leaving.watch)),
        (tr("addresses"), tr(BY_CARRIED[leaving.carries])),
        *((tr(what), tr(text)) for what, text in ALWAYS),
    ]
    table = Table((Column(""), Column("", Kind.PROSE)))
    for row in rows:
        table.add_row(*row)
    table.print(context.out)
    compare = tr("Compare them: tunnelmark compare PAIR --solutions {names}").format(names=",".join(leaving.successors))
    context.out.print(compare, soft_wrap=True)
    plan = tr("Show what would be done: tunnelmark deploy PAIR {name} --dry-run").format(name=leaving.successors[0])
    context.out.print(plan, soft_wrap=True)


def _ciphers(published: PublishedSystem) -> str:
    words = tr(CHOICE_WORDS[published.cipher_choice])
    added = tr("adding one: {level}").format(level=tr(LEVEL_WORDS[published.new_algorithms]))
    return "; ".join(filter(None, (words.format(names=published.ciphers), added)))


def _security(published: PublishedSystem) -> str:
    found = published.security
    if found is None:
        return tr("that of the open standard it follows, which the study does not judge")
    has = (found.has_confidentiality, found.has_integrity, found.has_authentication, found.has_anti_replay)
    yes, no = tr("yes"), tr("no")
    return ", ".join(f"{tr(what)}: {yes if one else no}" for what, one in zip(PROPERTY_WORDS, has, strict=True))


def _setup(published: PublishedSystem) -> str:
    text = tr("complexity {number} of 7; routes: {routing}")
    return text.format(number=published.setup_asterisks, routing=tr(ROUTING_WORDS[published.routing]))


def _tasks(published: PublishedSystem, sites: int) -> str:
    effort = published.effort
    text = tr("{total} = N x (files {files} + routes {routes} + keys {keys})")
    words = text.format(total=effort.total(sites), files=effort.files, routes=effort.routes, keys=effort.keys)
    form = tr("printed: {formula}, {number} for N = {sites}")
    if not published.has_consistent_total:
        form = tr("printed: {formula}, {number} for N = {sites}, which does not follow from these")
    printed = form.format(formula=published.printed_total, number=published.printed_n10, sites=PRINTED_SITES)
    return f"{words}; {printed}"


def _verdict(finding: Finding) -> str:
    return f"{word_of(finding.verdict)}. {finding.subject}: {local_text(finding.reason)} {_source(finding.source)}"


def _source(source: str) -> str:
    return tr("Source: {source}").format(source=local_text(source)) + "."
