# Puts this host back, looks at it, and lets it go: once everything has been taken back, the timer and the lock have
# nothing left to guard. Arguments: STATE TUNNEL.

# @include process.sh
# @include uptime.sh
# @include release.sh
# @include look.sh

main() {
    state=$1
    mark=$2
    trap '' HUP PIPE
    unset TUNNELMARK_RUN
    if ! read -r found 2> /dev/null < "$state/id"; then
        say undo gone
    elif [ "$found" != "$2" ]; then
        say undo other
    else
        say begin undo
        sh "$state/undo.sh"
        undo_status=$?
        say end undo
        if [ "$undo_status" -eq 0 ] && ! release "$2"; then undo_status=folder; fi
        say undo "$undo_status"
    fi
    look quick
    say finished
}

main "$@"
