# Undoes one of several tunnels that were built side by side; the others remain up, and the host remains locked.
#
# Arguments: STATE TUNNEL MEMBER.

# @include process.sh
# @include end-processes.sh
# @include trees.sh
# @include tunnel-processes.sh
# @include rollback.sh

# undo_member TUNNEL MEMBER: fails with 3 where the whole host is being rolled back, or has been.
undo_member() {
    acquire_undo_lock
    if [ -e "$state/undo-begun" ] || [ ! -d "$state/journal" ]; then exit 3; fi
    : > "$state/undo-begun-$2"
    stop_runner "$state/runner-$2"
    failures=0
    undo_entries pending "$2"
    if sweep "TUNNELMARK_MEMBER=$1-$2"; then
        failures=0
        undo_entries all "$2"
    fi
    [ "$failures" -eq 0 ]
}

main() {
    state=$1
    trap '' HUP PIPE
    umask 077
    unset TUNNELMARK_RUN TUNNELMARK_TUNNEL TUNNELMARK_MEMBER
    found=
    read -r found 2> /dev/null < "$state/id"
    if [ "$found" != "$2" ]; then
        printf '%s undone 3\n' "$2"
        return
    fi
    printf '%s begin undo\n' "$2"
    (undo_member "$2" "$3")
    undo_status=$?
    printf '%s end undo\n' "$2"
    printf '%s undone %s\n' "$2" "$undo_status"
}

main "$@"
