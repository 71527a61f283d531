# Starts a client in each namespace, which waits for its first attempt. Arguments: CONFIG PREFIX COUNT FOLDER.

set -e
n=1
while [ "$n" -le "$3" ]; do
  ip netns exec "$2$n" openvpn --config "$1" --management "$4/client-$n.sock" unix --management-hold \
    --daemon tunnelmark-openvpn --log "$4/client-$n.log"
  n=$((n + 1))
done
for socket in $(seq -f "$4/client-%g.sock" 1 "$3"); do
  waited=0
  until [ -S "$socket" ]; do
    waited=$((waited + 1))
    if [ "$waited" -gt 100 ]; then echo "A client of OpenVPN did not start." >&2; exit 1; fi
    sleep 0.1 2>/dev/null || sleep 1
  done
done
