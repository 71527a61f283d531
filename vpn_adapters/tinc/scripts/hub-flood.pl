# A flood of key exchanges of clients whose daemons run. Arguments: BEGIN CLIENTS FOLDER RATE SECONDS; BEGIN in seconds since the host
# was started, RATE of all clients together. SIGHUP makes a daemon read its configuration again: with the hub in it, it calls the
# hub, its log confirms that the connection is there, and without the hub it ends the connection, see hub-clients.sh. Prints
# `@begin`, then a line for each attempt.
#
# Source: tincd(8); tinc 1.0.36: src/net.c, main_loop, and src/protocol_auth.c, ack_h.
use strict;

# @include ../../shared/scripts/hub-attempts.pl

# Logs are read so often, in seconds.
my $pause = 0.01;

# By client: its daemon, the configuration without the hub, the log, and what was read of its last line.
my (@process, @settings, @log, @text);

sub text_of {
    open(my $file, "<", $_[0]) or die "$_[0]: $!\n";
    local $/;
    return scalar <$file>;
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

sub is_free { return 1 }
sub begin_attempt { set_hub($_[0], "ConnectTo = tunnelmark_a\n") }
sub end_attempt { set_hub($_[0], "") }

for my $n (0 .. $clients - 1) {
    my $own = "$folder/client-" . ($n + 1);
    ($process[$n]) = text_of("$own/pid") =~ /^(\d+)/ or die "$own/pid names no process.\n";
    ($settings[$n] = text_of("$own/tinc.conf")) =~ s/^ConnectTo.*\n//mg;
    open($log[$n], "<", "$own/log") or die "$own/log: $!\n";
    sysseek($log[$n], 0, 2);
    $text[$n] = "";
}
while (goes_on()) {
    start_what_is_due();
    select(undef, undef, undef, $pause);
    for my $n (0 .. $clients - 1) {
        next if !sysread($log[$n], $text[$n], 65536, length $text[$n]);
        while ($text[$n] =~ s/^(.*?)\n//) {
            my $line = $1;
            next if !defined $due[$n] || $line !~ /Connection with tunnelmark_a .*activated/;
            finish($n, took($n));
        }
    }
    give_up_what_is_late();
}
print_attempts();
