# Loads the connection and negotiates. $1: the tunnel's own folder; $2: for how many seconds to try.
# The peer may not be ready yet: then it does not answer, or does not know us. Where both have agreed on IKE, a refused
# child means that the suite does not work. Attempts have a deadline each, because swanctl waits without end.

# @include load.sh
read -r now rest < /proc/uptime
until=$((${now%.*} + $2))
while :; do
  if ask --initiate --child tunnelmark --timeout 8 > "$folder/swanctl.log" 2>&1; then exit 0; fi
  output=$(cat "$folder/swanctl.log")
  case $output in
    *"no CHILD_SA built"* | *"not supported by kernel"* | *"unable to install"*) break;;
    *"failed to establish CHILD_SA"*) break;;
  esac
  read -r now rest < /proc/uptime
  if [ "${now%.*}" -ge "$until" ]; then break; fi
  ask --terminate --ike tunnelmark --force --timeout 1 > /dev/null 2>&1
  sleep 0.1 2> /dev/null || sleep 1
done
printf '%s\n' "$output" >&2
grep -E 'no CHILD_SA built|not supported by kernel|unable to install|notify error' "$folder/swanctl.log" | tail -n 1 >&2
exit 1
