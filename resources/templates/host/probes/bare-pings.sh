# Pings with every frame size, as a user would by hand: nothing but ping runs, and its output is printed at the end.
# $1 longest seconds of a size, $2 sizes as PAYLOAD:COUNT, $3 destination, $4... ping and its options

limit=$1 sizes=$2 destination=$3; shift 3
leave() { exit "$1"; }
# @include kept-output.sh
# @include busybox-ping.sh
for size in $sizes; do
    echo "@size ${size%:*}" >&4
    "$@" -c "${size#*:}" -w "$limit" -s "${size%:*}" "$destination" </dev/null >&4 2>&1
done
print_kept
echo "@end"
