"""Files and steps of OpenSSH's tap forwarding."""

from __future__ import annotations

import re
from dataclasses import replace

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, TCP_HEADER_WITH_TIMESTAMPS_BYTES, Link
from app.domain.messages import mark
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.daemons import breakages, logged, stop_command
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import setting
from vpn_adapters.shared.taps import set_up_step, tap_step
from vpn_adapters.ssh import render
from vpn_adapters.ssh.algorithms import is_aead, packet_bytes
from vpn_adapters.ssh.discovery import SSHD_PREFIX
from vpn_adapters.ssh.info import NAME

CHANNEL_HEADER_BYTES = 9
"""Message (1), channel (4), length (4) before a frame. Source: RFC 4254 section 5.2, OpenSSH: PROTOCOL section 2.3."""

FIFO_NAME = "ssh.stdin"


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    link = request.link
    cipher, mac = setting(request, "cipher"), setting(request, "mac")
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead_bytes(1000, cipher, mac)),
        outer_filter=f"tcp port {link.names.ssh_port}",
        overhead_by_frame={size: overhead_bytes(size, cipher, mac) for size in FRAME_BYTES},
    )


def overhead_bytes(frame_bytes: int, cipher: str, mac: str) -> int:
    """Return by how many bytes a frame is longer on the underlay.

    Args:
        frame_bytes: The Ethernet frame inside, without FCS, in bytes.
        cipher: As OpenSSH names it.
        mac: As OpenSSH names it.
    """
    headers = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + TCP_HEADER_WITH_TIMESTAMPS_BYTES
    return headers + packet_bytes(CHANNEL_HEADER_BYTES + frame_bytes, cipher, mac) - frame_bytes


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    is_server = side is Side.A
    return EndpointPlan(
        files=_server_files(request) if is_server else _client_files(request),
        steps=_server_steps(request) if is_server else _client_steps(link),
        interface=link.names.ethernet_interface,
        up_checks=(_tunnel_check(link, side), interface_up_check(link)),
        negotiated=_negotiated(request),
        log_paths=(render.log_path(link),),
        listens=(("tcp", link.names.ssh_port),) if is_server else (),
        kernel_modules=("tun",),
        breakages=_breakages(link, side),
    )


def _server_files(request: PlanRequest) -> tuple[FileToWrite, ...]:
    link = request.link
    return (
        FileToWrite(render.server_config_path(link), render.server_config(request), mode=0o600),
        FileToWrite(render.authorized_keys_path(link), render.authorized_keys(request), mode=0o600),
    )


def _client_files(request: PlanRequest) -> tuple[FileToWrite, ...]:
    link = request.link
    return (
        FileToWrite(render.client_config_path(link), render.client_config(request), mode=0o600),
        FileToWrite(render.known_hosts_path(link), render.known_hosts(request), mode=0o600),
    )


def _server_steps(request: PlanRequest) -> tuple[PlanStep, ...]:
    link = request.link
    tap = tap_step(link, second_name=render.tap_name(link))
    return (tap, *server_program_steps(request), set_up_step(link, Side.A))


def server_program_steps(request: PlanRequest) -> tuple[PlanStep, PlanStep]:
    """Return the steps that start an sshd of our own, with the configuration that lies on A."""
    link = request.link
    found = (name for name in request.facts_a.solutions[NAME].features if name.startswith(SSHD_PREFIX))
    sshd = next(found, f"{SSHD_PREFIX}/usr/sbin/sshd").removeprefix(SSHD_PREFIX)
    marker = f"{link.run_dir}/made-run-sshd"
    config = render.server_config_path(link)
    privsep = PlanStep(
        title=mark("Make /run/sshd, where sshd lacks it"),
        command=root_script("ssh", "make-privsep.sh", sshd, config, marker),
        undo=root_script("ssh", "remove-privsep.sh", marker, timeout_s=5.0),
    )
    start = PlanStep(
        title=mark("Start an sshd for this tunnel alone"),
        command=root_script("ssh", "server.sh", sshd, config, render.log_path(link), timeout_s=15.0),
        undo=stop_command("sshd", config, render.pid_path(link), render.log_path(link)),
        depends_on_suite=True,
    )
    return privsep, start


def _client_steps(link: Link) -> tuple[PlanStep, ...]:
    config, fifo = render.client_config_path(link), f"{link.run_dir}/{FIFO_NAME}"
    log, pid = render.log_path(link), render.pid_path(link)
    start = PlanStep(
        title=mark("Start the client and wait until its tunnel is up"),
        command=root_script("ssh", "client.sh", config, log, fifo, pid, render.PEER, timeout_s=25.0),
        undo=stop_command("ssh", config, pid, log, fifo),
        depends_on_suite=True,
    )
    return (tap_step(link, second_name=render.tap_name(link)), set_up_step(link, Side.B), start)


def _tunnel_check(link: Link, side: Side) -> UpCheck:
    words = "Starting session: forced-command" if side is Side.A else "tunnel forward established"
    return logged(mark("OpenSSH reports that the tunnel is up"), words, render.log_path(link))


def _negotiated(request: PlanRequest) -> UpCheck:
    """Return how to read what was negotiated: both sides log it after each key exchange, for each direction."""
    cipher, mac = setting(request, "cipher"), setting(request, "mac")
    agreed = re.escape(f"cipher: {cipher} MAC: {'<implicit>' if is_aead(cipher) else mac} compression: none")
    patterns = [
        rf"kex: algorithm: {re.escape(setting(request, 'kex'))}(?:\s|$)",
        r"kex: host key algorithm: ssh-ed25519(?:\s|$)",
        rf"kex: (?:server->client|client->server) {agreed}.*kex: (?:server->client|client->server) {agreed}",
    ]
    return UpCheck(
        title=mark("What OpenSSH agreed on with its peer"),
        command=Command(("grep", "-F", " kex: ", render.log_path(request.link)), timeout_s=5.0, is_root=True),
        stdout_pattern="(?s)" + "".join(f"(?=.*{pattern})" for pattern in patterns),
    )


def _breakages(link: Link, side: Side) -> tuple[Breakage, ...]:
    program, config = (
        ("sshd", render.server_config_path(link)) if side is Side.A else ("ssh", render.client_config_path(link))
    )
    return breakages(link, program, program, config)
