# Makes attempts from each client's namespace. Arguments: LIMIT PREFIX COUNT PROGRAM INTERFACE HUB PORT INSIDE FOLDER RATE
# SECONDS. LIMIT is in seconds.

# @include /probes/guard-head.sh
prefix=$1 count=$2 program=$3
shift 3
read -r now _ < /proc/uptime
begin=$((${now%%.*} + 2))
n=1
while [ "$n" -le "$count" ]; do
  ip netns exec "$prefix$n" perl "$program" "$n" "$count" "$begin" "$@" &
  child="$child $!"
  n=$((n + 1))
done
status=0
for one in $child; do wait "$one" || status=1; done
child=
[ "$status" -eq 0 ] || leave 1
# @include /probes/guard-tail.sh
