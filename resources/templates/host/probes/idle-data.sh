# Captures the headers of a tunnel's packets while it is idle. Lines are kept
# until the capture has ended, as they may cross the same network.
# `@end` says how many seconds it took: it ends early where the interface goes.
# $1 limit, $2 seconds before it counts, $3 seconds, $4 this host's underlay address, $5 filter

# @include guard-head.sh
# @include ../capture/device-of.sh
# @include kept-output.sh
# Whole seconds since the host has started. Source: proc_uptime(5).
uptime_s() { read -r up _ < /proc/uptime; echo "${up%%.*}"; }
settle=$1 seconds=$2 own=$3 filter=$4
device=$(device_of "$own")
[ -n "$device" ] || { echo "#none $own"; leave 0; }
sleep "$settle" &
child=$!
wait "$child"
begin=$(uptime_s)
timeout -s INT "$seconds" tcpdump -n -p -e -q -t -s 96 -i "$device" "$filter" </dev/null >&4 2>&1 &
child=$!
wait "$child"
child=
took=$(($(uptime_s) - begin))
print_kept
echo "@end $took"
# @include guard-tail.sh
