#!/bin/sh
# Tunnelmark: puts this host back as it was before the tunnel was built.
#
# You may run it from the console, as root, at any time and more than once:
#
#     sh /run/tunnelmark/undo.sh
#
# It stops what is still building the tunnel, takes back every change that is written down in journal/, the newest
# first, and says so. After a command that fails it goes on with the rest and ends with exit status 1. What it said is
# kept in undo.log beside it. The folder itself goes when Tunnelmark comes back, or when its timer runs out.

# @include folder.sh
# @include process.sh
# @include trees.sh
# @include marked.sh

say() {
    printf '%s\n' "$*" 2> /dev/null
    printf '%s\n' "$*" 2> /dev/null >> "$state/undo.log"
}

# take_turn: waits until no other undo runs here. A symbolic link is made by exactly one, holds who made it, and needs no
# free space. It is left there at the end: a process that has ended holds nothing.
take_turn() {
    start_of "$$"
    waited=0
    until ln -s "$$:$start_time" "$state/undo-turn" 2> /dev/null; do
        if [ ! -d "$state" ]; then
            echo "This host has been put back already."
            exit 0
        fi
        holder=$(readlink "$state/undo-turn")
        if [ -n "$holder" ] && ! is_running "$holder"; then
            rm -f "$state/undo-turn"
        elif [ "$waited" -ge 1200 ]; then
            say "another undo (process ${holder%%:*}) has been running for too long; try again later"
            exit 75
        else
            nap
            waited=$((waited + 1))
        fi
    done
}

# stop_runner: ends the script that builds the tunnel, if it still works. It looks for undo-begun after it has written
# down who it is, and we look for it after we have made undo-begun: one of us sees the other.
stop_runner() {
    runner=
    read -r runner 2> /dev/null < "$state/runner"
    if [ -n "$runner" ] && is_running "$runner"; then
        say "stopping what is still building the tunnel (process ${runner%%:*})"
        stop_tree "${runner%%:*}"
    fi
}

# read_entry FILE: sets title, is_whole and is_done. An entry that was never finished belongs to a step that never ran:
# the step begins after its entry has been written to the end.
read_entry() {
    title=
    is_whole=no
    is_done=no
    while IFS= read -r line; do
        case $line in
            "# done") is_done=yes ;;
            "# end") is_whole=yes ;;
            "# "*) title=${title:-${line#"# "}} ;;
        esac
    done < "$1"
}

# take_back pending|all: runs the entries of the journal, the newest first.
take_back() {
    numbers=
    for entry in "$state"/journal/[0-9]*; do
        if [ -e "$entry" ]; then numbers="${entry##*/} $numbers"; fi
    done
    for number in $numbers; do
        entry=$state/journal/$number
        read_entry "$entry"
        if [ "$is_whole" = no ]; then continue; fi
        if [ "$1.$is_done" = pending.yes ]; then continue; fi
        # shellcheck disable=SC1090 # one of our own entries
        (. "$entry") < /dev/null > "$state/undo.out" 2>&1
        status=$?
        if [ -s "$state/undo.out" ]; then cat "$state/undo.out" 2> /dev/null >> "$state/undo.log"; fi
        if [ "$status" -eq 0 ]; then
            echo "# done" 2> /dev/null >> "$entry"
            say "taken back $number $title"
            print_warnings "$state/undo.out" "    warning: "
        else
            failures=$((failures + 1))
            say "FAILED with $status $number $title"
            if [ -s "$state/undo.out" ]; then tail -n 5 "$state/undo.out" | cut -c 1-300 | sed 's/^/    /'; fi
        fi
    done
}

# sweep: ends what the journal's entries left running (a daemon that had not yet written its number when it was to be
# stopped). Succeeds if there was something.
sweep() {
    read -r tunnel 2> /dev/null < "$state/id" || return 1
    left=$(marked "$tunnel")
    [ -n "$left" ] || return 1
    for process in $left; do
        say "ending process $process, which the tunnel left behind"
        kill -s KILL "$process" 2> /dev/null
    done
    nap
}

main() {
    # Neither a cut connection nor a closed terminal may stop this half-way.
    trap '' HUP PIPE
    umask 077
    unset TUNNELMARK_TUNNEL
    if ! own_folder; then
        # Whoever has put the host back has removed it.
        [ ! -e "$own_path" ]
        exit
    fi
    state=$folder
    if [ ! -d "$state/journal" ]; then
        echo "There is no journal in $state, so it is not known what to take back." >&2
        exit 1
    fi
    take_turn
    : > "$state/undo-begun"
    stop_runner
    failures=0
    take_back pending
    if sweep; then
        failures=0
        take_back all
    fi
    if [ "$failures" -eq 0 ]; then
        : > "$state/undone"
        say "this host is as it was before the tunnel"
        exit 0
    fi
    say "$failures changes could not be taken back; see $state/undo.log"
    exit 1
}

main
