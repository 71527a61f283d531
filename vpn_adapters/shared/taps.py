"""A tap interface that is there before its daemon and outlives it, so that frames stop when the daemon does."""

from __future__ import annotations

from app.domain.adapters import Breakage, Step, shell_step_argv
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import adapter_script
from vpn_adapters.shared.interfaces import configure_arguments

_DOWN_SCRIPT = adapter_script("shared", "down.sh")
_TAP_SCRIPT = adapter_script("shared", "make-tap.sh")
_REMOVE_TAP_SCRIPT = adapter_script("shared", "remove-tap.sh")


def tap_step(link: Link, *, second_name: str = "") -> Step:
    """Return the step that makes the tap interface.

    Args:
        link: Names.
        second_name: Another name under which a program may open it, for programs that choose the name themselves.
            Source: ip-link(8), `property add`; the kernel looks both up since Linux 5.5.
    """
    name = link.names.ethernet_interface
    known_as = f", which is called {second_name} as well" if second_name else ""
    return Step(
        title=f"Make the tap interface {name}{known_as}",
        command=Command(shell_step_argv(_TAP_SCRIPT, name, second_name), timeout_s=10.0, is_root=True),
        undo=Command(shell_step_argv(_REMOVE_TAP_SCRIPT, name), timeout_s=10.0, is_root=True),
    )


def set_up_step(link: Link, side: Side) -> Step:
    """Return the step that gives the interface its addresses and takes it up."""
    name = link.names.ethernet_interface
    return Step(
        title=f"Give {name} its address {link.inner(side)} and take it up",
        command=Command(
            shell_step_argv(adapter_script("shared", "set-up.sh"), *configure_arguments(link, side)),
            timeout_s=10.0,
            is_root=True,
        ),
        undo=Command(shell_step_argv(_DOWN_SCRIPT, name), timeout_s=5.0, is_root=True),
    )


def tap_down_breakage(link: Link) -> Breakage:
    """Return the breakage that takes the tap interface down under its daemon."""
    name = link.names.ethernet_interface
    return Breakage(
        f"The tap interface {name} is taken down",
        Command(shell_step_argv(_DOWN_SCRIPT, name), timeout_s=5.0, is_root=True),
    )
