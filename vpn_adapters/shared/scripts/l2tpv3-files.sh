# Makes an L2TPv3 tunnel with cookies made of files, and sets its interface up.
# Arguments: NAME ADDRESS (hardware) MTU INNER TUNNEL_ID SESSION_ID OWN PEER (addresses of the carrier) SIDE FILE...
# @include l2tpv3-load.sh
# @include l2tpv3-seed-files.sh
# @include l2tpv3-session-cookies.sh
# @include configure.sh
