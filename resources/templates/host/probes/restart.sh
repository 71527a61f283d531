# Pings a peer until ping is ended, and prints its output then. Meanwhile only the number of replies is printed, twice a
# second. $1 limit, $2 peer, $3... ping and its options

# @include guard-head.sh
# @include kept-output.sh
# @include pause.sh
# @include neighbour.sh
# clock: the time of day and the uptime, in seconds.
clock() {
    read -r uptime rest </proc/uptime
    echo "@clock $(date +%s) ${uptime%.*}"
}

peer=$1; shift
clock
"$@" "$peer" </dev/null >&4 2>&1 &
child=$!
echo "@ping $child"
rounds=0
while kill -0 "$child" 2>/dev/null; do
    pause 0.1
    forget "$peer"
    rounds=$((rounds + 1))
    if [ "$((rounds % 5))" -eq 0 ]; then echo "@replies $(grep -c ' bytes from ' "/proc/$$/fd/4")"; fi
done
wait "$child"
child=
clock
echo "@output"
print_kept
echo "@end"
# @include guard-tail.sh
