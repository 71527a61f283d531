"""Files and steps of OpenVPN."""

from __future__ import annotations

import re

from app.domain.adapters import Carrier, EndPlan, PlanRequest, Step, TunnelPlan, UpCheck, shell_step_argv
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, Link
from vpn_adapters.openvpn.info import INFOS
from vpn_adapters.openvpn.render import config, config_path, log_path, pid_path
from vpn_adapters.shared.interfaces import (
    CONFIGURE_SCRIPT,
    DOWN_SCRIPT,
    WAIT_GONE_SCRIPT,
    configure_arguments,
    interface_up_check,
)
from vpn_adapters.shared.rendering import setting

UDP_HEADER_BYTES = 8
TCP_HEADER_BYTES = 32
"""With the timestamp option, which Linux uses. Source: RFC 9293 section 3.1, RFC 7323 section 3.2."""
STREAM_LENGTH_BYTES = 2
"""Length before each packet in a TCP stream. Source: OpenVPN's network protocol, "TCP packet length"."""
DATA_HEADER_BYTES = 8
"""Opcode and peer id (4), packet id (4). Source: OpenVPN's network protocol, P_DATA_V2 with AEAD."""
TAG_BYTES = 16
"""Source: RFC 5116 sections 5.1 and 5.2, RFC 8439 section 2.8."""

# BusyBox's ip has no tuntap; OpenVPN can make the device too.
_TAP_SCRIPT = """\
[ -c /dev/net/tun ] || modprobe tun
ip tuntap add dev "$1" mode tap 2>/dev/null || openvpn --mktun --dev "$1" --dev-type tap
"""

_REMOVE_TAP_SCRIPT = (
    """\
if [ -e "/sys/class/net/$1" ]; then
  ip tuntap del dev "$1" mode tap 2>/dev/null || openvpn --rmtun --dev "$1" --dev-type tap
fi
"""
    + WAIT_GONE_SCRIPT
)

# By its command line and not by its pid file, which a daemon that has just been started may not have written yet.
_STOP_SCRIPT = """\
found=
for folder in /proc/[0-9]*; do
  name=
  { read -r name < "$folder/comm"; } 2>/dev/null || continue
  [ "$name" = openvpn ] || continue
  if grep -q -F -e "$1" "$folder/cmdline" 2>/dev/null; then found="$found ${folder#/proc/}"; fi
done
[ -z "$found" ] || kill $found 2>/dev/null
n=0
for process in $found; do
  while kill -0 "$process" 2>/dev/null; do
    n=$((n + 1))
    if [ "$n" -gt 60 ]; then kill -KILL "$process" 2>/dev/null; fi
    if [ "$n" -gt 100 ]; then echo "openvpn does not end" >&2; exit 1; fi
    sleep 0.05 2>/dev/null || sleep 1
  done
done
rm -f "$2" "$3"
"""


def make(carrier: Carrier, request: PlanRequest) -> TunnelPlan:
    """Return the plan for both ends.

    Args:
        carrier: UDP or TCP.
        request: Link, suite, facts and identities.

    Returns:
        Files and steps.
    """
    link = request.link
    return TunnelPlan(
        solution=INFOS[carrier].name,
        suite=request.suite,
        a=_end(carrier, request, Side.A),
        b=_end(carrier, request, Side.B),
        probe_address_a=link.inner_ip(Side.A),
        probe_address_b=link.inner_ip(Side.B),
        inner_mtu_bytes=link.inner_mtu_bytes,
        overhead_bytes=overhead_bytes(carrier),
        overhead_note=_overhead_note(carrier),
        largest_unfragmented_frame_bytes=largest_unfragmented_frame_bytes(carrier, link.underlay_mtu_bytes),
    )


def overhead_bytes(carrier: Carrier) -> int:
    """Return by how many bytes an AEAD-protected frame is longer on the underlay, for every frame size."""
    transport = UDP_HEADER_BYTES if carrier is Carrier.UDP else TCP_HEADER_BYTES + STREAM_LENGTH_BYTES
    return ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + transport + DATA_HEADER_BYTES + TAG_BYTES


def largest_unfragmented_frame_bytes(carrier: Carrier, underlay_mtu_bytes: int) -> int | None:
    """Return the largest frame that crosses in one outer packet, in bytes; None for TCP, a stream."""
    if carrier is Carrier.TCP:
        return None
    return underlay_mtu_bytes + ETHERNET_HEADER_BYTES - overhead_bytes(carrier)


def _overhead_note(carrier: Carrier) -> str:
    tail = "OpenVPN 8 + tag 16, for every frame size."
    if carrier is Carrier.UDP:
        return f"Ethernet 14 + IPv4 20 + UDP 8 + {tail}"
    return f"Ethernet 14 + IPv4 20 + TCP 32 + length 2 + {tail} TCP may split or join, and sends 66-byte ACKs as well."


def _end(carrier: Carrier, request: PlanRequest, side: Side) -> EndPlan:
    link = request.link
    port = ("udp", link.names.udp_port) if carrier is Carrier.UDP else ("tcp", link.names.tcp_port)
    return EndPlan(
        files=(FileToWrite(config_path(link), config(carrier, request, side), mode=0o600),),
        steps=_steps(link, side),
        interface=link.names.ethernet_interface,
        up_checks=(_handshake_check(link, side), interface_up_check(link)),
        negotiated=_negotiated(carrier, request, side),
        log_paths=(log_path(link),),
        listens=(port,) if side is Side.A else (),
        kernel_modules=("tun",),
    )


def _steps(link: Link, side: Side) -> tuple[Step, ...]:
    # Both ends work at the same time. The server is started as early as can be, the client as late, so that the client
    # finds it: having to try again would cost it a second.
    tap, set_up, daemon = _tap_step(link), _set_up_step(link, side), _daemon_step(link)
    return (tap, daemon, set_up) if side is Side.A else (tap, set_up, daemon)


def _tap_step(link: Link) -> Step:
    name = link.names.ethernet_interface
    return Step(
        title=f"Make the tap interface {name}",
        command=Command(shell_step_argv(_TAP_SCRIPT, name), timeout_s=10.0, is_root=True),
        undo=Command(shell_step_argv(_REMOVE_TAP_SCRIPT, name), timeout_s=10.0, is_root=True),
    )


def _set_up_step(link: Link, side: Side) -> Step:
    name = link.names.ethernet_interface
    return Step(
        title=f"Give {name} its address {link.inner(side)} and take it up",
        command=Command(
            shell_step_argv(f"set -e\n{CONFIGURE_SCRIPT}", *configure_arguments(link, side)),
            timeout_s=10.0,
            is_root=True,
        ),
        undo=Command(shell_step_argv(DOWN_SCRIPT, name), timeout_s=5.0, is_root=True),
    )


def _daemon_step(link: Link) -> Step:
    options = ("--daemon", "tunnelmark-openvpn", "--writepid", pid_path(link), "--log", log_path(link))
    return Step(
        title="Start OpenVPN",
        command=Command(("openvpn", "--config", config_path(link), *options), timeout_s=15.0, is_root=True),
        undo=Command(
            shell_step_argv(_STOP_SCRIPT, config_path(link), pid_path(link), log_path(link)),
            timeout_s=15.0,
            is_root=True,
        ),
    )


def _handshake_check(link: Link, side: Side) -> UpCheck:
    # A server is "initialized" before any client came; it has its peer once it has pushed its options.
    words = "PUSH_REPLY" if side is Side.A else "Initialization Sequence Completed"
    return UpCheck(
        title="OpenVPN says that its handshake is done",
        command=Command(("grep", "-F", words, log_path(link)), timeout_s=5.0, is_root=True),
    )


def _negotiated(carrier: Carrier, request: PlanRequest, side: Side) -> UpCheck:
    """Return how to see what was agreed on: the log's own words must name the ciphers that were asked for."""
    control, data = re.escape(setting(request, "tls-ciphersuites")), re.escape(setting(request, "data-ciphers"))
    patterns = [
        rf"Control Channel: TLSv1\.3, cipher TLSv1\.3 {control}\b",
        rf"PUSH_REPLY,[^\n]*\bcipher {data}\b" if side is Side.A else f"Data Channel: cipher '{data}'",
    ]
    words = "Control Channel: TLS|Data Channel: cipher|PUSH_REPLY"
    if carrier is Carrier.TCP:
        patterns.append("Socket flags: TCP_NODELAY=1 succeeded")
        words += "|Socket flags: "
    return UpCheck(
        title="What OpenVPN agreed on with its peer",
        command=Command(("grep", "-E", words, log_path(request.link)), timeout_s=5.0, is_root=True),
        stdout_pattern="(?s)" + "".join(f"(?=.*{pattern})" for pattern in patterns),
    )
