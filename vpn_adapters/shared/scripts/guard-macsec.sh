# Lets MACsec's frames pass only.
# The Ethernet type of the frame inside: 20 bytes of IP, 4 of session id, 8 of cookie, 4 of sublayer, 12 of addresses.

# @include guard-head.sh
add rule inet $1 guard_out ip protocol 115 @nh,160,32 $3 @nh,384,16 != { 0x88e5, 0x888e } counter drop
add rule inet $1 guard_in ip protocol 115 @nh,160,32 $3 @nh,384,16 != { 0x88e5, 0x888e } counter drop
END
