# Sends frames of link protocols into the tunnel.
# $1 interface, $2 own address inside, $3 peer's. Frames come as lines of hexadecimal digits and get the interface's own
# address as their source, so that a tunnel that learns addresses learns none that is not there. At the end an echo
# request through the tunnel: when it is answered, what was sent before has arrived. Source: packet(7), struct
# sockaddr_ll; linux/if_ether.h, ETH_P_802_2.

perl -MSocket -e 'exit 0' >/dev/null 2>&1 || { echo "#no-perl"; exit 0; }
perl -MSocket -e '
    my $device = shift;
    sub content {
        open(F, "<", "/sys/class/net/$device/$_[0]") or die "$device: $!\n";
        my $line = <F>; chomp $line; $line;
    }
    my ($index, $address) = (content("ifindex"), content("address"));
    $address =~ tr/://d;
    socket(S, 17, SOCK_RAW, 0) or die "socket: $!\n";
    for (my $n = 0; <STDIN>; $n++) {
        chomp;
        my $frame = pack("H*", $_);
        substr($frame, 6, 6) = pack("H12", $address);
        my $type = unpack("n", substr($frame, 12, 2));
        my $to = pack("S n l S C C a8", 17, $type < 0x600 ? 4 : $type, $index, 1, 0, 6, "");
        print defined(send(S, $frame, 0, $to)) ? "#sent $n\n" : "#unsent $n $!\n";
    }
' "$1" 2>&1
ping -n -q -c 1 -w 2 -I "$2" "$3" >/dev/null 2>&1
exit 0
