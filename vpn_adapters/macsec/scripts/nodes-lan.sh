# Protects the frames of a node from here to its gateway, which is this host. Arguments: FOLDER (the tunnel's) TABLE CIPHER MTU
# DIGITS SPACE NAME ADDRESS NODE CABLE UPPER GATEWAY BRIDGE; NODE and GATEWAY are hardware addresses. ADDRESS of the node, with
# prefix length, moves to the interface NAME, and UPPER takes the place of CABLE in BRIDGE.

set -e
umask 077
# shellcheck disable=SC2034 # nodes-head.sh uses them
folder=$1 table=$2 cipher=$3 mtu=$4 digits=$5
shift 5
if [ -e "/sys/class/net/$6" ]; then echo "An interface named $6 is already there." >&2; exit 1; fi
# @include nodes-head.sh
ip -n "$1" addr flush dev lan
ip link set dev "$5" nomaster
protect "" "$5" "$6" "$7" "$4" to-node to-gateway
protect "$1" lan "$2" "$4" "$7" to-gateway to-node
# WORKAROUND: without GRO on it, until Linux clears `frag_max_size` in l2tp_xmit_core(): what GRO leaves there (6.12.117, Debian's
# cloud kernel) makes ip_fragment() drop each IPv4 packet that a bridge hands to L2TPv3. Source: ethtool.h, ETHTOOL_SGRO.
# shellcheck disable=SC2016 # perl's
perl -MSocket -e '
    my $value = pack("L L", 0x2c, 0);
    socket(my $any, PF_INET, SOCK_DGRAM, 0) or die "socket: $!\n";
    defined(ioctl($any, 0x8946, pack("a16 P x8", $ARGV[0], $value))) or die "GRO of $ARGV[0]: $!\n";
' "$6"
ip -n "$1" addr add "$3" dev "$2"
ip link set dev "$6" master "$8"
