# Lets VXLAN pass through the interface $4 only. $1 table, $2 peer's address, $3 port.
# Of VXLAN, the whole port is ours: the kernel's socket takes datagrams from any address, by any interface, but none over
# IPv6. Pieces have been put together before. What leaves comes from a port that only root can have (make-vxlan.sh): any
# user could send a datagram to the peer's socket.

modprobe nf_tables 2> /dev/null
nft -f - << END
create table inet $1
add chain inet $1 guard_out { type filter hook output priority 0; policy accept; }
add chain inet $1 guard_in { type filter hook input priority 0; policy accept; }
add rule inet $1 guard_in ip saddr != $2 udp dport $3 counter drop
add rule inet $1 guard_in iifname != "$4" udp dport $3 counter drop
add rule inet $1 guard_out oifname != "$4" ip daddr $2 udp dport $3 counter drop
add rule inet $1 guard_out ip daddr $2 udp dport $3 udp sport > 1023 counter drop
END
