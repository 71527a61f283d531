#!/bin/sh
# Tunnelmark: frees this host where the removal of a tunnel was interrupted in the middle. It changes
# nothing else, and nothing at all while that work goes on.

# @include folder.sh
# @include process.sh
# @include uptime.sh
# @include trees.sh
# @include release.sh

main() {
    trap '' HUP PIPE
    own_folder || exit 0
    state=$folder
    id=
    deadline=0
    read -r id 2> /dev/null < "$state/id"
    read -r deadline 2> /dev/null < "$state/lease"
    uptime_s
    for file in removal worker; do
        process=
        read -r process 2> /dev/null < "$state/$file"
        if [ -z "$process" ] || ! is_running "$process"; then continue; fi
        if [ "$uptime_now" -lt "$deadline" ]; then
            echo "A tunnel is being removed from this host, by process ${process%%:*}; wait for it." >&2
            exit 1
        fi
        stop_tree "${process%%:*}"
    done
    found=
    read -r found 2> /dev/null < "$state/id"
    if [ "$found" = "$id" ]; then release "$id"; fi
    echo "The removal of a tunnel was interrupted here: repeat it, or check with: tunnelmark status PAIR"
}

main
