"""A tap interface that is there before its daemon and outlives it, so that frames stop when the daemon does."""

from __future__ import annotations

from app.domain.adapters import Breakage, PlanStep
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import configure_arguments
from vpn_adapters.shared.messages import GIVE_ADDRESS, MAKE_NAMED_TAP, MAKE_TAP, TAP_TAKEN_DOWN


def tap_step(link: Link, *, second_name: str = "") -> PlanStep:
    """Return the step that makes the tap interface.

    Args:
        link: Names.
        second_name: Another name under which a program may open it, for programs that choose the name themselves.
            Source: ip-link(8), `property add`; the kernel finds both since Linux 5.5.
    """
    name = link.names.ethernet_interface
    return PlanStep(
        title=MAKE_NAMED_TAP(interface=name, second=second_name) if second_name else MAKE_TAP(interface=name),
        command=root_script("shared", "make-tap.sh", name, second_name),
        undo=root_script("shared", "remove-tap.sh", name),
    )


def set_up_step(link: Link, side: Side) -> PlanStep:
    """Return the step that gives the interface its addresses and takes it up."""
    name = link.names.ethernet_interface
    return PlanStep(
        title=GIVE_ADDRESS(interface=name, address=link.inner(side)),
        command=root_script("shared", "set-up.sh", *configure_arguments(link, side)),
        undo=root_script("shared", "down.sh", name, timeout_s=5.0),
    )


def tap_down_breakage(link: Link) -> Breakage:
    """Return the breakage that takes the tap interface down under its daemon."""
    name = link.names.ethernet_interface
    return Breakage(
        TAP_TAKEN_DOWN(interface=name),
        root_script("shared", "down.sh", name, timeout_s=5.0),
    )
