# A flood of key exchanges of clients that wait for their management sockets' word. Arguments: BEGIN CLIENTS FOLDER RATE SECONDS;
# BEGIN in seconds since the host was started, RATE of all clients together. `hold release` lets a client connect, CONNECTED
# confirms it, SIGUSR1 ends the session, and the client holds again: without any pause between attempts, unlike
# --connect-retry. Prints `@begin`, then a line for each attempt.
#
# Source: OpenVPN 2.6: doc/management-notes.txt; src/openvpn/init.c, socket_restart_pause.
use strict;
use Socket;

# @include ../../shared/scripts/hub-attempts.pl

# By client: the socket, what it sent of a line, and whether it holds.
my (@socket, @text, @holds);

sub tell_client { syswrite($socket[$_[0]], "$_[1]\n") }
sub is_free { return $holds[$_[0]] }
sub end_attempt { tell_client($_[0], "signal SIGUSR1") }

sub begin_attempt {
    my ($n) = @_;
    $holds[$n] = 0;
    tell_client($n, "hold release");
}

sub take_line {
    my ($n, $line) = @_;
    if ($line =~ /^>HOLD:/) { $holds[$n] = 1 }
    elsif ($line =~ /^>STATE:\d+,CONNECTED,SUCCESS/ && defined $due[$n]) { finish($n, took($n)) }
}

sub take_lines {
    my ($wait) = @_;
    my $ready = "";
    vec($ready, fileno($_), 1) = 1 for @socket;
    return if select($ready, undef, undef, $wait) <= 0;
    for my $n (0 .. $clients - 1) {
        next if !vec($ready, fileno($socket[$n]), 1);
        sysread($socket[$n], $text[$n], 65536, length $text[$n]) or die "Client $n ended.\n";
        take_line($n, $1) while $text[$n] =~ s/^(.*?)\r?\n//;
    }
}

for my $n (0 .. $clients - 1) {
    socket($socket[$n], PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\n";
    my $path = "$folder/client-" . ($n + 1) . ".sock";
    connect($socket[$n], pack_sockaddr_un($path)) or die "$path: $!\n";
    $text[$n] = "";
    tell_client($n, "state on");
}
while (goes_on()) {
    take_lines(start_what_is_due());
    give_up_what_is_late();
}
# Clients that hold are ready for the next flood.
my $settled = now() + 3;
take_lines(0.2) while (grep { !$_ } @holds) && now() < $settled;
print_attempts();
