# remove_place: takes back what this place's deployment has made on this host, and takes away what starts it.
# Expects: base, slot, unit (see use_slot), id (the deployment; empty where none counts).
remove_place() {
    if [ -e /run/tunnelmark ]; then
        echo "Somebody works on this host, or it goes back by itself. To put it back now: sh /run/tunnelmark/undo.sh" >&2
        return 1
    fi
    if [ -n "$id" ] && [ -f "$base/$id/lasting.sh" ]; then
        service_stop
        if ! sh "$base/$id/lasting.sh" down; then
            echo "It could not be taken down completely; see /run/tunnelmark-$id/.lasting/log, and try again." >&2
            return 1
        fi
        end_text="The tunnel is taken back on this host."
    else
        end_text="Nothing that could be taken down was found; what may still run goes with a restart of this host."
    fi
    if ! slot_remove; then
        echo "$base could not be removed." >&2
        return 1
    fi
    echo "$end_text"
}
