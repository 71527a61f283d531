"""OpenSSH's files. A is the server, with an sshd of its own that the host's own sshd knows nothing of; B its client.

Source: sshd_config(5), ssh_config(5), sshd(8) ("AUTHORIZED_KEYS FILE FORMAT") of OpenSSH 8.4 and 10.0.
"""

from __future__ import annotations

import re

from app.domain.adapters import PlanRequest, UpCheck
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.domain.keepalive import INTERVAL_S, LOST_INTERVALS
from app.domain.messages import mark
from vpn_adapters.shared.daemons import logged
from vpn_adapters.shared.openssh.algorithms import is_aead
from vpn_adapters.shared.openssh.identity import SSH_KEY, key_path
from vpn_adapters.shared.rendering import public_value, run_file, setting, suite_file

PEER = "tunnelmark-peer"
"""Client's name for its server, in its configuration and among known hosts."""

server_config_path = run_file("sshd_config")
"""Path of sshd's configuration on A."""
authorized_keys_path = run_file("authorized_keys")
"""Path of A's list of allowed keys."""
client_config_path = run_file("ssh_config")
"""Path of the client's configuration on B."""
known_hosts_path = run_file("known_hosts")
"""Path of B's list of host keys."""
log_path = run_file("ssh.log")
"""Path of the log on each host."""
pid_path = run_file("ssh.pid")
"""Path of the process id on each host."""


def server_files(
    request: PlanRequest, *, command: str, tunnel: tuple[str, ...], key_options: str = ""
) -> tuple[FileToWrite, ...]:
    """Return A's files: sshd's configuration, and the list of the one key that it lets in.

    Args:
        command: The only command that the key may run.
        tunnel: Lines of the configuration on tunnels.
        key_options: Further options of the key, each with a comma behind it. Source: sshd(8).
    """
    link = request.link
    options = f'restrict,from="{link.underlay(Side.B)}",{key_options}command="{command}"'
    keys = suite_file(request, [f"{options} {public_value(request.identity_b, SSH_KEY, Side.B)}"])
    return (
        FileToWrite(server_config_path(link), _server_config(request, command, tunnel), mode=0o600),
        FileToWrite(authorized_keys_path(link), keys, mode=0o600),
    )


def client_files(request: PlanRequest, *, tunnel: tuple[str, ...]) -> tuple[FileToWrite, ...]:
    """Return B's files: ssh's configuration, with which the host's own is not read, and the list of the one host key.

    Args:
        tunnel: Lines of the configuration on tunnels.
    """
    link = request.link
    return (
        FileToWrite(client_config_path(link), _client_config(request, tunnel), mode=0o600),
        FileToWrite(known_hosts_path(link), known_hosts(request), mode=0o600),
    )


def known_hosts(request: PlanRequest) -> bytes:
    """Return B's list of the one host key."""
    return suite_file(request, [f"{PEER} {public_value(request.identity_a, SSH_KEY, Side.A)}"])


def _server_config(request: PlanRequest, command: str, tunnel: tuple[str, ...]) -> bytes:
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
        f"ForceCommand {command}",
        "AuthenticationMethods publickey",
        "PubkeyAuthentication yes",
        "PasswordAuthentication no",
        "ChallengeResponseAuthentication no",
        "HostbasedAuthentication no",
        "UsePAM no",
        "StrictModes yes",
        *tunnel,
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
    return suite_file(request, lines)


def _client_config(request: PlanRequest, tunnel: tuple[str, ...]) -> bytes:
    link = request.link
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
        *tunnel,
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
    return suite_file(request, lines)


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


def negotiated(request: PlanRequest) -> UpCheck:
    """Return how to read what was negotiated: both sides log it after each key exchange, for each direction."""
    cipher, mac = setting(request, "cipher"), setting(request, "mac")
    agreed = re.escape(f"cipher: {cipher} MAC: {'<implicit>' if is_aead(cipher) else mac} compression: none")
    patterns = [
        rf"kex: algorithm: {re.escape(setting(request, 'kex'))}(?:\s|$)",
        r"kex: host key algorithm: ssh-ed25519(?:\s|$)",
        rf"kex: (?:server->client|client->server) {agreed}.*kex: (?:server->client|client->server) {agreed}",
    ]
    pattern = "(?s)" + "".join(f"(?=.*{one})" for one in patterns)
    return logged(mark("What OpenSSH agreed on with its peer"), " kex: ", log_path(request.link), pattern)
