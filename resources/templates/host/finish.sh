# Puts this host back and looks at it. Arguments: STATE TUNNEL DEPTH.

# @include process.sh
# @include uptime.sh
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
        say undo "$undo_status"
    fi
    look "$3"
    say finished
}

main "$@"
