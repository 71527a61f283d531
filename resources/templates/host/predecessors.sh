# stop_predecessor: a script that was cut off while it worked on this end may still be at it.
stop_predecessor() {
    runner=
    read -r runner 2> /dev/null < "$state/runner"
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
