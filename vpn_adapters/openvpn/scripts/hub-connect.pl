# Lets each client connect and remain connected, over their management sockets. Arguments: CLIENTS FOLDER SECONDS.
# Source: OpenVPN 2.6: doc/management-notes.txt.
use strict;
use Socket;

my ($clients, $folder, $seconds) = @ARGV;
my $end = time + $seconds;
for my $n (1 .. $clients) {
    socket(my $client, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\n";
    connect($client, pack_sockaddr_un("$folder/client-$n.sock")) or die "client $n: $!\n";
    syswrite($client, "state on\nhold off\nhold release\n");
    my $text = "";
    until ($text =~ /^>STATE:\d+,CONNECTED,SUCCESS/m) {
        my $ready = "";
        vec($ready, fileno($client), 1) = 1;
        die "Client $n did not connect.\n" if time > $end;
        next if select($ready, undef, undef, 1) <= 0;
        sysread($client, $text, 65536, length $text) or die "Client $n ended.\n";
    }
}
