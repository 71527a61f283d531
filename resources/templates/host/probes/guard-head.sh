# Beginning of a guarded script. $1 is its limit in seconds; `run LABEL PROGRAM ARGUMENT...` runs one program.
# A script that starts programs in another way keeps their process ids in `child`, separated by spaces, and ends early
# by `leave STATUS`, never by `exit`: what it runs ends with it. Not by end_processes: `wait` knows when children have ended.

limit=$1; shift
child=
leave() {
    trap '' TERM HUP INT PIPE
    kill "$watch" 2>/dev/null
    for one in $child; do kill "$one" 2>/dev/null; done
    wait
    exit "$1"
}
stop() { leave 143; }
main=$$
( trap '' PIPE
  passed=0
  while [ "$passed" -lt "$limit" ]; do
      # shellcheck disable=SC2217 # must not hold the channel
      sleep 2 </dev/null >/dev/null 2>&1
      passed=$((passed + 2))
      echo "@alive $passed" || break
  done
  [ "$passed" -lt "$limit" ] || echo "@limit $limit"
  kill -TERM "$main" ) </dev/null 2>/dev/null &
watch=$!
trap stop TERM HUP INT PIPE
run() {
    label=$1; shift
    # The process itself says that it starts, before it becomes the program: a ping over a fast link has ended before
    # this shell, on a busy host, writes its next line.
    sh -c 'echo "@start $0 $$"; exec "$@"' "$label" "$@" 2>&1 &
    child=$!
    wait "$child"
    status=$?
    child=
    echo "@exit $label $status"
}
