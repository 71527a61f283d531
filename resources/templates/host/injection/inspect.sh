# What a host has for sending forged packets.
# $1 underlay address, $2 whether to ask for L2TPv3 sessions (which loads its module, where it is not loaded), $3 own
# address inside, $4 peer's address inside. Prints the name of the interface that has the underlay's address, its IPv6
# address, programs that are there, and sessions. The echo request makes the kernel ask for the peer's hardware address
# while it gets an answer: on a busy host, only after some seconds.

# @include ../capture/device-of.sh
device=$(device_of "$1")
echo "#device $device"
ip -6 -o addr show dev "$device" scope link 2>/dev/null | while read -r _ name _ with _; do
    echo "#link-local ${with%%/*}"
done
perl -MSocket -e 'exit 0' 2>/dev/null && echo "#has perl"
nft --version >/dev/null 2>&1 && echo "#has nft"
[ "$2" != yes ] || ip l2tp show session 2>/dev/null
ping -n -q -c 1 -w 8 -I "$3" "$4" >/dev/null 2>&1
exit 0
