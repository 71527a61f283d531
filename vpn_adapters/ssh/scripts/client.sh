# Starts the client. $1 configuration, $2 log, $3 pipe, $4 file for the process id, $5 host.
# The client's input is a pipe that nobody writes to and that never ends. A server that does not listen yet is asked
# again soon; whatever else ends the client is said in its own words.

umask 077
[ -p "$3" ] || mkfifo "$3" || exit 1
tries=0
while :; do
  : > "$2"
  setsid ssh -F "$1" -E "$2" "$5" <> "$3" > /dev/null 2>> "$2" &
  process=$!
  echo "$process" > "$4"
  while kill -0 "$process" 2>/dev/null; do
    if grep -q -F 'tunnel forward established' "$2"; then exit 0; fi
    sleep 0.05 2>/dev/null || sleep 1
  done
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ] || ! grep -q -F 'Connection refused' "$2"; then tail -n 8 "$2" >&2; exit 1; fi
  sleep 0.1 2>/dev/null || sleep 1
done
