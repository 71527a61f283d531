# Makes the WireGuard interface. Arguments: NAME PORT KEY_FILE PEER_KEY PEER_CARRIER PEER KEEPALIVE CARRIER MTU PSK_FILE
# WAITS; PSK_FILE and WAITS may be empty.
# The peer's host route comes with the address. The MTU leaves room for a whole LAN frame in L2TPv3, so that each frame
# is one WireGuard packet, and only that one is fragmented outside: measured a third faster than two packets.
# A pre-shared key must be whole: from an empty file, wg takes none at all.
# Handshakes that both peers begin within a round trip fail on both, and again 5 s later: so the host that WAITS leaves
# the first one to a peer that is far away, for 2 s.

set -e
name=$1 port=$2 peer_key=$4 peer=$6 keepalive=$7
# set_endpoint: gives the peer's address; from then on this host begins handshakes as well.
set_endpoint() { wg set "$name" peer "$peer_key" endpoint "$peer:$port" persistent-keepalive "$keepalive"; }
[ -z "${10}" ] || [ "$(wc -c < "${10}")" -eq 45 ]
modprobe wireguard 2>/dev/null || :
ip link add dev "$name" type wireguard
wg set "$name" listen-port "$port" private-key "$3" peer "$peer_key" ${10:+preshared-key "${10}"} allowed-ips "$5/32"
[ -n "${11}" ] || set_endpoint
ip addr add "$8" peer "$5/32" dev "$name"
ip link set dev "$name" mtu "$9" up
[ -n "${11}" ] || exit 0
rtt_ms=$(ping -n -c 1 -W 2 "$peer" 2>/dev/null | sed -n 's/.* time=\([0-9]\{1,\}\).*/\1/p')
waited=0
[ "${rtt_ms:-0}" -ge 50 ] || waited=20
until [ "$waited" -ge 20 ] || wg show "$name" latest-handshakes | grep -q '[1-9][0-9]*$'; do
    sleep 0.1 2>/dev/null || { sleep 1; waited=$((waited + 9)); }
    waited=$((waited + 1))
done
set_endpoint
