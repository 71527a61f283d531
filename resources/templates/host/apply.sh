# Builds this end of the tunnel, or builds it again with another suite, and waits until it is up and frames cross. A restart
# of one host's VPN is such a script as well: its steps are undone before they are done again, and nothing is awaited.
#
# Arguments: STATE TUNNEL [MEMBER].

# @include process.sh
# @include trees.sh
# @include uptime.sh
# @include steps.sh
# @include predecessors.sh

# must_be_absent INTERFACE: what we are about to make must not be there: we would remove what is not ours.
must_be_absent() {
    if [ -e "/sys/class/net/$1" ]; then give_up exists "$1"; fi
}

# place NUMBER FILE MODE PATH UNDO: puts a file outside the tunnel's own folder. It is not there yet: nothing is
# overwritten.
place() {
    stop_if_rolled_back
    if [ -e "$4" ]; then give_up exists "$4"; fi
    write_down "$1" 10 "$5" "Remove $4"
    if ! cp "$2" "$4" || ! chmod "$3" "$4"; then give_up place "$4"; fi
    report "step $1 0"
}

# set_deadline SECONDS: until when the tunnel must be up, in seconds since the host was started.
set_deadline() {
    uptime_s
    up_until=$((uptime_now + $1))
}

# cross NUMBER UNTIL INTERFACE ADDRESS PROGRAM ARGUMENT...: until the peer answers. A request that came too early for
# the peer is asked again at once; the kernel would wait a second before it asks for the address again.
cross() {
    cross_number=$1
    cross_until=$2
    cross_interface=$3
    cross_address=$4
    shift 4
    cross_tries=0
    until "$@" < /dev/null > "$state/log/$cross_number" 2>&1; do
        # Over a satellite an answer takes longer than a try that fails at once where the peer is not up yet.
        cross_tries=$((cross_tries + 1))
        if [ "$cross_tries" -ge 4 ] && "$@" -W 3 < /dev/null > "$state/log/$cross_number" 2>&1; then break; fi
        stop_if_rolled_back
        stop_if_died
        stop_if_hopeless
        uptime_s
        if [ "$uptime_now" -ge "$cross_until" ]; then
            show output "$state/log/$cross_number"
            give_up cross
        fi
        ip neigh del "$cross_address" dev "$cross_interface" 2> /dev/null
    done
    report crossed
}

main() {
    begin_work "$@"
    name_processes
    daemons=
    search_at=
    hopeless=
    # @files
    # @steps
    report built
    # @checks
    end_work
    report finished
}

main "$@"
