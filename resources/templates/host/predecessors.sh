# begin_work STATE TUNNEL [MEMBER]: where the host is still ours, ends a script that was cut off while it worked on the
# same tunnel, and notes that this one works there now. Sets what steps.sh expects.
begin_work() {
    state=$1
    tunnel=$2
    member=$3
    of_member=${3:+-$3}
    umask 077
    found=
    read -r found 2> /dev/null < "$state/id"
    if [ "$found" != "$tunnel" ]; then give_up taken-back; fi
    stop_predecessor
    start_of "$$"
    echo "$$:$start_time" > "$state/runner$of_member" || give_up journal runner
    stop_if_rolled_back
}

# name_processes: what the steps start is known by this.
name_processes() {
    export TUNNELMARK_TUNNEL="$tunnel"
    if [ -n "$member" ]; then export TUNNELMARK_MEMBER="$tunnel$of_member"; fi
}

# end_work: an undo has nothing to stop any more.
end_work() {
    : > "$state/runner$of_member"
}

# stop_predecessor: a script that was cut off while it worked on this end may still be at it.
stop_predecessor() {
    runner=
    read -r runner 2> /dev/null < "$state/runner$of_member"
    if [ -n "$runner" ] && is_running "$runner"; then stop_tree "${runner%%:*}"; fi
}

# stop_orphans: steps of a script that was killed itself; each runs under `timeout`, and would go on changing this end.
stop_orphans() {
    find_daemons
    for daemon in $daemons; do
        name=
        read -r name 2> /dev/null < "/proc/${daemon%%:*}/comm"
        if [ "$name" = timeout ]; then stop_tree "${daemon%%:*}"; fi
    done
    daemons=
}
