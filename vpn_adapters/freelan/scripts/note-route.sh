# Notes that the host has no route of its own to the peer $1, in the file $2.
[ -n "$(ip -4 route show table main exact "$1/32")" ] || : > "$2"
