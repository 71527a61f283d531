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

from app.domain.adapters import (
    Breakage,
    IdentityRecipe,
    PlanRequest,
    PlanStep,
    shell_step_argv,
)
from app.domain.commands import Command, CommandResult, FileToWrite
from app.domain.firewall import Opening
from app.domain.hosts import HostFacts, MissingPart, Side
from app.domain.link import ETHERNET_HEADER_BYTES, VLAN_TAG_BYTES, Link
from app.domain.messages import mark
from vpn_adapters.shared import discovering, guards, l2tpv3, shared_secrets
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import DAEMON_KILLED, DAEMON_STOPPED
from vpn_adapters.shared.rendering import run_file, suite_file

FRAMING_BYTES = 4
"""Protocol (1), check sequence (2) and flag (1); address and control are left out.

The flag in front comes only after a second of silence. Source: RFC 1661 section 6.5, RFC 1662 section 3.1; Linux 6.1,
ppp_async.c; captures of ppp 2.4.9.
"""

SESSION_RETRY_S = 60.0
"""The L2TPv3 session can be made once PPP has its address: B calls A again and again until A answers."""

STREAM_MODULES = ("ppp_generic", "ppp_async", *l2tpv3.KERNEL_MODULES)
"""Kernel modules for PPP in a byte stream."""

CALL_AGAIN = ("persist", "maxfail 0", "holdoff 1")
"""Options by which pppd on B calls A until it answers, and again when the call is lost. Source: pppd(8)."""

QUERIES: Mapping[str, Command] = {
    "pppd": discovering.query("pppd", "--version"),
    "unshare": discovering.query("unshare", "--version"),
    "ip": discovering.query("ip", "-V"),
}
"""Questions for the programs that every carrier of PPP needs."""

STREAM_QUERIES: Mapping[str, Command] = {
    **QUERIES,
    "path": discovering.path_query("pppd"),
    **guards.QUERIES,
    "modules": discovering.modules_query(*STREAM_MODULES),
}
"""Questions where pppd is started in a byte stream: stunnel and vtund start it by its absolute path alone."""

_PPPD_PREFIX = "pppd:"
"""The feature that begins so is the absolute path of pppd."""


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


def missing_stream_parts(outputs: Mapping[str, CommandResult], needed_for: str) -> tuple[MissingPart, ...]:
    """Return what a host lacks for PPP in a byte stream with a guarded session, from the outputs of STREAM_QUERIES."""
    return missing_parts(outputs, STREAM_MODULES, needed_for) + guards.missing_parts(outputs, needed_for)


def path_feature(outputs: Mapping[str, CommandResult]) -> tuple[str, ...]:
    """Return the feature that names pppd's path, from the outputs of STREAM_QUERIES; none where it was not found."""
    path = discovering.path_in(outputs.get("path"), "pppd")
    return (f"{_PPPD_PREFIX}{path}",) if path else ()


def pppd_of(host: HostFacts, solution: str) -> str:
    """Return the path of a host's pppd, as it was found for a solution."""
    return discovering.feature(host.solutions[solution], _PPPD_PREFIX, "/usr/sbin/pppd")


secret_path = run_file("ppp.secret")
"""Path of the password on both hosts, as a line of chap-secrets."""
log_path = run_file("ppp.log")
"""Path of the log on each host."""
options_path = run_file("ppp.options")
"""Path of pppd's options on each host."""


def login(side: Side) -> str:
    """Return the name with which B logs in, or to which; no other tunnel sees our chap-secrets."""
    return f"tunnelmark-{side}"


_folder = run_file("ppp")


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
    """Return pppd's options on one side, one a line, of a carrier in which B logs in by the password.

    Args:
        mtu_bytes: MTU of the PPP interface, for both directions.
        own: Further options of this carrier and side.
    """
    link = request.link
    names: tuple[str, ...] = (f"name {login(side)}",)
    if side is Side.B:
        names += (f"remotename {login(side.other)}", "noauth", f"{link.carrier(side)}:{link.carrier(side.other)}")
    return _options_file(request, (*names, *own), mtu_bytes)


def stream_options_file(
    request: PlanRequest, side: Side, *, own: tuple[str, ...] = (), has_echoes: bool = True
) -> FileToWrite:
    """Return pppd's options on one side, of a byte stream in which pppd asks for no login.

    SSH and TLS have authenticated both hosts, VTun the client alone. Packets need not fit the underlay's: the largest
    frame with a VLAN tag is one packet of PPP.

    Args:
        own: Further options of this carrier and side.
        has_echoes: Whether pppd asks if its peer answers, and ends when it does not. False where the carrier does so.
    """
    link = request.link
    # asyncmap: of the bytes of a packet only 0x7d and 0x7e are sent as two, not all below 0x20.
    lines = ("noauth", "local", f"{link.carrier(side)}:{link.carrier(side.other)}", *own, "asyncmap 0", "noccp")
    largest = link.inner_mtu_bytes + ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES
    return _options_file(request, lines, l2tpv3.packet_bytes(largest), has_echoes=has_echoes)


def stream_bytes(frame_bytes: int) -> int:
    """Return how many bytes of a stream carry a frame: those of HDLC around the packet with it.

    Bytes that are sent as two are not in it: of chance bytes each 128th. Source: RFC 1662 sections 3.1 and 4.2.
    """
    return l2tpv3.packet_bytes(frame_bytes) + FRAMING_BYTES


def _options_file(
    request: PlanRequest, own: tuple[str, ...], mtu_bytes: int, *, has_echoes: bool = True
) -> FileToWrite:
    link = request.link
    echoes = (f"lcp-echo-interval {request.keepalive.pick(wired=10, metered=60)}", "lcp-echo-failure 3")
    lines = [
        *own,
        f"ifname {link.names.lower_interface}",
        "nodetach",
        "nodefaultroute",
        "noproxyarp",
        "noipv6",
        "novj",
        f"mtu {mtu_bytes}",
        f"mru {mtu_bytes}",
        *(echoes if has_echoes else ()),
        "hide-password",
        f"logfile {log_path(link)}",
    ]
    content = suite_file(request, lines)
    return FileToWrite(options_path(link), content, mode=0o600)


def start_step(
    link: Link, title: str, ready: tuple[str, str], *argv: str, secret: str = "", leftovers: tuple[str, ...] = ()
) -> PlanStep:
    """Return the step that starts a program which runs pppd, or pppd itself.

    Args:
        title: What it does.
        ready: A file, and the words in it that are there once the program works.
        argv: Program and arguments; it does not leave the foreground.
        secret: Where the password lies; empty where none is needed.
        leftovers: Files that the program makes; they go with it.
    """
    words = (posixpath.dirname(link.run_dir), _folder(link), _mark(link), secret, log_path(link))
    return PlanStep(
        title=title,
        command=root_script("shared", "ppp-start.sh", *words, *ready, *argv, timeout_s=25.0),
        # The log goes too, so that what the next program says is all that is in it.
        undo=end_command(link, "TERM", log_path(link), *leftovers),
        depends_on_suite=True,
    )


def listening(port: int) -> tuple[str, str]:
    """Return the file and words by which a program is seen to listen at a TCP port. Source: proc_net(5)."""
    return "/proc/net/tcp", f":{port:04X} 00000000:0000 0A"


def end_command(link: Link, signal: str, *leftovers: str) -> Command:
    """Return the command that ends the tunnel's programs, whatever they call themselves, and removes some files."""
    return root_script("shared", "ppp-end.sh", signal, _mark(link), _folder(link), *leftovers, timeout_s=30.0)


def breakages(link: Link, program: str) -> tuple[Breakage, ...]:
    """Return how the carrier can fail while the interface with the frames remains."""
    return (
        Breakage(DAEMON_KILLED(program=program), end_command(link, "KILL")),
        Breakage(DAEMON_STOPPED(program=program), end_command(link, "TERM")),
    )


def session_step(link: Link, side: Side, seed: l2tpv3.CookieSeed | None) -> PlanStep:
    """Return the step that makes the L2TPv3 session inside, as soon as PPP has its address.

    Args:
        seed: What the cookies are made of; None without cookies.
    """
    ends = link.carrier(side), link.carrier(side.other)
    step = l2tpv3.create_step(link, side, ends, seed)
    # The words behind the script and its name.
    words = step.command.argv[len(shell_step_argv("")) :]
    script = "ppp-l2tpv3-plain.sh"
    if seed is not None:
        script = "ppp-l2tpv3-words.sh" if seed.words else "ppp-l2tpv3-files.sh"
    command = root_script("shared", script, *words, timeout_s=28.0)
    return replace(step, command=command, forward_retry_s=SESSION_RETRY_S)


def opening(link: Link, side: Side) -> Opening:
    """Return what a host's firewall has to let through inside PPP."""
    return Opening("l2tp", 0, link.carrier(side.other), link.names.lower_interface)
