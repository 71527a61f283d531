# Removes a node with what runs in it, and what was made for it on this host. Arguments: NAME NOTES. Nothing is done where
# none was made.

# @include ../end-processes.sh
name=$1 notes=$2
[ -d "$notes" ] || exit 0
status=0
# What still runs there would keep the namespace; so would what was started there meanwhile.
for signal in TERM KILL; do
  # shellcheck disable=SC2046 # one number a word
  end_processes "$signal" 40 $(ip netns pids "$name" 2>/dev/null)
done
if [ -e "$notes/route" ]; then
  read -r route < "$notes/route"
  ip route del "$route" 2>/dev/null
fi
if [ -e "$notes/forwarding" ]; then
  read -r device old < "$notes/forwarding"
  [ ! -e "/proc/sys/net/ipv4/conf/$device" ] || echo "$old" > "/proc/sys/net/ipv4/conf/$device/forwarding" || status=1
fi
if [ -e "$notes/bridge" ]; then
  read -r bridge < "$notes/bridge"
  [ ! -e "/sys/class/net/$bridge" ] || ip link del "$bridge" || status=1
fi
[ ! -e "/sys/class/net/$name" ] || ip link del "$name" || status=1
[ ! -e "/run/netns/$name" ] || ip netns del "$name" || status=1
if [ "$status" -eq 0 ]; then rm -rf "$notes"; fi
exit "$status"
