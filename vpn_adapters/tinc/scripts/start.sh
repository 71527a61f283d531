# Starts tincd. $1 folder, $2 file for the process id, $3 log, $4 level of logging, $5 node that it calls, or empty.
# What is wrong with a cipher's name, tinc finds only when it has gone to the background already. Who calls ($5: whom)
# may have called before the other end listened: then it is told to try again now, and not in a second.
# Source: tincd(8), SIGALRM.

umask 077
: > "$3"
tincd -c "$1" --pidfile="$2" --logfile="$3" -d"$4" < /dev/null > /dev/null 2>> "$3" || { cat "$3" >&2; exit 1; }
n=0
until grep -q -w Ready "$3"; do
  n=$((n + 1))
  if [ "$n" -gt 150 ] || grep -q -w Terminating "$3"; then cat "$3" >&2; exit 1; fi
  sleep 0.05 2>/dev/null || sleep 1
done
n=0
while [ -n "$5" ] && [ "$n" -lt 10 ] && ! grep -q -e "Connection with $5 .*activated" "$3"; do
  n=$((n + 1))
  if tail -n 2 "$3" | grep -q -w re-establish; then kill -ALRM "$(cat "$2")"; fi
  sleep 0.1 2>/dev/null || break
done
