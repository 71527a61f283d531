# Confirms a deployment on this host, or the end of one (an empty ID): from one moment to the next, its name is in
# `current` and the rollback timer is gone. Arguments: STATE TUNNEL SLOT ID RUN_DIR

# @include process.sh
# @include uptime.sh
# @include release.sh
# @include service.sh
# @include report.sh

refuse() {
    report "refused $*"
    exit 1
}

# is_named: whether this has been confirmed before: its name is there, or none where it was to end.
is_named() {
    if [ -n "$id" ]; then is_current "$id"; else [ ! -e "$base/current" ]; fi
}

is_locked() {
    found=
    read -r found 2> /dev/null < "$state/id"
    [ "$found" = "$tunnel" ]
}

# acquire_undo_lock: its holder may end this work: an undo, or one of us whose answer was lost, and who may be writing on
# a slow disk. Fails once this work has ended.
acquire_undo_lock() {
    uptime_s
    patience=$((uptime_now + 20))
    start_of "$$"
    own=$$:$start_time
    until ln -s "$own" "$state/undo-turn" 2> /dev/null; do
        is_locked || return 1
        [ ! -e "$state/undo-begun" ] || refuse taken-back
        holder=$(readlink "$state/undo-turn")
        if [ -n "$holder" ] && ! is_running "$holder"; then
            rm -f "$state/undo-turn"
            continue
        fi
        uptime_s
        if [ "$uptime_now" -ge "$patience" ]; then
            report busy
            exit 1
        fi
        nap
    done
}

# answer_again: repeats the answer of this work, for a caller who missed it.
answer_again() {
    is_named || refuse gone
    report confirmed
    if [ -n "$id" ]; then start_watching; fi
    report finished
    exit 0
}

# note_replaced RUN_DIR: what is replaced is kept until the other host has confirmed, too; see start.sh.
note_replaced() {
    current=
    read -r current 2> /dev/null < "$base/current"
    if [ -z "$current" ] || [ "$current" = "$id" ]; then return 0; fi
    mkdir -p "$1/.lasting" && echo "$current" > "$1/.lasting/replaced"
}

name_it() {
    if [ -n "$id" ]; then
        [ -f "$base/$id/lasting.sh" ] && note_replaced "$1" && make_current "$id"
    else
        end_current
    fi
}

# start_watching: beside this script, because the other host is confirmed once it has ended, and until then one host alone
# keeps the tunnel. Where /run is full, systemd starts nothing: it is tried for an hour.
start_watching() {
    (
        exec < /dev/null > /dev/null 2>&1
        tries=0
        until service_start; do
            tries=$((tries + 1))
            if [ "$tries" -ge 720 ]; then break; fi
            sleep 5
            is_current "$id" || break
        done
    ) &
}

main() {
    state=$1
    tunnel=$2
    use_slot "$3"
    id=$4
    detach
    if ! is_locked || ! acquire_undo_lock; then answer_again; fi
    [ ! -e "$state/undo-begun" ] || refuse taken-back
    deadline=0
    read -r deadline 2> /dev/null < "$state/lease"
    uptime_s
    if [ "$uptime_now" -ge "$deadline" ]; then
        rm -f "$state/undo-turn"
        refuse too-late
    fi
    if ! name_it "${5:?}"; then
        rm -f "$state/undo-turn"
        refuse disk
    fi
    sync
    report confirmed
    release "$tunnel"
    if [ -n "$id" ]; then
        start_watching
    else
        rm -rf "$5"
        if slot_remove; then report removed; fi
    fi
    report finished
}

main "$@"
