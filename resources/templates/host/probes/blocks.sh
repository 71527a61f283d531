# Pings several targets, a few requests of every frame size each. Everything ping says is kept in a file without a name
# until the last one has ended: nothing crosses the channel while echo requests run, but a sign of life every 2 seconds.
# $1 limit, $2 sizes as PAYLOAD:COUNT, $3 targets as DESTINATION or DESTINATION@SOURCE, $4... ping and its options

# @include guard-head.sh
sizes=$1 targets=$2; shift 2
# At a fixed pace ping ends two round trips after its last request, however many replies are missing.
paced=
case " $* " in *" -i "*) paced=1 ;; esac
# @include busybox-ping.sh

# @include kept-output.sh

# one DESTINATION SOURCE PAYLOAD COUNT PING...: a lost request makes ping send one more and wait a second, so its time is
# limited.
one() {
    to=$1 from=$2 payload=$3 count=$4; shift 4
    echo "@size $payload" >&4
    [ -z "$from" ] || set -- "$@" -I "$from"
    if [ -n "$paced" ]; then set -- "$@" -W 5; else set -- "$@" -w "$((count / 10 + 2))"; fi
    "$@" -c "$count" -s "$payload" "$to" </dev/null >&4 2>&1 &
    child=$!
    wait "$child"
    status=$?
    child=
    echo "@exit $status" >&4
}

for target in $targets; do
    read -r uptime rest </proc/uptime
    echo "@block $uptime" >&4
    destination=${target%@*} source=
    [ "$destination" = "$target" ] || source=${target#*@}
    failures=0
    for size in $sizes; do
        # Two sizes in a row without all their replies: the target is silent, and the others need not wait for it.
        [ "$failures" -lt 2 ] || break
        one "$destination" "$source" "${size%:*}" "${size#*:}" "$@"
        if [ "$status" -eq 0 ]; then failures=0; else failures=$((failures + 1)); fi
    done
done
read -r uptime rest </proc/uptime
echo "@end $uptime" >&4
print_kept
# @include guard-tail.sh
