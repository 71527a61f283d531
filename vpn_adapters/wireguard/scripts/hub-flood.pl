# One client's part of a flood of key exchanges. Arguments: NUMBER CLIENTS BEGIN INTERFACE HUB PORT INSIDE FOLDER RATE SECONDS;
# BEGIN in seconds since the host was started, RATE of all clients together, INSIDE the hub's address inside, FOLDER has the
# keys. An attempt gives the interface its private key, sends one echo request, and takes the key away as soon as the answer
# is there. Each change of the key invalidates what was agreed on before, so that each answer proves an exchange of its own;
# to remove the peer instead takes the kernel some 30 ms, one client after the other. Prints `@begin` (the first client), then
# a line for each attempt.
#
# Source: linux/wireguard.h; linux/genetlink.h; netlink(7); icmp(7); Linux 6.12: drivers/net/wireguard/netlink.c,
# wg_set_device. Attributes of lists are nested (0x8000).
use strict;
use Socket;

my ($number, $clients, $begin, $interface, $hub, $port, $inside, $folder, $rate, $seconds) = @ARGV;
# Longer than until WireGuard asks again where a packet was lost: 5 s.
my $patience = 8;
# WireGuard takes an initiation for a replay, or drops it as a flood, where the same client sent another one less than 20 ms
# ago. Source: Linux 6.12: drivers/net/wireguard/noise.c, INITIATIONS_PER_SECOND.
my $apart = 0.04;

# @include /nodes/now.pl

sub attribute {
    my ($type, $data) = @_;
    return pack("S2", 4 + length $data, $type) . $data . "\0" x (-length($data) % 4);
}

sub key_of {
    open(my $file, "<", $_[0]) or die "$_[0]: $!\n";
    chomp(my $key = <$file>);
    $key =~ tr{A-Za-z0-9+/}{}cd;
    $key =~ tr{A-Za-z0-9+/}{ -_};
    $key = unpack("u", pack("c", 32 + int(0.75 * length $key)) . $key);
    length($key) == 32 or die "$_[0] holds no key.\n";
    return $key;
}

my $own = key_of("$folder/client-$number.key");
my $none = "\0" x 32;

socket(my $kernel, 16, SOCK_RAW, 16) or die "netlink: $!\n";
bind($kernel, pack("S2L2", 16, 0, 0, 0)) or die "netlink: $!\n";
my $sequence = 0;

# Sends a request, and returns what came back.
sub ask {
    my ($family, $flags, $command, $data) = @_;
    $sequence++;
    my $body = pack("C2S", $command, 1, 0) . $data;
    send($kernel, pack("LS2L2", 16 + length $body, $family, $flags, $sequence, 0) . $body, 0) or die "netlink: $!\n";
    recv($kernel, my $reply, 8192, 0);
    my ($size, $type) = unpack("LS", $reply);
    if ($type == 2) {
        my $error = unpack("l", substr($reply, 16, 4));
        if ($error) { $! = -$error; die "netlink: $!\n" }
    }
    return substr($reply, 20, $size - 20);
}

my $found = ask(16, 1, 3, attribute(2, "wireguard\0"));
my $family;
while (length $found >= 4) {
    my ($size, $type) = unpack("S2", $found);
    $family = unpack("S", substr($found, 4, 2)) if $type == 1;
    $found = substr($found, ($size + 3) & ~3);
}
defined $family or die "The kernel knows no WireGuard.\n";

sub change { ask($family, 5, 1, attribute(2, "$interface\0") . $_[0]) }
sub set_key { change(attribute(3, $_[0])) }

my $address = inet_aton($inside);
my $allowed = attribute(1, pack("S", AF_INET)) . attribute(2, $address) . attribute(3, pack("C", 32));
my $peer = join "", attribute(1, key_of("$folder/hub.pub")), attribute(4, pack_sockaddr_in($port, inet_aton($hub))),
    attribute(9 | 0x8000, attribute(0x8000, $allowed));
set_key($none);
change(attribute(8 | 0x8000, attribute(0x8000, $peer)));

socket(my $echo, PF_INET, SOCK_RAW, 1) or die "icmp: $!\n";

sub echo_request {
    my ($nth) = @_;
    my $packet = pack("C2n3", 8, 0, 0, $number, $nth & 0xffff);
    my $sum = unpack("%32n*", $packet);
    $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
    substr($packet, 2, 2) = pack("n", ~$sum & 0xffff);
    return $packet;
}

# Whether the answer came in time.
sub answered {
    my ($nth, $until) = @_;
    while ((my $left = $until - now()) > 0) {
        my $ready = "";
        vec($ready, fileno($echo), 1) = 1;
        next if select($ready, undef, undef, $left) <= 0;
        recv($echo, my $packet, 2048, 0);
        my $payload = substr($packet, (ord($packet) & 15) * 4);
        next if length $payload < 8;
        my ($type, $code, $sum, $id, $got) = unpack("C2n3", $payload);
        return 1 if $type == 0 && $id == $number && $got == ($nth & 0xffff);
    }
    return 0;
}

my @lines;
my $earliest = 0;
for (my $nth = $number - 1; $nth < $rate * $seconds; $nth += $clients) {
    my $due = $begin + $nth / $rate;
    my $start = $due > $earliest ? $due : $earliest;
    while ((my $wait = $start - now()) > 0) { select(undef, undef, undef, $wait) }
    if ($nth == 0) { local $| = 1; print "\@begin\n" }
    my $began = now();
    $earliest = $began + $apart;
    set_key($own);
    send($echo, echo_request($nth), 0, pack_sockaddr_in(0, $address));
    my $is_done = answered($nth, $began + $patience);
    my $duration = now() - $began;
    set_key($none);
    push @lines, sprintf("= %.2f %.2f %s\n", $nth / $rate, $began - $due, $is_done ? sprintf("%.2f", $duration) : "-");
}
print @lines;
