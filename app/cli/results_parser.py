"""Commands about stored results, and their options."""

from __future__ import annotations

from app.cli.command import Commands, add_command, add_force, add_json
from app.wording.language import tr


def add_results(commands: Commands) -> None:
    """Add `rank`, `report`, `diff` and `history`."""
    rank = add_command(commands, "rank", "results.rank", tr("rank a stored comparison"))
    report = add_command(commands, "report", "results.report", tr("write reports of a stored comparison"))
    for parser in (rank, report):
        parser.add_argument(
            "pair", nargs="?", metavar="PAIR", help=tr("whose latest comparison (default: the latest of all)")
        )
        parser.add_argument("--campaign", type=int, metavar="N", help=tr("the comparison's number, see history"))
        add_force(parser)
    add_json(rank, tr("write ranking and figures as JSON"))
    rank.add_argument(
        "--weights",
        metavar="MEASURE=W,…",
        help=tr(
            "also order the candidates by weights of your own, as in latency=2,throughput=1,cpu=1 (measures: latency, "
            "throughput, cpu, overhead, jitter, security), or by a preset: latency-first, throughput-first, low-cpu, "
            "strongest-security; beside Tunnelmark's ranking, and in no report"
        ),
    )
    rank.add_argument(
        "--mean-ranks",
        action="store_true",
        help=tr("with --weights: order by weighted means of ranks, the heuristic of a study of 2004 (oslv-2004)"),
    )
    for kind in ("html", "pdf", "csv"):
        report.add_argument(f"--{kind}", metavar="FILE", help=tr("write it as {kind}").format(kind=kind.upper()))
    add_json(report, tr("write it as JSON"))
    report.add_argument("--samples", metavar="FILE", help=tr("write every single round-trip time as CSV"))
    _add_diff(commands)
    _add_history(commands)


def _add_diff(commands: Commands) -> None:
    diff = add_command(
        commands, "diff", "diff.diff", tr("compare two stored comparisons: what changed from one to the other")
    )
    diff.add_argument("before", type=int, metavar="N", help=tr("the earlier comparison's number, see history"))
    diff.add_argument("after", type=int, metavar="M", help=tr("the later one's"))
    add_json(diff, tr("write it as JSON"))
    add_force(diff)


def _add_history(commands: Commands) -> None:
    history = add_command(
        commands, "history", "history.history", tr("list stored comparisons, censuses and deployments, or change them")
    )
    changes = history.add_mutually_exclusive_group()
    changes.add_argument(
        "--note",
        nargs=2,
        metavar=("N", "TEXT"),
        help=tr("put a note on comparison N, or on a census (cN); an empty TEXT removes it"),
    )
    changes.add_argument(
        "--delete",
        nargs="+",
        metavar="N",
        help=tr("delete comparisons N or censuses cN with all that was measured in them"),
    )
    changes.add_argument("--json", action="store_true", help=tr("print JSON, with times in UTC"))
    history.add_argument(
        "--condition", metavar="NAME", help=tr("list comparisons under this condition of the link only, also as-found")
    )
    history.add_argument("--yes", action="store_true", help=tr("with --delete: do not ask"))
