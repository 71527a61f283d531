"""Every command and its options."""

from __future__ import annotations

import argparse
import functools
import importlib
import math
from collections.abc import Callable, Sequence

from app.cli.arguments import Parser
from app.cli.context import Context
from app.cli.deployments_parser import add_lan_guard, add_open_firewall, add_rollout
from app.cli.examples import epilog_of
from app.cli.exit_codes import EXIT_STATUSES
from app.domain.linting import ConfigKind
from app.domain.version import tunnelmark_version

Handler = Callable[[Context], int]

_PAIR_HELP = (
    "a stored pair, lab:NAME (a running lab), or lab:PLATFORM (started for this command unless one is up): "
    "lab:debian-13, lab:debian-11, lab:A=debian-11,B=debian-13"
)
_PLATFORM_HELP = "debian-13 (default), debian-11, or one for each side: A=debian-11,B=debian-13"


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; what follows `--` is the command of `lab ssh`, untouched.

    Args:
        argv: Without the program's name.
    """
    words = list(argv)
    # argparse cannot tell options from a command's words where both follow a positional argument.
    cut = words.index("--") if "--" in words and words[:2] == ["lab", "ssh"] else len(words)
    options = _parser().parse_args(words[:cut])
    options.remote = words[cut + 1 :]
    return options


@functools.cache
def _parser() -> argparse.ArgumentParser:
    """Return the parser of this process, which parsing does not change."""
    return make_parser()


def make_parser() -> argparse.ArgumentParser:
    """Return the parser; each command sets `handler`."""
    parser: argparse.ArgumentParser = Parser(
        prog="tunnelmark",
        description="Compare, verify and deploy layer-2 VPNs between two gateways. Without a command: the window.",
        epilog="exit status:\n" + "".join(f"  {int(code):<4} {text}\n" for code, text in EXIT_STATUSES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_common()],
    )
    parser.add_argument("--version", action="version", version=f"tunnelmark {tunnelmark_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_lab(commands)
    _add_pair(commands)
    _add_discover(commands)
    _add_compare(commands)
    _add_census(commands)
    _add_results(commands)
    add_rollout(commands, _command, _positive, _add_force)
    _add_lint(commands)
    _add_policy(commands)
    _add_sudoers(commands)
    _add_export(commands)
    _command(commands, "recover", "pairs.recover", "restore both hosts after Tunnelmark has crashed", has_pair=True)
    _command(commands, "doctor", "doctor.doctor", "check this computer")
    demo = _command(commands, "demo", "compare.demo", "run a short comparison on the practice lab")
    _add_platform(demo)
    _add_measuring(demo)
    completion = _command(
        commands, "completion", "man.completion", "print a shell's completion of commands and options"
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")
    _command(commands, "man", "man.man", "print the man page")
    return parser


@functools.cache
def _common() -> argparse.ArgumentParser:
    """Return options of every command, which all parsers share; they count before its name and after it."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--no-color", action="store_true", help="no colours; so does the variable NO_COLOR")
    common.add_argument(
        "-v", "--verbose", action="count", help="say more on stderr; twice: every command that is run on a host"
    )
    return common


def _positive(text: str) -> float:
    """Read a number above 0, as argparse's `type`."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return number


def _add_force(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--force", action="store_true", help="replace files that are there already (asked about at a terminal)"
    )


def _handler(name: str) -> Handler:
    """Return a function that imports a command's module when it is called: `rank` must not wait for SSH and the lab."""

    def handle(context: Context) -> int:
        module, _, function = name.partition(".")
        command: Handler = getattr(importlib.import_module(f"app.cli.{module}"), function)
        return command(context)

    return handle


def _group(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, description: str
) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    """Add a command that has commands of its own; return these."""
    parser = commands.add_parser(
        name, help=text, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.epilog = epilog_of(parser.prog)
    return parser.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    handler: str,
    text: str,
    *,
    has_pair: bool = False,
    is_pair_optional: bool = False,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_common()],
    )
    parser.epilog = epilog_of(parser.prog)
    parser.set_defaults(handler=_handler(handler))
    if has_pair:
        parser.add_argument("pair", metavar="PAIR", nargs="?" if is_pair_optional else None, help=_PAIR_HELP)
        _add_host_keys(parser)
    return parser


def _add_platform(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--platform", default="debian-13", metavar="PLATFORM", help=_PLATFORM_HELP)


def _add_host_keys(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--accept-host-key",
        action="append",
        metavar="HOST=SHA256:…",
        help="accept an unknown key of this host with this fingerprint (may be given for several hosts)",
    )


def _add_lab(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "Start, use and stop practice labs: two virtual gateways on this computer."
    verbs = _group(commands, "lab", "the practice lab: two virtual gateways", text)
    up = _command(verbs, "up", "labs.up", "start a lab that runs until lab down")
    _add_platform(up)
    up.add_argument("--cpu", choices=("aes", "no-aes"), default="aes", help="CPU with or without AES instructions")
    up.add_argument(
        "--hardened", action="store_true", help="with closed firewalls (nftables on A, ufw on B) and a sudo password"
    )
    up.add_argument("--cold", action="store_true", help="boot the gateways instead of restoring saved ones")
    down = _command(verbs, "down", "labs.down", "stop a lab")
    down.add_argument("--force", action="store_true", help="also while a command or a window works on it")
    status = _command(verbs, "status", "labs.status", "show running labs")
    status.add_argument("--json", action="store_true", help="as JSON")
    ssh = _command(verbs, "ssh", "labs.ssh", "log in to a lab's host, or run a command there (after --)")
    ssh.add_argument("side", choices=("A", "B"), type=str.upper, help="which host")
    for parser in (up, down, ssh):
        parser.add_argument("--name", default="default", help="the lab's name (default: default)")


def _add_pair(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "Store and manage pairs: two hosts of your own, with their addresses, by a name."
    verbs = _group(commands, "pair", "pairs of hosts of your own", text)
    add = _command(verbs, "add", "pairs.add", "store a pair")
    add.add_argument("pair", metavar="NAME", help="its name")
    add.add_argument("--a", required=True, metavar="USER@HOST:PORT", help="host A")
    add.add_argument("--b", required=True, metavar="USER@HOST:PORT", help="host B")
    add.add_argument("--underlay", required=True, metavar="ADDR_A,ADDR_B", help="addresses on the path between the two")
    add.add_argument("--identity", metavar="FILE", help="private key to log in with")
    add.add_argument("--host-key-file", metavar="FILE", help="use only this known_hosts file for these hosts")
    add.add_argument("--load-cap", type=_positive, metavar="MBIT", help="limit for throughput probes in Mbit/s")
    add.add_argument("--replace", action="store_true", help="replace the pair of that name")
    _command(verbs, "list", "pairs.show_all", "list stored pairs and running labs")
    for name, handler, text in (("show", "pairs.show", "print a pair"), ("remove", "pairs.remove", "forget a pair")):
        _command(verbs, name, handler, text).add_argument("pair", metavar="NAME", help="its name")
    for name, text in (("rename", "give a pair another name"), ("copy", "store a pair once more under another name")):
        changed = _command(verbs, name, f"pairs.{name}", text)
        changed.add_argument("pair", metavar="NAME", help="its name")
        changed.add_argument("name", metavar="NEW", help="the other name")
    imported = _command(
        verbs, "import-ssh-config", "pair_import.import_ssh_config", "store a pair of two hosts of ~/.ssh/config"
    )
    imported.add_argument("pair", nargs="?", metavar="NAME", help="the pair's name; without it the hosts are listed")
    imported.add_argument("--a", metavar="ALIAS", help="host A, as after Host in the file")
    imported.add_argument("--b", metavar="ALIAS", help="host B")
    imported.add_argument(
        "--underlay",
        metavar="ADDR_A,ADDR_B",
        help="addresses on the path between the two (default: HostName, where both are IPv4 addresses)",
    )
    imported.add_argument("--file", metavar="FILE", help="another file (default: ~/.ssh/config)")


def _add_discover(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    discover = _command(commands, "discover", "pairs.discover", "inspect two hosts: what they support", has_pair=True)
    discover.add_argument("--json", metavar="FILE", help="write everything that was found (- for stdout)")
    discover.add_argument("--all", action="store_true", help="print every suite, not only each solution's default")
    discover.add_argument("--solution", metavar="A,B", help="print every suite of these solutions")
    _add_force(discover)
    discover.add_argument("--install", action="store_true", help="install missing packages on the hosts")


def _add_measuring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pings", type=int, metavar="N", help="pings per frame size")
    parser.add_argument("--seconds", type=int, metavar="S", help="seconds of TCP per direction")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds per candidate")
    parser.add_argument("--deadline-ms", type=_positive, metavar="MS", help="count replies slower than this")
    parser.add_argument("--load-cap", type=_positive, metavar="MBIT", help="limit for throughput tests in Mbit/s")
    parser.add_argument(
        "--allow-load", action="store_true", help="allow load tests on a production link (not needed for labs)"
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--csv", metavar="FILE", help="write the figures as CSV")
    parser.add_argument("--pdf", metavar="FILE", help="write the report as PDF")
    parser.add_argument("--report", metavar="FILE.html", help="where the HTML report goes")
    _add_force(parser)
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


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    compare_parser = _command(commands, "compare", "compare.compare", "measure, rank and report", has_pair=True)
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
        "--budget-min", type=_positive, metavar="M", help="with the profile adaptive: minutes of measuring at most"
    )
    _add_measuring(compare_parser)


def _add_census(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    census = _command(
        commands, "census", "census.census", "try every cipher, MAC and AEAD that both hosts list", has_pair=True
    )
    census.add_argument("--solutions", metavar="A,B", help="which VPNs (default: all that offer a choice)")
    census.add_argument("--options", metavar="NAME,…", help="only these options, as the programs write them")
    census.add_argument("--pings", type=int, default=20, metavar="N", help="pings for each option (default: 20)")
    add_open_firewall(census)
    census.add_argument("--json", metavar="FILE", help="write every result as JSON (- for stdout)")
    census.add_argument("--report", metavar="FILE.html", help="write an HTML report")
    _add_force(census)
    census.add_argument(
        "--allow-load", action="store_true", help="allow load tests on a production link (not needed for labs)"
    )
    unfinished = census.add_mutually_exclusive_group()
    unfinished.add_argument(
        "--resume", action="store_true", help="resume an unfinished census, or fail if there is none"
    )
    unfinished.add_argument("--fresh", action="store_true", help="start again even if there is an unfinished census")


def _add_results(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    rank = _command(commands, "rank", "results.rank", "rank a stored comparison")
    report = _command(commands, "report", "results.report", "write reports of a stored comparison")
    for parser in (rank, report):
        parser.add_argument(
            "pair", nargs="?", metavar="PAIR", help="whose latest comparison (default: the latest of all)"
        )
        parser.add_argument("--campaign", type=int, metavar="N", help="the comparison's number, see history")
        _add_force(parser)
    rank.add_argument("--json", metavar="FILE", help="write ranking and figures as JSON (- for stdout)")
    rank.add_argument(
        "--weights",
        metavar="MEASURE=W,…",
        help="also order the candidates by weights of your own, as in latency=2,throughput=1,cpu=1 (measures: latency, "
        "throughput, cpu, overhead, security), or by a preset: latency-first, throughput-first, low-cpu, "
        "strongest-security; beside Tunnelmark's ranking, and in no report",
    )
    for kind in ("html", "pdf", "json", "csv"):
        report.add_argument(f"--{kind}", metavar="FILE", help=f"write it as {kind.upper()}")
    report.add_argument("--samples", metavar="FILE", help="write every single round-trip time as CSV")
    diff = _command(commands, "diff", "diff.diff", "compare two stored comparisons: what changed from one to the other")
    diff.add_argument("before", type=int, metavar="N", help="the earlier comparison's number, see history")
    diff.add_argument("after", type=int, metavar="M", help="the later one's")
    diff.add_argument("--json", metavar="FILE", help="write it as JSON (- for stdout)")
    _add_force(diff)
    history = _command(
        commands, "history", "history.history", "list stored comparisons, censuses and deployments, or change them"
    )
    changes = history.add_mutually_exclusive_group()
    changes.add_argument(
        "--note",
        nargs=2,
        metavar=("N", "TEXT"),
        help="put a note on comparison N, or on a census (cN); an empty TEXT removes it",
    )
    changes.add_argument(
        "--delete",
        nargs="+",
        metavar="N",
        help="delete comparisons N or censuses cN with all that was measured in them",
    )
    changes.add_argument("--json", action="store_true", help="list them as JSON, with times in UTC")
    history.add_argument("--yes", action="store_true", help="with --delete: do not ask")


def _add_lint(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    lint = _command(commands, "lint", "lint.lint", "check configuration files of VPNs")
    lint.add_argument("files", nargs="*", metavar="FILE", help="configuration files on this computer")
    lint.add_argument("--host", metavar="PAIR", help="the configuration files on both hosts of a pair instead")
    lint.add_argument(
        "--kind",
        choices=[str(kind) for kind in ConfigKind],
        metavar="KIND",
        help=f"type of the files: {', '.join(ConfigKind)} (default: detected)",
    )
    lint.add_argument(
        "--policy", action="append", metavar="GUIDELINE", help="a guideline that counts (may be repeated)"
    )
    lint.add_argument("--permissions", action="store_true", help="check who may read the files and the keys they name")
    lint.add_argument("--version", action="append", metavar="PROGRAM=VERSION", help="for example openvpn=2.4")
    lint.add_argument("--format", choices=("text", "json", "sarif"), default="text", help="how to write the result")
    _add_host_keys(lint)


def _add_policy(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "Look up verdicts on algorithms, and select the guidelines that apply."
    verbs = _group(commands, "policy", "verdicts on algorithms, and guidelines", text)
    show_all = _command(verbs, "list", "policy.show_list", "print the guidelines and every verdict")
    kinds = ("cipher", "mode", "mac", "key-exchange", "signature", "protocol", "option")
    help_text = f"verdicts of one kind only: {', '.join(kinds)}"
    show_all.add_argument("--kind", choices=kinds, metavar="KIND", help=help_text)
    show = _command(verbs, "show", "policy.show", "print everything that is known of one algorithm")
    show.add_argument("algorithm", metavar="NAME", help="as any program writes it, for example aes256gcm16 or BF-CBC")
    use = _command(verbs, "use", "policy.use", "select the guidelines that apply")
    use.add_argument(
        "guidelines", nargs="+", metavar="ID", help="ids of guidelines, see policy list; or none; or default"
    )


def _add_sudoers(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    sudoers = _command(commands, "sudoers", "sudoers.sudoers", "print a sudoers file limited to what Tunnelmark runs")
    sudoers.add_argument("pair", nargs="?", metavar="PAIR", help="for the user that logs in to this pair's hosts")
    sudoers.add_argument("--user", metavar="NAME", help="for this user instead")
    sudoers.add_argument(
        "--side", choices=("A", "B"), type=str.upper, help="whose user, where the two hosts have different ones"
    )
    sudoers.add_argument("--password", action="store_true", help="let sudo ask for the user's password")
    _add_host_keys(sudoers)


def _add_export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    export = _command(
        commands,
        "export-config",
        "export.export_config",
        "write what deploy would install on two hosts, to deploy by hand or with Ansible",
        has_pair=True,
    )
    export.add_argument("solution", metavar="SOLUTION", help="which VPN, for example wireguard")
    export.add_argument("--suite", metavar="SUITE", help="which suite (default: the safe default)")
    export.add_argument("--out", required=True, metavar="DIR", help="the folder to write; empty or not there yet")
    export.add_argument("--format", choices=("files", "ansible"), help="only this sub-folder (default: both)")
    export.add_argument(
        "--bridge", action="append", metavar="A=PORT", help="join the tunnel with this LAN port of A (or B=PORT)"
    )
    export.add_argument("--inner", metavar="ADDR_A,ADDR_B", help="addresses in the tunnel with prefix length")
    export.add_argument("--reason", metavar="TEXT", help="why a legacy suite is used")
    add_lan_guard(export)
    export.add_argument("--live", action="store_true", help="inspect the hosts, even if they were inspected before")
    export.add_argument("--force", action="store_true", help="replace an earlier export in that folder")
