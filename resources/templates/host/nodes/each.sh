# Runs a program of Perl in each client's namespace. Arguments: LIMIT PREFIX COUNT PROGRAM WORD...; LIMIT is in seconds. PROGRAM gets the
# client's number, their count, and when it is to begin, in seconds since the host was started, before the words.

# @include ../probes/guard-head.sh
prefix=$1 count=$2 program=$3
shift 3
read -r now _ < /proc/uptime
# Time for all of them to start, on a slow host too.
begin=$((${now%%.*} + 3 + count / 4))
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
# @include ../probes/guard-tail.sh
