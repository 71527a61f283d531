"""Commands about deployments, and their options."""

from __future__ import annotations

import argparse

from app.cli.command import Commands, add_command, add_force, positive
from app.cli.messages import NO_PERCENTAGE
from app.domain.deployment import BROADCASTS_PER_S
from app.domain.keepalive import Keepalive
from app.wording.language import tr
from app.wording.messages import local_text


def add_deployments(commands: Commands) -> None:
    """Add the commands."""
    _add_deploy(commands)
    _add_status(commands)
    confirm = add_command(
        commands, "confirm", "deployments.confirm", tr("confirm a provisional deployment"), has_pair=True
    )
    confirm.add_argument("--json", action="store_true", help=tr("print JSON"))
    undeploy = add_command(commands, "undeploy", "deployments.undeploy", tr("remove a deployment"), has_pair=True)
    undeploy.add_argument(
        "--only",
        choices=("A", "B"),
        type=str.upper,
        help=tr("from this host alone, because the other one is unreachable"),
    )
    undeploy.add_argument("--json", action="store_true", help=tr("print JSON"))
    rotate = add_command(
        commands,
        "rotate-keys",
        "deployments.rotate_keys",
        tr("deploy the same tunnel again with new keys"),
        has_pair=True,
    )
    rotate.add_argument("--json", action="store_true", help=tr("print JSON"))
    _add_records(commands)


def _add_deploy(commands: Commands) -> None:
    deploy = add_command(
        commands,
        "deploy",
        "deployments.deploy",
        tr("deploy a VPN until it is removed"),
        has_pair=True,
        is_pair_optional=True,
    )
    _add_many(deploy)
    deploy.add_argument(
        "solution", metavar="SOLUTION", nargs="?", help=tr("which VPN, for example wireguard; left out with --again")
    )
    deploy.add_argument("--suite", metavar="SUITE", help=tr("which suite (default: the safe default)"))
    deploy.add_argument(
        "--again", metavar="ID", help=tr("deploy an earlier deployment of the pair again, see deployments")
    )
    deploy.add_argument(
        "--bridge", action="append", metavar="A=PORT", help=tr("join the tunnel with this LAN port of A (or B=PORT)")
    )
    deploy.add_argument(
        "--inner", metavar="ADDR_A,ADDR_B", help=tr("addresses in the tunnel with prefix length (default: 198.19.…)")
    )
    deploy.add_argument(
        "--reason",
        metavar="TEXT",
        help=tr("justification for a suite whose verdict is legacy or unknown; stored with the deployment"),
    )
    add_lan_guard(deploy)
    add_open_firewall(deploy)
    deploy.add_argument(
        "--move-lan-rules",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=tr("add firewall rules that name a joined LAN port for its bridge as well, until the tunnel is removed"),
    )
    add_mtu(deploy)
    add_keepalive(deploy)
    deploy.add_argument("--dry-run", action="store_true", help=tr("show every file and command, and change nothing"))
    deploy.add_argument("--json", action="store_true", help=tr("print JSON"))
    _add_confirming(deploy)


def _add_many(deploy: argparse.ArgumentParser) -> None:
    """Add the options for many pairs at once."""
    deploy.add_argument("--all", action="store_true", help=tr("deploy on every pair of a file, see --from"))
    deploy.add_argument("--from", dest="file", metavar="FILE.toml", help=tr("the file of pairs for --all"))
    deploy.add_argument(
        "--parallel", type=int, metavar="N", help=tr("deploy on so many pairs at the same time (default: 4)")
    )
    deploy.add_argument(
        "--stop-after", type=int, metavar="N", help=tr("start no further pair after N failures (default: 1)")
    )


def _add_records(commands: Commands) -> None:
    deployments = add_command(commands, "deployments", "records.deployments", tr("list deployments"))
    deployments.add_argument("pair", nargs="?", metavar="PAIR", help=tr("only of this pair (default: of all)"))
    deployments.add_argument("--json", action="store_true", help=tr("print JSON"))
    audit = add_command(
        commands, "audit", "records.audit", tr("print the audit log: every command that changed a host")
    )
    audit.add_argument("pair", nargs="?", metavar="PAIR", help=tr("only of this pair (default: of all)"))
    audit.add_argument(
        "--out", metavar="FILE", help=tr("write all of it to a .csv or .json file (default: print the newest lines)")
    )
    add_force(audit)
    audit.add_argument("--verify", action="store_true", help=tr("verify that it is unchanged, and print its digest"))


def add_lan_guard(parser: argparse.ArgumentParser) -> None:
    """Add the options for what crosses between joined LANs."""
    parser.add_argument(
        "--broadcast-limit",
        type=int,
        metavar="FRAMES_PER_S",
        help=tr("let so many broadcast frames per second cross between joined LANs (default: {number}; 0: any)").format(
            number=BROADCASTS_PER_S
        ),
    )
    parser.add_argument(
        "--block-dhcp", action="store_true", help=tr("keep DHCP and DHCPv6 from crossing between joined LANs")
    )
    parser.add_argument(
        "--block-router-advertisements",
        action="store_true",
        help=tr("keep IPv6 router advertisements and redirects from crossing between joined LANs"),
    )


def add_keepalive(parser: argparse.ArgumentParser) -> None:
    """Add the option for what an idle tunnel costs."""
    parser.add_argument(
        "--keepalive",
        choices=tuple(one.value for one in Keepalive),
        help=tr(
            "metered: for links paid for by volume, probe an idle tunnel once a minute; a lost peer is noticed about a "
            "minute later (default: wired)"
        ),
    )


def add_mtu(parser: argparse.ArgumentParser) -> None:
    """Add the option for what is fragmented outside."""
    parser.add_argument(
        "--mtu",
        choices=("fit", "1500"),
        help=tr(
            "fit: clamp TCP's MSS, so that no segment through the tunnel is fragmented outside; where no LAN is "
            "joined, set the tunnel's MTU, so that no frame is (default: 1500)"
        ),
    )


def add_open_firewall(parser: argparse.ArgumentParser) -> None:
    """Add the option by which the user agrees that firewalls are opened."""
    parser.add_argument(
        "--open-firewall",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=tr("open the hosts' firewalls for the tunnel's traffic, until it is removed; remembered for the pair"),
    )


def _add_status(commands: Commands) -> None:
    status = add_command(commands, "status", "deployments.status", tr("show the status of deployments"), has_pair=True)
    status.add_argument("--json", action="store_true", help=tr("print JSON; with --watch one line for each check"))
    status.add_argument(
        "--repair", action="store_true", help=tr("complete what only one host has; without it nothing is changed")
    )
    status.add_argument("--watch", action="store_true", help=tr("check repeatedly, and keep a log of losses"))
    status.add_argument("--every", type=positive, metavar="S", help=tr("seconds between checks (default: 5)"))
    status.add_argument(
        "--for",
        dest="for_s",
        type=positive,
        metavar="S",
        help=tr("monitor for so many seconds (default: until Ctrl-C)"),
    )
    status.add_argument(
        "--max-rtt-ms", type=positive, metavar="MS", help=tr("with --watch, report round trips longer than this")
    )
    status.add_argument(
        "--max-loss-pct", type=_percent, metavar="PCT", help=tr("with --watch, report losses above this")
    )


def _percent(text: str) -> float:
    """Read a number from 0 to 100, as argparse's `type`."""
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(local_text(NO_PERCENTAGE(text=text)))
    return number


def _add_confirming(deploy: argparse.ArgumentParser) -> None:
    deploy.add_argument(
        "--confirm-within",
        type=positive,
        metavar="S",
        help=tr(
            "both hosts roll back unless you confirm within so many seconds (default: confirmed automatically once "
            "verified; the window suggests 120 s)"
        ),
    )


def add_export(commands: Commands) -> None:
    """Add `export-config`."""
    export = add_command(
        commands,
        "export-config",
        "export.export_config",
        tr("write what deploy would install on two hosts, to deploy by hand or with Ansible"),
        has_pair=True,
    )
    export.add_argument("solution", metavar="SOLUTION", help=tr("which VPN, for example wireguard"))
    export.add_argument("--suite", metavar="SUITE", help=tr("which suite (default: the safe default)"))
    export.add_argument("--out", required=True, metavar="DIR", help=tr("the folder to write; empty or not there yet"))
    export.add_argument("--format", choices=("files", "ansible"), help=tr("only this sub-folder (default: both)"))
    export.add_argument(
        "--bridge", action="append", metavar="A=PORT", help=tr("join the tunnel with this LAN port of A (or B=PORT)")
    )
    export.add_argument("--inner", metavar="ADDR_A,ADDR_B", help=tr("addresses in the tunnel with prefix length"))
    export.add_argument(
        "--reason", metavar="TEXT", help=tr("justification for a suite whose verdict is legacy or unknown")
    )
    add_lan_guard(export)
    add_mtu(export)
    export.add_argument(
        "--path-mtu",
        type=int,
        metavar="BYTES",
        help=tr("MTU of the path between the hosts (default: as it was last measured)"),
    )
    add_keepalive(export)
    export.add_argument("--live", action="store_true", help=tr("inspect the hosts, even if they were inspected before"))
    export.add_argument("--force", action="store_true", help=tr("replace an earlier export in that folder"))
