# Succeeds if a tunnel's interface has this MTU. The supervisor, which has a folder for notes, sets it again: a program
# that makes its interface anew takes its own. Arguments: INTERFACE BYTES

# @include tunnel-mtu-read.sh
if has_mtu "$1" "$2"; then exit 0; fi
if [ -z "$TUNNELMARK_NOTES" ] || [ -n "$TUNNELMARK_ASKS" ]; then exit 1; fi
ip link set dev "$1" mtu "$2" && has_mtu "$1" "$2"
