# Ends pluto, removes what it gave to the kernel and clears up. It is killed: asked to end, it would empty the kernel's tables of IPsec,
# and with them what others have put there meanwhile.
# $1: the tunnel's own folder; $2 number of our states; $3 and $4 the two addresses; $5 IP protocol.

# @include tools.sh
# @include stop-pluto.sh
# @include flush.sh
stop_pluto KILL
flush_kernel "$2" "$3" "$4" "$5"
rm -rf "$folder/pluto" "$folder/kernel-is-ours" "$folder/ipsec.secrets" "$folder/pluto.log" "$folder/pluto.out"
