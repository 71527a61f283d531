# Captures what the tunnel sends for two runs of echo requests.
# $1 limit, $2 folder, $3 interface, $4 filter, $5 peer's underlay address, $6 peer's address inside, $7 own address
# inside, $8 payload, $9 bytes of each frame; then: packets, echoes, first and second mark, beginning of separators.

# @include ../probes/guard-head.sh
folder=$1 device=$2 filter=$3 underlay=$4 destination=$5 source=$6 payload=$7 bytes=$8
shift 8
packets=$1 echoes=$2 first=$3 second=$4 separators=$5 end=$6
umask 077
file=$folder/copy.pcap errors=$folder/copy.err
trap 'rm -f "$file" "$errors"' EXIT
tcpdump -n -p --immediate-mode -U -s "$bytes" -c "$packets" -i "$device" -w - "$filter" >"$file" 2>"$errors" &
tcpdump=$! child=$!
tries=0
until grep -q "listening on" "$errors"; do
    tries=$((tries + 1))
    if [ "$tries" -ge 300 ] || ! kill -0 "$tcpdump" 2>/dev/null; then cat "$errors" >&2; leave 1; fi
    sleep 0.05 2>/dev/null || sleep 1
done
linger=1
ping -n -q -c 1 -W 0.3 127.0.0.1 >/dev/null 2>&1 && linger=0.3
part() { ping -n -q -c 1 -w 1 -s "$payload" -p "$separators$1" "$underlay" >/dev/null 2>&1; }
send() { ping -n -q -c "$echoes" -i 0.05 -W "$linger" -I "$source" -s "$payload" -p "$1" "$destination" 2>&1; }
# Answers to ARP are withheld, too: without them the kernel forgets the peer's address after some seconds.
know() {
    ip neigh show to "$destination" 2>/dev/null | while read -r address _ name _; do
        ip neigh change "$address" dev "$name" nud reachable 2>/dev/null
    done
}
part 30303173
know
send "$first"
part 30303273
know
send "$second"
part 30303373
tries=0
until grep -q -a -F -e "$end" "$file" || [ "$tries" -ge 100 ]; do
    tries=$((tries + 1))
    sleep 0.05 2>/dev/null || { tries=$((tries + 19)) && sleep 1; }
done
kill -INT "$tcpdump" 2>/dev/null
wait "$tcpdump"
child=
echo "#pcap"
od -An -v -tx1 "$file"
# @include ../probes/guard-tail.sh
