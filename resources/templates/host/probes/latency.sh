# Pings with every frame size in turn. What ping prints is kept in a file without a name, and printed between
# two pings, not more often than every 1.5 s: a channel that carries lines while this host pings costs a small host a
# quarter of its speed.
# About every 6 s, a pause of a tenth of a second is announced: then the hosts' counters can be read.
# $1 limit, $2 payload sizes, $3 destination, $4 requests of one run of the warm-up, $5 seconds after which a run ends,
# $6 seconds after which no further run begins, $7 requests, $8 µs between two of them (0: each waits for the reply to the
# one before), $9... ping and options

# @include guard-head.sh
# @include fragments.sh
# @include kept-output.sh
# @include pause.sh
sizes=$1 destination=$2 warm=$3 warm_limit=$4 warm_s=$5 count=$6 apart=$7; shift 7
# So many µs a request takes at least: a window has 5000 requests at most.
least=300
# @include busybox-ping.sh
if [ -n "$is_apart" ]; then least=10000; echo "#interval"; fi

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
    summary=$(print_kept)
    flushed=$now
    printf '%s\n' "$summary"
    case $summary in *" bytes from "*) failures=0 ;; *) failures=$((failures + 1)) ;; esac
    sent=${summary% packets transmitted*}
    sent=${sent##*[!0-9]}
    if [ -n "$sent" ] && [ "$sent" -lt "$number" ]; then number=$sent; fi
    if [ "$number" -lt 1 ]; then number=1; fi
    if [ "$window" -gt 20 ]; then window=$((window / 2)); fi
}

# inspect_warm_up: sets steady to 1 where the median of the second half of the replies is not more than 5 % faster than
# that of the first, rtt to the former and before to the latter in µs. Noise that makes the second half slower is no cold start.
inspect_warm_up() {
    medians=$(awk '
        function median(from, to,   i, j, one) {
            for (i = from + 1; i <= to; i++) {
                one = rtt[i]
                for (j = i - 1; j >= from && rtt[j] > one; j--) rtt[j + 1] = rtt[j]
                rtt[j + 1] = one
            }
            return rtt[int((from + to) / 2)]
        }
        / time=/ { sub(/.* time=/, ""); rtt[++n] = $1 + 0 }
        END {
            if (n < 2) { print 0, 0, 0; exit }
            half = int(n / 2)
            first = median(1, half)
            last = median(half + 1, n)
            print (first <= 1.05 * last), int(1000 * last), int(1000 * first)
        }' "/proc/$$/fd/4")
    [ -n "$medians" ] || medians='0 0 0'
    steady=${medians%% *} before=${medians##* }
    rtt=${medians#* }; rtt=${rtt% *}
}

# The warm-up: ARP, caches, the first wake-up of both hosts.
clock; began=$now runs=0
while :; do
    runs=$((runs + 1))
    : >"/proc/$$/fd/4"
    echo "@start warm-up $$" >&4
    kept "$@" -c "$warm" -w "$warm_limit" -s 18 "$destination"
    echo "@exit warm-up $status" >&4
    inspect_warm_up
    # Without two replies nothing is known: what ping reported tells why.
    if [ "$rtt" -eq 0 ]; then rtt=100000; print_kept; break; fi
    [ "$steady" -eq 0 ] || break
    clock
    if [ "$((now - began))" -ge "$((100 * warm_s))" ]; then echo "#unsteady"; break; fi
done
: >"/proc/$$/fd/4"
echo "#warm-up $before $rtt"
echo "#requests $((runs * warm))"
# As many requests as take about 1.5 s, so that samples are seen in time.
[ "$rtt" -ge "$least" ] || rtt=$least
[ "$apart" -eq 0 ] || rtt=$apart
window=$((1500000 / rtt))
[ "$window" -ge 10 ] || window=10
count_fragments; echo "#fragments $fragments"
clock; flushed=$now paused=$now
for size in $sizes; do
    first=0 failures=0
    while [ "$first" -lt "$count" ]; do
        number=$window
        [ "$number" -le "$((count - first))" ] || number=$((count - first))
        echo "@window $size $first $number" >&4
        clock; before=$now
        # A lost request makes ping send one more and wait a second, so its time is limited.
        kept "$@" -c "$number" -w "$((5 + 3 * (number * rtt / 1000000) + number / 50))" -s "$size" "$destination"
        echo "@exit $size $status" >&4
        clock
        if [ "$status" -ne 0 ]; then
            inspect_window
            # Two windows in a row without a reply: this size does not cross (any more).
            [ "$failures" -lt 2 ] || break
        else
            # A warm-up that was disturbed says too little of how long requests take.
            if [ "$((now - before))" -lt 75 ] && [ "$number" -eq "$window" ] && [ "$window" -lt 5000 ]; then
                window=$((window * 2))
            fi
            if [ "$((now - flushed))" -ge 150 ]; then print_kept; flushed=$now; fi
            if [ "$((now - paused))" -ge 600 ]; then echo "@pause"; pause 0.1; paused=$now; fi
        fi
        first=$((first + number))
    done
    echo "@size $size $first" >&4
done
print_kept
count_fragments; echo "#fragments $fragments"
# @include guard-tail.sh
