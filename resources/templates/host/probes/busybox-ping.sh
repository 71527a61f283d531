# `busybox-ping` in front of ping's options is BusyBox's ping: as fast as replies come where it can, else every 10 ms.
# Sets is_apart to yes in the second case.

is_apart=
# shellcheck disable=SC2034 # not every script needs is_apart
if [ "$1" = busybox-ping ]; then
    shift
    case $(ping --help 2>&1) in
        *" -A"*|*"	-A"*) set -- ping -A "$@" ;;
        *) set -- ping -i 0.01 "$@"; is_apart=yes ;;
    esac
fi
