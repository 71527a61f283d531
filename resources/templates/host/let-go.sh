# Disarms the timer and releases the lock, if they are still ours. Arguments: STATE TUNNEL.

# @include process.sh
# @include release.sh

main() {
    trap '' HUP PIPE
    state=$1
    read -r found 2> /dev/null < "$state/id" || exit 0
    [ "$found" = "$2" ] || exit 0
    release "$2"
}

main "$@"
