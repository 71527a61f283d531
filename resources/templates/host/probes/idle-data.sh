# Captures the headers of what this host and another one exchange while the tunnel between them is idle. Lines are kept
# until the capture has ended, as they may cross the same network.
# $1 limit, $2 seconds before it counts, $3 seconds, $4 this host's underlay address, $5 the other's

# @include guard-head.sh
# @include ../capture/device-of.sh
# @include kept-output.sh
settle=$1 seconds=$2 own=$3 peer=$4
device=$(device_of "$own")
[ -n "$device" ] || { echo "#none $own"; leave 0; }
sleep "$settle" &
child=$!
wait "$child"
# MACsec and its key agreement have no addresses of IP. Source: IEEE 802.1AE-2018, table 9-1; IEEE 802.1X-2020, table 11-2.
timeout -s INT "$seconds" tcpdump -n -p -e -q -t -s 96 -i "$device" \
    "(ip and host $own and host $peer) or ether proto 0x88e5 or ether proto 0x888e" </dev/null >&4 2>&1 &
child=$!
wait "$child"
child=
print_kept
echo "@end"
# @include guard-tail.sh
