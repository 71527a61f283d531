# Final removal of this host's deployment, as the only one who works on it.
# Expects: base, slot, unit (see use_slot), and process.sh, trees.sh, uptime.sh, release.sh, service.sh,
# slot.sh.

# extend_lease: how long this may still take; a later instance takes it for dead, and stops it.
extend_lease() {
    uptime_s
    printf '%-10d\n' "$((uptime_now + 180))" > "$state/lease"
}

# fill_lock OWNER: who works here. The key is that of no Tunnelmark's process: this goes on where such a one ends. Its
# lease is written last; without one it is just being made.
fill_lock() {
    uptime_s
    echo "$removal" > "$state/id" &&
        echo "$uptime_now" > "$state/since" &&
        printf '%s\nremoving\n' "$1" > "$state/owner" &&
        true > "$state/aside-$slot" &&
        echo "$$:$start_time" > "$state/removal" || return 1
    cat > "$state/undo.sh" << 'UNDO' || return 1
# @include unlock.sh
UNDO
    extend_lease
}

# report_holder: says why nothing is done.
report_holder() {
    owner=
    read -r owner 2> /dev/null < "$state/owner"
    if [ ! -d "$state" ]; then
        echo "$state could not be made." >&2
    elif [ -e "$state/removal" ]; then
        echo "It is being removed on this host already, by $owner." >&2
    else
        echo "Another instance works on this host${owner:+ ($owner)}, or it rolls back by itself." \
            "To roll it back now: sh $state/undo.sh" >&2
    fi
}

# lock_host OWNER
lock_host() {
    start_of "$$"
    removal=remove-$$-$start_time
    if ! mkdir "$state" 2> /dev/null; then
        # What is left of another removal that was killed is in no one's way.
        if [ -e "$state/removal" ]; then sh "$state/undo.sh" > /dev/null 2>&1; fi
        if ! mkdir "$state" 2> /dev/null; then
            report_holder
            return 1
        fi
    fi
    if ! fill_lock "$1" 2> /dev/null; then
        echo "$state cannot be written: is it full?" >&2
        release "$removal"
        return 1
    fi
}

# take_down: below a process of its own, which is written down: where this one is killed, that one goes on.
take_down() {
    sh "$base/$id/lasting.sh" down &
    worker=$!
    if start_of "$worker"; then echo "$worker:$start_time" > "$state/worker"; fi
    # A script that was cut ends well, too, and does nothing: one that took the tunnel down has removed this folder.
    wait "$worker" && [ ! -d "/run/tunnelmark-$id" ]
}

# end_watcher: it would start again what ends.
end_watcher() {
    watcher=
    read -r watcher 2> /dev/null < "/run/tunnelmark-$id/.lasting/watcher"
    if [ -n "$watcher" ] && is_running "$watcher"; then stop_tree "${watcher%%:*}"; fi
}

# can_be_taken_down: with scripts that were changed only while something may run that nothing else could end.
can_be_taken_down() {
    [ -n "$id" ] && has_all_files "$base/$id" && { [ -d "/run/tunnelmark-$id" ] || is_intact "$base/$id"; }
}

# take_away: sets end_text.
take_away() {
    service_stop
    extend_lease
    if can_be_taken_down; then
        if ! take_down; then
            echo "It could not be taken down completely; see /run/tunnelmark-$id/.lasting/log, and try again." >&2
            if ! is_intact "$base/$id"; then echo "$damaged is damaged: restart this host before." >&2; fi
            return 1
        fi
        end_text="The tunnel is removed from this host."
    else
        end_watcher
        end_text="Nothing that could be taken down was found; what may still run goes with a restart of this host."
    fi
    extend_lease
    if ! slot_remove; then
        echo "$base could not be removed." >&2
        return 1
    fi
}

# remove_place OWNER [SEEN]: undoes what this slot's deployment has made on this host, and removes what starts it;
# only while that is there which was seen, if that is given: see find.sh.
remove_place() {
    trap '' INT
    state=/run/tunnelmark
    lock_host "$1" || return 1
    find_place
    removed=0
    end_text="There is nothing to remove on this host any more."
    if [ "$place_is" != empty ] && [ "${2-$place_is $id}" != "$place_is $id" ]; then
        echo "The deployment on this host has changed meanwhile. Inspect it once more." >&2
        removed=1
    elif [ "$place_is" != empty ]; then
        take_away
        removed=$?
    fi
    found=
    read -r found 2> /dev/null < "$state/id"
    if [ "$found" = "$removal" ]; then release "$removal"; fi
    if [ "$removed" -eq 0 ]; then echo "$end_text"; fi
    return "$removed"
}
