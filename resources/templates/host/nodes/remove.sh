# Removes a node with what runs in it, and what was made for it on this host. Arguments: NAME NOTES. Nothing is done where
# none was made.

# @include ../end-processes.sh
# @include unforward.sh
name=$1 notes=$2
[ -d "$notes" ] || exit 0
status=0
# What still runs there would keep the namespace; so would what was started there meanwhile.
for signal in TERM KILL; do
  # shellcheck disable=SC2046 # one number a word
  end_processes "$signal" 40 $(ip netns pids "$name" 2>/dev/null)
done
unforward "$notes"
[ ! -e "/sys/class/net/$name" ] || ip link del "$name" || status=1
[ ! -e "/run/netns/$name" ] || ip netns del "$name" || status=1
if [ "$status" -eq 0 ]; then rm -rf "$notes"; fi
exit "$status"
