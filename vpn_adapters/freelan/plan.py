"""Files and steps of freelan."""

from __future__ import annotations

import re

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, Step, TunnelPlan, UpCheck, shell_step_argv
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, Link
from vpn_adapters.freelan.info import NAME
from vpn_adapters.freelan.render import config, config_path, peer_certificate, peer_certificate_path
from vpn_adapters.shared import daemons, taps
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.rendering import setting

UDP_HEADER_BYTES = 8
FSCP_BYTES = 4 + 4 + 16 + 2
"""Header, sequence number, tag and length of a DATA message. Source: libs/fscp/fscp.txt, sections 2.1 and 2.6."""

UP_TIMEOUT_S = 45.0
"""Time for a second greeting, which freelan sends 30 s after the first."""

# freelan in the foreground, since as a daemon it has no log but the system's. The step ends when the process has its
# name, by which it is found when it has to be stopped.
#
# One thread: with more of them, freelan now and then drops its peer's certificate at the start, and greets again 30 s
# later. Seen with two threads in 6 of 79 starts, and with one in none of 40.
_START_SCRIPT = """\
umask 077
setsid freelan -f --nocolor --threads 1 -c "$1" > "$2" 2>&1 < /dev/null &
n=0
while { read -r name < "/proc/$!/comm"; } 2>/dev/null && [ "$name" != freelan ]; do
  n=$((n + 1))
  if [ "$n" -gt 100 ]; then echo "freelan does not start" >&2; exit 1; fi
  sleep 0.02 2>/dev/null || sleep 1
done
"""

# A route to the peer that is there before is the user's. One that comes with a session is freelan's: it takes it away
# when it ends, but not when it is killed.
_NOTE_ROUTE_SCRIPT = """\
[ -n "$(ip -4 route show table main exact "$1/32")" ] || : > "$2"
"""
_FORGET_ROUTE_SCRIPT = """\
[ -e "$2" ] || exit 0
ip -4 route del "$1/32" proto static 2>/dev/null
rm -f "$2"
"""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both ends.

    Args:
        request: Link, suite, facts and identities.

    Returns:
        Files and steps.
    """
    link = request.link
    overhead = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + FSCP_BYTES
    return TunnelPlan(
        solution=NAME,
        suite=request.suite,
        a=_end(request, Side.A),
        b=_end(request, Side.B),
        probe_address_a=link.inner_ip(Side.A),
        probe_address_b=link.inner_ip(Side.B),
        inner_mtu_bytes=link.inner_mtu_bytes,
        overhead_bytes=overhead,
        overhead_note="Ethernet 14 + IPv4 20 + UDP 8 + FSCP 4 + sequence number 4 + tag 16 + length 2, for every frame "
        "size.",
        up_timeout_s=UP_TIMEOUT_S,
        largest_unfragmented_frame_bytes=link.underlay_mtu_bytes + ETHERNET_HEADER_BYTES - overhead,
        wire_filter=f"udp port {link.names.freelan_port}",
    )


def log_path(link: Link) -> str:
    """Return where the daemon's log lies."""
    return f"{link.run_dir}/freelan.log"


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    return EndpointPlan(
        files=(
            FileToWrite(config_path(link), config(request, side), mode=0o600),
            FileToWrite(peer_certificate_path(link), peer_certificate(request, side), mode=0o600),
        ),
        steps=(taps.tap_step(link), taps.set_up_step(link, side), _route_step(link, side), _daemon_step(link)),
        interface=link.names.ethernet_interface,
        up_checks=(_session_check(link, side), interface_up_check(link)),
        negotiated=_negotiated(request, side),
        log_paths=(log_path(link),),
        listens=(("udp", link.names.freelan_port),),
        kernel_modules=("tun",),
        breakages=(
            Breakage("freelan is killed", daemons.kill_command(NAME, config_path(link))),
            Breakage("freelan is stopped", daemons.stop_command(NAME, config_path(link))),
            taps.tap_down_breakage(link),
        ),
    )


def _route_step(link: Link, side: Side) -> Step:
    peer, mark = link.underlay(side.other), f"{link.run_dir}/freelan-sets-a-route"
    return Step(
        title=f"Note whether the host has a route of its own to {peer}, since freelan sets one",
        command=Command(shell_step_argv(_NOTE_ROUTE_SCRIPT, peer, mark), timeout_s=5.0, is_root=True),
        undo=Command(shell_step_argv(_FORGET_ROUTE_SCRIPT, peer, mark), timeout_s=5.0, is_root=True),
    )


def _daemon_step(link: Link) -> Step:
    return Step(
        title="Start freelan",
        command=Command(
            shell_step_argv(_START_SCRIPT, config_path(link), log_path(link)), timeout_s=10.0, is_root=True
        ),
        # The log goes too, so that what the next daemon says is all that is in it.
        undo=daemons.stop_command(NAME, config_path(link), log_path(link)),
        is_per_suite=True,
    )


def _session_check(link: Link, side: Side) -> UpCheck:
    peer = f"Session established with {link.underlay(side.other)}:{link.names.freelan_port}."
    return UpCheck(
        title="freelan says that it has a session with its peer",
        command=Command(("grep", "-F", peer, log_path(link)), timeout_s=5.0, is_root=True),
    )


def _negotiated(request: PlanRequest, side: Side) -> UpCheck:
    """Return how to see what was agreed on. Source: freelan 2.2, libs/freelan/src/core.cpp, when a session is there."""
    link = request.link
    peer = re.escape(f"{link.underlay(side.other)}:{link.names.freelan_port}")
    suite, curve = re.escape(setting(request, "cipher-suite")), re.escape(setting(request, "curve"))
    return UpCheck(
        title="What freelan agreed on with its peer",
        command=Command(
            ("grep", "-E", "Session established with|Cipher suite:|Elliptic curve:", log_path(link)),
            timeout_s=5.0,
            is_root=True,
        ),
        stdout_pattern=rf"Session established with {peer}\.\n[^\n]*Cipher suite: {suite}\n[^\n]*curve: {curve}\n",
    )
