# When the keys were agreed on, in seconds since 1970. $1: the tunnel's own folder.
# @include tools.sh
age=$(ask --list-sas --ike tunnelmark 2> /dev/null | sed -n 's/.*established \([0-9]*\)s ago.*/\1/p' | head -n 1)
[ -z "$age" ] || echo "$(($(date +%s) - age))"
