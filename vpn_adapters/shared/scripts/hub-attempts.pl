# Attempts of all clients of a flood by one program. Arguments: BEGIN CLIENTS FOLDER RATE SECONDS; BEGIN in seconds since the host was
# started, RATE of all clients together, which make them in turn. What includes this says whether a CLIENT is free, begins its attempt
# and ends its session (is_free, begin_attempt, end_attempt), and calls finish CLIENT WORDS at the end of an attempt: WORDS are its
# seconds, or `-`. Prints `@begin` when the first one begins; print_attempts prints a line for each.

# @include /nodes/now.pl

my ($begin, $clients, $folder, $rate, $seconds) = @ARGV;
my $patience = 8;
my $end = $begin + 2 * $seconds + $patience;

# By client: its next attempt, and of one under way when it was due and when it began.
my @next = (0 .. $clients - 1);
my (@due, @began);
my ($left, @lines) = (0);
for (my $nth = 0; $nth < $rate * $seconds; $nth++) { $left++ }

# Whether attempts are left, and time for them.
sub goes_on { return $left > 0 && now() < $end }

# Begins what is due, and returns the seconds in which nothing is.
sub start_what_is_due {
    my $now = now();
    my $wait = 0.5;
    for my $n (0 .. $clients - 1) {
        next if defined $due[$n] || !is_free($n) || $next[$n] >= $rate * $seconds;
        my $until = $begin + $next[$n] / $rate - $now;
        if ($until > 0) { $wait = $until if $until < $wait; next }
        if ($next[$n] == 0) { local $| = 1; print "\@begin\n" }
        ($due[$n], $began[$n]) = ($next[$n] / $rate, $now);
        $next[$n] += $clients;
        begin_attempt($n);
    }
    return $wait;
}

sub finish {
    my ($n, $words) = @_;
    push @lines, sprintf("= %.2f %.2f %s\n", $due[$n], $began[$n] - $begin - $due[$n], $words);
    $due[$n] = undef;
    $left--;
    end_attempt($n);
}

sub took { return sprintf("%.2f", now() - $began[$_[0]]) }

# Gives up attempts that take too long.
sub give_up_what_is_late {
    my $now = now();
    for my $n (0 .. $clients - 1) { finish($n, "-") if defined $due[$n] && $now > $began[$n] + $patience }
}

sub print_attempts { print @lines }
