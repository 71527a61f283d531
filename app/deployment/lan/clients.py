"""DHCP clients of LAN ports: which of them can be moved to a bridge, and the steps that move them and back."""

from __future__ import annotations

from dataclasses import dataclass

from app.deployment.lan.messages import (
    CLIENT_ASKS_IPV6,
    CLIENT_CANNOT_MOVE,
    CLIENT_FILES_OPEN,
    CLIENT_GIVES_UP,
    CLIENT_HOOKS_NAME_PORT,
    CLIENT_KEPT_RUNNING,
    CLIENT_MOVES,
    CLIENT_NOT_FOUND,
    CLIENT_NOT_KNOWN,
    CLIENT_OF_ALL,
    CLIENT_OF_OTHERS,
    CLIENT_PROGRAM_OPEN,
    CLIENT_REASON,
    CLIENT_SETTINGS_NAME_PORT,
    CLIENT_STARTED_AGAIN,
    CLIENT_UNANSWERED,
    CLIENT_UNKNOWN_OPTION,
    CLIENTS_HIDDEN,
    CLIENTS_SEVERAL,
    STEP_MOVE_CLIENT,
    STEP_NOTE_CLIENT,
)
from app.domain.adapters import PlanStep, root_command
from app.domain.commands import Command
from app.domain.script_files import bare_script

_TITLES = {"dhclient": "ISC dhclient", "udhcpc": "BusyBox udhcpc"}
"""Clients that were seen to go on after a move. Source: tests/lab/test_lan_clients.py."""
_REASONS = {
    "service": CLIENT_KEPT_RUNNING(),
    "option": CLIENT_UNKNOWN_OPTION(),
    "several": CLIENT_OF_OTHERS(),
    "all": CLIENT_OF_ALL(),
    "program": CLIENT_PROGRAM_OPEN(),
    "files": CLIENT_FILES_OPEN(),
    "waiting": CLIENT_UNANSWERED(),
    "parent": CLIENT_STARTED_AGAIN(),
    "timeout": CLIENT_GIVES_UP(),
    "settings": CLIENT_SETTINGS_NAME_PORT(),
    "hooks": CLIENT_HOOKS_NAME_PORT(),
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
            return CLIENT_NOT_KNOWN(client=self.title)
        return CLIENT_REASON(why=_REASONS.get(self.obstacle, self.obstacle), client=self.title) if self.obstacle else ""


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
        reason = CLIENTS_SEVERAL(clients=", ".join(sorted(one.title for one in clients)))
    elif clients:
        reason = clients[0].reason
    else:
        reason = CLIENT_NOT_KNOWN(client=owner) if owner else CLIENT_NOT_FOUND()
    if not reason:
        return ""
    return CLIENT_CANNOT_MOVE(port=port, host=label, reason=reason)


def hidden_client_refusal(port: str, label: str) -> str:
    """Return why a port with an address cannot be joined where the user sees no processes of root, as a sentence."""
    return CLIENTS_HIDDEN(port=port, host=label)


def client_note(port: str, label: str, client: DhcpClient) -> str:
    """Return what a deployment does with a port's client, for users."""
    if client.is_for_ipv6:
        return CLIENT_ASKS_IPV6(client=client.title, port=port, host=label)
    return CLIENT_MOVES(port=port, host=label, client=client.title)


def hold_step(bridge: str, port: str, inner: str) -> PlanStep:
    """Return the step that goes before the port is joined; its undo runs the client on the port again.

    Args:
        inner: The tunnel's own address.
    """
    return PlanStep(
        title=STEP_NOTE_CLIENT(port=port),
        command=_command("take", bridge, port, inner, timeout_s=60.0),
        undo=_command("give", bridge, port, inner, timeout_s=60.0),
    )


def move_step(bridge: str, port: str, inner: str) -> PlanStep:
    """Return the step that runs the client on the bridge, which goes after the port is joined.

    It has no undo of its own: the client runs on the bridge until the port is parted, and that of `hold_step` comes
    after that.
    """
    return PlanStep(
        title=STEP_MOVE_CLIENT(port=port, bridge=bridge),
        command=_command("sync", bridge, port, inner, timeout_s=60.0),
        undo=None,
        # The supervisor brings the client back by it.
        health_check=_command("watch", bridge, port, inner, timeout_s=10.0),
    )


def _command(action: str, *words: str, timeout_s: float) -> Command:
    return root_command(bare_script("lan-client.sh"), action, *words, timeout_s=timeout_s)
