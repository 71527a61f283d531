# Takes the lock, writes down how to put this host back, arms the timer: all before the first change. Then makes the
# keys that never leave this host, and prints their public parts.
#
# Arguments: STATE TUNNEL LEASE_S OWNER OWNER_KEY RUN_DIR REMOVE_RUN_DIR. Read from stdin as a whole before anything is done, so that a
# connection that breaks meanwhile cannot leave half a script running.

# @include process.sh
# @include uptime.sh
# @include release.sh
# @include steps.sh

write_undo() {
    cat > "$state/undo.sh" << 'END_OF_TUNNELMARK_FILE'
# @include undo.sh
END_OF_TUNNELMARK_FILE
}

write_watch() {
    cat > "$state/watch.sh" << 'END_OF_TUNNELMARK_FILE'
# @include watch.sh
END_OF_TUNNELMARK_FILE
}

# abandon REASON: nothing has been changed yet but our own folder.
abandon() {
    release "$tunnel"
    give_up "$@"
}

# fill: everything that putting back needs. The lease is 10 characters wide, so that renewing it never needs more space.
fill() {
    uptime_s
    echo "$tunnel" > "$state/id" &&
        echo "$uptime_now" > "$state/since" &&
        printf '%-10d\n' "$((uptime_now + $1))" > "$state/lease" &&
        printf '%s\n%s\n' "$2" "$3" > "$state/owner" &&
        mkdir "$state/journal" "$state/log" &&
        write_undo && write_watch
}

# arm: starts the timer so that it outlives this connection, and waits until it runs. systemd ends what a user's session
# left behind (KillUserProcesses=), but not a unit.
arm() {
    started=no
    if [ -d /run/systemd/system ] && systemd-run --quiet --collect --no-block --unit="tunnelmark-$tunnel" \
        --property=Type=exec /bin/sh "$state/watch.sh" "$tunnel" < /dev/null > /dev/null 2>&1; then
        started=yes
    fi
    if [ "$started" = yes ] && ! wait_for_watcher; then started=no; fi
    if [ "$started" = no ]; then
        (
            trap '' HUP
            exec < /dev/null > /dev/null 2>&1
            if command -v setsid > /dev/null; then
                exec setsid sh "$state/watch.sh" "$tunnel"
            fi
            exec sh "$state/watch.sh" "$tunnel"
        ) &
        wait_for_watcher
    fi
}

wait_for_watcher() {
    tries=0
    while ! { read -r watcher 2> /dev/null < "$state/watcher" && is_running "$watcher"; }; do
        if [ "$tries" -ge 50 ]; then return 1; fi
        tries=$((tries + 1))
        nap
    done
}

main() {
    state=$1
    tunnel=$2
    umask 077
    unset TUNNELMARK_RUN
    say hello
    if ! mkdir "$state" 2> /dev/null; then
        if [ -d "$state" ]; then give_up locked; fi
        give_up folder "$(mkdir "$state" 2>&1)"
    fi
    # From here until the timer runs, a cut connection must not stop us.
    trap '' HUP PIPE
    if ! fill "$3" "$4" "$5" 2> /dev/null; then abandon disk; fi
    if ! arm; then abandon timer; fi
    trap - HUP PIPE
    say armed
    start_of "$$"
    echo "$$:$start_time" > "$state/runner"
    stop_if_taken_back
    export TUNNELMARK_TUNNEL="$tunnel"
    write_down 0000 30 "$7" "Remove the tunnel's own folder"
    mkdir "$6" || give_up folder "$6"
    say identity
    # @steps
    rm -f "$state/runner"
    say finished
}

main "$@"
