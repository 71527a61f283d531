#!/bin/sh
# Tunnelmark: takes away what would start a deployment that was not confirmed. Usage: sh uninstall.sh SLOT ID

# @include service.sh

main() {
    use_slot "$1"
    spare=${0%/*}/times
    id=$2
    [ -d "$base" ] || exit 0
    rm -rf "$base/.$id.new"
    # Confirming was broken off in the very moment of putting its name there: what it had replaced counts again.
    replaced=
    read -r replaced 2> /dev/null < "/run/tunnelmark-$id/.lasting/replaced"
    if is_current "$id"; then
        if [ -z "$replaced" ] || ! make_current "$replaced"; then end_current; fi
    fi
    # Not before its name: a name without a folder is damage, with which nothing is removed.
    rm -rf "${base:?}/$id"
    if [ ! -e "$base/current" ] && [ ! -e "$base/confirmed" ]; then slot_remove; fi
}

main "$@"
