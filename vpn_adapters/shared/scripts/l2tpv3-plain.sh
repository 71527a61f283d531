# Makes an L2TPv3 tunnel without cookies, and sets its interface up.
# Arguments: NAME ADDRESS (hardware) MTU INNER TUNNEL_ID SESSION_ID OWN PEER (addresses of the carrier) SIDE
# @include l2tpv3-load.sh
# @include l2tpv3-session-plain.sh
# @include configure.sh
