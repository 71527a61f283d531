# Removes the clients' interfaces. Arguments: INTERFACE PREFIX COUNT.

status=0
n=1
while [ "$n" -le "$3" ]; do
  if ip -n "$2$n" link show dev "$1" >/dev/null 2>&1; then ip -n "$2$n" link del dev "$1" || status=1; fi
  n=$((n + 1))
done
exit "$status"
