# Pings with every frame size, one after another. What ping prints is kept in a file without a name, and printed between
# two pings, not more often than every 1.5 s: a channel that carries lines while this host pings costs a small host a
# quarter of its speed.
# $1 limit, $2 payload sizes, $3 destination, $4 warm-up requests, $5 warm-up limit, $6 requests, $7... ping and options

# @include guard-head.sh
# @include fragments.sh
# @include kept-output.sh
sizes=$1 destination=$2 warm=$3 warm_limit=$4 count=$5; shift 5
if [ "$1" = busybox-ping ]; then
    shift
    case $(ping --help 2>&1) in
        *" -A"*|*"	-A"*) set -- ping -A "$@" ;;
        *) set -- ping -i 0.01 "$@"; echo "#interval" ;;
    esac
fi

# clock: sets now to the uptime in hundredths of a second.
clock() {
    read -r now rest </proc/uptime
    now=${now%.*}${now#*.}
}

# kept PING...: runs it; its output goes into the file.
kept() {
    "$@" </dev/null >&4 2>&1 &
    child=$!
    wait "$child"
    status=$?
    child=
}

# inspect_window: what a window came to of which replies are missing: sets number to the requests that were really sent, and
# counts windows without any reply in failures.
inspect_window() {
    said=$(print_kept)
    flushed=$now
    printf '%s\n' "$said"
    case $said in *" bytes from "*) failures=0 ;; *) failures=$((failures + 1)) ;; esac
    sent=${said% packets transmitted*}
    sent=${sent##*[!0-9]}
    if [ -n "$sent" ] && [ "$sent" -lt "$number" ]; then number=$sent; fi
    if [ "$number" -lt 1 ]; then number=1; fi
    if [ "$window" -gt 20 ]; then window=$((window / 2)); fi
}

clock; before=$now
run warm-up "$@" -c "$warm" -w "$warm_limit" -s 18 "$destination"
clock; took=$((now - before + 1))
# As many requests as take about 1.5 s, so that samples are seen in time.
window=$((150 * warm / took))
[ "$window" -ge 10 ] || window=10
[ "$window" -le 1000 ] || window=1000
count_fragments; echo "#fragments $fragments"
flushed=$now
for size in $sizes; do
    first=0 failures=0
    while [ "$first" -lt "$count" ]; do
        number=$window
        [ "$number" -le "$((count - first))" ] || number=$((count - first))
        echo "@window $size $first $number" >&4
        clock; before=$now
        # A lost request makes ping send one more and wait a second, so its time is limited.
        kept "$@" -c "$number" -w "$((5 + 3 * number * took / warm / 100 + number / 50))" -s "$size" "$destination"
        echo "@exit $size $status" >&4
        clock
        if [ "$status" -ne 0 ]; then
            inspect_window
            # Two windows in a row without a reply: this size does not cross (any more).
            [ "$failures" -lt 2 ] || break
        else
            # A warm-up that was disturbed says too little of how long requests take.
            if [ "$((now - before))" -lt 75 ] && [ "$window" -lt 1000 ]; then window=$((window * 2)); fi
            if [ "$((now - flushed))" -ge 150 ]; then
                print_kept
                flushed=$now
            fi
        fi
        first=$((first + number))
    done
    echo "@size $size $first" >&4
done
print_kept
count_fragments; echo "#fragments $fragments"
# @include guard-tail.sh
