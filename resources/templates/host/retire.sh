# Takes back what was confirmed on this host alone, because the other one could not; what it had replaced comes back.
# Arguments: SLOT ID OLD; OLD may be empty.

# @include process.sh
# @include service.sh

main() {
    slot=$1
    id=$2
    old=$3
    base=/etc/tunnelmark/$slot
    unit=tunnelmark-$slot
    umask 077
    trap '' HUP PIPE
    unset TUNNELMARK_RUN
    current=
    read -r current 2> /dev/null < "$base/current"
    [ "$current" = "$id" ] || exit 0
    sh "$base/start.sh" aside || exit 1
    if [ -n "$old" ] && [ -f "$base/$old/lasting.sh" ]; then
        echo "$old" > "$base/.current.new" && mv -f "$base/.current.new" "$base/current" || exit 1
        rm -rf "${base:?}/$id"
        sh "$base/start.sh" return
    else
        slot_remove
    fi
}

main "$@"
