# Gives tc the values of a link's condition that change over time, each for some time, over and over. Arguments: FILE STEP_S
# PID_FILE. FILE has commands of tc; an empty line is between what holds in turn.
#
# What holds follows from the time since the host was started, so that two hosts are as far apart from each other in one
# tunnel as in the next. Each sleep ends a little late; /proc/uptime is exact in the long run, and counts hundredths of a
# second. So each sleep makes up for a fifth of what the values are late by. When the interface is not shaped any more tc
# ends, and this program with it.
use strict;
use POSIX ();

my ($file, $step_s, $pid_file) = @ARGV;
open(my $values, "<", $file) or die "$file: $!\n";
my @blocks = do { local $/ = ""; <$values> };
@blocks or die "$file is empty\n";
defined(my $child = fork) or die "fork: $!\n";
if ($child) {
    open(my $pid, ">", $pid_file) or die "$pid_file: $!\n";
    print $pid "$child\n";
    close($pid) or die "$pid_file: $!\n";
    exit 0;
}
POSIX::setsid();
chdir("/");
open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null"); open(STDERR, ">", "/dev/null");
open(my $tc, "|-", "tc", "-batch", "-") or exit 1;
select((select($tc), $| = 1)[0]);

sub uptime_s {
    open(my $from, "<", "/proc/uptime") or exit 1;
    return (split " ", <$from>)[0];
}

for (my $number = 1 + int(uptime_s() / $step_s); ; $number++) {
    my $late_s = uptime_s() - ($number - 1) * $step_s;
    if ($late_s > $step_s) {
        $number += int($late_s / $step_s);
        $late_s = 0;
    }
    my $wait_s = $step_s - $late_s / 5;
    select(undef, undef, undef, $wait_s) if $wait_s > 0;
    print $tc $blocks[$number % @blocks];
}
