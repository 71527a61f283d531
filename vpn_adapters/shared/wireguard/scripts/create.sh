# Makes the WireGuard interface. Arguments: NAME PORT KEY_FILE PEER_KEY PEER_CARRIER PEER KEEPALIVE CARRIER MTU PSK_FILE
# WAITS; PSK_FILE and WAITS may be empty.
# The peer's host route comes with the address. The MTU leaves room for a whole LAN frame in L2TPv3, so that each frame
# is one WireGuard packet, and only that one is fragmented outside: measured a third faster than two packets.
# A pre-shared key must be whole: from an empty file, wg takes none at all.
# Handshakes that both peers begin within a round trip fail on both, and again 5 s later: so the host that WAITS leaves
# the first one to a peer that is far away, for 2 s.

set -e
[ -z "${10}" ] || [ "$(wc -c < "${10}")" -eq 45 ]
modprobe wireguard 2>/dev/null || :
rtt_ms=
[ -z "${11}" ] || rtt_ms=$(ping -n -c 1 -W 2 "$6" 2>/dev/null | sed -n 's/.* time=\([0-9]\{1,\}\).*/\1/p')
ip link add dev "$1" type wireguard
wg set "$1" listen-port "$2" private-key "$3" peer "$4" ${10:+preshared-key "${10}"} allowed-ips "$5/32"
[ "${rtt_ms:-0}" -ge 50 ] || wg set "$1" peer "$4" endpoint "$6:$2" persistent-keepalive "$7"
ip addr add "$8" peer "$5/32" dev "$1"
ip link set dev "$1" mtu "$9" up
[ "${rtt_ms:-0}" -ge 50 ] || exit 0
waited=0
until [ "$waited" -eq 20 ] || wg show "$1" latest-handshakes | grep -q '[1-9][0-9]*$'; do
    sleep 0.1
    waited=$((waited + 1))
done
wg set "$1" peer "$4" endpoint "$6:$2" persistent-keepalive "$7"
