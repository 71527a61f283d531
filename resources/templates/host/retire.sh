# Removes what was confirmed on this host alone, because the other one could not; what it had replaced is active again.
# Arguments: SLOT ID OLD; OLD may be empty.

# @include process.sh
# @include service.sh

main() {
    use_slot "$1"
    id=$2
    old=$3
    detach
    is_current "$id" || exit 0
    # Taking this one away must not leave the host with nothing where there was something.
    if [ -n "$old" ] && [ ! -f "$base/$old/lasting.sh" ]; then exit 1; fi
    # Supervisors that are only just starting give way: they would bring up what is taken down here.
    retiring=/run/tunnelmark-retiring-$slot
    trap 'rm -f "$retiring"' EXIT
    start_of "$$"
    echo "$$:$start_time" > "$retiring"
    if [ -n "$old" ]; then make_current "$old" || exit 1; else end_current; fi
    if ! sh "$base/$id/lasting.sh" down || [ -d "/run/tunnelmark-$id" ]; then
        make_current "$id"
        rm -f "$retiring"
        service_start
        exit 1
    fi
    service_stop
    if [ -n "$old" ]; then
        rm -rf "${base:?}/$id"
        if ! sh "$base/$old/lasting.sh" standing; then sh "$base/$old/lasting.sh" up; fi
        rm -f "$retiring"
        sh "$base/start.sh" return
    else
        rm -f "$retiring"
        slot_remove
    fi
}

main "$@"
