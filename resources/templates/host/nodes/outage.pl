# Longest time without an answer from a host. Arguments: NUMBER CLIENTS BEGIN ADDRESS SECONDS LEAD; BEGIN in seconds since the host
# was started. One echo request is sent every 0.2 s. Only times that end LEAD seconds after BEGIN or later count, and of those
# that began before, what is after it. Ends once such an outage of a second and more is over, or after SECONDS, and prints
# `client FIRST OUTAGE` in seconds: when its first answer came after BEGIN, and the longest time without one; `-` for FIRST
# where none came at all, for OUTAGE where none came in the end. The first client prints `@begin` at that time.
#
# Source: icmp(7).
use strict;
use Socket;

my ($number, $clients, $begin, $host, $seconds, $lead) = @ARGV;

# @include now.pl

socket(my $echo, PF_INET, SOCK_RAW, 1) or die "icmp: $!\n";
my $to = pack_sockaddr_in(0, inet_aton($host));

sub request {
    my ($nth) = @_;
    my $packet = pack("C2n3", 8, 0, 0, $number, $nth & 0xffff);
    my $sum = unpack("%32n*", $packet);
    $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
    substr($packet, 2, 2) = pack("n", ~$sum & 0xffff);
    send($echo, $packet, 0, $to);
}

while ((my $wait = $begin - now()) > 0) { select(undef, undef, undef, $wait) }
if ($number == 1) { local $| = 1; print "\@begin\n" }
my ($nth, $sent, $first, $last, $longest) = (0, 0, undef, undef, 0);
while (now() < $begin + $seconds && $longest < 1) {
    if (now() >= $sent + 0.2) { request($nth++); $sent = now() }
    my $ready = "";
    vec($ready, fileno($echo), 1) = 1;
    next if select($ready, undef, undef, 0.1) <= 0;
    recv($echo, my $packet, 2048, 0);
    my $payload = substr($packet, (ord($packet) & 15) * 4);
    next if length $payload < 8;
    my ($type, $code, $sum, $id) = unpack("C2n2", $payload);
    next if $type != 0 || $id != $number;
    my $now = now();
    $first = $now - $begin unless defined $first;
    my $since = defined $last && $last > $begin + $lead ? $last : $begin + $lead;
    $longest = $now - $since if defined $last && $now - $since > $longest;
    $last = $now;
}
my $is_there = defined $last && now() - $last < 1;
my @shown = map { defined $_ ? sprintf("%.2f", $_) : "-" } $first, $is_there ? $longest : undef;
print "client @shown\n";
