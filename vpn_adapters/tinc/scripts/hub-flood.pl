# A flood of key exchanges of clients whose daemons run. Arguments: BEGIN CLIENTS FOLDER RATE SECONDS; BEGIN in seconds since the host
# was started, RATE of all clients together. SIGHUP makes a daemon read its configuration again: with the hub in it, it calls the
# hub, its log confirms that the connection is there, and without the hub it ends the connection, see hub-clients.sh. Prints
# `@begin`, then a line for each attempt.
#
# Source: tincd(8); tinc 1.0.36: src/net.c, main_loop, and src/protocol_auth.c, ack_h.
use strict;

my ($begin, $clients, $folder, $rate, $seconds) = @ARGV;
my $patience = 8;
my $pause = 0.01;

sub now {
    open(my $file, "<", "/proc/uptime") or die "uptime: $!\n";
    my ($now) = split / /, <$file>;
    return $now;
}

sub text_of {
    open(my $file, "<", $_[0]) or die "$_[0]: $!\n";
    local $/;
    return scalar <$file>;
}

# By client: its daemon, the configuration without the hub, the log and what was read of its last line, its next attempt, and of
# one under way when it was due and when it began.
my (@process, @settings, @log, @text, @next, @due, @began);
for my $n (0 .. $clients - 1) {
    my $own = "$folder/client-" . ($n + 1);
    ($process[$n]) = text_of("$own/pid") =~ /^(\d+)/ or die "$own/pid names no process.\n";
    ($settings[$n] = text_of("$own/tinc.conf")) =~ s/^ConnectTo.*\n//mg;
    open($log[$n], "<", "$own/log") or die "$own/log: $!\n";
    sysseek($log[$n], 0, 2);
    ($text[$n], $next[$n]) = ("", $n);
}

sub set_hub {
    my ($n, $line) = @_;
    my $path = "$folder/client-" . ($n + 1) . "/tinc.conf";
    # The daemon may be reading it for an earlier signal.
    open(my $file, ">", "$path.new") or die "$path: $!\n";
    print $file $settings[$n], $line;
    close($file) or die "$path: $!\n";
    rename("$path.new", $path) or die "$path: $!\n";
    kill("HUP", $process[$n]) or die "Client " . ($n + 1) . " ended.\n";
}

my ($left, @lines) = (0);
for (my $nth = 0; $nth < $rate * $seconds; $nth++) { $left++ }

sub finish {
    my ($n, $words) = @_;
    push @lines, sprintf("= %.2f %.2f %s\n", $due[$n], $began[$n] - $begin - $due[$n], $words);
    $due[$n] = undef;
    $left--;
    set_hub($n, "");
}

sub start_what_is_due {
    my ($now) = @_;
    for my $n (0 .. $clients - 1) {
        if (defined $due[$n]) {
            finish($n, "-") if $now > $began[$n] + $patience;
            next;
        }
        next if $next[$n] >= $rate * $seconds || $begin + $next[$n] / $rate > $now;
        if ($next[$n] == 0) { local $| = 1; print "\@begin\n" }
        ($due[$n], $began[$n]) = ($next[$n] / $rate, $now);
        $next[$n] += $clients;
        set_hub($n, "ConnectTo = tunnelmark_a\n");
    }
}

my $end = $begin + 2 * $seconds + $patience;
while ($left > 0 && (my $now = now()) < $end) {
    start_what_is_due($now);
    select(undef, undef, undef, $pause);
    for my $n (0 .. $clients - 1) {
        next if !sysread($log[$n], $text[$n], 65536, length $text[$n]);
        while ($text[$n] =~ s/^(.*?)\n//) {
            my $line = $1;
            next if !defined $due[$n] || $line !~ /Connection with tunnelmark_a .*activated/;
            finish($n, sprintf("%.2f", now() - $began[$n]));
        }
    }
}
print @lines;
