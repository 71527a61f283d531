"""A hub of OpenSSH with many clients that log in again and again.

The program's own limiters are left as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import Adapter, EndpointPlan, PlanRequest, TunnelPlan
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.hubs import FloodRequest, clients_network, each_client, flood_limit_s
from app.domain.link import Link
from app.domain.script_files import adapter_script
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.hubs import hub_plan, program_file, program_path
from vpn_adapters.shared.openssh import render
from vpn_adapters.shared.openssh.identity import SSH_KEY, key_path
from vpn_adapters.shared.rendering import public_value, render_file, suite_file
from vpn_adapters.ssh import adapter
from vpn_adapters.ssh.info import NAME
from vpn_adapters.ssh.plan import server_program_steps

FOLDER = "ssh"
_WORD = "tunnelmark-hub"
"""Answer of the key's only command."""


def _plan(request: PlanRequest) -> TunnelPlan:
    link = request.link
    hub = EndpointPlan(
        files=(
            FileToWrite(render.server_config_path(link), _server_config(request), mode=0o600),
            FileToWrite(render.authorized_keys_path(link), _authorized_keys(request), mode=0o600),
        ),
        steps=server_program_steps(request),
        interface="",
        log_paths=(render.log_path(link),),
        listens=(("tcp", link.names.ssh_port),),
    )
    clients = EndpointPlan(
        files=(
            FileToWrite(render.client_config_path(link), _client_config(request), mode=0o600),
            FileToWrite(render.known_hosts_path(link), render.known_hosts(request), mode=0o600),
            program_file(link, adapter_script(FOLDER, "hub-flood.pl")),
        ),
        steps=(),
        interface="",
    )
    return hub_plan(
        request, NAME, hub, clients, mtu_bytes=link.inner_mtu_bytes, outer_filter=f"tcp port {link.names.ssh_port}"
    )


def _server_config(request: PlanRequest) -> bytes:
    link = request.link
    lines = [
        *(f"Port {link.names.ssh_port}", "AddressFamily inet", f"ListenAddress {link.underlay_a}"),
        *(f"HostKey {key_path(link)}", f"PidFile {render.pid_path(link)}"),
        *(f"AuthorizedKeysFile {render.authorized_keys_path(link)}", f"AllowUsers root@{clients_network(link)}"),
        *("PermitRootLogin forced-commands-only", f"ForceCommand echo {_WORD}"),
        *("AuthenticationMethods publickey", "PubkeyAuthentication yes", "PasswordAuthentication no"),
        *("ChallengeResponseAuthentication no", "HostbasedAuthentication no", "UsePAM no", "StrictModes yes"),
        *("DisableForwarding yes", "PermitTTY no", "PermitUserRC no", "PermitUserEnvironment no"),
        *("MaxSessions 1", "MaxAuthTries 2", "LoginGraceTime 15", "PrintMotd no", "UseDNS no"),
        *("HostKeyAlgorithms ssh-ed25519", *render.algorithms(request), *_common()),
    ]
    return suite_file(request, lines)


def _authorized_keys(request: PlanRequest) -> bytes:
    options = f'restrict,from="{clients_network(request.link)}",command="echo {_WORD}"'
    return render_file(request.header, [f"{options} {public_value(request.identity_b, SSH_KEY, Side.B)}"])


def _client_config(request: PlanRequest) -> bytes:
    link = request.link
    lines = [
        *(f"Host {render.PEER}", f"HostName {link.underlay_a}", f"Port {link.names.ssh_port}", "User root"),
        *("AddressFamily inet", f"IdentityFile {key_path(link)}", "IdentitiesOnly yes", "IdentityAgent none"),
        *("BatchMode yes", "PreferredAuthentications publickey", "StrictHostKeyChecking yes"),
        *(f"HostKeyAlias {render.PEER}", f"UserKnownHostsFile {render.known_hosts_path(link)}"),
        *("GlobalKnownHostsFile /dev/null", "CheckHostIP no", "UpdateHostKeys no"),
        *("HostKeyAlgorithms ssh-ed25519", "RequestTTY no", "EscapeChar none", "ControlMaster no"),
        *("ControlPath none", "ForwardAgent no", "ForwardX11 no", "PermitLocalCommand no", "ConnectTimeout 5"),
        *render.algorithms(request),
        *_common(),
    ]
    return suite_file(request, lines)


def _common() -> list[str]:
    return ["Compression no", "TCPKeepAlive yes", "IPQoS none", "LogLevel INFO"]


@dataclass(frozen=True, slots=True)
class SshHub:
    """Implements `Hub`."""

    solution: str = NAME

    def adapter(self, clients: int) -> Adapter:  # noqa: ARG002 - clients share one key, and none runs before it logs in
        """Return the adapter of a hub with so many clients."""
        return replace(adapter, plan=_plan)

    def flood(self, link: Link, clients: int, request: FloodRequest) -> Command:
        """Return the command for B that makes the attempts."""
        words = (render.client_config_path(link), render.PEER, _WORD, f"{request.rate_s:.4f}", str(request.seconds))
        return each_client(link, clients, program_path(link), flood_limit_s(request), words)

    def seen(self, link: Link, since_s: int) -> Command:  # noqa: ARG002 - its log has no time of each client
        """Return the command for A that prints what the hub saw."""
        return root_script(FOLDER, "hub-seen.sh", render.log_path(link), timeout_s=15.0)


hub = SshHub()
