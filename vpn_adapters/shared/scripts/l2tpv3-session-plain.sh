# Makes tunnel and session without cookies.
ip l2tp add tunnel tunnel_id "$5" peer_tunnel_id "$5" encap ip local "$7" remote "$8"
ip l2tp add session name "$1" tunnel_id "$5" session_id "$6" peer_session_id "$6"
