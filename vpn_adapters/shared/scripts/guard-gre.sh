# Lets GRE with our key pass inside IPsec only. $1 table, $2 peer's address, $3 key.
# A GRE header with a key begins with flags and type (4), and the key (RFC 2890). The kernel takes no packet with a
# checksum for an interface without one, and compares both addresses; nothing of it is done over IPv6.

modprobe nf_tables 2> /dev/null
nft -f - << END
create table inet $1
add chain inet $1 guard_out { type filter hook output priority 0; policy accept; }
add chain inet $1 guard_in { type filter hook input priority 0; policy accept; }
add rule inet $1 guard_in ip protocol 47 ip hdrlength > 5 counter drop
add rule inet $1 guard_in ip protocol 47 ip saddr != $2 @nh,192,32 $3 counter drop
add rule inet $1 guard_in ip protocol 47 @nh,192,32 $3 meta ipsec missing counter drop
add rule inet $1 guard_out ip protocol 47 @nh,192,32 $3 rt ipsec missing counter drop
END
