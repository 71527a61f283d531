# of_name NAME PID...: prints those processes that have this name: another one may have got the number meanwhile.
of_name() {
    wanted=$1
    shift
    for pid in "$@"; do
        { read -r name <"/proc/$pid/comm"; } 2>/dev/null || continue
        [ "$name" != "$wanted" ] || echo "$pid"
    done
}
