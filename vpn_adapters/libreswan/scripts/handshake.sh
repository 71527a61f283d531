# When the keys were agreed on, in seconds since 1970. $1: the tunnel's own folder.
# @include tools.sh
ask --trafficstatus 2> /dev/null | sed -n 's/.*"tunnelmark".*add_time=\([0-9]*\).*/\1/p' | tail -n 1
