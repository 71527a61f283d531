# One quick test of a tunnel: echo requests, a capture, latency by size, a second of TCP.
# First a capture on the underlay's card, ready before anything is sent; it ends with us, whatever else runs. A shell
# opens the file, because tcpdump gives up root's rights before it would. The control goes over the bare underlay: a
# capture that does not show it proves nothing. It comes last, so that with it everything before it is in the file.

# @include guard-head.sh
folder=$1 address=$2 filter=$3 underlay=$4 destination=$5 source=$6 control=$7 mark=$8 payload=$9
shift 9
count=$1 echo_limit=$2 size_count=$3 size_limit=$4 sizes=$5 bytes=$6 packets=$7 port=$8 seconds=$9
shift 9
end=$1; shift
umask 077
dump=
run() {
    label=$1; shift
    "$@" 2>&1 &
    one=$!
    child="$dump $one"
    echo "@start $label $one"
    wait "$one"
    status=$?
    child=$dump
    echo "@exit $label $status"
}
device=$(ip -o -4 addr show 2>/dev/null | while read -r _ name _ with _; do
    [ "${with%%/*}" = "$address" ] && { echo "$name"; break; }
done)
: >"$folder/quick.err"
if [ -n "$device" ]; then
    tcpdump -n -p --immediate-mode -U -s "$bytes" -c "$packets" -i "$device" -w - "$filter" \
        >"$folder/quick.pcap" 2>"$folder/quick.err" &
    dump=$!
    child=$dump
    tries=0
    until grep -q "listening on" "$folder/quick.err" || [ "$tries" -ge 400 ]; do
        kill -0 "$dump" 2>/dev/null || break
        tries=$((tries + 1))
        sleep 0.05 2>/dev/null || sleep 1
    done
fi
run echo ping -n -A -c "$count" -w "$echo_limit" -I "$source" -s "$payload" -p "$mark" "$destination"
answered=$status
run control ping -n -q -A -c 2 -w 1 -s "$payload" -p "$control" "$underlay"
if [ -n "$device" ]; then
    tries=0
    until grep -q -a -F -e "$end" "$folder/quick.pcap" || [ "$tries" -ge 30 ]; do
        kill -0 "$dump" 2>/dev/null || break
        tries=$((tries + 1))
        sleep 0.1 2>/dev/null || sleep 1
    done
    kill -INT "$dump" 2>/dev/null
    wait "$dump"
    dump='' child=''
    echo "#pcap"
    od -An -v -tx1 "$folder/quick.pcap"
    echo "#end"
    grep -v -e "listening on" -e "^[0-9]* packets " -e "verbose output" "$folder/quick.err" | head -n 5
    rm -f "$folder/quick.pcap" "$folder/quick.err"
fi
if [ "$answered" -eq 0 ]; then
    for size in $sizes; do
        run "size-$size" ping -n -A -M 'do' -c "$size_count" -w "$size_limit" -I "$source" -s "$size" "$destination"
    done
    tries=0
    while [ "$seconds" -gt 0 ]; do
        run tcp iperf3 -c "$destination" -B "$source" -p "$port" -t "$seconds" -i 0 -f k --connect-timeout 3000 "$@"
        [ "$status" -ne 0 ] && [ "$tries" -lt 10 ] || break
        tries=$((tries + 1))
        sleep 0.1 2>/dev/null || sleep 1
    done
fi
# @include guard-tail.sh
