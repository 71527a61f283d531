# Sends frames by an interface.
# $1 interface, $2 peer's underlay address. Frames come as lines of hexadecimal digits. At the end an echo request: what
# it passes on the way has been dealt with. Source: packet(7), struct sockaddr_ll.

perl -MSocket -e '
    my $device = shift;
    socket(S, 17, SOCK_RAW, 0) or die "socket: $!\n";
    open(F, "<", "/sys/class/net/$device/ifindex") or die "$device: $!\n";
    my $to = pack("S n l S C C a8", 17, 0x0800, scalar(<F>), 1, 0, 6, "");
    while (<STDIN>) { chomp; defined(send(S, pack("H*", $_), 0, $to)) or die "send: $!\n"; }
' "$1" || exit 1
ping -n -q -c 2 -i 0.2 -w 5 "$2" >/dev/null
exit 0
