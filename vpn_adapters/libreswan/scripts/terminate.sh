# Ends the connection and forgets it. $1: the tunnel's own folder.
# @include tools.sh
rm -f "$folder/initiate.log"
[ -S "$folder/pluto/pluto.ctl" ] || exit 0
ask --name tunnelmark --delete > /dev/null 2>&1
exit 0
