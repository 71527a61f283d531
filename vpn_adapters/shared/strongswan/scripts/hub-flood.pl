# A flood of key exchanges of clients with a charon each. Arguments: BEGIN CLIENTS FOLDER RATE SECONDS; BEGIN in seconds since the
# host was started, RATE of all clients together. One control socket per client remains open: `initiate` is answered once the
# CHILD_SA is there, `terminate` once the IKE_SA has gone. Prints `@begin`, then a line for each attempt.
#
# Source: strongSwan: src/libcharon/plugins/vici/README.md, "Transport protocol" and "Message format".
use strict;
use Socket;

# @include ../../scripts/hub-attempts.pl

# By client: the socket, what it sent of a packet, and whether it is free.
my (@socket, @text, @free);

sub ask {
    my ($n, $name, %words) = @_;
    my $packet = pack("CC/a", 0, $name);
    $packet .= pack("CC/an/a", 3, $_, $words{$_}) for sort keys %words;
    syswrite($socket[$n], pack("N/a", $packet));
}

sub is_free { return $free[$_[0]] }
sub end_attempt { ask($_[0], "terminate", ike => "tunnelmark", timeout => 2000, force => "yes") }

sub begin_attempt {
    my ($n) = @_;
    $free[$n] = 0;
    ask($n, "initiate", child => "tunnelmark", timeout => 1000 * $patience, loglevel => -1);
}

# An answer: of `initiate` where an attempt is under way, else of `terminate`.
sub take_answer {
    my ($n, $answer) = @_;
    if (!defined $due[$n]) { $free[$n] = 1; return }
    my $is_done = index($answer, pack("CC/an/a", 3, "success", "yes")) >= 0;
    finish($n, $is_done ? took($n) : "-");
}

sub take_answers {
    my ($wait) = @_;
    my $ready = "";
    vec($ready, fileno($_), 1) = 1 for @socket;
    return if select($ready, undef, undef, $wait) <= 0;
    for my $n (0 .. $clients - 1) {
        next if !vec($ready, fileno($socket[$n]), 1);
        sysread($socket[$n], $text[$n], 65536, length $text[$n]) or die "Client $n ended.\n";
        while (length $text[$n] >= 4 && length $text[$n] >= 4 + unpack("N", $text[$n])) {
            my $answer = unpack("N/a", $text[$n]);
            substr($text[$n], 0, 4 + length $answer) = "";
            take_answer($n, $answer);
        }
    }
}

for my $n (0 .. $clients - 1) {
    socket($socket[$n], PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\n";
    my $path = "$folder/client-" . ($n + 1) . "/charon.vici";
    connect($socket[$n], pack_sockaddr_un($path)) or die "$path: $!\n";
    ($text[$n], $free[$n]) = ("", 1);
}
take_answers(start_what_is_due()) while goes_on();
# Clients that have no session are ready for the next flood.
my $settled = now() + 3;
take_answers(0.2) while (grep { !$_ } @free) && now() < $settled;
print_attempts();
