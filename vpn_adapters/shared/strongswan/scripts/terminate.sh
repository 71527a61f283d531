# Ends the connection. $1: the tunnel's own folder.
# @include tools.sh
[ -S "$folder/charon.vici" ] || exit 0
ask --terminate --ike tunnelmark --force --timeout 2 > /dev/null 2>&1
exit 0
