# Bridges the tunnel's interface with an interface of this gateway that is up, behind which a node is a machine of its
# own. Arguments: INTERFACE BRIDGE TUNNEL_INTERFACE INNER MTU NOTES; the gateway's own address INNER moves to the
# bridge.

set -e
# @include bridge.sh
# @include gro.sh
# @include link.sh
if [ -e "/sys/class/net/$2" ]; then echo "An interface named $2 is already there." >&2; exit 1; fi
if [ -n "$(ip -o addr show dev "$1" scope global)" ]; then
  echo "$1 has addresses, by which nothing could reach this host once it is in a bridge." >&2
  exit 1
fi
[ -d "${6%/*}" ] || mkdir -m 700 "${6%/*}" 2>/dev/null || [ -d "${6%/*}" ]
mkdir -m 700 "$6"
keep_link "$1" "$6"
gro "$1" > "$6/gro"
gro "$1" 0
ip link set "$1" mtu "$5"
make_bridge "$2" "$3" "$1" "$4" "$6"
