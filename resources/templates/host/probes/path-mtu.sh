# Finds the largest payload that crosses without fragments.
# $1 source or empty, $2 destination, $3 smallest and $4 largest payload, $5... guesses to try first, rising.
# A size crosses if one of two requests is answered; one that is too large for the local link fails at once.

source=$1 destination=$2 low=$3 high=$4; shift 4
crosses() {
    ping -n ${source:+-I "$source"} -M 'do' -c 2 -i 0.2 -W 1 -s "$1" "$destination" >/dev/null 2>&1
}
crosses "$low" || { ping -n ${source:+-I "$source"} -c 1 -W 2 -s "$low" "$destination" 2>&1; exit 3; }
for guess; do
    [ "$guess" -gt "$low" ] && [ "$guess" -lt "$high" ] || continue
    if crosses "$guess"; then low=$guess; else high=$((guess - 1)); break; fi
done
while [ "$low" -lt "$high" ]; do
    middle=$(((low + high + 1) / 2))
    if crosses "$middle"; then low=$middle; else high=$((middle - 1)); fi
done
echo "payload $low"
