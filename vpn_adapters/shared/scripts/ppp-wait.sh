# Waits until PPP has given this host its address $7, which comes when the other host has called or answered.

n=0
until ip -o addr show 2> /dev/null | grep -q -F "inet $7 peer "; do
  n=$((n + 1))
  if [ "$n" -gt 80 ]; then echo "PPP has no address $7 yet" >&2; exit 1; fi
  # BusyBox may know whole seconds only.
  sleep 0.25 2> /dev/null || { sleep 1 && n=$((n + 3)); }
done
