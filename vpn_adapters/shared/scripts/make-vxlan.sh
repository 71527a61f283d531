# Makes a VXLAN interface and sets it up.
# With `dev`, packets leave by the carrier or not at all, and the interface goes with it. One peer, so nothing to learn.
# The firewall table lets nothing leave from a port above 1023, which any user of the host can have.

set -e
modprobe vxlan 2>/dev/null || :
ip link add dev "$1" type vxlan id "$5" dev "$6" local "$7" remote "$8" srcport 900 1000 dstport "$9" ttl "${10}" nolearning
# @include configure.sh
