#!/bin/sh
# Tunnelmark: takes away what would start a deployment that was not confirmed. Usage: sh uninstall.sh SLOT ID

# @include service.sh

main() {
    use_slot "$1"
    spare=${0%/*}/../times
    id=$2
    [ -d "$base" ] || exit 0
    rm -rf "${base:?}/$id" "$base/.$id.new"
    if is_current "$id"; then rm -f "$base/current"; fi
    if [ ! -e "$base/current" ]; then slot_remove; fi
}

main "$@"
