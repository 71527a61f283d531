# Sends frames while the tunnel's protection is broken.
# $1 limit, $2 peer's underlay address, $3 peer's inner address, $4 tunnel's interface, $5 control's mark, $6 mark,
# $7 payload, $8 how long an answer is waited for; $9... what breaks the protection, on the host where it is to break.
# By whatever route remains, and once more by the tunnel's interface as such.

# @include ../probes/guard-head.sh
underlay=$1 destination=$2 tunnel=$3 control=$4 mark=$5 payload=$6 linger=$7
shift 7
status=0
if [ "$#" -gt 0 ]; then
    output=$("$@" 2>&1 </dev/null)
    status=$?
    printf '#broken %s %s\n' "$status" "${output##*
}"
fi
send() {
    ping -n -q -c 4 -i 0.05 -W "$linger" -s "$payload" -p "$mark" "$destination" 2>&1 &
    first=$! second='' child=$!
    if [ -e "/sys/class/net/$tunnel" ]; then
        ping -n -q -c 4 -i 0.05 -W "$linger" -I "$tunnel" -s "$payload" -p "$mark" "$destination" 2>&1 &
        second=$! child="$child $!"
    else
        echo "#gone $tunnel"
    fi
    wait $first $second
    child=
    run control ping -n -q -A -c 2 -w 1 -s "$payload" -p "$control" "$underlay"
}
[ "$status" -ne 0 ] || send
# @include ../probes/guard-tail.sh
