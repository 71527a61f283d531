# One client's part of a flood of logins. Arguments: NUMBER CLIENTS BEGIN CONFIG PEER WORD RATE SECONDS; BEGIN in seconds since the
# host was started, RATE of all clients together. An attempt is one run of ssh, which prints WORD once the server let it in and
# ran the key's only command; then the connection ends. Prints `@begin` (the first client), then a line for each attempt.
use strict;

my ($number, $clients, $begin, $config, $peer, $word, $rate, $seconds) = @ARGV;
my $patience = 8;

# @include /nodes/now.pl

# Whether the server answered in time.
sub logged_in {
    my $pid = open(my $output, "-|", "ssh", "-F", $config, "-n", $peer) or die "ssh: $!\n";
    my $line = eval {
        local $SIG{ALRM} = sub { die "late\n" };
        alarm $patience;
        my $first = <$output>;
        1 while <$output>;
        alarm 0;
        $first;
    };
    kill "TERM", $pid if !defined $line;
    close($output);
    return defined $line && $line eq "$word\n";
}

my @lines;
for (my $nth = $number - 1; $nth < $rate * $seconds; $nth += $clients) {
    my $due = $begin + $nth / $rate;
    while ((my $wait = $due - now()) > 0) { select(undef, undef, undef, $wait) }
    if ($nth == 0) { local $| = 1; print "\@begin\n" }
    my $began = now();
    my $words = logged_in() ? sprintf("%.2f", now() - $began) : "-";
    push @lines, sprintf("= %.2f %.2f %s\n", $nth / $rate, $began - $due, $words);
}
print @lines;
