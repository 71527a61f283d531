# Captures on the underlay, on the default route's interface and on the tunnel's, until it is ended.
# $1 limit, $2 folder, $3 underlay address, $4 filter there, $5 filter on the interface of the default route, $6 the
# tunnel's interface (or empty), $7 filter there (or empty), $8 bytes of each frame, $9 packets.
# Without --immediate-mode and -U a short capture is empty: the kernel hands packets on by the block.
# A shell opens the file: tcpdump itself gives up root's rights before it would, and AppArmor minds its name. Each has a
# file for its words: it writes a line in pieces, and those of several in one pipe are mixed up.

# @include ../probes/guard-head.sh
# @include device-of.sh
folder=$1 address=$2 filter=$3 other_filter=$4 tunnel=$5 tunnel_filter=$6 bytes=$7 packets=$8
umask 077
device=$(device_of "$address")
[ -n "$device" ] || { echo "#none $address"; leave 0; }
other=$(ip -4 route show default 2>/dev/null | while read -r line; do
    name=${line##* dev }; name=${name%% *}
    [ "$name" != "$device" ] && [ "$name" != "$tunnel" ] && { echo "$name"; break; }
done)
capture() {
    # One that was broken off may still write to the file of that name.
    rm -f "$folder/wire-$1.pcap" "$folder/wire-$1.err"
    tcpdump -n -p --immediate-mode -U -s "$bytes" -c "$packets" -i "$2" -w - "$3" >"$folder/wire-$1.pcap" \
        2>"$folder/wire-$1.err" &
    child="$child $!"
    eval "pid_$1=$!"
    echo "#capture $1 $! $2"
}
capture underlay "$device" "$filter"
[ -z "$other" ] || capture other "$other" "$other_filter"
[ -z "$tunnel_filter" ] || [ -z "$tunnel" ] || capture tunnel "$tunnel" "$tunnel_filter"
echo "#all"
for label in underlay other tunnel; do
    eval "pid=\${pid_$label:-}"
    tries=0
    while [ -n "$pid" ] && [ "$tries" -lt 300 ]; do
        is_listening=
        while read -r line; do
            case $line in *"listening on"*) is_listening=yes ;; esac
        done <"$folder/wire-$label.err"
        [ -z "$is_listening" ] || { echo "#listening $label"; break; }
        kill -0 "$pid" 2>/dev/null || break
        tries=$((tries + 1))
        sleep 0.05 2>/dev/null || sleep 1
    done
done
wait $child
child=
for label in underlay other tunnel; do
    [ ! -e "$folder/wire-$label.err" ] || grep -v "listening on" "$folder/wire-$label.err" | head -n 10
    rm -f "$folder/wire-$label.err"
done
# @include ../probes/guard-tail.sh
