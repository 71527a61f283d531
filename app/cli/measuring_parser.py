"""Commands that measure, and their options."""

from __future__ import annotations

import argparse

from app.cli.command import Commands, add_command, add_force, add_group, add_host_keys, add_json, positive
from app.cli.deployments_parser import add_open_firewall
from app.domain.topology import NodeKind
from app.wording.language import tr

STUDY_PARTS = ("quick", "no-loss", "loss", "all", "paper")
"""Names of parts of all studies; which of them a study has is checked when it is run."""


def add_compare(commands: Commands) -> None:
    """Add `compare`."""
    compare_parser = add_command(
        commands,
        "compare",
        "compare.compare",
        tr("measure VPNs between two hosts, rank them and write a report"),
        has_pair=True,
    )
    compare_parser.add_argument(
        "--solutions",
        metavar="A,B",
        help=tr(
            "what to compare, each as SOLUTION or SOLUTION:SUITE; the bare link is `baseline` (default: the bare link "
            "and every safe default)"
        ),
    )
    add_open_firewall(compare_parser)
    compare_parser.add_argument(
        "--profile",
        choices=("adaptive", "quick", "standard", "paper"),
        help=tr(
            "adaptive: candidates in turn, round after round, until the order is known; the others: 200, 2 000 or "
            "10 000 echo requests per size; 3, 10 or 10 s of TCP per direction; 1, 3 or 3 rounds (default: that of the "
            "settings, else adaptive)"
        ),
    )
    _add_uses(compare_parser)
    compare_parser.add_argument(
        "--budget-min", type=positive, metavar="M", help=tr("with the profile adaptive: minutes of measuring at most")
    )
    add_measuring(compare_parser)


def _add_uses(compare_parser: argparse.ArgumentParser) -> None:
    """Add the options for the link and for what runs over it."""
    compare_parser.add_argument(
        "--condition",
        metavar="NAME|FILE",
        help=tr("emulate a link meanwhile: a preset (`tunnelmark lab condition` lists them) or a file"),
    )
    compare_parser.add_argument(
        "--yes-shape",
        action="store_true",
        help=tr("with --condition on your own hosts: do not ask whether what they send to each other may be shaped"),
    )
    compare_parser.add_argument(
        "--workload",
        metavar="A,B",
        help=tr(
            "also run workloads over each candidate: loaded-latency, both-directions, transfer, voice, web-page, "
            "two-flows, transactions, idle-data, restart, or all of these; key-exchanges, on practice labs (2 min more "
            "each)"
        ),
    )
    compare_parser.add_argument(
        "--transfer-mb",
        type=int,
        metavar="N",
        help=tr("with --workload transfer: size of the file in MB (default: 4)"),
    )


def add_bench(commands: Commands) -> None:
    """Add `bench`."""
    bench = add_command(
        commands,
        "bench",
        "bench.bench",
        tr("measure what measuring costs, and how long comparisons of the profiles adaptive and paper take"),
        has_pair=True,
    )
    notes = tr("A profile is the extent to which a comparison measures: see tunnelmark compare --help.")
    bench.description = f"{bench.description} {notes}"
    bench.add_argument(
        "--solutions", metavar="A,B", help=tr("which candidates, as in compare (default: as in compare)")
    )
    bench.add_argument(
        "--rounds",
        type=int,
        default=6,
        metavar="N",
        help=tr("rounds of the latency probe against bare pings (default: 6)"),
    )
    bench.add_argument(
        "--full",
        action="store_true",
        help=tr("also run the profiles adaptive and paper from start to end, which takes an hour or more"),
    )
    add_open_firewall(bench)
    _add_allow_load(bench)
    bench.add_argument("--json", metavar="FILE", help=tr("write the figures as JSON (- for stdout)"))
    add_force(bench)


def add_census(commands: Commands) -> None:
    """Add `census`."""
    census = add_command(
        commands, "census", "census.census", tr("try every cipher, MAC and AEAD that both hosts list"), has_pair=True
    )
    census.add_argument("--solutions", metavar="A,B", help=tr("which VPNs (default: all that offer a choice)"))
    census.add_argument("--options", metavar="NAME,…", help=tr("only these options, as the programs write them"))
    census.add_argument("--pings", type=int, default=20, metavar="N", help=tr("pings for each option (default: 20)"))
    add_open_firewall(census)
    add_json(census, tr("write every result as JSON"))
    census.add_argument("--report", metavar="FILE.html", help=tr("write an HTML report"))
    add_force(census)
    _add_allow_load(census)
    unfinished = census.add_mutually_exclusive_group()
    unfinished.add_argument(
        "--resume", action="store_true", help=tr("resume an unfinished census, or fail if there is none")
    )
    unfinished.add_argument(
        "--fresh", action="store_true", help=tr("start again even if there is an unfinished census")
    )


def _add_allow_load(parser: argparse.ArgumentParser) -> None:
    text = tr("allow load tests on a production link (not needed for labs)")
    parser.add_argument("--allow-load", action="store_true", help=text)


def add_measuring(parser: argparse.ArgumentParser) -> None:
    """Add the options of a comparison, for `compare` and `demo`."""
    parser.add_argument("--pings", type=int, metavar="N", help=tr("pings per frame size"))
    parser.add_argument("--seconds", type=int, metavar="S", help=tr("seconds of TCP per direction"))
    parser.add_argument("--rounds", type=int, metavar="N", help=tr("rounds per candidate"))
    parser.add_argument(
        "--deadline-ms",
        type=positive,
        metavar="MS",
        help=tr("recommend no VPN with over 5 %% of replies later than this"),
    )
    parser.add_argument(
        "--min-rate",
        type=positive,
        metavar="MBIT",
        help=tr("recommend no VPN with less Mbit/s than this in one direction"),
    )
    parser.add_argument("--load-cap", type=positive, metavar="MBIT", help=tr("limit for throughput tests in Mbit/s"))
    _add_allow_load(parser)
    add_json(parser, tr("write the figures as JSON"))
    parser.add_argument("--csv", metavar="FILE", help=tr("write the figures as CSV"))
    parser.add_argument("--pdf", metavar="FILE", help=tr("write the report as PDF"))
    parser.add_argument(
        "--report", metavar="FILE.html", help=tr("write the HTML report there (default: in the data folder)")
    )
    add_force(parser)
    parser.add_argument("--resume", action="store_true", help=tr("resume an interrupted comparison of this pair"))
    parser.add_argument(
        "--list",
        action="store_true",
        help=tr("inspect both hosts (a practice lab is started), show what can be compared, change nothing"),
    )
    parser.add_argument(
        "--all", action="store_true", help=tr("with --list: every suite with the reason for its verdict")
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help=tr("inspect both hosts (a practice lab is started), show every file and command, change nothing"),
    )


def add_studies(commands: Commands) -> None:
    """Add `study` with its commands."""
    text = tr("List published studies, show their tables, and measure them again on a practice lab or a pair.")
    verbs = add_group(commands, "study", tr("published studies, measured again"), text)
    add_command(verbs, "list", "studies.show_all", tr("list the studies"))
    shown = add_command(verbs, "show", "studies.show", tr("print a study's table"))
    run = add_command(verbs, "run", "studies.run", tr("measure a part of a study's table"))
    for parser in (shown, run):
        parser.add_argument("study", metavar="STUDY", help=tr("its name, see study list"))
    shown.add_argument("--sites", type=int, metavar="N", help=tr("oslv-2004: sites of the mesh (default: 10)"))
    shown.add_argument("--system", metavar="NAME", help=tr("oslv-2004: one system, and how to leave it"))
    add_json(shown, tr("write what is published as JSON; of oslv-2004 systems, verdicts, tasks and notes"))
    text = tr("lab:NAME (a running lab), or lab:PLATFORM; with --nodes machines also a pair of your own")
    run.add_argument("pair", metavar="PAIR", help=text)
    run.add_argument(
        "--part",
        choices=STUDY_PARTS,
        default="quick",
        help=tr(
            "satcom-2021: quick (GEO without loss, CUBIC only, some 10 minutes), no-loss, loss (LEO and GEO), all; "
            "ipsec-tls-2011: quick (one round), all (three); "
            "industrial-2019: quick (one short round), paper (its protocol in three rounds); "
            "oslv-2004: quick (one short round), all (three longer ones); "
            "industrial-2019-extended: quick (three rounds), all (eight); "
            "iiot-hub: quick (short windows), all (60 s); "
            "satcom-applications: quick (GEO without loss, CUBIC, three cells), no-loss, loss (default: quick)"
        ),
    )
    run.add_argument(
        "--solutions",
        metavar="A,B",
        help=tr(
            "ipsec-tls-2011, industrial-2019, oslv-2004: candidates to measure, each as in compare, also any other "
            "that the hosts have; satcom-2021, satcom-applications: VPNs, also any other that the hosts have; "
            "iiot-hub: some of its solutions; `all` means those of the study (default: all)"
        ),
    )
    _add_time(run)
    run.add_argument("--fresh", action="store_true", help=tr("measure cells again that have a time"))
    _add_nodes(run)
    _add_own_hosts(run)
    add_json(run, tr("write own and published times as JSON"))
    run.add_argument("--report", metavar="FILE.html", help=tr("write an HTML report"))
    add_force(run)
    add_host_keys(run)


def _add_time(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--within",
        type=int,
        metavar="SECONDS",
        help=tr(
            "iiot-hub: time in which clients have to be back after a restart of the hub, 5 to 300 s; each time has "
            "results of its own (default: 30)"
        ),
    )


def _add_nodes(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--nodes",
        choices=tuple(one.value for one in NodeKind),
        default=NodeKind.NAMESPACES.value,
        help=tr(
            "satcom-2021, satcom-applications, industrial-2019-extended: what the nodes behind the gateways are: "
            "namespaces on them, or machines of their own, as in a lab that was started with --nodes, or as a pair of "
            "your own names them (default: namespaces)"
        ),
    )


def _add_own_hosts(run: argparse.ArgumentParser) -> None:
    """Add the consents that studies on hosts of the user's own need."""
    text = tr("with --nodes machines on your own hosts: do not ask whether hosts and nodes may be changed and loaded")
    run.add_argument("--allow-load", action="store_true", help=text)
    text = tr("with satellite links on your own hosts: do not ask whether what they send to each other may be shaped")
    run.add_argument("--yes-shape", action="store_true", help=text)
