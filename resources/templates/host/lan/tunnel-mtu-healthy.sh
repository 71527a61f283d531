# Succeeds if a tunnel's interface has this MTU. The supervisor, which has a folder for notes, sets it again and notes it
# in its log: a program that makes its interface anew takes its own. For what only asks another MTU is no fault: the
# tunnel carries frames all the same, and nothing has to be restarted. Arguments: INTERFACE BYTES

# @include tunnel-mtu-read.sh
if has_mtu "$1" "$2"; then exit 0; fi
if [ -n "$TUNNELMARK_ASKS" ] && [ -e "/sys/class/net/$1" ]; then exit 0; fi
if [ -z "$TUNNELMARK_NOTES" ]; then exit 1; fi
ip link set dev "$1" mtu "$2" && has_mtu "$1" "$2" || exit 1
printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "the MTU of $1 was changed, and was set to $2 again" 2> /dev/null >> "$TUNNELMARK_NOTES/log"
exit 0
