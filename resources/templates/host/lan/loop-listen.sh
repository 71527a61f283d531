# Waits for an ARP request for an address at a port: 0 where one was seen, 124 where none was.
# Arguments: PORT ADDRESS SECONDS.

# @include has-link.sh

command -v tcpdump > /dev/null && command -v timeout > /dev/null || exit 104
seen=$(timeout "$3" tcpdump -l -n -p -c 1 -i "$1" arp host "$2" 2> /dev/null)
status=$?
# What tcpdump prints counts: BusyBox's timeout ends it in a way that resembles success, or with 143, that of coreutils
# with 124.
[ -z "$seen" ] || exit 0
case $status in 0 | 124 | 143) exit 124 ;; esac
exit 1
