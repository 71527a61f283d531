# Prints the end of each log.
for log in "$@"; do
    [ -s "$log" ] || continue
    echo "--- $log"
    tail -c 6000 "$log"
    echo
done
