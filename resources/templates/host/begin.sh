# Takes the lock, writes the undo of this host, arms the rollback timer: all before the first change. Inspects the host.
# Then makes the key that never leaves it, and prints its public part.
#
# Arguments: STATE TUNNEL LEASE_S OWNER OWNER_KEY RUN_DIR REMOVE_RUN_DIR PEER ASKED [PATH...]; PEER and ASKED (a small
# file) may be empty. Read from stdin as a whole before anything is done, so that a connection that breaks meanwhile
# cannot leave half a script running.

# @include process.sh
# @include uptime.sh
# @include release.sh
# @include snapshot.sh
# @include steps.sh

# @texts

# abandon REASON: nothing has been changed yet but our own folder.
abandon() {
    rmdir "$run_dir" 2> /dev/null
    release "$tunnel"
    give_up "$@"
}

# fill: everything that a rollback needs; the tunnel's own folder is made last. The lease is 10 characters wide, so that
# renewing it never needs more space.
fill() {
    uptime_s
    echo "$tunnel" > "$state/id" &&
        echo "$uptime_now" > "$state/since" &&
        printf '%s\n%s\n' "$4" "$5" > "$state/owner" &&
        printf '%s' "$undo_text" > "$state/undo.sh" &&
        printf '%s' "$watch_text" > "$state/watch.sh" &&
        mkdir "$state/journal" "$state/log" &&
        printf '%-10d\n' "$((uptime_now + $3))" > "$state/lease" &&
        printf "# Remove the tunnel's own folder\nlimited 30 %s\n# end\n" "$7" > "$state/journal/0000" &&
        mkdir "$6"
}

# start_watcher: so that it outlives this connection. It is no child of this script, which it ends with all its children
# where the lease ends while keys are made: it would stop itself.
start_watcher() {
    (
        (
            trap '' HUP
            exec < /dev/null > /dev/null 2>&1
            if command -v setsid > /dev/null; then exec setsid sh "$state/watch.sh" "$tunnel"; fi
            exec sh "$state/watch.sh" "$tunnel"
        ) &
    )
}

# wait_for_watcher: until it runs, and runs outside of this session. Where it could not leave it by itself, systemd is
# asked to run it.
wait_for_watcher() {
    tries=0
    asked=no
    while :; do
        watcher=
        bond=
        read -r watcher bond 2> /dev/null < "$state/watcher"
        if [ -n "$bond" ] && is_running "$watcher"; then
            if [ "$bond" = free ] || [ "$asked" = yes ] || [ ! -d /run/systemd/system ]; then return 0; fi
            asked=yes
            systemd-run --quiet --collect --no-block --unit="tunnelmark-timer-$tunnel" \
                /bin/sh "$state/watch.sh" "$tunnel" < /dev/null > /dev/null 2>&1 || return 0
            : > "$state/watcher"
        fi
        if [ "$tries" -ge 50 ]; then return 1; fi
        tries=$((tries + 1))
        nap
    done
}

main() {
    state=$1
    tunnel=$2
    mark=$2
    run_dir=$6
    umask 077
    unset TUNNELMARK_RUN
    report hello
    # From here until the rollback timer runs, a cut connection must not stop us.
    trap '' HUP PIPE
    if ! mkdir "$state" 2> /dev/null; then
        if [ -d "$state" ]; then
            section lock lock
            give_up locked
        fi
        give_up folder "$(mkdir "$state" 2>&1)"
    fi
    if ! fill "$@" 2> /dev/null; then abandon disk; fi
    start_watcher
    snapshot quick
    if ! wait_for_watcher; then abandon timer; fi
    trap - HUP PIPE
    # It is not renewed before a third of it has passed: it counts from here.
    uptime_s
    printf '%-10d\n' "$((uptime_now + $3))" 1<> "$state/lease"
    report armed
    start_of "$$"
    echo "$$:$start_time" > "$state/runner"
    stop_if_rolled_back
    export TUNNELMARK_TUNNEL="$tunnel"
    shift 7
    if [ -n "$1" ]; then section reach reach "$1"; fi
    if [ -n "$2" ]; then section asked print_file "$2" 1; fi
    shift 2
    section present present "$@"
    report identity
    # @steps
    : > "$state/runner"
    report finished
}

main "$@"
