# Pings with every frame size, one after another.
# $1 limit, $2 payload sizes, $3 destination, $4 warm-up requests, $5 warm-up limit, $6 requests, $7... ping and options

# @include guard-head.sh
# @include fragments.sh
sizes=$1 destination=$2 warm=$3 warm_limit=$4 count=$5; shift 5
if [ "$1" = busybox-ping ]; then
    shift
    case $(ping --help 2>&1) in
        *" -A"*|*"	-A"*) set -- ping -A "$@" ;;
        *) set -- ping -i 0.01 "$@"; echo "#interval" ;;
    esac
fi
run warm-up "$@" -c "$warm" -w "$warm_limit" -s 18 "$destination"
count_fragments; echo "#fragments $fragments"
for size in $sizes; do
    run "$size" "$@" -c "$count" -s "$size" "$destination"
done
count_fragments; echo "#fragments $fragments"
# @include guard-tail.sh
