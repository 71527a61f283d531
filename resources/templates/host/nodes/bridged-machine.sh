# Gives this machine an address in the network that the tunnel joins. Arguments: INTERFACE NODE MTU MAC NOTES; NODE is
# an address with prefix length. The interface gets the MTU and the hardware address of a bridged node.

set -e
# @include address.sh
# @include link.sh
# @include needed.sh
refuse_needed "$1"
take_address "$1" "$2" "$5"
keep_link "$1" "$5"
ip link set "$1" mtu "$3" address "$4"
