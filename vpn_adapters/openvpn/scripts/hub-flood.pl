# A flood of key exchanges of clients that wait for their management sockets' word. Arguments: BEGIN CLIENTS FOLDER RATE SECONDS;
# BEGIN in seconds since the host was started, RATE of all clients together. `hold release` lets a client connect, CONNECTED
# confirms it, SIGUSR1 ends the session, and the client holds again: without any pause between attempts, unlike
# --connect-retry. Prints `@begin`, then a line for each attempt.
#
# Source: OpenVPN 2.6: doc/management-notes.txt; src/openvpn/init.c, socket_restart_pause.
use strict;
use Socket;

my ($begin, $clients, $folder, $rate, $seconds) = @ARGV;
my $patience = 8;

sub now {
    open(my $file, "<", "/proc/uptime") or die "uptime: $!\n";
    my ($now) = split / /, <$file>;
    return $now;
}

# By client: the socket, what it sent of a line, whether it holds, its next attempt, and of one under way when it was due and
# when it began.
my (@socket, @text, @holds, @next, @due, @began);
for my $n (0 .. $clients - 1) {
    socket($socket[$n], PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\n";
    my $path = "$folder/client-" . ($n + 1) . ".sock";
    connect($socket[$n], pack_sockaddr_un($path)) or die "$path: $!\n";
    ($text[$n], $next[$n]) = ("", $n);
    tell_client($n, "state on");
}

sub tell_client { syswrite($socket[$_[0]], "$_[1]\n") }

my ($left, @lines) = (0);
for (my $nth = 0; $nth < $rate * $seconds; $nth++) { $left++ }

sub finish {
    my ($n, $words) = @_;
    push @lines, sprintf("= %.2f %.2f %s\n", $due[$n], $began[$n] - $begin - $due[$n], $words);
    $due[$n] = undef;
    $left--;
    tell_client($n, "signal SIGUSR1");
}

sub take_line {
    my ($n, $line) = @_;
    if ($line =~ /^>HOLD:/) { $holds[$n] = 1 }
    elsif ($line =~ /^>STATE:\d+,CONNECTED,SUCCESS/ && defined $due[$n]) {
        finish($n, sprintf("%.2f", now() - $began[$n]));
    }
}

sub start_what_is_due {
    my $now = now();
    my $wait = 0.5;
    for my $n (0 .. $clients - 1) {
        if (defined $due[$n]) {
            finish($n, "-") if $now > $began[$n] + $patience;
            next;
        }
        next if !$holds[$n] || $next[$n] >= $rate * $seconds;
        my $until = $begin + $next[$n] / $rate - $now;
        if ($until > 0) { $wait = $until if $until < $wait; next }
        if ($next[$n] == 0) { local $| = 1; print "\@begin\n" }
        ($due[$n], $began[$n], $holds[$n]) = ($next[$n] / $rate, $now, 0);
        $next[$n] += $clients;
        tell_client($n, "hold release");
    }
    return $wait;
}

my $end = $begin + 2 * $seconds + $patience;
while ($left > 0 && now() < $end) {
    my $wait = start_what_is_due();
    my $ready = "";
    vec($ready, fileno($_), 1) = 1 for @socket;
    next if select($ready, undef, undef, $wait) <= 0;
    for my $n (0 .. $clients - 1) {
        next if !vec($ready, fileno($socket[$n]), 1);
        sysread($socket[$n], $text[$n], 65536, length $text[$n]) or die "Client $n ended.\n";
        take_line($n, $1) while $text[$n] =~ s/^(.*?)\r?\n//;
    }
}
# Clients that hold are ready for the next flood.
my $settled = now() + 3;
while ((grep { !$_ } @holds) && now() < $settled) {
    my $ready = "";
    vec($ready, fileno($_), 1) = 1 for @socket;
    next if select($ready, undef, undef, 0.2) <= 0;
    for my $n (0 .. $clients - 1) {
        next if !vec($ready, fileno($socket[$n]), 1);
        sysread($socket[$n], $text[$n], 65536, length $text[$n]) or die "Client $n ended.\n";
        take_line($n, $1) while $text[$n] =~ s/^(.*?)\r?\n//;
    }
}
print @lines;
