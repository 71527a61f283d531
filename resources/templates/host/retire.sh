# Takes back what was confirmed on this host alone, because the other one could not; what it had replaced comes back.
# Arguments: SLOT ID OLD; OLD may be empty.

# @include process.sh
# @include service.sh

main() {
    use_slot "$1"
    id=$2
    old=$3
    stand_alone
    is_current "$id" || exit 0
    # Taking this one away must not leave the host with nothing where there was something.
    if [ -n "$old" ] && [ ! -f "$base/$old/lasting.sh" ]; then exit 1; fi
    # First of all: a supervisor that is only just starting gives way where its deployment does not count any more; it
    # would bring up what is taken down here.
    if [ -n "$old" ]; then make_current "$old" || exit 1; else rm -f "$base/current"; fi
    if ! sh "$base/$id/lasting.sh" down; then
        make_current "$id"
        service_start
        exit 1
    fi
    service_stop
    if [ -n "$old" ]; then
        rm -rf "${base:?}/$id"
        sh "$base/start.sh" return
    else
        slot_remove
    fi
}

main "$@"
