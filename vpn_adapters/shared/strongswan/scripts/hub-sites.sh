# Gives the hub its address inside, and lets clients reach each other through it. Arguments: FOLDER INTERFACE ADDRESS MTU CLIENT; ADDRESS
# with prefix length. What the interface towards CLIENT had for a setting is kept in FOLDER.

set -e
if [ -e "/sys/class/net/$2" ]; then echo "An interface named $2 is already there." >&2; exit 1; fi
device=$(ip -o route get "$5" | sed -n 's/.* dev \([^ ]*\).*/\1/p')
old=$(cat "/proc/sys/net/ipv4/conf/$device/forwarding")
printf '%s %s\n' "$device" "$old" > "$1/hub-forwarding"
ip link add "$2" type bridge stp_state 0 forward_delay 0
ip addr add "$3" dev "$2"
ip link set dev "$2" mtu "$4" up
# What ESP carried comes in there, like all else that arrives on it, which is forwarded too as long as the hub is up.
echo 1 > "/proc/sys/net/ipv4/conf/$device/forwarding"
