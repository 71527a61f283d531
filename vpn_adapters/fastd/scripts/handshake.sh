# When the keys were agreed on, in seconds since 1970. $1 the log.
# A line of the log begins with the host's local time.

at=$(grep -F 'established using method' "$1" | tail -n 1 | cut -c 1-19)
[ -z "$at" ] || date -d "$at" +%s
