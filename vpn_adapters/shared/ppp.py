"""PPP between both hosts' carrier addresses, with L2TPv3 inside for Ethernet frames.

pppd and the daemons that start it run in a mount namespace in which /etc/ppp and /run are folders of ours, and so is
root's .ppprc: the host's chap-secrets, options, scripts and sockets are neither read nor written, and nothing of them
has to be restored.

Source: pppd(8) of ppp 2.4.9; mount_namespaces(7).
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from app.domain.adapters import (
    Breakage,
    IdentityRecipe,
    PlanRequest,
    PlanStep,
    UpCheck,
    shell_step_argv,
)
from app.domain.commands import Command, CommandResult, FileToWrite
from app.domain.firewall import Opening
from app.domain.hosts import MissingPart, Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.shared import discovering, l2tpv3, shared_secrets
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import DAEMON_KILLED, DAEMON_STOPPED
from vpn_adapters.shared.rendering import render_file

SESSION_RETRY_S = 60.0
"""The L2TPv3 session can be made once PPP has its address: B calls A again and again until A answers."""

QUERIES: Mapping[str, Command] = MappingProxyType(
    {
        "pppd": discovering.query("pppd", "--version"),
        "unshare": discovering.query("unshare", "--version"),
        "ip": discovering.query("ip", "-V"),
    }
)
"""Questions for the programs that every carrier of PPP needs."""


def missing_parts(
    outputs: Mapping[str, CommandResult], modules: tuple[str, ...], needed_for: str
) -> tuple[MissingPart, ...]:
    """Return what a host lacks, from the outputs of QUERIES and of `modules`. Source: outputs of Debian 12."""
    has = {
        "pppd": "pppd version" in discovering.text_of(outputs, "pppd"),
        "unshare": "unshare from util-linux" in discovering.text_of(outputs, "unshare"),
    }
    missing = discovering.missing_programs(has, needed_for)
    return missing + discovering.missing_kernel_parts(outputs, modules, needed_for)


def secret_path(link: Link) -> str:
    """Return where the password lies on both hosts, as a line of chap-secrets."""
    return f"{link.run_dir}/ppp.secret"


def log_path(link: Link) -> str:
    """Return where the log lies on each host."""
    return f"{link.run_dir}/ppp.log"


def options_path(link: Link) -> str:
    """Return where pppd's options lie on each host."""
    return f"{link.run_dir}/ppp.options"


def login(side: Side) -> str:
    """Return the name with which B logs in, or to which; no other tunnel sees our chap-secrets."""
    return f"tunnelmark-{side}"


def _folder(link: Link) -> str:
    return f"{link.run_dir}/ppp"


def _mark(link: Link) -> str:
    return f"tunnelmark-{link.names.lower_interface}"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how the password is made on A, and where it goes on B. It is new for every tunnel."""
    path = secret_path(link)
    words = (path, login(Side.B), login(Side.A), link.carrier(Side.B))
    return shared_secrets.recipe(
        side,
        path,
        root_script("shared", "ppp-make-secret.sh", *words),
        title=mark("Make the password that both sides share"),
        what=mark("Password of 256 bits with which B logs in to A"),
    )


def options_file(request: PlanRequest, side: Side, *, mtu_bytes: int, own: tuple[str, ...]) -> FileToWrite:
    """Return pppd's options on one side, one a line.

    Args:
        mtu_bytes: MTU of the PPP interface, for both directions.
        own: Further options of this carrier and side.
    """
    link = request.link
    lines = [
        f"name {login(side)}",
        *([f"remotename {login(side.other)}", "noauth"] if side is Side.B else []),
        *([f"{link.carrier(side)}:{link.carrier(side.other)}"] if side is Side.B else []),
        *own,
        f"ifname {link.names.lower_interface}",
        "nodetach",
        "nodefaultroute",
        "noproxyarp",
        "noipv6",
        "novj",
        f"mtu {mtu_bytes}",
        f"mru {mtu_bytes}",
        f"lcp-echo-interval {request.keepalive.pick(wired=10, metered=60)}",
        "lcp-echo-failure 3",
        "hide-password",
        f"logfile {log_path(link)}",
    ]
    content = render_file((*request.header, f"Suite: {request.suite.title}"), lines)
    return FileToWrite(options_path(link), content, mode=0o600)


def start_step(link: Link, title: str, ready: tuple[str, str], *argv: str) -> PlanStep:
    """Return the step that starts a program which runs pppd, or pppd itself.

    Args:
        title: What it does.
        ready: A file, and the words in it that are there once the program works.
        argv: Program and arguments; it does not leave the foreground.
    """
    words = (posixpath.dirname(link.run_dir), _folder(link), _mark(link), secret_path(link), log_path(link))
    return PlanStep(
        title=title,
        command=root_script("shared", "ppp-start.sh", *words, *ready, *argv, timeout_s=25.0),
        # The log goes too, so that what the next program says is all that is in it.
        undo=end_command(link, "TERM", log_path(link)),
        depends_on_suite=True,
    )


def end_command(link: Link, signal: str, *leftovers: str) -> Command:
    """Return the command that ends the tunnel's programs, whatever they call themselves, and removes some files."""
    return root_script("shared", "ppp-end.sh", signal, _mark(link), _folder(link), *leftovers, timeout_s=30.0)


def breakages(link: Link, program: str) -> tuple[Breakage, ...]:
    """Return how the carrier can fail while the interface with the frames remains."""
    return (
        Breakage(DAEMON_KILLED(program=program), end_command(link, "KILL")),
        Breakage(DAEMON_STOPPED(program=program), end_command(link, "TERM")),
    )


def session_step(link: Link, side: Side, *, has_cookies: bool) -> PlanStep:
    """Return the step that makes the L2TPv3 session inside, as soon as PPP has its address."""
    seed = l2tpv3.CookieSeed(paths=(secret_path(link),)) if has_cookies else None
    ends = link.carrier(side), link.carrier(side.other)
    step = l2tpv3.create_step(link, side, ends, seed)
    # The words behind the script and its name.
    words = step.command.argv[len(shell_step_argv("")) :]
    script = "ppp-l2tpv3-files.sh" if has_cookies else "ppp-l2tpv3-plain.sh"
    command = root_script("shared", script, *words, timeout_s=28.0)
    return replace(step, command=command, forward_retry_s=SESSION_RETRY_S)


def opening(link: Link, side: Side) -> Opening:
    """Return what a host's firewall has to let through inside PPP."""
    return Opening("l2tp", 0, link.carrier(side.other), link.names.lower_interface)


def logged(link: Link, title: str, words: str) -> UpCheck:
    """Return a check that the log has some words, and prints the line."""
    command = Command(("grep", "-F", words, log_path(link)), timeout_s=5.0, is_root=True)
    return UpCheck(title=title, command=command)
