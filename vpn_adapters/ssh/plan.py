"""Files and steps of OpenSSH's tap forwarding."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, TCP_HEADER_WITH_TIMESTAMPS_BYTES, Link
from app.domain.messages import mark
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.daemons import breakages, logged, stop_command
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.openssh import render
from vpn_adapters.shared.openssh.algorithms import CHANNEL_HEADER_BYTES, packet_bytes
from vpn_adapters.shared.openssh.discovery import sshd_of
from vpn_adapters.shared.rendering import setting
from vpn_adapters.shared.taps import set_up_step, tap_step
from vpn_adapters.ssh.info import NAME

IDLE_COMMAND = "exec cat"
"""The only command that the key may run. It waits for input that never comes, and ends with the connection.

Without a session, sshd leaves TCP's Nagle algorithm on, and echoes then wait for the next frame's acknowledgement:
measured mean of 15 to 64 ms where it is 1.5 ms with a session. Source: OpenSSH: packet.c, ssh_packet_set_interactive.
"""

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
        files=_files(request, side),
        steps=_server_steps(request) if is_server else _client_steps(link),
        interface=link.names.ethernet_interface,
        up_checks=(_tunnel_check(link, side), interface_up_check(link)),
        negotiated=render.negotiated(request),
        log_paths=(render.log_path(link),),
        listens=(("tcp", link.names.ssh_port),) if is_server else (),
        kernel_modules=("tun",),
        breakages=_breakages(link, side),
    )


def tap_name(link: Link) -> str:
    """Return the name under which OpenSSH opens a tap device. Source: OpenSSH: openbsd-compat/port-net.c."""
    return f"tap{link.names.ssh_tap_unit}"


def _files(request: PlanRequest, side: Side) -> tuple[FileToWrite, ...]:
    unit = request.link.names.ssh_tap_unit
    if side is Side.A:
        may = f'tunnel="{unit}",'
        return render.server_files(request, command=IDLE_COMMAND, tunnel=("PermitTunnel ethernet",), key_options=may)
    lines = ("Tunnel ethernet", f"TunnelDevice {unit}:{unit}", "ExitOnForwardFailure yes")
    return render.client_files(request, tunnel=lines)


def _server_steps(request: PlanRequest) -> tuple[PlanStep, ...]:
    link = request.link
    tap = tap_step(link, second_name=tap_name(link))
    return (tap, *server_program_steps(request), set_up_step(link, Side.A))


def server_program_steps(request: PlanRequest) -> tuple[PlanStep, PlanStep]:
    """Return the steps that start an sshd of our own, with the configuration that lies on A."""
    link = request.link
    sshd = sshd_of(request, NAME)
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
    return (tap_step(link, second_name=tap_name(link)), set_up_step(link, Side.B), start)


def _tunnel_check(link: Link, side: Side) -> UpCheck:
    words = "Starting session: forced-command" if side is Side.A else "tunnel forward established"
    return logged(mark("OpenSSH reports that the tunnel is up"), words, render.log_path(link))


def _breakages(link: Link, side: Side) -> tuple[Breakage, ...]:
    program, config = (
        ("sshd", render.server_config_path(link)) if side is Side.A else ("ssh", render.client_config_path(link))
    )
    return breakages(link, program, program, config)
