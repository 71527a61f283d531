# Rolls this host back, inspects it, and releases it: once everything is undone, the rollback timer and the lock have
# nothing left to guard. Arguments: STATE TUNNEL.

# @include process.sh
# @include uptime.sh
# @include release.sh
# @include snapshot.sh

# whose TUNNEL: says to whom the folder belongs: `ours`, `other` or `gone`.
whose() {
    if ! read -r found 2> /dev/null < "$state/id"; then
        echo gone
    elif [ "$found" = "$1" ]; then
        echo ours
    else
        echo other
    fi
}

# finish TUNNEL: sets outcome. The rollback timer may be at work at this very moment; then it also releases the host.
finish() {
    outcome=$(whose "$1")
    if [ "$outcome" != ours ]; then return; fi
    report begin undo
    sh "$state/undo.sh"
    undo_status=$?
    report end undo
    outcome=$(whose "$1")
    if [ "$outcome" = ours ]; then
        outcome=$undo_status
        if [ "$outcome" -eq 0 ] && ! release "$1" && [ "$(whose "$1")" = ours ]; then outcome=folder; fi
    fi
}

main() {
    state=$1
    mark=$2
    trap '' HUP PIPE
    unset TUNNELMARK_RUN
    finish "$2"
    report undo "$outcome"
    snapshot quick
    report finished
}

main "$@"
