# gro NAME [VALUE]: prints whether GRO is on for an interface (1 or 0), or sets it.
# WORKAROUND: where frames go from a bridge into L2TPv3 it is off, until Linux clears `frag_max_size` in l2tp_xmit_core():
# what GRO leaves there (6.12.117, Debian's cloud kernel) makes ip_fragment() drop each IPv4 packet. Source: ethtool.h,
# ETHTOOL_GGRO and ETHTOOL_SGRO; struct ethtool_value.
gro() {
  perl -MSocket -e 'exit 0' 2>/dev/null || { echo "perl is missing: install perl-base." >&2; return 1; }
  # shellcheck disable=SC2016 # perl's
  perl -MSocket -e '
    my ($name, $value) = @ARGV;
    my $asked = pack("L L", defined $value ? 0x2c : 0x2b, defined $value ? $value : 0);
    socket(my $any, PF_INET, SOCK_DGRAM, 0) or die "socket: $!\n";
    defined(ioctl($any, 0x8946, pack("a16 P x8", $name, $asked))) or die "GRO of $name: $!\n";
    print unpack("x4 L", $asked), "\n" unless defined $value;
  ' "$@"
}
