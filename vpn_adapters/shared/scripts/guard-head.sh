# Makes a firewall table for one session of L2TPv3. $1 table, $2 peer's address, $3 session; it ends within the rules.
# `create` fails where a table of that name is there already, which is then not ours. Offsets are from the IP header: an
# offset from the header behind it (`@th`) makes nft 1.1.3 abort when it lists the rules. Options and extension headers
# would move the id out of sight, and nothing sends L2TPv3 with them: what has some is dropped, whatever its session.
# What comes in pieces over IPv4 has been put together before these rules see it. Pieces over IPv6 have not: the first
# one has the id, and one behind which more extension headers follow (0, 43, 60) may hide it in the next piece.
# Our session is never carried over IPv6, but the kernel would take its frames from there.

modprobe nf_tables 2> /dev/null
nft -f - << END
create table inet $1
add chain inet $1 guard_out { type filter hook output priority 0; policy accept; }
add chain inet $1 guard_in { type filter hook input priority 0; policy accept; }
add rule inet $1 guard_in ip protocol 115 ip hdrlength > 5 counter drop
add rule inet $1 guard_in ip6 nexthdr 115 @nh,320,32 $3 counter drop
add rule inet $1 guard_in ip6 nexthdr 44 frag nexthdr 115 @nh,384,32 $3 counter drop
add rule inet $1 guard_in frag nexthdr { 0, 43, 60 } counter drop
add rule inet $1 guard_in ip6 nexthdr != { 44, 115 } meta l4proto 115 counter drop
add rule inet $1 guard_in ip protocol 115 ip saddr != $2 @nh,160,32 $3 counter drop
