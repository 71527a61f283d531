# CPU time before and after half a second, and the shaping of the underlay's interface.
# $1 underlay address.

stat() { read -r line </proc/stat; read -r uptime rest </proc/uptime; echo "$uptime - $line"; }
stat
device=$(ip -o addr show 2>/dev/null | while read -r _ name _ address _; do
    [ "${address%%/*}" = "$1" ] && { echo "$name"; break; }
done)
echo "device $device"
[ -n "$device" ] && tc qdisc show dev "$device" 2>/dev/null
sleep 0.5 2>/dev/null || sleep 1
stat
