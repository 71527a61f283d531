# Confirms a deployment on this host, or the end of one (an empty ID): from one moment to the next, its name is in
# `current` and the timer is gone. Arguments: STATE TUNNEL SLOT ID RUN_DIR

# @include process.sh
# @include uptime.sh
# @include release.sh
# @include service.sh

say() {
    printf '%s %s\n' "$tunnel" "$*"
}

refuse() {
    say "refused $*"
    exit 1
}

# take_turn: whoever holds it may end this work; an undo waits for it, or has it.
take_turn() {
    start_of "$$"
    until ln -s "$$:$start_time" "$state/undo-turn" 2> /dev/null; do
        [ -d "$state" ] || refuse gone
        holder=$(readlink "$state/undo-turn")
        if [ -n "$holder" ] && ! is_running "$holder"; then rm -f "$state/undo-turn"; else refuse taken-back; fi
    done
}

# note_replaced RUN_DIR: what makes room stays until the other host has confirmed, too; see start.sh.
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
        rm -f "$base/current"
    fi
}

# start_watching: beside this script, because the other host is confirmed once it has ended, and until then one host alone
# keeps the tunnel.
start_watching() {
    (
        exec < /dev/null > /dev/null 2>&1
        service_start
    ) &
}

# is_named: whether this has been confirmed before.
is_named() {
    [ -n "$id" ] && is_current "$id"
}

main() {
    state=$1
    tunnel=$2
    use_slot "$3"
    id=$4
    stand_alone
    found=
    read -r found 2> /dev/null < "$state/id"
    if [ "$found" != "$tunnel" ]; then
        # Asked again after the answer was lost.
        is_named || refuse gone
        say confirmed
        start_watching
        say finished
        exit 0
    fi
    take_turn
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
    say confirmed
    release "$tunnel"
    if [ -n "$id" ]; then
        start_watching
    else
        rm -rf "$5"
        if slot_remove; then say removed; fi
    fi
    say finished
}

main "$@"
