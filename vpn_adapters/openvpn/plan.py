"""Files and steps of OpenVPN."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from app.domain.solutions import Carrier
from vpn_adapters.openvpn.algorithms import NO_DIGEST, Mode, canonical_digest, is_aead, mode
from vpn_adapters.openvpn.identity import STEM
from vpn_adapters.openvpn.info import INFOS
from vpn_adapters.openvpn.overhead import Overhead
from vpn_adapters.openvpn.render import config, config_path, log_path, pid_path
from vpn_adapters.openvpn.suites import LOGGED_TLS_1_2_SUITES
from vpn_adapters.shared import daemons
from vpn_adapters.shared.certificates import certificate_path
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.messages import MAKE_TAP
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import setting
from vpn_adapters.shared.taps import set_up_step, tap_down_breakage


def make(carrier: Carrier, request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    link = request.link
    cost = Overhead(carrier, setting(request, "data-ciphers"), setting(request, "auth"))
    return replace(
        tunnel(request, INFOS[carrier].name, partial(_end, carrier), overhead_bytes=cost.bytes_at(1000)),
        largest_unfragmented_frame_bytes=cost.largest_unfragmented_frame_bytes(link.underlay_mtu_bytes),
        outer_filter=f"{carrier} port {_port(carrier, link)}",
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
        last_handshake=root_script("openvpn", "handshake.sh", log_path(link), timeout_s=5.0),
        certificates=(certificate_path(link, STEM),),
    )


def _port(carrier: Carrier, link: Link) -> int:
    return link.names.udp_port if carrier is Carrier.UDP else link.names.tcp_port


def _steps(link: Link, side: Side) -> tuple[PlanStep, ...]:
    # Both hosts work at the same time. The server is started as early as can be, the client as late, so that the client
    # finds it: having to try again would cost it a second.
    tap, set_up, daemon = tap_step(link), set_up_step(link, side), daemon_step(link)
    return (tap, daemon, set_up) if side is Side.A else (tap, set_up, daemon)


def tap_step(link: Link) -> PlanStep:
    """Return the step that makes the tap interface."""
    name = link.names.ethernet_interface
    return PlanStep(
        title=MAKE_TAP(interface=name),
        command=root_script("openvpn", "make-tap.sh", name),
        undo=root_script("openvpn", "remove-tap.sh", name),
    )


def daemon_step(link: Link) -> PlanStep:
    """Return the step that starts the daemon."""
    options = ("--daemon", "tunnelmark-openvpn", "--writepid", pid_path(link), "--log", log_path(link))
    return PlanStep(
        title=mark("Start OpenVPN"),
        command=Command(("openvpn", "--config", config_path(link), *options), timeout_s=15.0, is_root=True),
        undo=_stop_command(link),
        depends_on_suite=True,
    )


def _stop_command(link: Link) -> Command:
    # The log goes too, so that what the next daemon says is all that is in it.
    return daemons.stop_command("openvpn", config_path(link), pid_path(link), log_path(link))


def _breakages(link: Link) -> tuple[Breakage, ...]:
    return (
        Breakage(mark("OpenVPN is killed"), daemons.kill_command("openvpn", config_path(link))),
        Breakage(mark("OpenVPN is stopped"), _stop_command(link)),
        tap_down_breakage(link),
    )


def _handshake_check(link: Link, side: Side) -> UpCheck:
    # A server is "initialized" before any client came; it has its peer once it has pushed its options.
    words = "PUSH_REPLY" if side is Side.A else "Initialization Sequence Completed"
    return daemons.logged(mark("OpenVPN says that its handshake is done"), words, log_path(link))


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
    whole = "(?s)" + "".join(f"(?=.*{pattern})" for pattern in patterns)
    return daemons.logged_like(mark("What OpenVPN agreed on with its peer"), words, log_path(request.link), whole)


def _data_channel(pattern: str, name: str) -> str:
    return f"Data Channel: (?i:{pattern.format(re.escape(name))})"


def _control_channel(request: PlanRequest) -> str:
    if setting(request, "tls-version") == "1.3":
        suite = re.escape(setting(request, "tls-ciphersuites"))
        return rf"Control Channel: TLSv1\.3, cipher TLSv1\.3 {suite}\b"
    suite = re.escape(LOGGED_TLS_1_2_SUITES[setting(request, "tls-cipher")])
    return rf"Control Channel: TLSv1\.2, cipher \S+ {suite}\b"
