# A proxy that splits TCP connections: it accepts what a firewall rule sends to it, opens a connection of its own to
# where the client wanted to go, and carries bytes between them. Arguments: PORT LOG MARK PID_FILE CONGESTION. Both halves have
# that congestion control, or this host's where it is empty; what they have is written into LOG for each
# connection: `split CLIENT TARGET HALF HALF`.
#
# Source: ip(7) and tcp(7); linux/netfilter_ipv4.h, SO_ORIGINAL_DST 80; asm-generic/socket.h, SO_MARK 36; linux/tcp.h,
# TCP_CONGESTION 13.
use strict;
use Errno;
use POSIX ();
use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY);

my ($port, $log, $mark, $pid_file, $wanted_congestion) = @ARGV;
my $most = 1 << 18;
$SIG{PIPE} = "IGNORE";
socket(my $listener, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
setsockopt($listener, SOL_SOCKET, SO_REUSEADDR, 1);
bind($listener, sockaddr_in($port, INADDR_ANY)) or die "port $port: $!\n";
listen($listener, 128) or die "listen: $!\n";
open(my $out, ">>", $log) or die "$log: $!\n";
select((select($out), $| = 1)[0]);
defined(my $child = fork) or die "fork: $!\n";
if ($child) {
    open(my $pid, ">", $pid_file) or die "$pid_file: $!\n";
    print $pid "$child\n";
    close($pid);
    exit 0;
}
POSIX::setsid();
open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null"); open(STDERR, ">&", $out);

# By number of a socket: the socket, the number of its other half, what waits to be written to it, and whether the other
# half has ended, has been sent that, and has been connected.
my (%socket, %other, %waiting, %ended, %sent_end, %pending);

sub congestion {
    my $name = getsockopt($_[0], IPPROTO_TCP, 13);
    return defined $name ? unpack("Z*", $name) : "unknown";
}

sub name_of {
    my ($at, $host) = sockaddr_in($_[0]);
    return inet_ntoa($host) . ":$at";
}

sub drop {
    my @numbers = @_;  # copies: what they alias is deleted
    for my $number (@numbers) {
        next unless exists $socket{$number};
        close($socket{$number});
        delete $_->{$number} for (\%socket, \%other, \%waiting, \%ended, \%sent_end, \%pending);
    }
}

sub take {
    my $from = accept(my $near, $listener) or return;
    my $wanted = getsockopt($near, 0, 80);
    if (!defined $wanted) { print $out "no destination\n"; close($near); return }
    $wanted = substr($wanted, 0, 16);  # the kernel does not set its length
    # A connection that no rule sent here, such as a port scan's, wants the proxy itself: it would connect to itself for ever.
    if (name_of($wanted) eq name_of(getsockname($near))) { close($near); return }
    socket(my $far, PF_INET, SOCK_STREAM, 0) or do { print $out "socket: $!\n"; close($near); return };
    setsockopt($far, SOL_SOCKET, 36, pack("I", $mark));
    for my $one ($near, $far) {
        setsockopt($one, IPPROTO_TCP, TCP_NODELAY, 1);
        if (length($wanted_congestion) && !setsockopt($one, IPPROTO_TCP, 13, $wanted_congestion)) {
            print $out "$wanted_congestion: $!\n";
        }
        fcntl($one, 4, 2048);
    }
    my ($at, $host) = sockaddr_in($wanted);
    if (!connect($far, sockaddr_in($at, $host)) && !$!{EINPROGRESS}) {
        print $out "connect: $!\n";
        close($near); close($far);
        return;
    }
    my ($a, $b) = (fileno($near), fileno($far));
    ($socket{$a}, $socket{$b}, $other{$a}, $other{$b}) = ($near, $far, $b, $a);
    ($waiting{$a}, $waiting{$b}, $pending{$b}) = ("", "", 1);
    print $out "split ", name_of($from), " ", name_of($wanted), " ", congestion($near), " ", congestion($far), "\n";
}

sub feed {
    my ($number) = @_;
    my $target = $other{$number};
    my $count = sysread($socket{$number}, $waiting{$target}, 65536, length($waiting{$target}));
    if (defined $count && $count > 0) { return }
    if (!defined $count) {
        return if $!{EAGAIN} || $!{EINTR};
        drop($number, $target);
        return;
    }
    $ended{$target} = 1;
}

sub drain {
    my ($number) = @_;
    if (delete $pending{$number}) {
        my $error = unpack("I", getsockopt($socket{$number}, SOL_SOCKET, SO_ERROR));
        if ($error) { drop($number, $other{$number}); return }
    }
    if (length $waiting{$number}) {
        my $count = syswrite($socket{$number}, $waiting{$number});
        if (defined $count) { substr($waiting{$number}, 0, $count, "") }
        elsif (!$!{EAGAIN} && !$!{EINTR}) { drop($number, $other{$number}); return }
    }
    if (!length $waiting{$number} && $ended{$number} && !$sent_end{$number}) {
        shutdown($socket{$number}, 1);
        $sent_end{$number} = 1;
    }
    drop($number, $other{$number}) if $sent_end{$number} && $sent_end{$other{$number}};
}

while (1) {
    my ($reads, $writes) = ("", "");
    vec($reads, fileno($listener), 1) = 1;
    for my $number (keys %socket) {
        vec($reads, $number, 1) = 1 if !$pending{$number} && !$ended{$other{$number}} && length($waiting{$other{$number}}) < $most;
        vec($writes, $number, 1) = 1 if $pending{$number} || length($waiting{$number}) || ($ended{$number} && !$sent_end{$number});
    }
    next if select($reads, $writes, undef, undef) <= 0;
    take() if vec($reads, fileno($listener), 1);
    for my $number (keys %socket) { feed($number) if exists $socket{$number} && vec($reads, $number, 1) }
    for my $number (keys %socket) { drain($number) if exists $socket{$number} && vec($writes, $number, 1) }
}
