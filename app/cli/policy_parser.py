"""Commands about guidelines and configuration files, and their options."""

from __future__ import annotations

from app.cli.command import Commands, add_command, add_group, add_host_keys
from app.domain.linting import ConfigKind
from app.wording.language import tr


def add_lint(commands: Commands) -> None:
    """Add `lint`."""
    lint = add_command(commands, "lint", "lint.lint", tr("check configuration files of VPNs"))
    lint.add_argument("files", nargs="*", metavar="FILE", help=tr("configuration files on this computer"))
    lint.add_argument("--host", metavar="PAIR", help=tr("the configuration files on both hosts of a pair instead"))
    lint.add_argument(
        "--kind",
        choices=[str(kind) for kind in ConfigKind],
        metavar="KIND",
        help=tr("kind of the files: {kinds} (default: detected)").format(kinds=", ".join(ConfigKind)),
    )
    lint.add_argument(
        "--policy", action="append", metavar="GUIDELINE", help=tr("a guideline that applies (may be repeated)")
    )
    lint.add_argument(
        "--permissions", action="store_true", help=tr("check who may read the files and the keys they name")
    )
    lint.add_argument(
        "--version",
        action="append",
        metavar="PROGRAM=VERSION",
        help=tr("version of a program, for example openvpn=2.4"),
    )
    lint.add_argument("--format", choices=("text", "json", "sarif"), default="text", help=tr("how to write the result"))
    add_host_keys(lint)


def add_policy(commands: Commands) -> None:
    """Add `policy` with its commands."""
    text = tr("Look up verdicts on algorithms, and select the guidelines that apply.")
    verbs = add_group(commands, "policy", tr("verdicts on algorithms, and guidelines"), text)
    show_all = add_command(verbs, "list", "policy.show_list", tr("print the guidelines and every verdict"))
    kinds = ("cipher", "mode", "mac", "key-exchange", "signature", "protocol", "option")
    help_text = tr("verdicts of one kind only: {kinds}").format(kinds=", ".join(kinds))
    show_all.add_argument("--kind", choices=kinds, metavar="KIND", help=help_text)
    show = add_command(verbs, "show", "policy.show", tr("print everything that is known of one algorithm"))
    show.add_argument(
        "algorithm", metavar="NAME", help=tr("as any program writes it, for example aes256gcm16 or BF-CBC")
    )
    use = add_command(verbs, "use", "policy.use", tr("select the guidelines that apply"))
    use.add_argument(
        "guidelines", nargs="+", metavar="ID", help=tr("ids of guidelines, see policy list; or none; or default")
    )
