"""DHCP clients of LAN ports: which of them can be moved to a bridge, and the steps that move them and back."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.adapters import PlanStep, shell_step_argv
from app.domain.commands import Command
from app.domain.script_files import bare_script

_TITLES = {"dhclient": "ISC dhclient", "udhcpc": "BusyBox udhcpc"}
"""Clients that were seen to go on after a move. Source: tests/lab/test_lan_clients.py."""
_REASONS = {
    "service": "a service keeps it running, or it runs in the foreground",
    "option": "it has an option that is not known",
    "several": "it serves other interfaces, too",
    "all": "it was started for all interfaces",
    "program": "other users than root can change its program, or it runs in a container",
    "files": "other users than root can change its files",
    "waiting": "no server has answered it yet",
    "parent": "the program that started it starts it again, or waits for it",
    "timeout": "it gives up waiting for a server early (timeout)",
    "settings": "its settings (dhclient.conf) name the port",
    "hooks": "its hooks (/etc/dhcp) name the port",
}


@dataclass(frozen=True, slots=True)
class DhcpClient:
    """A DHCP client that runs on a host.

    Attributes:
        program: Its program.
        obstacle: Word for what keeps it from being moved; empty for nothing.
    """

    program: str
    obstacle: str = ""

    @property
    def title(self) -> str:
        """Its name for users."""
        return _TITLES.get(self.program, self.program)

    @property
    def is_for_ipv6(self) -> bool:
        """Whether it asks for addresses of IPv6, which do not move."""
        return self.obstacle == "ipv6"

    @property
    def reason(self) -> str:
        """Reason why it cannot be moved; empty where it can."""
        if self.program not in _TITLES:
            return f"{self.title} is not known to go on after a move"
        return f"{_REASONS.get(self.obstacle, self.obstacle)} ({self.title})" if self.obstacle else ""


def client_refusal(port: str, label: str, clients: tuple[DhcpClient, ...], owner: str) -> str:
    """Return why a port with a leased address cannot be joined, as a sentence; empty where its client can be moved.

    Args:
        clients: Its clients for IPv4.
        owner: Program that manages the port; empty for none.
    """
    waiting = [one for one in clients if one.obstacle == "waiting"]
    if waiting:
        reason = waiting[0].reason
    elif len(clients) > 1:
        reason = f"it has more than one ({', '.join(sorted(one.title for one in clients))})"
    elif clients:
        reason = clients[0].reason
    else:
        reason = f"{owner} is not known to go on after a move" if owner else "it was not found among the processes"
    if not reason:
        return ""
    return (
        f"{port} on {label} has its address from a DHCP server, and its client cannot be moved to a bridge of "
        f"Tunnelmark's own: {reason}. Make the address static, or make a bridge with {port} and its DHCP client, and "
        "choose that."
    )


def hidden_client_refusal(port: str, label: str) -> str:
    """Return why a port with an address cannot be joined where the user sees no processes of root, as a sentence."""
    return (
        f"Whether {port} on {label} has a DHCP client is not known: {label} hides other users' processes (mount option "
        "hidepid of /proc). Log in as root or as a member of the group that the option gid names, or make a bridge "
        f"with {port}, and choose that."
    )


def client_note(port: str, label: str, client: DhcpClient) -> str:
    """Return what a deployment does with a port's client, for users."""
    if client.is_for_ipv6:
        return (
            f"{client.title} asks for IPv6 addresses of {port} on {label}: it remains on the port, and hears no server "
            f"while {port} is joined."
        )
    return (
        f"{port} on {label} has its address from a DHCP server. Its client ({client.title}) runs on the bridge while "
        f"{port} is joined and renews the lease there; after a rollback it runs on {port} again."
    )


def hold_step(bridge: str, port: str, inner: str) -> PlanStep:
    """Return the step that goes before the port is joined; its undo runs the client on the port again.

    Args:
        inner: The tunnel's own address.
    """
    return PlanStep(
        title=f"Write down how the DHCP client of {port} was started",
        command=_command("take", bridge, port, inner, timeout_s=60.0),
        undo=_command("give", bridge, port, inner, timeout_s=60.0),
    )


def move_step(bridge: str, port: str, inner: str) -> PlanStep:
    """Return the step that runs the client on the bridge, which goes after the port is joined.

    It has no undo of its own: the client runs on the bridge until the port is parted, and that of `hold_step` comes
    after that.
    """
    return PlanStep(
        title=f"Run the DHCP client of {port} on {bridge}, with the same lease and MAC address",
        command=_command("sync", bridge, port, inner, timeout_s=60.0),
        undo=None,
        # The supervisor brings the client back by it.
        health_check=_command("watch", bridge, port, inner, timeout_s=10.0),
    )


def _command(action: str, *words: str, timeout_s: float) -> Command:
    return Command(shell_step_argv(bare_script("lan-client.sh"), action, *words), timeout_s=timeout_s, is_root=True)
