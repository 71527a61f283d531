"""Files and steps of MACsec over L2TPv3."""

from __future__ import annotations

import re
from dataclasses import replace

from app.domain.adapters import (
    Breakage,
    Encapsulation,
    EndpointPlan,
    PlanRequest,
    PlanStep,
    TunnelPlan,
    UpCheck,
)
from app.domain.commands import Command, FileToWrite
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.macsec.discovery import KERNEL_MODULES
from vpn_adapters.macsec.identity import secret_path
from vpn_adapters.macsec.info import NAME
from vpn_adapters.macsec.render import config_path, log_path, supplicant_config
from vpn_adapters.macsec.suites import AGREED_KEYS, CIPHER, KEYS, SHOWN
from vpn_adapters.shared import guards, l2tpv3
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import interface_up_check, mac_address
from vpn_adapters.shared.messages import MACSEC_REMOVED, MAKE_MACSEC_AGREED, MAKE_MACSEC_STATIC
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import setting

OUTER_FILTER = f"ip proto {l2tpv3.IP_PROTOCOL}"

MACSEC_BYTES = 16 + 16
"""Overhead of MACsec per frame: Ethernet type, flags, short length, packet number and SCI, then the tag.

Source: IEEE 802.1AE-2018 sections 9.3 and 14.5.
"""

_STATIC_KEYS = mark("Static keys have to be changed on both hosts together, because packet numbers begin anew.")


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    link = request.link
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=l2tpv3.overhead_bytes() + MACSEC_BYTES),
        largest_unfragmented_frame_bytes=link.underlay_mtu_bytes - l2tpv3.packet_bytes(0) - MACSEC_BYTES,
        outer_filter=OUTER_FILTER,
        encapsulation=Encapsulation.L2TPV3,
        why_not_restart="" if setting(request, KEYS) == AGREED_KEYS else _STATIC_KEYS,
    )


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link, is_agreed = request.link, setting(request, KEYS) == AGREED_KEYS
    files = (FileToWrite(config_path(link), supplicant_config(request, side), mode=0o600),) if is_agreed else ()
    seed = l2tpv3.CookieSeed(paths=(secret_path(link),))
    lower_mtu_bytes = link.inner_mtu_bytes + MACSEC_BYTES
    return EndpointPlan(
        files=files,
        steps=(
            guards.macsec_step(link, side),
            l2tpv3.create_lower_step(link, side, seed, mtu_bytes=lower_mtu_bytes),
            _macsec_step(request, side),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link), _peer_check(request)),
        negotiated=_negotiated(request),
        log_paths=(log_path(link),) if is_agreed else (),
        openings=(Opening("l2tp", 0, link.underlay(side.other)),),
        kernel_modules=KERNEL_MODULES,
        breakages=_breakages(link, is_agreed=is_agreed),
    )


def _macsec_step(request: PlanRequest, side: Side) -> PlanStep:
    link, cipher = request.link, setting(request, CIPHER)
    name = link.names.ethernet_interface
    arguments: tuple[str, ...] = (
        link.run_dir,
        link.names.lower_interface,
        name,
        mac_address(link, side),
        mac_address(link, side.other),
        cipher,
        str(link.inner_mtu_bytes),
        link.inner(side),
    )
    if setting(request, KEYS) == AGREED_KEYS:
        title, script = MAKE_MACSEC_AGREED(interface=name), "agreed.sh"
    else:
        title, script = MAKE_MACSEC_STATIC(interface=name), "static.sh"
        arguments += _key_arguments(cipher, side)
    return PlanStep(
        title=title,
        command=root_script("macsec", script, *arguments, timeout_s=15.0),
        undo=root_script("macsec", "remove.sh", name, link.run_dir, timeout_s=15.0),
        depends_on_suite=True,
    )


def _key_arguments(cipher: str, side: Side) -> tuple[str, ...]:
    """Return digits of a key, both directions' names, and with extended packet numbers the short identifiers."""
    digits = str(int(cipher[-3:]) // 4)
    ways = (f"{side}-to-{side.other}", f"{side.other}-to-{side}")
    numbers = {Side.A: "1", Side.B: "2"} if "-xpn-" in cipher else {Side.A: "", Side.B: ""}
    return (digits, *ways, numbers[side], numbers[side.other])


def _show(link: Link) -> Command:
    # Of keys it prints the identifiers only.
    return Command(("ip", "macsec", "show", link.names.ethernet_interface), timeout_s=5.0, is_root=True)


def _peer_check(request: PlanRequest) -> UpCheck:
    return UpCheck(
        title=mark("MACsec knows its peer"),
        command=_show(request.link),
        stdout_pattern=r"RXSC: [0-9a-f]+, state on",
    )


def _negotiated(request: PlanRequest) -> UpCheck:
    """Return how to see what the kernel uses."""
    shown = re.escape(setting(request, SHOWN))
    return UpCheck(
        title=mark("What the kernel encrypts with"),
        command=_show(request.link),
        stdout_pattern=rf"(?s)validate strict [^\n]*encrypt on .*cipher suite: {shown},.*RXSC: [0-9a-f]+, state on",
    )


def _breakages(link: Link, *, is_agreed: bool) -> tuple[Breakage, ...]:
    name = link.names.ethernet_interface
    removed = Breakage(
        MACSEC_REMOVED(interface=name),
        root_script("macsec", "break-remove.sh", name),
    )
    if not is_agreed:
        return (removed,)
    kill = root_script("macsec", "break-kill.sh", link.run_dir)
    return (Breakage(mark("wpa_supplicant is killed (SIGKILL)"), kill), removed)
