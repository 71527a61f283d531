"""Files and steps of PPP over TLS. A runs a stunnel that starts pppd, B's pppd starts the stunnel that calls it."""

from __future__ import annotations

import re
from dataclasses import replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, TCP_HEADER_WITH_TIMESTAMPS_BYTES, Link
from app.domain.messages import mark
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.shared import guards, ppp
from vpn_adapters.shared.certificates import CERTIFICATE, certificate_path, key_path
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.l2tpv3 import CookieSeed
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import public_value, run_file, setting, suite_file
from vpn_adapters.stunnel.discovery import GROUP
from vpn_adapters.stunnel.info import NAME

STEM = "stunnel"
RECORD_BYTES = 22
"""Header (5), type of content (1) and tag (16) of a record, with every AEAD. Source: RFC 8446 section 5.2."""

config_path = run_file("stunnel.conf")
"""Path of stunnel's configuration on each host."""
log_path = run_file("stunnel.log")
"""Path of stunnel's log on each host."""
peer_path = run_file("peer.crt")
"""Path of the peer's certificate on each host."""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead_bytes(1000)),
        up_timeout_s=40.0,
        outer_filter=f"tcp port {request.link.names.tcp_port}",
        overhead_by_frame={size: overhead_bytes(size) for size in FRAME_BYTES},
        encapsulation=Encapsulation.L2TPV3,
    )


def overhead_bytes(frame_bytes: int) -> int:
    """Return by how many bytes a frame (without FCS, in bytes) is longer on the underlay."""
    headers = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + TCP_HEADER_WITH_TIMESTAMPS_BYTES
    return headers + RECORD_BYTES + ppp.stream_bytes(frame_bytes) - frame_bytes


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    certificates = {side: certificate_path(link, STEM), side.other: peer_path(link)}
    return EndpointPlan(
        files=_files(request, side),
        # B calls, and the session is made on each host when the call is up. The guard is there before.
        steps=(
            guards.interface_step(link, side, link.names.lower_interface),
            _server_step(link) if side is Side.A else _call_step(request),
            ppp.session_step(link, side, CookieSeed(paths=tuple(certificates[one] for one in Side))),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        negotiated=_negotiated(request),
        log_paths=(ppp.log_path(link), log_path(link)),
        listens=(("tcp", link.names.tcp_port),) if side is Side.A else (),
        openings=(ppp.opening(link, side),),
        kernel_modules=ppp.STREAM_MODULES,
        certificates=(certificate_path(link, STEM),),
        breakages=ppp.breakages(link, "stunnel" if side is Side.A else "pppd"),
    )


def _files(request: PlanRequest, side: Side) -> tuple[FileToWrite, ...]:
    link = request.link
    peer = public_value(request.identity(side.other), CERTIFICATE, side.other)
    own = () if side is Side.A else (f'pty "stunnel {config_path(link)}"', *ppp.CALL_AGAIN)
    return (
        FileToWrite(config_path(link), _config(request, side), mode=0o600),
        FileToWrite(peer_path(link), suite_file(request, peer.splitlines()), mode=0o600),
        ppp.stream_options_file(request, side, own=own),
    )


def _config(request: PlanRequest, side: Side) -> bytes:
    """Return stunnel's configuration. Source: stunnel(8) of 5.68."""
    link = request.link
    # debug: the first level that names what was negotiated.
    process = ["pid =", "syslog = no", "debug = info", f"output = {log_path(link)}"]
    peer = f"{link.underlay(Side.A)}:{link.names.tcp_port}"
    if side is Side.A:
        begin = ["foreground = yes", *process, f"[{link.names.lower_interface}]", f"accept = {peer}"]
        own = [
            f"exec = {ppp.pppd_of(request.facts_a, NAME)}",
            f"execArgs = pppd file {ppp.options_path(link)}",
            "pty = yes",
        ]
    else:
        # Without a section it serves its own input and output, which are pppd's.
        begin = [*process, "client = yes", f"connect = {peer}", f"local = {link.underlay(Side.B)}"]
        own = ["sni =", "TIMEOUTconnect = 5"]
    protection = [
        f"cert = {certificate_path(link, STEM)}",
        f"key = {key_path(link, STEM)}",
        f"CAfile = {peer_path(link)}",
        "verifyPeer = yes",
        "sslVersion = TLSv1.3",
        f"ciphersuites = {setting(request, 'ciphersuite')}",
        f"curves = {GROUP}",
    ]
    # Without TCP_NODELAY small frames wait for acknowledgements of earlier ones.
    sockets = ["socket = l:TCP_NODELAY=1", "socket = r:TCP_NODELAY=1", "TIMEOUTclose = 1"]
    return suite_file(request, [*begin, *protection, *sockets, *own])


def _negotiated(request: PlanRequest) -> UpCheck:
    """Return how to read what was negotiated. Source: stunnel 5.68, ssl.c, print_cipher and print_tmp_key."""
    agreed = f"TLSv1.3 ciphersuite: {setting(request, 'ciphersuite')} "
    words = ("-e", " ciphersuite: ", "-e", "temporary key: ", "-e", "certificate matched")
    patterns = (re.escape(agreed), rf"temporary key: {GROUP},", "Locally installed certificate matched")
    return UpCheck(
        title=mark("What stunnel agreed on with its peer"),
        command=Command(("grep", "-F", *words, log_path(request.link)), timeout_s=5.0, is_root=True),
        stdout_pattern="(?s)" + "".join(f"(?=.*{pattern})" for pattern in patterns),
    )


def _server_step(link: Link) -> PlanStep:
    title, ready = mark("Start stunnel"), ppp.listening(link.names.tcp_port)
    return ppp.start_step(link, title, ready, "stunnel", config_path(link), leftovers=(log_path(link),))


def _call_step(request: PlanRequest) -> PlanStep:
    link = request.link
    return ppp.start_step(
        link,
        mark("Start pppd, which calls A by TLS"),
        (ppp.log_path(link), "Using interface"),
        *(ppp.pppd_of(request.facts_b, NAME), "file", ppp.options_path(link)),
        leftovers=(log_path(link),),
    )
