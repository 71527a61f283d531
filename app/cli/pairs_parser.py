"""Commands about labs and pairs, and their options."""

from __future__ import annotations

import argparse

from app.cli.command import Commands, add_command, add_force, add_group, add_host_keys, add_json, add_platform, positive
from app.wording.language import tr


def add_lab(commands: Commands) -> None:
    """Add `lab` with its commands."""
    text = tr("Start, use and stop practice labs: two virtual gateways on this computer.")
    verbs = add_group(commands, "lab", tr("the practice lab: two virtual gateways"), text)
    up = add_command(verbs, "up", "labs.up", tr("start a lab that runs until lab down"))
    add_platform(up)
    up.add_argument("--cpu", choices=("aes", "no-aes"), default="aes", help=tr("CPU with or without AES instructions"))
    up.add_argument(
        "--hardened",
        action="store_true",
        help=tr("with closed firewalls (nftables on A, ufw on B) and a sudo password"),
    )
    up.add_argument(
        "--nodes", action="store_true", help=tr("with a machine behind each gateway, in a network of its own with it")
    )
    up.add_argument("--cold", action="store_true", help=tr("boot the gateways instead of restoring saved ones"))
    down = add_command(verbs, "down", "labs.down", tr("stop a lab"))
    down.add_argument("--force", action="store_true", help=tr("also while a command or a window works on it"))
    text = tr("emulate a link between a lab's hosts, until another is set: a preset, a file, or as-found")
    condition = add_command(verbs, "condition", "labs.condition", text)
    condition.add_argument("condition", nargs="?", metavar="CONDITION", help=tr("without it the presets are listed"))
    status = add_command(verbs, "status", "labs.status", tr("show running labs"))
    status.add_argument("--json", action="store_true", help=tr("print JSON"))
    ssh = add_command(verbs, "ssh", "labs.ssh", tr("log in to a lab's host, or run a command there (after --)"))
    ssh.add_argument("side", choices=("A", "B", "NODE-A", "NODE-B"), type=str.upper, help=tr("which machine"))
    for parser in (up, down, ssh, condition):
        parser.add_argument("--name", default="default", help=tr("the lab's name (default: default)"))


def add_pair(commands: Commands) -> None:
    """Add `pair` with its commands."""
    text = tr("Store and manage pairs: two hosts of your own, with their addresses, by a name.")
    verbs = add_group(commands, "pair", tr("pairs of hosts of your own"), text)
    add = add_command(verbs, "add", "pairs.add", tr("store a pair"))
    add.add_argument("pair", metavar="NAME", help=tr("its name"))
    add.add_argument("--a", required=True, metavar="USER@HOST:PORT", help=tr("host A"))
    add.add_argument("--b", required=True, metavar="USER@HOST:PORT", help=tr("host B"))
    add.add_argument(
        "--underlay", required=True, metavar="ADDR_A,ADDR_B", help=tr("addresses on the path between the two")
    )
    _add_nodes(add)
    add.add_argument("--identity", metavar="FILE", help=tr("private key to log in with"))
    add.add_argument("--host-key-file", metavar="FILE", help=tr("use only this known_hosts file for these hosts"))
    add.add_argument("--load-cap", type=positive, metavar="MBIT", help=tr("limit for throughput tests in Mbit/s"))
    add.add_argument("--replace", action="store_true", help=tr("replace the pair of that name"))
    add_command(verbs, "list", "pairs.show_all", tr("list stored pairs and running labs"))
    for name, handler, text in (
        ("show", "pairs.show", tr("print a pair")),
        ("remove", "pairs.remove", tr("forget a pair")),
    ):
        add_command(verbs, name, handler, text).add_argument("pair", metavar="NAME", help=tr("its name"))
    for name, text in (
        ("rename", tr("give a pair another name")),
        ("copy", tr("store a pair once more under another name")),
    ):
        changed = add_command(verbs, name, f"pairs.{name}", text)
        changed.add_argument("pair", metavar="NAME", help=tr("its name"))
        changed.add_argument("name", metavar="NEW", help=tr("the other name"))
    imported = add_command(
        verbs, "import-ssh-config", "pair_import.import_ssh_config", tr("store a pair of two hosts of ~/.ssh/config")
    )
    imported.add_argument(
        "pair", nargs="?", metavar="NAME", help=tr("the pair's name; without it the hosts are listed")
    )
    imported.add_argument("--a", metavar="ALIAS", help=tr("host A, as after Host in the file"))
    imported.add_argument("--b", metavar="ALIAS", help=tr("host B"))
    imported.add_argument(
        "--underlay",
        metavar="ADDR_A,ADDR_B",
        help=tr("addresses on the path between the two (default: HostName, where both are IPv4 addresses)"),
    )
    imported.add_argument("--file", metavar="FILE", help=tr("another file (default: ~/.ssh/config)"))


def _add_nodes(add: argparse.ArgumentParser) -> None:
    """Add the options for the machines behind both hosts."""
    for letter in ("A", "B"):
        name = f"--node-{letter.lower()}"
        add.add_argument(
            name, metavar="USER@HOST:PORT", help=tr("machine behind host {side}, a node").format(side=letter)
        )
        text = tr("with {option}: its interface towards host {side}, and the host's towards it")
        add.add_argument(f"{name}-interfaces", metavar="NODE,HOST", help=text.format(option=name, side=letter))
    add.add_argument("--no-nodes", action="store_true", help=tr("with --replace: keep no nodes of the pair"))


def add_discover(commands: Commands) -> None:
    """Add `discover`."""
    discover = add_command(
        commands, "discover", "pairs.discover", tr("inspect two hosts: what they support"), has_pair=True
    )
    add_json(discover, tr("write everything that was found as JSON"))
    discover.add_argument("--all", action="store_true", help=tr("print every suite, not only each solution's default"))
    discover.add_argument("--solutions", "--solution", metavar="A,B", help=tr("print every suite of these solutions"))
    add_force(discover)
    discover.add_argument("--install", action="store_true", help=tr("install missing packages on the hosts"))


def add_sudoers(commands: Commands) -> None:
    """Add `sudoers`."""
    sudoers = add_command(
        commands, "sudoers", "sudoers.sudoers", tr("print a sudoers file limited to what Tunnelmark runs")
    )
    sudoers.add_argument("pair", nargs="?", metavar="PAIR", help=tr("for the user that logs in to this pair's hosts"))
    sudoers.add_argument("--user", metavar="NAME", help=tr("for this user instead"))
    sudoers.add_argument(
        "--side", choices=("A", "B"), type=str.upper, help=tr("whose user, where the two hosts have different ones")
    )
    sudoers.add_argument("--password", action="store_true", help=tr("let sudo ask for the user's password"))
    add_host_keys(sudoers)
