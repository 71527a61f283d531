"""Commands that measure, and their options."""

from __future__ import annotations

import argparse

from app.cli.command import Commands, add_command, add_force, add_group, add_host_keys, add_json, positive
from app.cli.deployments_parser import add_open_firewall


def add_compare(commands: Commands) -> None:
    """Add `compare`."""
    compare_parser = add_command(
        commands,
        "compare",
        "compare.compare",
        "measure VPNs between two hosts, rank them and write a report",
        has_pair=True,
    )
    compare_parser.add_argument(
        "--solutions",
        metavar="A,B",
        help="what to compare, each as SOLUTION or SOLUTION:SUITE (default: every safe default)",
    )
    add_open_firewall(compare_parser)
    compare_parser.add_argument(
        "--profile",
        choices=("adaptive", "quick", "standard", "paper"),
        help="adaptive: candidates in turn, round after round, until the order is known; the others: 200, 2 000 or "
        "10 000 echo requests per size; 3, 10 or 10 s of TCP per direction; 1, 3 or 3 rounds (default: that of the "
        "settings, else adaptive)",
    )
    compare_parser.add_argument(
        "--budget-min", type=positive, metavar="M", help="with the profile adaptive: minutes of measuring at most"
    )
    add_measuring(compare_parser)


def add_bench(commands: Commands) -> None:
    """Add `bench`."""
    bench = add_command(
        commands, "bench", "bench.bench", "measure what measuring costs, and how long profiles take", has_pair=True
    )
    bench.add_argument("--solutions", metavar="A,B", help="which candidates, as in compare (default: as in compare)")
    bench.add_argument(
        "--rounds",
        type=int,
        default=6,
        metavar="N",
        help="rounds of the latency probe against bare pings (default: 6)",
    )
    bench.add_argument(
        "--full",
        action="store_true",
        help="also run the profiles adaptive and paper from start to end, which takes an hour or more",
    )
    add_open_firewall(bench)
    bench.add_argument(
        "--allow-load", action="store_true", help="allow load tests on a production link (not needed for labs)"
    )
    bench.add_argument("--json", metavar="FILE", help="write the figures as JSON (- for stdout)")
    add_force(bench)


def add_census(commands: Commands) -> None:
    """Add `census`."""
    census = add_command(
        commands, "census", "census.census", "try every cipher, MAC and AEAD that both hosts list", has_pair=True
    )
    census.add_argument("--solutions", metavar="A,B", help="which VPNs (default: all that offer a choice)")
    census.add_argument("--options", metavar="NAME,…", help="only these options, as the programs write them")
    census.add_argument("--pings", type=int, default=20, metavar="N", help="pings for each option (default: 20)")
    add_open_firewall(census)
    add_json(census, "write every result as JSON")
    census.add_argument("--report", metavar="FILE.html", help="write an HTML report")
    add_force(census)
    census.add_argument(
        "--allow-load", action="store_true", help="allow load tests on a production link (not needed for labs)"
    )
    unfinished = census.add_mutually_exclusive_group()
    unfinished.add_argument(
        "--resume", action="store_true", help="resume an unfinished census, or fail if there is none"
    )
    unfinished.add_argument("--fresh", action="store_true", help="start again even if there is an unfinished census")


def add_measuring(parser: argparse.ArgumentParser) -> None:
    """Add the options of a comparison, for `compare` and `demo`."""
    parser.add_argument("--pings", type=int, metavar="N", help="pings per frame size")
    parser.add_argument("--seconds", type=int, metavar="S", help="seconds of TCP per direction")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds per candidate")
    parser.add_argument(
        "--deadline-ms", type=positive, metavar="MS", help="recommend no VPN with over 5 %% of replies later than this"
    )
    parser.add_argument(
        "--min-rate", type=positive, metavar="MBIT", help="recommend no VPN with less Mbit/s than this in one direction"
    )
    parser.add_argument("--load-cap", type=positive, metavar="MBIT", help="limit for throughput tests in Mbit/s")
    parser.add_argument(
        "--allow-load", action="store_true", help="allow load tests on a production link (not needed for labs)"
    )
    add_json(parser, "write the figures as JSON")
    parser.add_argument("--csv", metavar="FILE", help="write the figures as CSV")
    parser.add_argument("--pdf", metavar="FILE", help="write the report as PDF")
    parser.add_argument(
        "--report", metavar="FILE.html", help="write the HTML report there (default: in the data folder)"
    )
    add_force(parser)
    parser.add_argument("--resume", action="store_true", help="resume an interrupted comparison of this pair")
    parser.add_argument(
        "--list",
        action="store_true",
        help="inspect both hosts (a practice lab is started), show what can be compared, change nothing",
    )
    parser.add_argument("--all", action="store_true", help="with --list: every suite with the reason for its verdict")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="inspect both hosts (a practice lab is started), show every file and command, change nothing",
    )


def add_studies(commands: Commands) -> None:
    """Add `study` with its commands."""
    text = "List published studies, show their tables, and measure them again on a practice lab."
    verbs = add_group(commands, "study", "published studies, measured again", text)
    add_command(verbs, "list", "studies.show_all", "list the studies")
    shown = add_command(verbs, "show", "studies.show", "print a study's table")
    run = add_command(verbs, "run", "studies.run", "measure a part of a study's table on a practice lab")
    for parser in (shown, run):
        parser.add_argument("study", metavar="STUDY", help="its name, see study list")
    run.add_argument("pair", metavar="PAIR", help="lab:NAME (a running lab), or lab:PLATFORM")
    run.add_argument(
        "--part",
        choices=("quick", "no-loss", "loss", "all"),
        default="quick",
        help="quick: without loss, CUBIC only (some 6 minutes); no-loss, loss: CUBIC and BBR (default: quick)",
    )
    run.add_argument("--fresh", action="store_true", help="measure cells again that have a time")
    add_json(run, "write own and published times as JSON")
    add_host_keys(run)
