# Rollback on a host: the entries of its journal are run, the newest first, each once. Expects: state (the folder),
# failures (0), start_of and is_running from process.sh, end_processes from end-processes.sh, stop_tree from trees.sh,
# processes_with from tunnel-processes.sh.

report() {
    printf '%s\n' "$*" 2> /dev/null
    printf '%s\n' "$*" 2> /dev/null >> "$state/undo.log"
}

# acquire_undo_lock: waits until no other undo runs here. A symbolic link is made by exactly one, holds who made it,
# and needs no free space. It is left there at the end: a process that has ended holds nothing.
acquire_undo_lock() {
    start_of "$$"
    waited=0
    until ln -s "$$:$start_time" "$state/undo-turn" 2> /dev/null; do
        if [ ! -d "$state" ]; then
            echo "This host has been rolled back already."
            exit 0
        fi
        holder=$(readlink "$state/undo-turn")
        if [ -n "$holder" ] && ! is_running "$holder"; then
            rm -f "$state/undo-turn"
        elif [ "$waited" -ge 1200 ]; then
            report "another undo (process ${holder%%:*}) has been running for too long; try again later"
            exit 75
        else
            nap
            waited=$((waited + 1))
        fi
    done
}

# stop_runner FILE: ends the script that builds a tunnel, if it still works. It checks for undo-begun after it has written
# down who it is, and we check for it after we have made undo-begun: one of us sees the other.
stop_runner() {
    runner=
    read -r runner 2> /dev/null < "$1"
    if [ -n "$runner" ] && is_running "$runner"; then
        report "stopping what is still building the tunnel (process ${runner%%:*})"
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

# undo_entries pending|all [MEMBER]: runs the entries of the journal, the newest first; of several tunnels side by side,
# those of one, whose number they begin with.
undo_entries() {
    numbers=
    for entry in "$state/journal/$2"[0-9]*; do
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
            report "taken back $number $title"
            print_warnings "$state/undo.out" "    warning: "
        else
            failures=$((failures + 1))
            report "FAILED with $status $number $title"
            if [ -s "$state/undo.out" ]; then tail -n 5 "$state/undo.out" | cut -c 1-300 | sed 's/^/    /'; fi
        fi
    done
}

# sweep NAME=VALUE: ends what the journal's entries left running (a daemon that had not yet written its number when it was
# to be stopped): it has this in its environment. Succeeds if there was something.
sweep() {
    left=$(processes_with "$1")
    [ -n "$left" ] || return 1
    for process in $left; do
        report "ending process $process, which the tunnel left behind"
    done
    # shellcheck disable=SC2086 # one number a word
    end_processes KILL 20 $left
    return 0
}
