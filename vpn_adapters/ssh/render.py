"""OpenSSH's files. A is the server, with an sshd of its own that the host's own sshd knows nothing of; B its client.

Source: sshd_config(5), ssh_config(5), sshd(8) ("AUTHORIZED_KEYS FILE FORMAT") of OpenSSH 8.4 and 10.0.
"""

from __future__ import annotations

from app.domain.adapters import PlanRequest
from app.domain.hosts import Side
from app.domain.keepalive import INTERVAL_S, LOST_INTERVALS
from app.domain.link import Link
from vpn_adapters.shared.rendering import public_value, render_file, setting
from vpn_adapters.ssh.identity import SSH_KEY, key_path

PEER = "tunnelmark-peer"
"""Client's name for its server, in its configuration and among known hosts."""

IDLE_COMMAND = "exec cat"
"""The only command that the key may run. It waits for input that never comes, and ends with the connection.

Without a session, sshd leaves TCP's Nagle algorithm on, and echoes then wait for the next frame's acknowledgement:
measured mean of 15 to 64 ms where it is 1.5 ms with a session. Source: OpenSSH: packet.c, ssh_packet_set_interactive.
"""


def server_config_path(link: Link) -> str:
    """Return where sshd's configuration lies on A."""
    return f"{link.run_dir}/sshd_config"


def authorized_keys_path(link: Link) -> str:
    """Return where A's list of allowed keys lies."""
    return f"{link.run_dir}/authorized_keys"


def client_config_path(link: Link) -> str:
    """Return where the client's configuration lies on B."""
    return f"{link.run_dir}/ssh_config"


def known_hosts_path(link: Link) -> str:
    """Return where B's list of host keys lies."""
    return f"{link.run_dir}/known_hosts"


def log_path(link: Link) -> str:
    """Return where the log lies on each host."""
    return f"{link.run_dir}/ssh.log"


def pid_path(link: Link) -> str:
    """Return where the process id lies on each host."""
    return f"{link.run_dir}/ssh.pid"


def tap_name(link: Link) -> str:
    """Return the name under which OpenSSH opens a tap device. Source: OpenSSH: openbsd-compat/port-net.c."""
    return f"tap{link.names.ssh_tap_unit}"


def server_config(request: PlanRequest) -> bytes:
    """Return sshd's configuration on A."""
    link = request.link
    lines = [
        f"Port {link.names.ssh_port}",
        "AddressFamily inet",
        f"ListenAddress {link.underlay(Side.A)}",
        f"HostKey {key_path(link)}",
        f"PidFile {pid_path(link)}",
        f"AuthorizedKeysFile {authorized_keys_path(link)}",
        f"AllowUsers root@{link.underlay(Side.B)}",
        "PermitRootLogin forced-commands-only",
        f"ForceCommand {IDLE_COMMAND}",
        "AuthenticationMethods publickey",
        "PubkeyAuthentication yes",
        "PasswordAuthentication no",
        "ChallengeResponseAuthentication no",
        "HostbasedAuthentication no",
        "UsePAM no",
        "StrictModes yes",
        "PermitTunnel ethernet",
        "AllowTcpForwarding no",
        "AllowStreamLocalForwarding no",
        "AllowAgentForwarding no",
        "X11Forwarding no",
        "GatewayPorts no",
        "PermitOpen none",
        "PermitListen none",
        "PermitTTY no",
        "PermitUserRC no",
        "PermitUserEnvironment no",
        "MaxSessions 1",
        "MaxAuthTries 2",
        "LoginGraceTime 15",
        "PrintMotd no",
        "UseDNS no",
        *_alive(request, "Client"),
        "HostKeyAlgorithms ssh-ed25519",
        *algorithms(request),
        *_common(),
    ]
    return render_file(_header(request), lines)


def authorized_keys(request: PlanRequest) -> bytes:
    """Return A's list of the one key that may make the one tunnel."""
    link = request.link
    options = f'restrict,from="{link.underlay(Side.B)}",tunnel="{link.names.ssh_tap_unit}",command="{IDLE_COMMAND}"'
    return render_file(_header(request), [f"{options} {public_value(request.identity_b, SSH_KEY, Side.B)}"])


def client_config(request: PlanRequest) -> bytes:
    """Return the client's configuration on B; with it, the host's own is not read."""
    link = request.link
    unit = link.names.ssh_tap_unit
    lines = [
        f"Host {PEER}",
        f"HostName {link.underlay(Side.A)}",
        f"Port {link.names.ssh_port}",
        "User root",
        "AddressFamily inet",
        f"BindAddress {link.underlay(Side.B)}",
        f"IdentityFile {key_path(link)}",
        "IdentitiesOnly yes",
        "IdentityAgent none",
        "BatchMode yes",
        "PreferredAuthentications publickey",
        "StrictHostKeyChecking yes",
        f"HostKeyAlias {PEER}",
        f"UserKnownHostsFile {known_hosts_path(link)}",
        "GlobalKnownHostsFile /dev/null",
        "CheckHostIP no",
        "UpdateHostKeys no",
        "HostKeyAlgorithms ssh-ed25519",
        "Tunnel ethernet",
        f"TunnelDevice {unit}:{unit}",
        "ExitOnForwardFailure yes",
        "RequestTTY no",
        "EscapeChar none",
        "ControlMaster no",
        "ControlPath none",
        "ForwardAgent no",
        "ForwardX11 no",
        "PermitLocalCommand no",
        "ConnectTimeout 5",
        *_alive(request, "Server"),
        *algorithms(request),
        *_common(),
    ]
    return render_file(_header(request), lines)


def known_hosts(request: PlanRequest) -> bytes:
    """Return B's list of the one host key."""
    return render_file(_header(request), [f"{PEER} {public_value(request.identity_a, SSH_KEY, Side.A)}"])


def _header(request: PlanRequest) -> tuple[str, ...]:
    return (*request.header, f"Suite: {request.suite.title}")


def algorithms(request: PlanRequest) -> list[str]:
    """Return the suite's lines, the same for both programs."""
    return [
        f"KexAlgorithms {setting(request, 'kex')}",
        f"Ciphers {setting(request, 'cipher')}",
        f"MACs {setting(request, 'mac')}",
    ]


def _alive(request: PlanRequest, peer: str) -> list[str]:
    interval_s, count = request.keepalive.pick(wired=(2, 5), metered=(INTERVAL_S, LOST_INTERVALS))
    return [f"{peer}AliveInterval {interval_s}", f"{peer}AliveCountMax {count}"]


def _common() -> list[str]:
    # IPQoS: else OpenSSH marks the whole tunnel as background traffic. LogLevel: the first that names the algorithms.
    return ["Compression no", "TCPKeepAlive yes", "IPQoS none", "LogLevel DEBUG1"]
