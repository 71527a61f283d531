# Makes attempts of all clients. Arguments: LIMIT PROGRAM WORD...; LIMIT is in seconds, PROGRAM gets when it is to begin, in seconds
# since the host was started, before the words.

# @include /probes/guard-head.sh
program=$1
shift
read -r now _ < /proc/uptime
perl "$program" "$((${now%%.*} + 3))" "$@" &
child=$!
wait "$child" || { child=; leave 1; }
child=
# @include /probes/guard-tail.sh
