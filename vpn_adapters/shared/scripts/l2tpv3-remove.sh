# Removes session, tunnel and interface. $1 interface, $2 tunnel, $3 session.
# The kernel takes sessions and tunnels away after the command has returned (a work queue, since Linux 6.12).

ip l2tp del session tunnel_id "$2" session_id "$3" 2>/dev/null
ip l2tp del tunnel tunnel_id "$2" 2>/dev/null
# @include wait-gone.sh
