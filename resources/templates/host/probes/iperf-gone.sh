# $1... process ids: ends those that are still iperf3, and says which are left.

tries=0
while [ "$tries" -lt 6 ]; do
    left=
    for pid in "$@"; do
        read -r name </proc/"$pid"/comm 2>/dev/null || continue
        [ "$name" = iperf3 ] || continue
        left="$left $pid"
        if [ "$tries" -lt 2 ]; then kill "$pid"; else kill -KILL "$pid"; fi 2>/dev/null
    done
    [ -z "$left" ] && exit 0
    tries=$((tries + 1))
    sleep 1
done
echo "$left"
exit 1
