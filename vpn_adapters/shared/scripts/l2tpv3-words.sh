# Makes an L2TPv3 tunnel with cookies made of two public keys, and sets its interface up.
# Arguments: NAME ADDRESS (hardware) MTU INNER TUNNEL_ID SESSION_ID OWN PEER (addresses of the carrier) SIDE KEY_A KEY_B
# @include l2tpv3-load.sh
# @include l2tpv3-seed-words.sh
# @include l2tpv3-session-cookies.sh
# @include configure.sh
