# Makes tunnel and session with cookies.
# $9 is the end, `seed` what only the two ends know. `cookie` is what this end sends, `peer_cookie` what it demands.
# They come to `ip` on its stdin: arguments can be read by everybody on the host.

digest=$(printf 'L2TPv3 cookies %s' "$seed" | sha256sum)
rest=${digest#????????????????}
own=${digest%"$rest"}
peers=${rest%"${rest#????????????????}"}
[ "${#own}:${#peers}" = 16:16 ] || { echo "sha256sum gave no cookies" >&2; exit 1; }
if [ "$9" = b ]; then
  demanded=$own
  own=$peers
  peers=$demanded
fi
ip -batch - << END
l2tp add tunnel tunnel_id $5 peer_tunnel_id $5 encap ip local $7 remote $8
l2tp add session name $1 tunnel_id $5 session_id $6 peer_session_id $6 cookie $own peer_cookie $peers
END
