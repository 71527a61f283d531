# Removes the clients of a hub with what runs in them. Arguments: BRIDGE NOTES. Nothing is done where none were made.

# @include ../end-processes.sh
bridge=$1 notes=$2
[ -d "$notes" ] || exit 0
status=0
prefix='' count=0
[ ! -e "$notes/clients" ] || read -r prefix count < "$notes/clients"
names=
n=1
while [ "$n" -le "$count" ]; do
  names="$names $prefix$n"
  n=$((n + 1))
done
# What still runs there would keep a namespace; so would what was started there meanwhile.
for signal in TERM KILL; do
  pids=
  for name in $names; do pids="$pids $(ip netns pids "$name" 2>/dev/null)"; done
  # shellcheck disable=SC2086 # one number a word
  end_processes "$signal" 40 $pids
done
if [ -e "$notes/forwarding" ]; then
  read -r device old < "$notes/forwarding"
  [ ! -e "/proc/sys/net/ipv4/conf/$device" ] || echo "$old" > "/proc/sys/net/ipv4/conf/$device/forwarding" || status=1
fi
for name in $names; do
  [ ! -e "/sys/class/net/$name" ] || ip link del "$name" || status=1
  [ ! -e "/run/netns/$name" ] || ip netns del "$name" || status=1
done
[ ! -e "/sys/class/net/$bridge" ] || ip link del "$bridge" || status=1
if [ "$status" -eq 0 ]; then rm -rf "$notes"; fi
exit "$status"
