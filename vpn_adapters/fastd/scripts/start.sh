# Starts fastd. $1 its configuration, $2 its log, $3 whether it calls its peer: `calls`, or empty.
# The command returns when the daemon has its port and its interface, and says what is wrong otherwise. Its log remains
# the file that was its stderr. A call that came before the peer listened would be repeated 15 to 20 s later: USR2 makes
# the daemon call at once. Where there is a session already it is left alone, for a peer ignores a second handshake so soon.

# @include process.sh

has_session() { grep -q -F 'established using method' "$1"; }

umask 077
: > "$2"
fastd --daemon --config "$1" < /dev/null >> "$2" 2>&1 || { cat "$2" >&2; exit 1; }
n=0
while [ -n "$3" ] && [ "$n" -lt 40 ] && ! has_session "$2"; do
  n=$((n + 1))
  # BusyBox may know whole seconds only.
  sleep 0.1 2> /dev/null || { sleep 1 && n=$((n + 9)); }
  if [ "$((n % 10))" -eq 0 ] && ! has_session "$2"; then
    for process in $(fastd_processes "$1"); do kill -USR2 "$process"; done
  fi
done
