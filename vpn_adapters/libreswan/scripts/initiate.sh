# Loads the connection and negotiates. $1: the tunnel's own folder; $2: for how many seconds to try.
# The peer may not be ready yet: then it does not answer, or does not know us. Where both have agreed on IKE, a refused
# child means that the suite does not work. Attempts have a deadline each, because whack waits until the connection is up or ended.

# @include load.sh
log=$folder/initiate.log
read -r now rest < /proc/uptime
until=$((${now%.*} + $2))
while :; do
  : > "$log"
  "$programs/whack" --ctlsocket "$folder/pluto/pluto.ctl" --name tunnelmark --initiate < /dev/null > "$log" 2>&1 &
  read -r now rest < /proc/uptime
  late=$((${now%.*} + 6))
  until grep -q -e 'established Child SA' -e 'rejected Child SA' -e 'fatal error' "$log"; do
    read -r now rest < /proc/uptime
    [ "${now%.*}" -lt "$late" ] || break
    sleep 0.1 2> /dev/null || sleep 1
  done
  if grep -q 'established Child SA' "$log"; then exit 0; fi
  ask --name tunnelmark --terminate > /dev/null 2>&1
  if grep -q 'rejected Child SA' "$log" || [ "${now%.*}" -ge "$until" ]; then break; fi
  sleep 0.1 2> /dev/null || sleep 1
done
tail -n 4 "$log" >&2
exit 1
