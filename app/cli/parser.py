"""Every command and its options."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Sequence

from app.cli.arguments import HelpFormatter, Parser
from app.cli.command import add_command, add_platform, common_options
from app.cli.deployments_parser import add_deployments, add_export
from app.cli.exit_codes import EXIT_STATUSES
from app.cli.measuring_parser import add_bench, add_census, add_compare, add_measuring, add_studies
from app.cli.pairs_parser import add_discover, add_lab, add_pair, add_sudoers
from app.cli.policy_parser import add_lint, add_policy
from app.cli.results_parser import add_results
from app.domain.version import tunnelmark_version
from app.wording.language import current_language, tr


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; what follows `--` is the command of `lab ssh`, untouched.

    Args:
        argv: Without the program's name.
    """
    words = list(argv)
    # argparse cannot tell options from a command's words where both follow a positional argument.
    cut = words.index("--") if "--" in words and words[:2] == ["lab", "ssh"] else len(words)
    options = _parser(current_language()).parse_args(words[:cut])
    options.remote = words[cut + 1 :]
    return options


@functools.cache
def _parser(_language: str) -> argparse.ArgumentParser:
    """Return the parser of this process in a language, which parsing does not change."""
    return make_parser()


def make_parser() -> argparse.ArgumentParser:
    """Return the parser; each command sets `handler`."""
    parser: argparse.ArgumentParser = Parser(
        prog="tunnelmark",
        description=tr("Compare, verify and deploy layer-2 VPNs between two gateways. Without a command: the window."),
        epilog=tr("exit status:\n") + "".join(f"  {int(code):<4} {tr(text)}\n" for code, text in EXIT_STATUSES.items()),
        formatter_class=HelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"tunnelmark {tunnelmark_version()}",
        help=tr("show program's version number and exit"),
    )
    commands = parser.add_subparsers(title=tr("commands"), metavar="COMMAND", required=True)
    add_lab(commands)
    add_pair(commands)
    add_discover(commands)
    add_compare(commands)
    add_bench(commands)
    add_census(commands)
    add_studies(commands)
    add_results(commands)
    add_deployments(commands)
    add_lint(commands)
    add_policy(commands)
    add_sudoers(commands)
    add_export(commands)
    add_command(
        commands, "recover", "pairs.recover", tr("restore both hosts after Tunnelmark has crashed"), has_pair=True
    )
    add_command(commands, "doctor", "doctor.doctor", tr("check this computer"))
    demo = add_command(commands, "demo", "compare.demo", tr("run a short comparison on the practice lab"))
    add_platform(demo)
    add_measuring(demo)
    completion = add_command(
        commands, "completion", "man.completion", tr("print a shell's completion of commands and options")
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help=tr("which shell"))
    add_command(commands, "man", "man.man", tr("print the man page"))
    return parser
