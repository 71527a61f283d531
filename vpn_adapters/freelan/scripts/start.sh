# Starts freelan. $1 its configuration, $2 its log.
# freelan in the foreground, since as a daemon it has no log but the system's. The step ends when the process has its
# name, by which it is found when it has to be stopped.
#
# One thread: with more of them, freelan now and then drops its peer's certificate at the start, and greets again 30 s
# later. Seen with two threads in 6 of 79 starts, and with one in none of 40.

umask 077
: > "$2"
setsid freelan -f --nocolor --threads 1 -c "$1" >> "$2" 2>&1 < /dev/null &
n=0
while { read -r name < "/proc/$!/comm"; } 2>/dev/null && [ "$name" != freelan ]; do
  n=$((n + 1))
  if [ "$n" -gt 100 ]; then echo "freelan does not start" >&2; exit 1; fi
  sleep 0.02 2>/dev/null || sleep 1
done
