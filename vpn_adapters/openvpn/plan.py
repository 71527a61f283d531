"""Files and steps of OpenVPN."""

from __future__ import annotations

import re

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, Step, TunnelPlan, UpCheck, shell_step_argv
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.solutions import Carrier
from vpn_adapters.openvpn.algorithms import NO_DIGEST, Mode, canonical_digest, is_aead, mode
from vpn_adapters.openvpn.identity import certificate_path
from vpn_adapters.openvpn.info import INFOS
from vpn_adapters.openvpn.overhead import Overhead
from vpn_adapters.openvpn.render import config, config_path, log_path, pid_path
from vpn_adapters.openvpn.suites import LOGGED_TLS_1_2_SUITES
from vpn_adapters.shared.interfaces import (
    CONFIGURE_SCRIPT,
    DOWN_SCRIPT,
    WAIT_GONE_SCRIPT,
    configure_arguments,
    interface_up_check,
)
from vpn_adapters.shared.rendering import setting

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

# A line of the log begins with the host's local time.
_HANDSHAKE_SCRIPT = """\
at=$(grep -F 'Control Channel: TLS' "$1" | tail -n 1 | cut -c 1-19)
[ -z "$at" ] || date -d "$at" +%s
"""

_KILL_SCRIPT = """\
process=$(cat "$1") || exit 1
kill -KILL "$process" || exit 1
n=0
while [ -e "/proc/$process" ]; do
  n=$((n + 1))
  if [ "$n" -gt 100 ]; then echo "openvpn does not end" >&2; exit 1; fi
  sleep 0.05 2>/dev/null || sleep 1
done
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
    cost = Overhead(carrier, setting(request, "data-ciphers"), setting(request, "auth"))
    return TunnelPlan(
        solution=INFOS[carrier].name,
        suite=request.suite,
        a=_end(carrier, request, Side.A),
        b=_end(carrier, request, Side.B),
        probe_address_a=link.inner_ip(Side.A),
        probe_address_b=link.inner_ip(Side.B),
        inner_mtu_bytes=link.inner_mtu_bytes,
        overhead_bytes=cost.bytes_at(1000),
        overhead_note=cost.note,
        largest_unfragmented_frame_bytes=cost.largest_unfragmented_frame_bytes(link.underlay_mtu_bytes),
        wire_filter=f"{carrier} port {_port(carrier, link)}",
        overhead_by_frame=cost.by_frame(),
    )


def _end(carrier: Carrier, request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    port = (str(carrier), _port(carrier, link))
    return EndpointPlan(
        files=(FileToWrite(config_path(link), config(carrier, request, side), mode=0o600),),
        steps=_steps(link, side),
        interface=link.names.ethernet_interface,
        up_checks=(_handshake_check(link, side), interface_up_check(link)),
        negotiated=_negotiated(carrier, request, side),
        log_paths=(log_path(link),),
        listens=(port,) if side is Side.A else (),
        kernel_modules=("tun",),
        breakages=_breakages(link),
        last_handshake=Command(shell_step_argv(_HANDSHAKE_SCRIPT, log_path(link)), timeout_s=5.0, is_root=True),
        certificates=(certificate_path(link),),
    )


def _port(carrier: Carrier, link: Link) -> int:
    return link.names.udp_port if carrier is Carrier.UDP else link.names.tcp_port


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
        undo=_stop_command(link),
        is_per_suite=True,
    )


def _stop_command(link: Link) -> Command:
    # The log goes too, so that what the next daemon says is all that is in it.
    return Command(
        shell_step_argv(_STOP_SCRIPT, config_path(link), pid_path(link), log_path(link)), timeout_s=15.0, is_root=True
    )


def _breakages(link: Link) -> tuple[Breakage, ...]:
    name = link.names.ethernet_interface
    return (
        Breakage(
            "OpenVPN is killed",
            Command(shell_step_argv(_KILL_SCRIPT, pid_path(link)), timeout_s=10.0, is_root=True),
        ),
        Breakage("OpenVPN is stopped", _stop_command(link)),
        Breakage(
            f"The tap interface {name} is taken down",
            Command(shell_step_argv(DOWN_SCRIPT, name), timeout_s=5.0, is_root=True),
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
    """Return how to see what was agreed on: the log's own words must name the algorithms that were asked for.

    The server chooses the cipher, and its PUSH_REPLY says which. The client then says what it uses; not every version's
    server does. Source: OpenVPN 2.5.1, which says `Cipher 'X' initialized` and `message hash 'Y'`, and 2.6.14, which
    says `cipher 'X', auth 'Y'`. Neither names a digest that an AEAD does not use, nor a cipher that is none.
    """
    cipher, digest = setting(request, "data-ciphers"), setting(request, "auth")
    patterns = [_control_channel(request), rf"PUSH_REPLY,[^\n]*\bcipher {re.escape(cipher)}\b"]
    if side is Side.B and mode(cipher) is not Mode.NONE:
        patterns.append(_data_channel(r"cipher '{0}'[,\n]|Cipher '{0}' initialized", cipher))
    if side is Side.B and not is_aead(cipher) and digest.lower() != NO_DIGEST:
        hashed = canonical_digest(digest)
        patterns.append(_data_channel(r"[^\n]*, auth '{0}'|Using \d+ bit message hash '{0}' for HMAC", hashed))
    words = "Control Channel: TLS|Data Channel: |PUSH_REPLY"
    if carrier is Carrier.TCP:
        patterns.append("Socket flags: TCP_NODELAY=1 succeeded")
        words += "|Socket flags: "
    return UpCheck(
        title="What OpenVPN agreed on with its peer",
        command=Command(("grep", "-E", words, log_path(request.link)), timeout_s=5.0, is_root=True),
        stdout_pattern="(?s)" + "".join(f"(?=.*{pattern})" for pattern in patterns),
    )


def _data_channel(pattern: str, name: str) -> str:
    return f"Data Channel: (?i:{pattern.format(re.escape(name))})"


def _control_channel(request: PlanRequest) -> str:
    if setting(request, "tls-version") == "1.3":
        suite = re.escape(setting(request, "tls-ciphersuites"))
        return rf"Control Channel: TLSv1\.3, cipher TLSv1\.3 {suite}\b"
    suite = re.escape(LOGGED_TLS_1_2_SUITES[setting(request, "tls-cipher")])
    return rf"Control Channel: TLSv1\.2, cipher \S+ {suite}\b"
