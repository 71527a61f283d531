# The routes of all tables.
# @include path.sh
ip -4 route show table all 2>/dev/null || cat /proc/net/route
