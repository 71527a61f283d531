"""A lab that runs, as the rest of the program sees it, and the file in its folder that describes it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from app.domain.credentials import Secret
from app.domain.errors import LabFault
from app.domain.hosts import AuthKind, HostSpec, NodeHost, PairSpec, Side
from app.lab.guest import HOST_NAMES, UNDERLAY_ADDRESSES
from app.lab.machine import LAN_INTERFACES, Accelerator
from app.lab.messages import LAB_UNREADABLE
from app.lab.spec import CpuKind, LabMachine, LabNode, LabSpec

DESCRIPTION = "lab.json"
IDENTITY = "id_ed25519"
KNOWN_HOSTS = "known_hosts"
PASSWORDS = "passwords.json"

_CONNECT_TIMEOUT_S = 10

HARDENED_USER = "operator"
"""User for logins to a hardened gateway; sudo asks for a password there."""


@dataclass(frozen=True, slots=True)
class Lab:
    """A running practice lab.

    Attributes:
        spec: What was asked for.
        folder: Its folder with keys, disks and logs.
        ports: TCP port on 127.0.0.1 of each side's sshd.
        since: When it was started, UTC.
        owner_pid: The process that it dies with; None for a lab that lasts until it is taken down.
        node_ports: TCP port on 127.0.0.1 of each node's sshd; empty without nodes.
        accelerator: What runs the guests' instructions; None in the record of an earlier version.
        kernels: Release of each side's kernel; without those that are not known.
    """

    spec: LabSpec
    folder: Path
    ports: dict[Side, int]
    since: datetime
    owner_pid: int | None
    node_ports: dict[LabNode, int] = field(default_factory=dict)
    accelerator: Accelerator | None = None
    kernels: dict[Side, str] = field(default_factory=dict)

    def port(self, machine: LabMachine) -> int:
        """Return the TCP port on 127.0.0.1 of a machine's sshd."""
        return self.node_ports[machine] if isinstance(machine, LabNode) else self.ports[machine]

    @property
    def pair(self) -> PairSpec:
        """The two gateways as a pair, with key and host keys; root logs in, or an ordinary user to hardened ones.

        Root logs in to nodes in any case.
        """
        user = HARDENED_USER if self.spec.is_hardened else "root"
        return PairSpec(
            name=f"lab:{self.spec.name}",
            a=self.host(Side.A, user),
            b=self.host(Side.B, user),
            underlay_a=UNDERLAY_ADDRESSES[Side.A],
            underlay_b=UNDERLAY_ADDRESSES[Side.B],
            is_lab=True,
            node_a=self._node(LabNode.A),
            node_b=self._node(LabNode.B),
            lab_machines=self._machines(),
        )

    def _machines(self) -> tuple[str, ...]:
        """Return the kind of both gateways, once where they are alike; empty where the record does not say it all.

        It has what changes figures, and nothing that each start of the same lab changes: no port, key or time.
        """
        if self.accelerator is None:
            return ()
        common = [self.accelerator.value, self.spec.cpu.value, *(["hardened"] if self.spec.is_hardened else [])]
        kinds = (" ".join([self.spec.platform(side), *self._kernel(side), *common]) for side in Side)
        return tuple(dict.fromkeys(kinds))

    def _kernel(self, side: Side) -> tuple[str, ...]:
        return (self.kernels[side],) if side in self.kernels else ()

    def _node(self, node: LabNode) -> NodeHost | None:
        if node not in self.node_ports:
            return None
        return NodeHost(self.host(node), LAN_INTERFACES[node], LAN_INTERFACES[node.side])

    def host(self, machine: LabMachine, user: str = "root") -> HostSpec:
        """Return how to reach one machine.

        Args:
            user: One of root, operator, nopass, doasuser and plain; the key opens all of them.

        Returns:
            Address, user, key and host key.
        """
        return HostSpec(
            label=HOST_NAMES[machine],
            address="127.0.0.1",
            port=self.port(machine),
            user=user,
            auth=AuthKind.KEY,
            identity_file=str(self.folder / IDENTITY),
            host_key_file=str(self.folder / KNOWN_HOSTS),
        )

    def passwords(self) -> dict[str, Secret]:
        """Return the random passwords of the users that have one: `operator` (sudo asks for it) and `plain`."""
        stored: dict[str, str] = json.loads((self.folder / PASSWORDS).read_text())
        return {user: Secret(value) for user, value in stored.items()}

    def ssh_argv(self, machine: LabMachine, user: str = "root") -> list[str]:
        """Return OpenSSH's command line for one machine; a command may be appended.

        Args:
            user: Who to be there.

        Returns:
            Program and arguments; an unknown or changed host key is refused.
        """
        return [
            *("ssh", "-F", "none", "-p", str(self.port(machine)), "-l", user, "-i", str(self.folder / IDENTITY)),
            *("-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"),
            *("-o", f"UserKnownHostsFile={_quoted(self.folder / KNOWN_HOSTS)}", "-o", "GlobalKnownHostsFile=none"),
            *("-o", f"ConnectTimeout={_CONNECT_TIMEOUT_S}", "-o", "LogLevel=ERROR", "127.0.0.1"),
        ]

    def save(self) -> None:
        """Write the description into the lab's folder."""
        content = {
            "platform_a": self.spec.platform_a,
            "platform_b": self.spec.platform_b,
            "cpu": self.spec.cpu,
            "is_hardened": self.spec.is_hardened,
            "ports": self.ports,
            "since": self.since.isoformat(),
            "owner_pid": self.owner_pid,
            "node_ports": self.node_ports,
            "accelerator": self.accelerator,
            "kernels": self.kernels,
        }
        (self.folder / DESCRIPTION).write_text(json.dumps(content, indent=2) + "\n")


def load_lab(folder: Path) -> Lab:
    """Read a lab's description from its folder.

    Args:
        folder: The lab's folder, called after the lab.

    Returns:
        The lab.

    Raises:
        LabFault: The description is missing or damaged.
    """
    try:
        content = json.loads((folder / DESCRIPTION).read_text())
        node_ports = {LabNode(node): int(port) for node, port in content.get("node_ports", {}).items()}
        accelerator = content.get("accelerator")
        return Lab(
            spec=LabSpec(
                folder.name,
                content["platform_a"],
                content["platform_b"],
                CpuKind(content["cpu"]),
                is_hardened=bool(content.get("is_hardened", False)),
                has_nodes=bool(node_ports),
            ),
            folder=folder,
            ports={Side(side): int(port) for side, port in content["ports"].items()},
            since=datetime.fromisoformat(content["since"]),
            owner_pid=content["owner_pid"],
            node_ports=node_ports,
            accelerator=Accelerator(accelerator) if accelerator is not None else None,
            kernels={Side(side): str(release) for side, release in content.get("kernels", {}).items()},
        )
    except (AttributeError, OSError, ValueError, KeyError, TypeError) as error:
        raise LabFault(LAB_UNREADABLE(lab=folder.name)) from error


def _quoted(path: Path) -> str:
    """Quote a path for an option of OpenSSH, which splits at blanks. Source: ssh_config(5)."""
    return f'"{path}"'
