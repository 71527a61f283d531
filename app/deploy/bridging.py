"""Joining a tunnel with a LAN port of its host.

Addresses of the LAN port move to the bridge, and back again: the host stays reachable from its LAN. The tunnel's
own address is on the bridge too: it is what the ends see each other by. Source: ip-link(8), bridge(8).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.adapters import Step, shell_step_argv
from app.domain.commands import Command

# $1 bridge, $2 tunnel, $3 LAN port, $4 the tunnel's own address. Routes through the LAN port go along, but for those
# that the kernel makes with the addresses.
_JOIN_SCRIPT = """\
set -e
bridge=$1 tunnel=$2 port=$3 inner=$4
if [ -e "/sys/class/net/$port/master" ]; then echo "$port belongs to another interface already" >&2; exit 1; fi
addresses=$(ip -o -4 addr show dev "$port" scope global | sed 's/.* inet \\([0-9./]*\\) .*/\\1/')
routes=$(ip -4 route show dev "$port" | grep -v ' proto kernel' || :)
ip link add name "$bridge" type bridge
if command -v udevadm >/dev/null 2>&1; then udevadm settle --timeout=3 || :; fi
read -r hardware < "/sys/class/net/$port/address"
ip link set dev "$bridge" address "$hardware"
ip addr del "$inner" dev "$tunnel"
ip link set dev "$tunnel" master "$bridge"
ip link set dev "$port" master "$bridge" up
ip link set dev "$bridge" up
for address in $addresses; do
  ip addr del "$address" dev "$port"
  ip addr add "$address" dev "$bridge"
done
ip addr add "$inner" dev "$bridge"
printf '%s\\n' "$routes" | while read -r route; do
  [ -z "$route" ] || ip route replace ${route%linkdown} dev "$bridge"
done
"""

_PART_SCRIPT = """\
bridge=$1 tunnel=$2 port=$3 inner=$4
[ -e "/sys/class/net/$bridge" ] || exit 0
addresses=$(ip -o -4 addr show dev "$bridge" scope global | sed 's/.* inet \\([0-9./]*\\) .*/\\1/')
routes=$(ip -4 route show dev "$bridge" | grep -v ' proto kernel')
if [ -e "/sys/class/net/$port/brport" ]; then ip link set dev "$port" nomaster; fi
if [ -e "/sys/class/net/$tunnel/brport" ]; then ip link set dev "$tunnel" nomaster; fi
ip link del dev "$bridge" || exit 1
[ -e "/sys/class/net/$port" ] || exit 0
for address in $addresses; do
  if [ "$address" != "$inner" ]; then ip addr add "$address" dev "$port"; fi
done
printf '%s\\n' "$routes" | while read -r route; do
  [ -z "$route" ] || ip route replace ${route%linkdown} dev "$port"
done
exit 0
"""

# A bridge that is there already: the tunnel becomes one more port of it.
_JOIN_BRIDGE_SCRIPT = """\
set -e
ip addr del "$4" dev "$2"
ip link set dev "$2" master "$1"
ip addr add "$4" dev "$1"
"""

_PART_BRIDGE_SCRIPT = """\
if [ -e "/sys/class/net/$2/brport" ]; then ip link set dev "$2" nomaster; fi
if [ -e "/sys/class/net/$1" ]; then ip addr del "$4" dev "$1" 2> /dev/null; fi
exit 0
"""

_STANDING_SCRIPT = '[ -e "/sys/class/net/$1/brif/$2" ]'


@dataclass(frozen=True, slots=True)
class Bridging:
    """What a tunnel is joined with on one host.

    Attributes:
        bridge: The bridge.
        lan_port: The LAN port; the same as `bridge` where that was there before.
    """

    bridge: str
    lan_port: str

    def step(self, interface: str, inner: str) -> Step:
        """Return the step that joins them.

        Args:
            interface: The interface with the tunnel's frames.
            inner: Its address with prefix length.
        """
        is_new = self.bridge != self.lan_port
        join, part = (_JOIN_SCRIPT, _PART_SCRIPT) if is_new else (_JOIN_BRIDGE_SCRIPT, _PART_BRIDGE_SCRIPT)
        words = (self.bridge, interface, self.lan_port, inner)
        return Step(
            title=f"Join {interface} with the LAN port {self.lan_port}"
            + (f" in the bridge {self.bridge}" if is_new else ", which is a bridge already"),
            command=Command(shell_step_argv(join, *words), timeout_s=15.0, is_root=True),
            undo=Command(shell_step_argv(part, *words), timeout_s=15.0, is_root=True),
            standing=Command(shell_step_argv(_STANDING_SCRIPT, self.bridge, interface), timeout_s=5.0, is_root=True),
        )
