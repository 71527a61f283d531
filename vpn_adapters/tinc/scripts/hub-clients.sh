# Starts a daemon in each client's namespace, which does not call the hub yet. Arguments: FOLDER PREFIX COUNT LEVEL (of logging).
# On SIGHUP tinc ends the connection with a node whose file has changed since it was read; this file's time lies ahead of it for
# ever, so that each SIGHUP ends the connection with the hub. Source: tinc 1.0.36: src/net.c, main_loop.

set -e
umask 077
n=1
while [ "$n" -le "$3" ]; do
  own=$1/client-$n
  mkdir -p "$own/hosts"
  sed "s/^Name = .*/Name = tunnelmark_c$n/" "$1/client.conf" > "$own/tinc.conf"
  cp "$1/client.host" "$own/hosts/tunnelmark_c$n"
  cp "$1/hosts/tunnelmark_a" "$own/hosts/tunnelmark_a"
  touch -t 203701010000 "$own/hosts/tunnelmark_a"
  : > "$own/log"
  ip netns exec "$2$n" tincd -c "$own" --pidfile="$own/pid" --logfile="$own/log" -d"$4" < /dev/null > /dev/null 2>> "$own/log" ||
    { cat "$own/log" >&2; exit 1; }
  n=$((n + 1))
done
n=1
while [ "$n" -le "$3" ]; do
  waited=0
  until grep -q -w Ready "$1/client-$n/log"; do
    waited=$((waited + 1))
    if [ "$waited" -gt 100 ] || grep -q -w Terminating "$1/client-$n/log"; then
      echo "A client of tinc did not start." >&2
      tail -n 5 "$1/client-$n/log" >&2
      exit 1
    fi
    sleep 0.1 2> /dev/null || sleep 1
  done
  n=$((n + 1))
done
