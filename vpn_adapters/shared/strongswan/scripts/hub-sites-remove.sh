# Removes the hub's address inside, and restores what its interface had for a setting. Arguments: FOLDER INTERFACE NETWORK; a restart
# of the hub that was killed may have left a rule for NETWORK.

while ip rule delete to "$3" priority 90 blackhole 2> /dev/null; do :; done
[ -s "$1/hub-forwarding" ] || exit 0
read -r device old < "$1/hub-forwarding"
if [ -e "/proc/sys/net/ipv4/conf/$device/forwarding" ]; then
  echo "$old" > "/proc/sys/net/ipv4/conf/$device/forwarding"
fi
if [ -e "/sys/class/net/$2" ]; then ip link delete "$2" || exit 1; fi
rm -f "$1/hub-forwarding"
