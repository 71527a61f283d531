#!/bin/sh
# Tunnelmark: takes away what would start a deployment that was not confirmed. Usage: sh uninstall.sh SLOT ID

# @include service.sh

main() {
    slot=$1
    id=$2
    base=/etc/tunnelmark/$slot
    unit=tunnelmark-$slot
    [ -d "$base" ] || exit 0
    rm -rf "${base:?}/$id" "$base/.$id.new"
    current=
    read -r current 2> /dev/null < "$base/current"
    if [ "$current" = "$id" ]; then rm -f "$base/current"; fi
    if [ ! -e "$base/current" ]; then slot_remove; fi
}

main "$@"
