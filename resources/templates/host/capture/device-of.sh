# Defines `device_of ADDRESS`, which prints the name of the interface that has an address.

device_of() {
    ip -o -4 addr show 2>/dev/null | while read -r _ name _ with _; do
        [ "${with%%/*}" = "$1" ] && { echo "$name"; break; }
    done
}
