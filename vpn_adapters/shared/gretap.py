"""Static GRE that carries Ethernet frames, and has no cryptography of its own.

The kernel finds the interface by both addresses and the key, which anyone on the path can read and write: a firewall
table (guards.py) drops what IPsec did not protect.

Source: RFC 2784, RFC 2890; ip-link(8); net/ipv4/ip_gre.c and ip_tunnel.c in Linux 6.12.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import Step, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, Side
from app.domain.link import Link
from vpn_adapters.shared.discovering import has_iproute2, missing_modules, missing_part
from vpn_adapters.shared.interfaces import CONFIGURE_SCRIPT, WAIT_GONE_SCRIPT, configure_arguments

KERNEL_MODULES = ("ip_gre",)
IP_PROTOCOL = 47
HEADER_BYTES = 8
"""Flags and type (4), key (4). Source: RFC 2890 section 2."""
TTL = 64
"""Without it the outer packet has the TTL of the packet in the frame: a multicast ends on the first router."""

# The module makes gre0, gretap0 and erspan0 when it is loaded, which stay until it is unloaded, unless this setting
# (Linux 5.10; Documentation/admin-guide/sysctl/net.rst) is 2. No frame may make its outer packet unfragmentable
# (`ignore-df`), or frames of 1500 bytes would not cross.
_CREATE_SCRIPT = (
    """\
set -e
if [ ! -e /sys/module/ip_gre ]; then
  fallback=/proc/sys/net/core/fb_tunnels_only_for_init_net
  before=
  { read -r before < "$fallback" && echo 2 > "$fallback"; } 2>/dev/null || before=
  modprobe ip_gre 2>/dev/null || :
  if [ -n "$before" ]; then echo "$before" > "$fallback"; fi
fi
ip link add dev "$1" type gretap local "$5" remote "$6" key "$7" ttl "$8" nopmtudisc ignore-df
"""
    + CONFIGURE_SCRIPT
)

_REMOVE_SCRIPT = 'ip link del dev "$1" 2>/dev/null\n' + WAIT_GONE_SCRIPT


def create_step(link: Link, side: Side) -> Step:
    """Return the step that makes the interface between the underlay's addresses and sets it up."""
    own = configure_arguments(link, side)
    ends = link.underlay(side), link.underlay(side.other)
    arguments = (*own, *ends, str(link.names.l2tp_session_id), str(TTL))
    return Step(
        title=f"Make the GRE interface {own[0]} from {ends[0]} to {ends[1]}",
        command=Command(shell_step_argv(_CREATE_SCRIPT, *arguments), timeout_s=15.0, is_root=True),
        undo=Command(shell_step_argv(_REMOVE_SCRIPT, own[0]), timeout_s=10.0, is_root=True),
    )


def missing_parts(outputs: Mapping[str, CommandResult], needed_for: str) -> tuple[MissingPart, ...]:
    """Return what a host lacks for GRE, from outputs named `ip` and `modules`."""
    modules = missing_modules(outputs.get("modules"), KERNEL_MODULES, needed_for)
    return modules if has_iproute2(outputs) else (missing_part("iproute2", needed_for), *modules)
